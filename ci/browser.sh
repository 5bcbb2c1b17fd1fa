#!/bin/sh
# Makes sure that the tests of the HTML report have a Chromium; prints where it is.
set -eu

find_browser() {
  for name in chromium chromium-browser google-chrome; do
    command -v "$name" && return
  done
  for path in \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" \
    "/c/Program Files/Google/Chrome/Application/chrome.exe"; do
    if [ -x "$path" ]; then echo "$path"; return; fi
  done
  return 1
}

find_browser && exit 0
as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo
if command -v apt-get >/dev/null && { [ -z "$as_root" ] || command -v sudo >/dev/null; }; then
  echo "browser: installing chromium with apt-get" >&2
  {
    $as_root apt-get update -qq &&
      DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends \
        chromium fonts-dejavu-core
  } >&2 || true
  find_browser && exit 0
fi
echo "browser: no Chromium here and none could be installed; install Chromium or Chrome by hand" >&2
exit 1
