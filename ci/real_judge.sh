#!/bin/sh
# Scans a scorer of each framework with a real model as the judge; `--help` lists the options.
set -eu
cd "$(dirname "$0")/.."
new_enough() {
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}
for python in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
  if new_enough "$python"; then exec "$python" ci/real_judge/main.py "$@"; fi
done
echo "real_judge: needs Python 3.11 or newer, as the frameworks do" >&2
exit 2
