"""`unbudged report`: a saved report in any other format, and what is no report."""

from __future__ import annotations

import json
import sqlite3

import pytest

from command import STEERED, one_line, unbudged, write
from reports_made import full_report


@pytest.fixture(scope="module")
def scanned(tmp_path_factory):
    """Return the folder of a scan with findings, and what it printed."""
    folder = tmp_path_factory.mktemp("scan")
    write(folder, STEERED)
    arguments = ["--save", "r.json", "--only-baseline", "2", "--seed", "4"]
    return folder, unbudged("run", "grader.py", *arguments, cwd=folder)


def test_the_text_of_a_saved_report_is_what_the_scan_printed(scanned):
    folder, done = scanned
    again = unbudged("report", "r.json", cwd=folder)
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout == done.stdout
    assert "repeat: unbudged run grader.py --seed 4 --attack " in again.stdout
    assert "--only-baseline 2" in again.stdout


def test_json_comes_back_as_it_was(scanned):
    folder, _ = scanned
    again = unbudged("report", "r.json", "--json", "--save", "again.json", cwd=folder)
    assert again.stdout.rstrip("\n") == (folder / "r.json").read_text("utf-8")
    assert (folder / "again.json").read_bytes() == (folder / "r.json").read_bytes()


def test_a_file_alone_prints_nothing_and_text_beside_it_prints(scanned):
    folder, done = scanned
    assert unbudged("report", "r.json", "--save", "b.json", cwd=folder).stdout == ""
    both = unbudged("report", "r.json", "--save", "b.json", "--text", "-q", cwd=folder)
    assert both.stdout.splitlines()[:4] == done.stdout.splitlines()[:4]


def test_two_documents_on_one_stream_are_refused(scanned):
    folder, _ = scanned
    one_line(unbudged("report", "r.json", "--json", "--text", cwd=folder), "ask for one")
    one_line(unbudged("report", "r.json", "--save", "r.json", cwd=folder), "is used already")


def test_a_report_from_python_gets_a_python_call_as_its_repeat_line(tmp_path):
    (tmp_path / "r.json").write_text(full_report().to_json(), "utf-8")
    done = unbudged("report", "r.json", cwd=tmp_path)
    assert done.returncode == 0
    assert "repeat: run(target, " in done.stdout


def test_an_older_report_without_scores_of_controls_is_read(tmp_path):
    document = json.loads(full_report().to_json())
    for row in document["baselines"]:
        del row["controls"], row["control_readings"]
    (tmp_path / "r.json").write_text(json.dumps(document), "utf-8")
    assert unbudged("report", "r.json", cwd=tmp_path).returncode == 0


BAD = {
    "empty": "",
    "not JSON": "{",
    "a list": "[]",
    "another version": '{"schema_version": 99}',
    "fields missing": '{"schema_version": 1}',
    "deep": "[" * 100_000,
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_report_is_one_line_and_exit_2(tmp_path, case):
    (tmp_path / "r.json").write_text(BAD[case], "utf-8")
    one_line(unbudged("report", "r.json", cwd=tmp_path), "r.json: ")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("verdict",), "fine"),
        (("findings", 0, "excess"), "much"),
        (("findings", 0, "baseline"), None),
        (("calls",), 1.5),
        (("seed",), True),
        (("notes",), [3]),
        (("baselines", 0, "values"), [1]),
        (("flips", 0, "fail_to_pass", "n"), "3"),
        (("findings", 0, "evidence", "sentence"), {}),
    ],
    ids=str,
)
def test_an_edited_report_is_one_line_and_exit_2(tmp_path, path, value):
    document = json.loads(full_report().to_json())
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    (tmp_path / "r.json").write_text(json.dumps(document), "utf-8")
    one_line(unbudged("report", "r.json", cwd=tmp_path), "not a report: ")


def test_a_report_that_was_cut_off_is_told_as_such_by_every_command(tmp_path):
    whole = full_report().to_json()
    (tmp_path / "whole.json").write_text(whole, "utf-8")
    (tmp_path / "cut.json").write_text(whole[: len(whole) // 2], "utf-8")
    says = "cut.json: not a report: not whole: it ends in the middle of the JSON document"
    for arguments in (["report", "cut.json"], ["compare", "whole.json", "cut.json"],
                      ["show", "cut.json", "1"]):  # fmt: skip
        done = unbudged(*arguments, cwd=tmp_path)
        one_line(done, says)
        assert "Expecting" not in done.stderr
        assert "char " not in done.stderr


@pytest.mark.parametrize("command", [["a", "b", 3], "unbudged run", {"x": 1}, []])
def test_an_edited_command_harms_nothing(tmp_path, command):
    document = json.loads(full_report().to_json())
    document["settings"] |= {"command": command, "positions": ["x"], "target_file": 3}
    (tmp_path / "r.json").write_text(json.dumps(document), "utf-8")
    assert unbudged("report", "r.json", cwd=tmp_path).returncode == 0


def test_a_database_a_folder_and_nothing_are_told_apart(tmp_path):
    with sqlite3.connect(tmp_path / "r.db") as database:
        database.execute("create table x (y)")
    database.close()
    one_line(unbudged("report", "r.db", cwd=tmp_path), "r.db ")
    one_line(unbudged("report", ".", cwd=tmp_path), "is a folder")
    one_line(unbudged("report", "no.json", cwd=tmp_path), "no.json: no such file")
    (tmp_path / "latin").write_bytes(b"\xff\xfe")
    one_line(unbudged("report", "latin", cwd=tmp_path), "not UTF-8")
