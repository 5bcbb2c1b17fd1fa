#!/bin/sh
# Makes .venv ready and prints the path of its Python: `sh ci/setup.sh run` installs what a
# scan needs, `sh ci/setup.sh dev` (the default) also what the checks need.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
want=${1:-dev}

case $want in
  run) what=. ;;
  dev) what='.[dev]' ;;
  *) echo "setup: unknown environment '$want' (run or dev)" >&2; exit 2 ;;
esac

venv_python() {
  if [ -f .venv/Scripts/python.exe ]; then echo .venv/Scripts/python.exe
  else echo .venv/bin/python; fi
}

new_enough() {
  "$@" -c 'import sys; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1
}

# The path belongs in the stamp: a copied or moved clone would import the old one's sources.
stamp_text() {
  echo "$root"
  cat pyproject.toml
}

current() {
  [ -f ".venv/.unbudged-$1" ] && stamp_text | cmp -s - ".venv/.unbudged-$1"
}

fail() {
  echo "setup: $1" >&2
  exit 1
}

python=$(venv_python)
if new_enough "$python"; then
  if current dev || { [ "$want" = run ] && current run; }; then
    echo "$root/$python"
    exit 0
  fi
else
  if [ -n "${PYTHON:-}" ]; then
    set -- "$PYTHON"
  else
    set -- python3 python3.14 python3.13 python3.12 python3.11 python3.10 python
  fi
  found=
  for candidate in "$@"; do
    if new_enough "$candidate"; then found=$candidate; break; fi
  done
  if [ -z "$found" ]; then
    have=$("$1" -V 2>/dev/null) || have="no working $1"
    fail "needs Python 3.10 or newer and found $have; install one or name it: make PYTHON=/path/to/python3"
  fi
  echo "setup: creating .venv with $("$found" -V)" >&2
  "$found" -m venv --clear .venv >&2 || {
    rm -rf .venv
    fail "$found cannot create environments; on Debian and Ubuntu: apt install python3-venv"
  }
  python=$(venv_python)
fi

"$python" -m pip --version >/dev/null 2>&1 || "$python" -m ensurepip >/dev/null 2>&1 ||
  fail ".venv has no pip and cannot get one; remove .venv and try again"
echo "setup: installing unbudged ($want)" >&2
"$python" -m pip install --quiet --disable-pip-version-check --no-input --editable "$what" >&2 ||
  fail "the installation failed; what pip said stands above"
# A new stamp for one kind makes the other one's word outdated where the dependencies changed.
rm -f .venv/.unbudged-*
stamp_text >".venv/.unbudged-$want"
echo "$root/$python"
