#!/bin/sh
# Runs one framework's conformance tests in an environment of its own:
# `sh ci/conformance.sh deepeval|inspect_ai|weave floor|latest [pytest arguments]`
# The environment holds what `pip install "unbudged[EXTRA]"` gives a user, and the tests' needs.
set -eu
cd "$(dirname "$0")/.."

fail() {
  echo "conformance: $1" >&2
  exit 2
}

name=${1:-}
version=${2:-latest}
case $name in
  deepeval|weave) extra=$name ;;
  inspect_ai) extra=inspect ;;
  *) fail "name a framework: deepeval, inspect_ai or weave, not '$name'" ;;
esac
case $version in
  floor|latest) ;;
  *) fail "the version is floor or latest, not '$version'" ;;
esac
shift; [ $# -eq 0 ] || shift
folder=integrations/$name

new_enough() {
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

venv=build/conformance/$name-$version
python=$venv/bin/python
[ ! -d "$venv/Scripts" ] || python=$venv/Scripts/python.exe
if ! new_enough "$python"; then
  for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
    if new_enough "$candidate"; then found=$candidate; break; fi
  done
  [ -n "${found:-}" ] || fail "needs Python 3.11 or newer, as the frameworks do"
  "$found" -m venv --clear "$venv" >&2
  python=$venv/bin/python
  [ ! -d "$venv/Scripts" ] || python=$venv/Scripts/python.exe
fi

pip() {
  "$python" -m pip --quiet --disable-pip-version-check --no-input "$@" >&2
}

# floor.txt pins the oldest framework that works, and what has to be old with it;
# tests.txt lists packages that single scorers need.
wanted=".[$extra]"
also=
[ ! -f "$folder/tests.txt" ] || also="-r $folder/tests.txt"
[ "$version" = latest ] || also="$also -r $folder/floor.txt"
# shellcheck disable=SC2086 # several words on purpose
pip install --upgrade "$wanted" 'pytest>=8.0' 'pytest-xdist>=3.5' $also ||
  fail "the installation failed; what pip said stands above"
# the sources as they are now: pip leaves a package of the same version alone
pip install --force-reinstall --no-deps . || fail "unbudged itself cannot be installed"

distribution=$("$python" -c "from unbudged.adapters.extras import EXTRAS; print(EXTRAS['$extra'].distribution)")
echo "conformance: $("$python" -m pip show "$distribution" 2>/dev/null | sed -n 's/^Version: //p') of $distribution, $("$python" -V)"

# pytest itself imports DeepEval and Weave where they are installed: before any test could say this
export DEEPEVAL_TELEMETRY_OPT_OUT=1 DEEPEVAL_DISABLE_DOTENV=1 WANDB_ERROR_REPORTING=false

results=build/conformance/$name-$version.xml
rm -f "$results"
code=0
"$python" -m pytest -q -p no:cacheprovider --junit-xml="$results" "$folder" "$@" || code=$?
[ "$code" -eq 0 ] || exit "$code"
"$python" - "$results" <<'PYTHON'
import sys
from xml.etree import ElementTree

suite = ElementTree.parse(sys.argv[1]).getroot().find("testsuite")
if int(suite.get("tests")) - int(suite.get("skipped")) < 1:
    sys.exit("conformance: no test was run, nothing was tested")
PYTHON
