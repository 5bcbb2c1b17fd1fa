#!/usr/bin/env bash
# Appends the Markdown summary of the scan to the job summary, or says that there is none.
set -euo pipefail

if [ -n "${UNBUDGED_MARKDOWN:-}" ]; then
  cat -- "$UNBUDGED_MARKDOWN"
else
  echo "## unbudged"
  echo
  echo "The scan wrote no report (exit code ${UNBUDGED_EXIT:-unknown}); the log says why."
fi >>"$GITHUB_STEP_SUMMARY"
