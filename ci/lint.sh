#!/bin/sh
# Checks the code with ruff; `--fix` repairs what it can.
set -eu
cd "$(dirname "$0")/.."
python=$(sh ci/setup.sh dev)
"$python" -m ruff check --quiet "$@" .
