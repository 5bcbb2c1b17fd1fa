#!/bin/sh
# Opens an issue about a failed weekly run, or adds to the one that is still open.
# Needs the GitHub command line, GH_TOKEN, and RUN_URL, the address of the run.
set -eu
cd "$(dirname "$0")/.."
title='The weekly run against the frameworks fails'
text="A framework in its floor or latest version, or the scan with a real model, failed: $RUN_URL"
number=$(gh issue list --state open --search "in:title \"$title\"" --json number --jq '.[0].number // empty')
if [ -n "$number" ]; then
  gh issue comment "$number" --body "$text"
else
  gh issue create --title "$title" --body "$text"
fi
