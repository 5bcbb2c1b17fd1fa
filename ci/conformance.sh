#!/bin/sh
# Runs one framework's conformance tests in an environment of its own; fails when none ran:
# `sh ci/conformance.sh deepeval|inspect_ai|weave floor|latest [pytest arguments]`
set -eu
cd "$(dirname "$0")/.."
name=${1:-}
version=${2:-latest}
python=$(sh ci/framework_env.sh "$name" "$version")
shift
[ $# -eq 0 ] || shift

# Pytest loads DeepEval where it is installed, before any test could say this.
export DEEPEVAL_TELEMETRY_OPT_OUT=1 DEEPEVAL_DISABLE_DOTENV=1 WANDB_ERROR_REPORTING=false

results=build/conformance/$name-$version.xml
rm -f "$results"
code=0
"$python" -m pytest -q -p no:cacheprovider --junit-xml="$results" "integrations/$name" "$@" || code=$?
[ "$code" -eq 0 ] || exit "$code"
"$python" - "$results" <<'PYTHON'
import sys
from xml.etree import ElementTree

suite = ElementTree.parse(sys.argv[1]).getroot().find("testsuite")
if int(suite.get("tests")) - int(suite.get("skipped")) < 1:
    sys.exit("conformance: no test was run, nothing was tested")
PYTHON
