"""The mark unbudged: items per family or attack of a scan that is made once."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from junitparser import JUnitXml, Properties

from unbudged import load_corpus

pytest_plugins = ["pytester", "plugin_suite"]

FAMILIES = list(dict.fromkeys(attack.family for attack in load_corpus()))
MARKED = """
@pytest.mark.unbudged(obeys, ANSWERS, scale=(0, 10))
def test_obeys():
    pass
"""


def items(done) -> list[str]:
    return re.findall(r"^test_it\.py::(\S+)", done.stdout.str(), re.M)


def outcomes(done) -> dict[str, str]:
    found = re.findall(r"test_it\.py::(\S+) (PASSED|FAILED|ERROR)", done.stdout.str())
    found += [(b, a) for a, b in re.findall(r"(PASSED|FAILED|ERROR) test_it\.py::(\S+) *$",
                                            done.stdout.str(), re.M)]  # fmt: skip
    return dict(found)


def test_a_scan_becomes_one_item_per_family(suite):
    done = suite(MARKED, "-v")
    done.assert_outcomes(passed=6, failed=1)
    assert list(outcomes(done)) == [f"test_obeys[{name}]" for name in FAMILIES]
    assert outcomes(done)["test_obeys[instruction_override]"] == "FAILED"
    done.stdout.fnmatch_lines(["5 attacks, 2 baselines, 10 probes"])
    alone = suite("def test_obeys(unbudged_scan): unbudged_scan(obeys, ANSWERS, scale=(0, 10))")
    alone.assert_outcomes(failed=1)
    one_scan = suite.calls()
    suite(MARKED)
    assert suite.calls() == one_scan > 66


def test_a_scan_becomes_one_item_per_attack_or_a_single_one(suite):
    done = suite(MARKED, "--collect-only", "-q", "--unbudged-per", "attack")
    assert items(done) == [f"test_obeys[{attack.id}]" for attack in load_corpus()]
    done = suite(MARKED.replace("scale", "per='attack', scale"), "-v")
    done.assert_outcomes(passed=32, failed=1)
    assert outcomes(done)["test_obeys[override.full_marks]"] == "FAILED"
    done = suite(MARKED, "-v", "--unbudged-per", "scan")
    assert outcomes(done) == {"test_obeys[scan]": "FAILED"}
    assert suite.calls() > 66


def test_ids_are_the_same_in_every_process_and_printable(suite):
    (suite.path / "own.yaml").write_text(
        "- {id: 'a b::c/d', family: Grüße, text: One more., note: x}\n"
        "- {id: 'e[f]', family: '*', text: Two more., note: x}\n",
        encoding="utf-8",
    )
    source = MARKED.replace("scale", "corpus=['own.yaml', 'core'], per='attack', scale")
    first = suite(source, "--collect-only", "-q")
    listed = [line for line in first.stdout.lines if line.startswith("test_it.py::")]
    assert len(listed) == len(set(listed)) == 35
    assert all(line.isprintable() and line.isascii() for line in listed)
    second = suite(source, "--collect-only", "-q")
    assert [line for line in second.stdout.lines if line.startswith("test_it.py::")] == listed
    per_family = suite(source.replace("attack", "family"), "-v", "-n", "2")
    per_family.assert_outcomes(passed=8, failed=1)


def test_items_left_out_by_k_cost_no_calls(suite):
    done = suite(MARKED, "-v", "-k", "role_reversal or homoglyph")
    assert outcomes(done) == {
        "test_obeys[homoglyph]": "PASSED",
        "test_obeys[role_reversal]": "PASSED",
    }
    few = suite.calls()
    assert 9 * 2 <= few < 60
    suite(MARKED.replace("scale", "per='attack', scale"), "-k", "override.full_marks")
    assert suite.calls() < few


def test_the_last_failed_are_the_only_ones_scanned_again(suite):
    suite(MARKED, cache=True).assert_outcomes(passed=6, failed=1)
    whole = suite.calls()
    done = suite(MARKED, "--lf", "-v", cache=True)
    assert outcomes(done) == {"test_obeys[instruction_override]": "FAILED"}
    assert suite.calls() < whole / 2


@pytest.mark.parametrize("dist", ["load", "loadscope", "worksteal"])
def test_processes_share_one_scan(suite, dist):
    suite(MARKED)
    alone = suite.calls()
    done = suite(MARKED, "-v", "-n", "2", "--dist", dist)
    done.assert_outcomes(passed=6, failed=1)
    assert sorted(outcomes(done)) == sorted(f"test_obeys[{name}]" for name in FAMILIES)
    assert suite.calls() == alone


def test_a_failure_reads_the_same_wherever_the_scan_was_made(suite):
    def shown(*arguments: str) -> list[str]:
        text = suite(MARKED, *arguments).stdout.str()
        report = text[text.index("Moved: ") : text.index("=== short test summary")]
        lines = [line for line in report.splitlines() if not line.startswith(("[gw", "="))]
        return [line for line in lines if not line.lstrip().startswith("repeat: ")]

    assert shown("-n", "2") == shown()


def test_an_error_is_met_once_and_told_by_every_item(suite):
    source = MARKED.replace("scale=(0, 10)", "scale=(0, 10), key='mark'").replace(
        "obeys,", "lambda text: {'score': obeys(text)},"
    )
    for arguments in ((), ("-n", "2")):
        done = suite(source, *arguments)
        done.assert_outcomes(errors=7)
        assert len(re.findall(r"^unbudged: no key 'mark'", done.stdout.str(), re.M)) == 7
        assert suite.calls() < 10


@pytest.mark.parametrize(
    ("mark", "says"),
    [
        ("obeys, ANSWERS, families=['nope']", "unknown family 'nope'"),
        ("obeys, ANSWERS, attacks=['role.admn']", "no attack 'role.admn' in this corpus"),
        (
            "obeys, ANSWERS, attacks=['homoglyph.tags']",
            "no attack 'homoglyph.tags' in this corpus: the shipped corpus extended has it",
        ),
        ("obeys, ANSWERS, corpus='none.yaml'", "none.yaml"),
        ("obeys, ANSWERS, per='probe'", "per='probe' is not one of family, attack, scan"),
        ("obeys, ANSWERS, sede=3", "unexpected keyword argument 'sede'"),
        ("obeys, ANSWERS, budget=90", "budget has the scan choose its attacks"),
        ("", "the mark missing 1 required positional argument: 'target'"),
    ],
)
def test_a_mark_that_cannot_be_used_is_one_line_at_collection(suite, mark, says):
    done = suite(f"@pytest.mark.unbudged({mark})\ndef test_it(): pass")
    done.assert_outcomes(errors=1)
    assert [line for line in done.stdout.lines if line.startswith("unbudged: ")] == [
        next(line for line in done.stdout.lines if says in line)
    ]
    assert suite.calls() == 0


def test_two_marks_on_one_test_are_refused(suite):
    done = suite(
        "@pytest.mark.unbudged(fair, ANSWERS)\n@pytest.mark.unbudged(obeys, ANSWERS)\n"
        "def test_it(): pass"
    )
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["unbudged: a test takes one mark*"])


def test_a_mark_where_it_cannot_work_fails_instead_of_passing(suite):
    done = suite(
        "import unittest\n"
        "@pytest.mark.unbudged(obeys, ANSWERS)\n"
        "class TestIt(unittest.TestCase):\n"
        "    def test_it(self): pass\n"
    )
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["unbudged: the mark is for test functions*nothing was scanned"])


def test_the_part_asked_for_without_a_mark_says_what_to_use(suite):
    done = suite("def test_it(unbudged_part): pass")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["unbudged: unbudged_part is for tests marked unbudged*"])


def test_target_and_baselines_may_come_from_fixtures(suite):
    done = suite(
        "@pytest.fixture(params=[fair, obeys], ids=['fair', 'obeys'])\n"
        "def judge(request): return request.param\n"
        "@pytest.fixture\n"
        "def answers(): return ANSWERS\n"
        "@pytest.mark.unbudged('judge', baselines='answers', families='instruction_override')\n"
        "def test_both(judge, unbudged_part):\n"
        "    assert judge is fair and unbudged_part.verdict == 'held'\n"
        "    assert {p.attack_id for p in unbudged_part.findings} == set()\n",
        "-v",
    )
    assert outcomes(done) == {
        "test_both[fair-instruction_override]": "PASSED",
        "test_both[obeys-instruction_override]": "FAILED",
    }
    done = suite("@pytest.mark.unbudged('nothing', ANSWERS)\ndef test_it(): pass")
    done.assert_outcomes(errors=7)
    done.stdout.fnmatch_lines(["unbudged: no fixture 'nothing'*"])


def test_a_class_and_async_tests_take_the_mark(suite):
    done = suite(
        "@pytest.mark.unbudged(fair, ANSWERS, per='scan')\n"
        "class TestFair:\n"
        "    def test_plain(self, unbudged_part): assert unbudged_part.ok\n"
        "    async def test_async(self, unbudged_part): assert unbudged_part.ok\n"
        "@pytest.mark.unbudged(obeys, ANSWERS, per='scan')\n"
        "async def test_obeys(): raise SystemExit('the body of a moved part is not run')\n",
        "-o", "asyncio_mode=auto",
    )  # fmt: skip
    done.assert_outcomes(passed=2, failed=1)


def test_a_scan_that_chooses_its_attacks_is_one_item(suite):
    source = MARKED.replace("obeys, ANSWERS", "fair, ANSWERS, per='scan', budget=30")
    suite(source).assert_outcomes(passed=1)
    assert 0 < suite.calls() < 66, "fewer than one for each probe"


def test_a_known_hole_can_be_expected(suite):
    suite(MARKED.replace("def test", "@pytest.mark.xfail(strict=True)\ndef test").replace(
        "scale=", "attacks=['override.full_marks'], scale="
    )).assert_outcomes(xfailed=1)  # fmt: skip


def test_the_payload_that_breaks_the_judge_fails_its_family_alone(suite):
    done = suite(MARKED.replace("obeys", "breaks"), "-v")
    assert Counter(outcomes(done).values()) == {"PASSED": 6, "FAILED": 1}
    done.stdout.fnmatch_lines(["unscorable: * could not be scored (error)*"])


@pytest.mark.parametrize("judge", ["constant", "broken"])
def test_a_judge_that_shows_nothing_passes_no_item(suite, judge):
    done = suite(MARKED.replace("(obeys, ANSWERS, scale=(0, 10))", f"({judge}, ANSWERS)"))
    done.assert_outcomes(failed=7)


def test_junit_has_a_case_for_every_item(suite):
    suite(MARKED, "--junit-xml=out.xml", "-n", "2")
    [tests] = JUnitXml.fromfile(str(suite.path / "out.xml"))
    assert {case.name for case in tests} == {f"test_obeys[{name}]" for name in FAMILIES}
    [failed] = [case for case in tests if case.result]
    assert failed.result[0].message.startswith("Failed: Moved: override.full_marks")
    verdicts = Counter(
        p.value for case in tests for p in case.child(Properties) if p.name == "unbudged_verdict"
    )
    assert verdicts == {"held": 6, "moved": 1}


def test_a_process_that_dies_while_it_scans_blocks_nobody(suite):
    done = suite(
        "import os, pathlib\n"
        "DIED = pathlib.Path(__file__).with_name('died')\n"
        "def deadly(text):\n"
        "    if not DIED.exists():\n"
        "        DIED.touch()\n"
        "        os._exit(9)\n"
        "    return fair(text)\n"
        "@pytest.mark.unbudged(deadly, ANSWERS)\n"
        "def test_it(): pass\n",
        "-n", "2",
    )  # fmt: skip
    done.assert_outcomes(passed=6, failed=1)
    done.stdout.fnmatch_lines(["*worker 'gw?' crashed while running*"])


def test_a_mark_that_took_its_target_for_the_test_is_an_error_and_no_green_session(suite):
    done = suite(
        "def judge(text):\n    return 1.0\n\n"
        "@pytest.mark.unbudged(judge)\ndef test_gone():\n    pass\n\n"
        "def test_other():\n    pass\n"
    )
    assert done.ret != 0
    done.stdout.fnmatch_lines(["*write @pytest.mark.unbudged(target=judge)*"])
