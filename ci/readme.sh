#!/bin/sh
# Rewrites the README's output blocks from real runs; with --check only says which are stale.
set -eu
cd "$(dirname "$0")/.."
python=$(sh ci/setup.sh run)
"$python" ci/readme.py "$@"
