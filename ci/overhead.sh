#!/bin/sh
# Measures what each adapter costs per call; `--check` exits 1 beyond the limit.
set -eu
cd "$(dirname "$0")/.."
code=0
for name in deepeval inspect_ai weave; do
  python=$(sh ci/framework_env.sh "$name" latest)
  # Inspect AI and DeepEval talk to an OpenAI-compatible address through this package.
  "$python" -m pip install --quiet --disable-pip-version-check openai >&2
  "$python" ci/bench/overhead.py "$name" "$@" || code=$?
done
exit $code
