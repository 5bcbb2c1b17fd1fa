"""What pytest loads in every run: options, a mark, two fixtures; the rest is imported on use."""

from __future__ import annotations

import pytest

TYPE_CHECKING = False  # spelled out: nobody's run pays for typing
if TYPE_CHECKING:
    from ..core.report import Report
    from .scan import Scan

_MARK = (
    "unbudged(target, baselines=None, *, per='family', **options): scan the target once and make"
    " one test item per family or attack (per='attack', or 'scan' for a single item); target and"
    " baselines may be names of fixtures, the options are those of unbudged.run"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("unbudged", "scans of judges (unbudged)")
    group.addoption(
        "--unbudged-corpus",
        action="append",
        metavar="NAME",
        help="a shipped corpus or a YAML file or folder, for every scan; repeatable",
    )
    group.addoption(
        "--unbudged-max-calls",
        type=int,
        metavar="N",
        help="judge calls that a scan may make at most",
    )
    group.addoption("--unbudged-seed", type=int, metavar="N", help="seed of every scan")
    group.addoption(
        "--unbudged-per",
        choices=("family", "attack", "scan"),
        help="what becomes a test item of its own where a test is marked unbudged",
    )
    group.addoption(
        "--unbudged-html",
        metavar="FILE",
        help="write the HTML report; with several scans FILE is their index",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARK)
    if config.getoption("unbudged_html") is not None:
        from .pages import Pages

        config.pluginmanager.register(Pages(config), Pages.NAME)


def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> None:
    """Refuse a mark given one function and nothing else: pytest takes it for a decorator, and
    the test below it would be called with that function and vanish."""
    if name.startswith("test") or not callable(obj) or isinstance(obj, type):
        return
    marks = getattr(obj, "pytestmark", ())
    for mark in marks if isinstance(marks, list) else ():
        if getattr(mark, "name", "") == "unbudged" and not (mark.args or mark.kwargs):
            raise pytest.UsageError(
                f"{collector.name}: @pytest.mark.unbudged({name}) marks {name} itself, as any mark"
                f" with one function does: write @pytest.mark.unbudged(target={name})"
            )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.definition.get_closest_marker("unbudged") is not None:
        from .parts import split

        split(metafunc)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("unbudged") is not None:
        from .parts import prepare_item

        prepare_item(item)


# before the item's own call, so that a moved part fails the test and not its set-up
@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    if item.get_closest_marker("unbudged") is not None:
        from .parts import check_item

        check_item(item)


@pytest.fixture
def unbudged_scan(request: pytest.FixtureRequest) -> Scan:
    """Scan a judge: ``unbudged_scan(target, baselines=None, **options)`` returns the report.

    Fails the test with the text report when a payload moved the score, and with a message
    of its own when the scan was inconclusive or readings were no score. The options are
    those of ``unbudged.run``. In async tests ``await unbudged_scan.arun(...)`` does the
    same in the running loop.
    """
    from .scan import Scan

    return Scan(request.node)


@pytest.fixture
def unbudged_part(request: pytest.FixtureRequest) -> Report:
    """The report of this item's family or attack, in a test marked ``unbudged``."""
    from .parts import part_of

    return part_of(request)
