#!/bin/sh
# Runs every block of the pages in docs/ and rewrites what they show, and docs/reference.md;
# --check changes nothing and fails when a page is stale.
set -eu
cd "$(dirname "$0")/.."
python=$(sh ci/setup.sh dev)
"$python" ci/reference.py "$@"
"$python" ci/docs.py "$@"
