#!/bin/sh
# Measures speed, calls, import time and memory; `--check` exits 1 beyond the limits.
set -eu
cd "$(dirname "$0")/.."
python=$(sh ci/setup.sh run)
"$python" ci/bench/core.py "$@"
