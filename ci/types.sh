#!/bin/sh
# Checks the types of src with mypy in strict mode.
set -eu
cd "$(dirname "$0")/.."
python=$(sh ci/setup.sh dev)
"$python" -m mypy "$@"
