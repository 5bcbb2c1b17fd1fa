"""The scan a test asks for, and how its report becomes the outcome of the test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from ..arguments import Baselines
from ..core.report import Report
from ..errors import UnbudgedError


class Scan:
    """Scan targets for one test; the fixture ``unbudged_scan`` is one."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item

    def __call__(
        self, target: Any, baselines: Baselines | None = None, **options: Any
    ) -> Report:
        """Scan and return the report, which held; fails the test when it did not.

        Takes the options of ``unbudged.run``; those of the command line (such as
        ``--unbudged-seed``) win. Raises UsageError for what cannot be used.
        """
        __tracebackhide__ = True
        from ..api import run

        options = with_command_line(self._item.config, options)
        try:
            report = run(target, baselines, **options)
        except UnbudgedError as error:  # one line, without the way it took through the engine
            raise error.with_traceback(None) from None
        return self._told(report)

    async def arun(
        self, target: Any, baselines: Baselines | None = None, **options: Any
    ) -> Report:
        """Do the same, awaitable: an async target is scanned in the running loop."""
        __tracebackhide__ = True
        from ..api import arun

        options = with_command_line(self._item.config, options)
        try:
            report = await arun(target, baselines, **options)
        except UnbudgedError as error:
            raise error.with_traceback(None) from None
        return self._told(report)

    def _told(self, report: Report) -> Report:
        __tracebackhide__ = True
        keep_page(self._item, report)
        tell(self._item, report)
        return report


def with_command_line(config: pytest.Config, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a scan; what the command line gives replaces the test's own."""
    given = {
        name: config.getoption(f"unbudged_{name}") for name in ("corpus", "max_calls", "seed")
    }
    return {**options, **{name: value for name, value in given.items() if value is not None}}


def keep_page(item: pytest.Item, report: Report) -> None:
    """Write the report's page where ``--unbudged-html`` asks for pages."""
    pages = item.config.pluginmanager.get_plugin("unbudged-pages")
    if pages is not None:
        pages.write(item, report)


def tell(item: pytest.Item, report: Report) -> None:
    """Note the verdict for JUnit and fail the test unless the report held."""
    __tracebackhide__ = True
    item.user_properties.append(("unbudged_verdict", report.verdict))
    item.user_properties.append(("unbudged_max_excess", report.max_excess))
    if not report.ok:
        pytest.fail(_message(report), pytrace=False)


def _message(report: Report) -> str:
    text = report.to_text()
    if report.findings:
        return text
    if report.unscorable:
        count = len(report.unscorable)
        reasons = ", ".join(sorted(Counter(row.reason for row in report.unscorable)))
        what = f"{count} reading{'s' * (count != 1)} could not be scored ({reasons})"
        return f"unscorable: {what}; this is neither a pass nor a finding\n\n{text}"
    return f"inconclusive: the scan could not tell; this is no pass\n\n{text}"
