#!/bin/sh
# Checks the import rules of pyproject.toml (one direction of flow) with import-linter.
set -eu
cd "$(dirname "$0")/.."
python=$(sh ci/setup.sh dev)
"$python" -c 'from importlinter.cli import lint_imports_command; lint_imports_command()' --no-cache "$@"
