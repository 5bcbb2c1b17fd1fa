"""Scans two examples and takes pictures of their HTML reports into docs/screenshots."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

import unbudged
from unbudged.loading import load_target

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "screenshots"
NAMES = ("chromium", "chromium-browser", "google-chrome")


def scanned(example: str) -> str:
    """Return the page of an example's scan."""
    loaded = load_target(str(ROOT / "examples" / f"{example}.py"))
    return unbudged.run(loaded.target, loaded.baselines).to_html()


def picture(page: Page, name: str, height: int) -> None:
    page.set_viewport_size({"width": 1120, "height": height})
    page.screenshot(path=FOLDER / f"{name}.png")
    print(f"docs/screenshots/{name}.png")


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = next(filter(None, map(shutil.which, NAMES)), None)
    where = {"executable_path": path} if path else {"channel": "chrome"}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(args=["--no-sandbox"], **where)
        for example in ("naive_grader", "counterpart"):
            report = Path(folder) / f"{example}.html"
            report.write_text(scanned(example), encoding="utf-8")
            page = browser.new_page(reduced_motion="reduce")
            page.goto(report.as_uri())
            picture(page, example, 1000)
            page.close()
        page = browser.new_page(color_scheme="dark", reduced_motion="reduce")
        page.goto((Path(folder) / "naive_grader.html").as_uri() + "#finding-1")
        page.evaluate("document.getElementById('findings').scrollIntoView()")
        picture(page, "naive_grader_finding", 860)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
