"""``--unbudged-html``: a page for one scan, an index of pages for several, and none too few."""

from __future__ import annotations

import re

import pytest

pytest_plugins = ["pytester", "plugin_suite"]

ONE = "def test_obeys(unbudged_scan): unbudged_scan(obeys, ANSWERS)\n"
SEVERAL = (
    ONE + "def test_both(unbudged_scan):\n"
    "    unbudged_scan(fair, ANSWERS)\n"
    "    unbudged_scan(constant, ANSWERS)\n"
    "@pytest.mark.unbudged(fair, ANSWERS)\n"
    "def test_items(): pass\n"
)


def pages(suite) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in suite.path.glob("*.html")}


def test_one_scan_is_one_file(suite):
    done = suite(ONE, "--unbudged-html", "out.html")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines([f"unbudged: the report is in {suite.path / 'out.html'}"])
    assert list(pages(suite)) == ["out.html"]
    assert "override.full_marks" in pages(suite)["out.html"]


@pytest.mark.parametrize("arguments", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_the_items_of_a_marked_test_share_one_page(suite, arguments):
    source = "@pytest.mark.unbudged(obeys, ANSWERS)\ndef test_items(): pass\n"
    suite(source, "--unbudged-html", "out.html", *arguments).assert_outcomes(passed=6, failed=1)
    assert list(pages(suite)) == ["out.html"]


@pytest.mark.parametrize("arguments", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_several_scans_are_an_index_of_one_page_each(suite, arguments):
    done = suite(SEVERAL, "--unbudged-html", "out.html", *arguments)
    done.assert_outcomes(passed=7, failed=2)
    done.stdout.fnmatch_lines([f"unbudged: the index of 4 reports is {suite.path / 'out.html'}"])
    rows = re.findall(r'<li>(\w+): <a href="(.+?)">(.+?)</a>', pages(suite)["out.html"])
    assert sorted((verdict, test.split("::")[1].split("[")[0]) for verdict, _, test in rows) == [
        ("held", "test_both"),
        ("held", "test_items"),
        ("inconclusive", "test_both"),
        ("moved", "test_obeys"),
    ]
    assert {"out.html", *(page for _, page, _ in rows)} == set(pages(suite))


def test_a_name_that_is_markup_stays_text_in_the_index(suite):
    source = (
        "@pytest.mark.parametrize('n', ['<script>alert(1)</script>', 'a&b'])\n"
        "def test_it(unbudged_scan, n): unbudged_scan(fair, ANSWERS)\n"
    )
    suite(source, "--unbudged-html", "out.html").assert_outcomes(passed=2)
    index = pages(suite)["out.html"]
    assert "<script>" not in index
    assert "&lt;script&gt;alert(1)" in index


def test_a_run_without_a_scan_says_so_and_writes_nothing(suite):
    done = suite("def test_it(): pass", "--unbudged-html", "out.html")
    done.stdout.fnmatch_lines(["unbudged: no scan was made, nothing is written to *out.html"])
    assert pages(suite) == {}


@pytest.mark.parametrize("file", ["none/out.html", "."])
def test_a_file_that_cannot_be_written_is_said_before_any_call(suite, file):
    done = suite(ONE, "--unbudged-html", file)
    assert done.ret == 4
    assert "--unbudged-html: " in done.stderr.str()
    assert "cannot be written" in done.stderr.str()
    assert suite.calls() == 0
