#!/bin/sh
# Runs a framework's one-liners as a user would: an environment made only by
# `pip install "unbudged[EXTRA]"` from a built wheel, an empty folder, a judge on this machine:
# `sh ci/fresh_install.sh deepeval|inspect_ai|weave` (an environment at hand: add its Python)
set -eu
cd "$(dirname "$0")/.."

fail() {
  echo "fresh_install: $1" >&2
  exit 2
}

name=${1:-}
case $name in
  deepeval|weave) extra=$name ;;
  inspect_ai) extra=inspect ;;
  *) fail "name a framework: deepeval, inspect_ai or weave, not '$name'" ;;
esac

python=${2:-}
if [ -z "$python" ]; then
  for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
      found=$candidate
      break
    fi
  done
  [ -n "${found:-}" ] || fail "needs Python 3.11 or newer, as the frameworks do"
  venv=build/fresh_install/$name
  rm -rf "$venv" "$venv-wheel"
  "$found" -m venv "$venv" >&2
  python=$venv/bin/python
  [ ! -d "$venv/Scripts" ] || python=$venv/Scripts/python.exe
  pip() {
    "$python" -m pip --quiet --disable-pip-version-check --no-input "$@" >&2
  }
  pip wheel --no-deps --wheel-dir "$venv-wheel" . || fail "the wheel cannot be built"
  wheel=$(echo "$venv-wheel"/unbudged-*.whl)
  pip install "$wheel[$extra]" || fail "the installation failed; what pip said stands above"
fi
exec "$python" ci/fresh_install/one_liners.py "$name"
