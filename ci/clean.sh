#!/bin/sh
# Removes builds and caches; .venv stays.
set -eu
cd "$(dirname "$0")/.."
rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
find ci examples integrations src tests -type d -name __pycache__ -exec rm -rf {} +
