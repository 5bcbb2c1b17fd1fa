#!/bin/sh
# Takes the pictures of the HTML report in docs/screenshots, from scans of two examples.
set -eu
cd "$(dirname "$0")/.."
python=$(sh ci/setup.sh dev)
sh ci/browser.sh >/dev/null
"$python" ci/screenshots.py
