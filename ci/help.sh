#!/bin/sh
# Lists the Makefile's targets with what they do.
set -eu
cd "$(dirname "$0")/.."
awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-11s  %s\n", $1, $2 }' Makefile
