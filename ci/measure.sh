#!/bin/sh
# Simulates false alarms, power and calls of whole scans; rewrites docs/measurement.md.
set -eu
cd "$(dirname "$0")/.."
sh ci/setup.sh dev >/dev/null
exec .venv/bin/python ci/measure.py "$@"
