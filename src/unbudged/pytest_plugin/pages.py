"""``--unbudged-html FILE``: a page for each scan, and an index where there are several."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..core.report import Report

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

_PROPERTY = "unbudged_html"
_INDEX = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Scans of this test run</title>
<h1>Scans of this test run</h1>
<ul>
{%- for test, verdict, page in rows %}
<li>{{ verdict }}: <a href="{{ page | urlencode }}">{{ test }}</a></li>
{%- endfor %}
</ul>
</html>
"""


class Pages:
    """Writes each scan's page at once, so that a run that breaks off loses none.

    Workers of a run spread over processes write pages, too; the process that sees all
    test reports writes FILE.
    """

    NAME = "unbudged-pages"

    def __init__(self, config: pytest.Config) -> None:
        """Raises pytest.UsageError before any scan when FILE cannot be written."""
        self.file = Path(config.getoption("unbudged_html")).absolute()
        self.is_worker = hasattr(config, "workerinput")
        self.rows: dict[str, tuple[str, str, str]] = {}
        if self.file.is_dir() or not os.access(self.file.parent, os.W_OK):
            raise pytest.UsageError(f"--unbudged-html: {self.file} cannot be written")

    def write(self, item: pytest.Item, report: Report) -> None:
        """Write the page of one scan beside FILE, and note it with the test."""
        told = sum(name == _PROPERTY for name, _ in item.user_properties)
        mark = hashlib.sha256(f"{item.nodeid} {told}".encode()).hexdigest()[:8]
        slug = re.sub(r"[^A-Za-z0-9]+", "-", item.name).strip("-")[:60]
        page = f"{self.file.stem}.{slug}-{mark}.html"
        _write(self.file.with_name(page), report.to_html())
        item.user_properties.append((_PROPERTY, f"{report.verdict} {page}"))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == _PROPERTY:
                verdict, page = str(value).split(" ", 1)
                self.rows[page] = (report.nodeid, verdict, page)

    def pytest_sessionfinish(self) -> None:
        if self.is_worker:
            return
        if len(self.rows) == 1:
            [page] = self.rows
            os.replace(self.file.with_name(page), self.file)
        elif self.rows:
            import jinja2

            template = jinja2.Environment(autoescape=True).from_string(_INDEX)
            _write(self.file, template.render(rows=sorted(self.rows.values())))

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        count = len(self.rows)
        said = {0: "no scan was made, nothing is written to", 1: "the report is in"}.get(
            count, f"the index of {count} reports is"
        )
        terminalreporter.write_line(f"unbudged: {said} {self.file}")


def _write(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old one or the whole new one."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(text, encoding="utf-8", newline="\n")
    os.replace(part, path)


