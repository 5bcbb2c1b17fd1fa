#!/usr/bin/env bash
# Scans the target into files of their own; says the exit code and the files as step outputs.
set -euo pipefail

folder=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/unbudged.XXXXXX")
options=()
while IFS= read -r line || [ -n "$line" ]; do
  line=${line%$'\r'}
  [ -z "$line" ] || options+=("$line")
done <<<"${UNBUDGED_ARGS:-}"

# What the target prints itself is no command to the runner either.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
code=0
unbudged run \
  --sarif "$folder/unbudged.sarif" \
  --junit "$folder/unbudged.xml" \
  --markdown "$folder/unbudged.md" \
  ${options[@]+"${options[@]}"} -- "$UNBUDGED_TARGET" || code=$?
echo
echo "::$token::"

say() {
  [ ! -s "$folder/$2" ] || echo "$1=$folder/$2" >>"$GITHUB_OUTPUT"
}
echo "exit-code=$code" >>"$GITHUB_OUTPUT"
say sarif unbudged.sarif
say junit unbudged.xml
say markdown unbudged.md
