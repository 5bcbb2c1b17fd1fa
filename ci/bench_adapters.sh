#!/bin/sh
# Measures what a call through each adapter costs; `--check` exits 1 beyond the limit.
set -eu
cd "$(dirname "$0")/.."
code=0
for name in deepeval inspect_ai weave; do
  python=$(sh ci/framework_env.sh "$name" latest)
  "$python" ci/bench/adapters.py --framework "$name" "$@" || code=$?
done
exit $code
