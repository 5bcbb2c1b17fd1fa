#!/bin/sh
# Makes an environment with one framework and prints the path of its Python:
# `sh ci/framework_env.sh deepeval|inspect_ai|weave floor|latest`
# It holds what `pip install "unbudged[EXTRA]"` gives a user, and what the tests need.
set -eu
cd "$(dirname "$0")/.."

fail() {
  echo "framework_env: $1" >&2
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

new_enough() {
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

venv_python() {
  if [ -d "$venv/Scripts" ]; then echo "$venv/Scripts/python.exe"; else echo "$venv/bin/python"; fi
}

venv=build/conformance/$name-$version
if ! new_enough "$(venv_python)"; then
  found=
  for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
    if new_enough "$candidate"; then found=$candidate; break; fi
  done
  [ -n "$found" ] || fail "needs Python 3.11 or newer, as the frameworks do"
  "$found" -m venv --clear "$venv" >&2
fi
python=$(venv_python)

pip() {
  "$python" -m pip --quiet --disable-pip-version-check --no-input "$@" >&2
}

# floor.txt pins the oldest framework that works and what must be old with it; tests.txt
# lists packages that single scorers need.
folder=integrations/$name
also=
[ ! -f "$folder/tests.txt" ] || also="-r $folder/tests.txt"
[ "$version" = latest ] || also="$also -r $folder/floor.txt"
# shellcheck disable=SC2086 # several words on purpose
pip install --upgrade ".[$extra]" 'pytest>=8.0' 'pytest-xdist>=3.5' $also ||
  fail "the installation failed; what pip said stands above"
# The sources as they are now: pip leaves a package of the same version alone.
pip install --force-reinstall --no-deps . || fail "unbudged itself cannot be installed"
echo "$(pwd)/$python"
