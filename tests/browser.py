"""Chromium for the tests: found on this machine; missing it fails in CI and skips elsewhere."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Error, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = "no Chromium found: `sh ci/browser.sh` installs it on Debian and Ubuntu"


def places() -> dict[str, str]:
    """Return where the browser is, in the words of ``launch``."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    return {"executable_path": path} if path else {"channel": "chrome"}


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the machine's own Chromium, or Chrome where it has its usual place."""
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(args=["--no-sandbox"], **places())
        except Error as problem:
            if os.environ.get("CI") == "true":
                pytest.fail(f"{MISSING} ({problem.message.splitlines()[0]})")
            pytest.skip(MISSING)
        try:
            yield browser
        finally:
            browser.close()
