#!/bin/sh
# Measures a call through an adapter against the framework's own: `sh ci/bench_adapter.sh
# deepeval|inspect_ai|weave`, in an environment of its own; `--check` exits 1 beyond the limit.
set -eu
cd "$(dirname "$0")/.."
name=${1:-}
python=$(sh ci/framework_env.sh "$name" latest)
shift
"$python" ci/bench/adapters.py --framework "$name" "$@"
