#!/bin/sh
# Measures scale, calls in flight, other tools and the journal; rewrites docs/performance.md.
set -eu
cd "$(dirname "$0")/.."
python=$(sh ci/setup.sh run)
"$python" ci/bench/performance.py "$@"
