#!/bin/sh
# Runs the main job on both examples; exits 0 exactly when both came out as the README shows.
set -eu
cd "$(dirname "$0")/.."
python=$(sh ci/setup.sh run)
wrong=0

scan() {
  expected=$1
  example=$2
  echo "\$ unbudged run $example"
  code=0
  "$python" -m unbudged.cli run "$example" || code=$?
  echo "exit code $code"
  echo
  if [ "$code" -ne "$expected" ]; then
    echo "demo: $example ended with exit code $code, the README shows $expected" >&2
    wrong=1
  fi
}

scan 1 examples/naive_grader.py
scan 0 examples/counterpart.py
[ "$wrong" -eq 0 ] || exit 1
sh ci/readme.sh --check
echo "demo: the naive grader was moved, its counterpart held, as the README shows"
