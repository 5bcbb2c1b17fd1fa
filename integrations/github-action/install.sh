#!/usr/bin/env bash
# Installs unbudged into the Python on the path: the copy this action is part of, a version, or
# a path, with the extras asked for.
set -euo pipefail

extras=${UNBUDGED_EXTRAS//[[:space:]]/}
case $extras in
  '') ;;
  *[!A-Za-z0-9_,-]*) echo "unbudged: extras are names separated by commas" >&2; exit 2 ;;
  *) extras="[$extras]" ;;
esac

version=${UNBUDGED_VERSION:-}
case $version in
  '') what="$GITHUB_ACTION_PATH/../..$extras" ;;
  */* | .) what="$version$extras" ;;
  *[!A-Za-z0-9.+!_-]*) echo "unbudged: the version is a version number or a path" >&2; exit 2 ;;
  *) what="unbudged$extras==$version" ;;
esac

command -v python >/dev/null || { echo "unbudged: no python on the path; give python-version" >&2; exit 2; }
python -m pip install --quiet --disable-pip-version-check --no-input -- "$what"
unbudged --version
