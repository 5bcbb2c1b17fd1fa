#!/bin/sh
# Checks what the GitHub action said of a scan: `sh ci/action_result.sh 1` expects exit code 1
# in EXIT_CODE, and a report in each of the files that SARIF, JUNIT and MARKDOWN name.
set -eu
want=$1
if [ "${EXIT_CODE:-}" != "$want" ]; then
  echo "action: the scan ended with '${EXIT_CODE:-}', not with $want" >&2
  exit 1
fi
for file in "${SARIF:-}" "${JUNIT:-}" "${MARKDOWN:-}"; do
  if [ ! -s "$file" ]; then
    echo "action: no report in '$file'" >&2
    exit 1
  fi
done
