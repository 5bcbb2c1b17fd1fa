"""The Markdown summary: bounded in bytes, and inert in the parser that GitHub renders with."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from hypothesis import example, given
from hypothesis import strategies as st

import unbudged
from reports_made import finding, full_report, report
from unbudged.core.report import Confounded, Undecided, UnscorableProbe
from unbudged.reports.inert import inert, quoted
from unbudged.reports.markdown import LIMIT
from unbudged.reports.markdown.inline import cell, code, prose, quote

OURS = {
    "h2", "h3", "p", "strong", "table", "thead", "tbody", "tr", "th", "td",
    "ul", "li", "code", "details", "summary",
}  # fmt: skip
HOSTILE = [
    "<script>alert(1)</script>", "</details><h1>x", "<!-- x", "<img src=x onerror=y>", "&lt;b&gt;",
    "[a](https://example.com)", "![a](https://example.com/x.png)", "https://example.com",
    "www.example.com", "<https://example.com>", "a@example.com", "@octocat and #1 and GH-1",
    "`", "``", "`" * 7, "`" * 90, "` ` ``", "\\`", "\\\\`", "```\nx\n```", "~~~",
    "$x$", "$`x`$", ":tada:",
    "|", "\\|", "a | b\n--|--\nc | d", "||| ---", "\n\n# x", "\n---\n", "***x***", "~~x~~", "_x_",
    "::error file=a::x", "\n::error::x", "##[error]x", "\x00\x1b[31m\u202e\u2028\ufeff", "\ud800",
    " ", "", "  x  ", "- x", "1. x", "> x", "[x]: https://example.com", "[^1]", "- [ ] x", "\t",
]  # fmt: skip


class Page(HTMLParser):
    """Collect the tags of a page, its attributes, and the text of its code spans and the rest."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str | None]] = set()
        self.codes: list[str] = []
        self.words = ""
        self._inside = False
        self.feed(
            cmarkgfm.markdown_to_html_with_extensions(
                markdown,
                options=Options.CMARK_OPT_UNSAFE,
                extensions=["table", "autolink", "strikethrough", "tasklist"],
            )
        )
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= set(attrs)
        self._inside = tag == "code"
        if self._inside:
            self.codes.append("")

    def handle_endtag(self, tag):
        self._inside = False

    def handle_comment(self, data):
        self.tags.add("!--")

    def handle_data(self, data):
        if self._inside:
            self.codes[-1] += data
        else:
            self.words += data


def check_inert(markdown: str) -> Page:
    markdown.encode("utf-8")
    assert not [line for line in markdown.split("\n") if re.match(r"\s*(::|##\[)", line)]
    page = Page(markdown)
    assert page.tags <= OURS
    assert page.attributes <= {("align", "right")}
    # what viewers turn into links or pictures after the parser is only ever inside code
    assert not re.search(r"://|www\.|@|#|\$|GH-\d|:\w+:", page.words)
    return page


def test_the_parser_of_the_tests_would_act_on_hostile_text():
    assert "script" in Page("<script>x</script>").tags
    assert "a" in Page("see www.example.com").tags
    assert "img" in Page("![a](https://example.com/x.png)").tags


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_shown_and_acts_on_nothing(text):
    made = full_report(text)
    page = check_inert(made.to_markdown())
    assert quoted(text, 300).replace("`" * 90, "\\x60" * 90) in page.codes
    check_inert(made.to_markdown(path=text or None))


MARKUP = st.text(st.sampled_from("`\\|<>[]()!@#$&*_~:-/ \n.wha1"), max_size=30)


@given(st.text(st.characters(codec=None)) | MARKUP)
@example("`|`")
def test_no_text_whatever_acts_on_anything(text):
    check_inert(full_report(text).to_markdown())


@given(st.text(st.characters(codec=None)) | MARKUP)
def test_one_line_of_any_text_is_one_code_span_that_shows_it(text):
    shown = quoted(text, 100)
    (span,) = Page(f"x {quote(text, 100)} y").codes
    assert span.replace("\\x60", "`") == shown.replace("\\x60", "`")
    assert len(Page(f"x {code(text, 100)} y").codes) == 1
    table = Page(f"| a | b |\n|---|---|\n| {cell(text, 100)} | last |")
    assert len(table.codes) == 1
    assert table.words.split()[-1] == "last"


@given(MARKUP | st.text(st.characters(codec=None)))
def test_prose_shows_every_character_of_a_sentence(text):
    text = "x" + text.strip() + "x"
    page = Page("- y: " + prose(text, 1_000))
    assert page.tags <= {"ul", "li", "code"}
    said = page.words.strip().removeprefix("y:").strip() or page.codes[0]
    assert re.sub(r"\s+", " ", said) == re.sub(r"\s+", " ", inert(text))


def test_the_verdict_comes_first_then_families_worst_findings_and_fixes():
    made = report(findings=(finding(excess=5.0), finding(attack_id="enc.x", family="encoding")))
    text = made.to_markdown(path="graders/mine.py:grade")
    assert text.startswith(
        "## unbudged: `graders/mine.py`\n\n"
        "**Moved:** 2 payloads move the score, the worst by +25 beyond what neutral text of its"
        " own shape does.\n\n33 attacks, 3 baselines, 99 probes, 240 judge calls;"
        " 2 findings across 2 families; max excess over control: 25\n\n| Family |"
    )
    rows = ["| `encoding` | 1 | +25 | `enc.x` |", "| `role_reversal` | 1 | +5 | `role.admin` |"]
    rows += ["| `enc.x` | +25 | +0 | +25 | 1 of 3 | instruction |", "- `encoding`: Check roles"]
    rows += ["- `enc.x` on baseline 1 `"]
    at = [text.index(row) for row in rows]
    assert at == sorted(at)


def test_new_findings_are_marked_and_come_first():
    old = finding(attack_id="a.old", excess=30.0, new=False)
    half = (finding(attack_id="a.half", new=True), finding(attack_id="a.half", baseline_index=1,
                                                           new=False))  # fmt: skip
    page = report(findings=(old, *half, finding(attack_id="a.new", new=True))).to_markdown(most=2)
    assert "new since the report before: 2 of 4" in page
    assert "| 2 of 3 | **new** on 1; instruction |" in page
    assert "| 1 of 3 | **new**; instruction |" in page
    assert page.index("`a.half` |") < page.index("`a.new` |")
    assert "Not shown: 1 payload" in page
    assert "new" not in report(findings=(replace(old, new=None),)).to_markdown()


def test_a_clean_scan_is_three_lines():
    assert report().to_markdown().split("\n\n")[1:] == [
        "**Held:** no payload moved the score further than neutral text of its own shape.",
        "33 attacks, 3 baselines, 99 probes, 240 judge calls; 0 findings;"
        " max excess over control: 0\n",
    ]


def test_downward_moves_keep_their_sign_and_flips_are_named():
    down = finding(direction="down", attack_shift=-3.0, excess=3.0, flipped="pass_to_fail")
    text = report(findings=(down,)).to_markdown()
    assert "| -3 | +0 | -3 | 1 of 3 | instruction; turns a pass into a fail |" in text


def test_what_is_open_has_sections_of_its_own():
    made = report(
        verdict="inconclusive",
        undecided=(
            Undecided("a.open", "a", None, None, "score", "both", "the calls were used up"),
            Undecided("*", "*", "An answer.", 0, "score", "up", "it stands at 1"),
        ),
        unscorable=(UnscorableProbe("a.x", "a", "x", 0, "attack", "error", "boom", True),),
        confounded=(Confounded("delim.x", "d", "x", 0, "score", 5.0, 0.0, 5.0, "why"),),
        notes=("look here",),
    )
    text = made.to_markdown()
    check_inert(text)
    assert "**Inconclusive:** 1 reading was no score" in text
    for row in (
        "### Unscorable: 1 reading without a score",
        '- `a.x` on baseline 1 `"x"`: `error: boom` (the payload disables the judge)',
        "### Undecided: 1 attack neither moved nor held",
        "- `a.open`: the calls were used up",
        "### No room to move: 1 baseline",
        "### Confounded: 1 probe moved as far",
        "- note: look here",
    ):
        assert row in text.split("\n") or row in text


def test_what_is_not_shown_is_counted():
    many = tuple(
        finding(attack_id=f"a.{n}", excess=n + 1.0, baseline_index=b)
        for n in range(60)
        for b in range(3)
    )
    text = report(findings=many).to_markdown(most=10)
    assert text.count("| instruction |") == 10
    assert "`a.59`" in text
    assert "`a.49`" not in text
    assert "Not shown: 50 payloads with a smaller excess (150 findings)" in text
    assert "Not shown" not in report(findings=many).to_markdown(most=60)


@pytest.mark.parametrize("text", ["\U0001f600", "`", "\x00", "*", "|", "\ufdfd"])
def test_no_report_is_larger_than_a_million_bytes(text):
    long = text * 2_000
    made = report(
        findings=tuple(
            finding(
                attack_id=f"{n}{long}",
                family=f"{n}{long}",
                fix=long,
                payload=long,
                baseline=long,
                excess=float(n),
            )
            for n in range(900)
        ),
        undecided=tuple(
            Undecided(f"{n}{long}", long, long, n, "score", "up", long) for n in range(100)
        ),
        unscorable=tuple(
            UnscorableProbe(long, long, long, n, "attack", long, long) for n in range(100)
        ),
        confounded=(Confounded(long, long, long, 0, "score", 5.0, 0.0, 5.0, long),) * 100,
        notes=(long,) * 100,
        target=long,
    )
    check_inert(made.to_markdown())
    for most in (50, 900):
        size = len(made.to_markdown(most=most).encode("utf-8"))
        assert 10_000 < size <= LIMIT < 1024 * 1024
    if len(text.encode("utf-8")) > 3:  # then only a part fits
        assert "Not shown: " in made.to_markdown(most=900)


def test_a_real_scan_of_the_planted_naive_judge_is_small_and_inert():
    def target(text):
        return 9.0 if "full marks" in text else 3.0

    made = unbudged.run(target, ["One answer.", "Another one."], corpus="extended")
    text = made.to_markdown()
    page = check_inert(text)
    assert len(text.encode("utf-8")) < 100_000
    assert {f.family for f in made.findings} <= set(page.codes)
