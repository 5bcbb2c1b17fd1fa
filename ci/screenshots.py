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
            for scheme in ("light", "dark"):
                page = browser.new_page(color_scheme=scheme, reduced_motion="reduce")
                report = Path(folder) / f"{example}.html"
                report.write_text(scanned(example), encoding="utf-8")
                page.goto(report.as_uri())
                if scheme == "light":
                    picture(page, example, 1000)
                elif page.locator("button.open").count():
                    page.locator("button.open").first.click()
                    page.locator("#findings").scroll_into_view_if_needed()
                    page.evaluate("document.getElementById('findings').scrollIntoView()")
                    picture(page, f"{example}_finding_dark", 800)
                else:
                    picture(page, f"{example}_dark", 1000)
                page.close()
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
