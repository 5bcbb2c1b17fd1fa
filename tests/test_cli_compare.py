"""`unbudged compare` and the ratchet, on reports of real scans."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from command import STEADY, STEERED, one_line, unbudged, write

WORSE = STEERED.replace('if "full marks" in text', 'if "full marks" in text or "100" in text')
PARTLY = STEERED.replace("50.0 if", "None if")
NONE = STEERED.replace("50.0 if", "0.0 if")


@pytest.fixture
def saved(tmp_path):
    """Return a function that scans a grader and names the file its report is in."""

    def save(text: str, name: str, *options: object) -> str:
        write(tmp_path, text)
        done = unbudged("run", "grader.py", "--save", name, *options, cwd=tmp_path)
        assert done.returncode in (0, 1, 3), done.stderr
        return name

    return save


def test_the_same_report_twice_is_no_change_and_exits_0(saved, tmp_path):
    saved(STEERED, "a.json")
    done = unbudged("compare", "a.json", "a.json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("No change: ")


def test_a_fix_exits_0_and_names_what_is_fixed(saved, tmp_path):
    saved(STEERED, "a.json")
    done = unbudged("compare", "a.json", saved(NONE, "b.json"), "--all", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Better: ")
    rows = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert 'override.full_marks excess +50 -> none up on "A short answer."' in rows
    assert "  controls: 26.5 -> 26.5, +0 (95% +0 to +0)" in done.stdout.splitlines()


def test_something_new_exits_1_and_says_how_much(saved, tmp_path):
    saved(STEERED, "a.json")
    done = unbudged("compare", "a.json", saved(WORSE, "b.json"), "--json", cwd=tmp_path)
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert document["new"]
    assert document["unchanged"]
    assert done.stderr == f"unbudged: {len(document['new'])} findings not in BEFORE\n"


def test_a_judge_that_no_longer_answers_is_no_fix_and_exits_3(saved, tmp_path):
    done = unbudged("compare", saved(STEERED, "a.json"), saved(PARTLY, "b.json"), cwd=tmp_path)
    assert done.returncode == 3
    assert done.stdout.startswith("Inconclusive: ")
    assert "\n      unscorable\n" in done.stdout
    assert "\nfixed (" not in done.stdout


def test_reports_of_different_scans_are_one_line_and_exit_2(saved, tmp_path):
    saved(STEADY, "a.json")
    saved(STEADY, "b.json", "--family", "encoding", "--scale", "0-90")
    done = unbudged("compare", "a.json", "b.json", cwd=tmp_path)
    one_line(done, "not comparable: families not given before, encoding after; scale")


def test_a_file_that_is_no_report_is_one_line_and_exit_2(saved, tmp_path):
    saved(STEADY, "a.json")
    one_line(unbudged("compare", "a.json", "none.json", cwd=tmp_path), "none.json: no such file")
    one_line(unbudged("compare", "a.json", "grader.py", cwd=tmp_path), "grader.py: not a report")


def test_the_ratchet_tolerates_what_was_known_and_says_how_much(saved, tmp_path):
    saved(STEERED, "known.json")
    arguments = ["run", "grader.py", "--fail-on-new", "known.json"]
    done = unbudged(*arguments, cwd=tmp_path)
    count = len(json.loads((tmp_path / "known.json").read_text())["findings"])
    assert done.returncode == 0, done.stderr
    assert done.stderr == f"unbudged: {count} known findings tolerated\n"
    assert f"{count} findings across" in done.stdout


def test_the_ratchet_fails_for_what_is_new_alone(saved, tmp_path):
    saved(STEERED, "known.json")
    write(tmp_path, WORSE)
    done = unbudged("run", "grader.py", "--fail-on-new", "known.json", "--json", cwd=tmp_path)
    known = len(json.loads((tmp_path / "known.json").read_text())["findings"])
    new = len(json.loads(done.stdout)["findings"]) - known
    assert done.returncode == 1
    assert new > 0
    assert f"unbudged: {new} new findings, 0 allowed" in done.stderr
    assert f"unbudged: {known} known findings tolerated" in done.stderr
    allowed = unbudged(
        "run", "grader.py", "--fail-on-new", "known.json", "--max-findings", new, cwd=tmp_path
    )
    assert allowed.returncode == 0


def test_the_ratchet_marks_the_rows_that_are_new_in_every_report_for_people(saved, tmp_path):
    saved(STEERED, "known.json")
    write(tmp_path, WORSE)
    done = unbudged(
        "run", "grader.py", "--fail-on-new", "known.json", "--all", "--save", "now.json",
        "--markdown", "now.md", cwd=tmp_path,
    )  # fmt: skip
    known = {
        (f["attack_id"], f["baseline"])
        for f in json.loads((tmp_path / "known.json").read_text())["findings"]
    }
    rows = json.loads((tmp_path / "now.json").read_text())["findings"]
    new = [f for f in rows if (f["attack_id"], f["baseline"]) not in known]
    assert 0 < len(new) < len(rows)
    assert [f["new"] for f in rows] == [f in new for f in rows]
    told = f"new since the report before: {len(new)} of {len(rows)}"
    again = unbudged("report", "now.json", "--all", cwd=tmp_path).stdout
    for text in (done.stdout, again):
        assert f"\n{told}\n" in text
        marked = Counter(line.split()[0] for line in text.splitlines() if line.endswith("  new"))
        assert marked == Counter(f["attack_id"] for f in new)
    page = (tmp_path / "now.md").read_text("utf-8")
    assert told in page
    table = [line for line in page.splitlines() if "| **new**" in line]
    assert len(table) == len({f["attack_id"] for f in new})
    folded = unbudged("report", "now.json", cwd=tmp_path).stdout
    assert sum(line.endswith("  new") for line in folded.splitlines()) == len(new)


def test_the_ratchet_never_passes_what_could_not_be_scored_or_measured(saved, tmp_path):
    saved(STEERED, "known.json")
    write(tmp_path, PARTLY)
    done = unbudged("run", "grader.py", "--fail-on-new", "known.json", cwd=tmp_path)
    assert done.returncode == 1
    assert "could not be scored" in done.stderr
    write(tmp_path, STEERED.replace("len(text.split", "0 * len(text.split").replace("50.0", "0"))
    done = unbudged("run", "grader.py", "--fail-on-new", "known.json", cwd=tmp_path)
    assert done.returncode == 3


def test_a_ratchet_from_another_world_is_told(saved, tmp_path):
    saved(STEERED, "known.json")
    write(tmp_path, STEERED.replace("A short", "One short").replace("Another", "A second"))
    arguments = ["run", "grader.py", "--scale", "0-200", "--fail-on-new", "known.json"]
    done = unbudged(*arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert "the two reports share no baseline, so every finding is new\n" in done.stderr
    assert "--fail-on-new: scale not given before, 0.0, 200.0 after" in done.stderr


def test_a_ratchet_that_cannot_be_read_is_told_before_any_call(tmp_path):
    write(tmp_path, "baselines = ['a']\ndef target(text): raise SystemError('called')")
    done = unbudged("run", "grader.py", "--fail-on-new", "none.json", cwd=tmp_path)
    one_line(done, "none.json: no such file")


def test_the_known_findings_may_be_replaced_by_what_is_found_now(saved, tmp_path):
    saved(WORSE, "known.json")
    write(tmp_path, STEERED)
    arguments = ["--fail-on-new", "known.json", "--save", "known.json"]
    assert unbudged("run", "grader.py", *arguments, cwd=tmp_path).returncode == 0
    saved(STEERED, "now.json")
    done = unbudged("compare", "known.json", "now.json", cwd=tmp_path)
    assert done.stdout.startswith("No change: ")


def test_a_capped_scan_within_the_allowance_is_not_exit_0(tmp_path):
    write(
        tmp_path,
        """
        import random
        baselines = ["A short answer.", "Another, longer answer that says more."]
        draw = random.Random(3)
        def target(text):
            marks = len(text.split("\\n")[0]) + 50.0 * ("full marks" in text)
            return {"marks": marks, "tone": draw.gauss(50.0, 5.0)}
        """,
    )
    arguments = ["run", "grader.py", "--max-calls", 300, "--max-findings", 99]
    done = unbudged(*arguments, "--json", cwd=tmp_path)
    document = json.loads(done.stdout)
    assert document["findings"]
    assert document["undecided"]
    assert done.returncode == 3
    why = "the 300 calls allowed were used up"
    assert done.stderr == f"unbudged: inconclusive: not everything could be measured: {why}\n"
