"""A scan that is killed, cut off or refused its disk: nothing lost, nothing bought twice."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import unbudged
from unbudged.journal import Journal
from unbudged.replay import replay

ANSWERS = ["It is blue.", "It is green, for two reasons."]
GRADER = """
    import asyncio, os, time
    baselines = ["It is blue.", "It is green, for two reasons."]
    def note(text):
        with open({log!r}, "a") as file:
            file.write(repr(text) + chr(10))
    def target(text):
        time.sleep(0.01)
        note(text)
        return 1.0 + ("full marks" in text)
    def held(text):
        while not os.path.exists({log!r} + ".go"):
            time.sleep(0.01)
            note(text)
        return 1.0 + ("full marks" in text)
    async def slowly(text):
        await asyncio.sleep(0.02)
        note(text)
        return 1.0 + ("full marks" in text)
"""


def plain(text: str) -> float:
    return 1.0 + ("full marks" in text)


@pytest.fixture
def grader(tmp_path):
    path = tmp_path / "grader.py"
    path.write_text(textwrap.dedent(GRADER.format(log=str(tmp_path / "log"))))
    return path


def command(grader: Path, name: str, *options: str) -> list[str]:
    return [sys.executable, "-m", "unbudged.cli", "run", f"{grader}:{name}", "--json", *options]


def texts(grader: Path) -> list[str]:
    log = grader.parent / "log"
    return log.read_text().splitlines() if log.exists() else []


def wait_for(count: int, grader: Path, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while len(texts(grader)) < count and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("name", "how", "width"),
    [
        ("target", signal.SIGKILL, 1), ("slowly", signal.SIGKILL, 8),
        ("target", signal.SIGINT, 1), ("slowly", signal.SIGINT, 8), ("target", signal.SIGINT, 8),
    ],
)  # fmt: skip
def test_a_scan_killed_three_times_ends_as_one_that_was_not(grader, tmp_path, name, how, width):
    whole = subprocess.run(
        command(grader, name), capture_output=True, text=True, timeout=300
    )
    once = texts(grader)
    (tmp_path / "log").unlink()
    options = ("--journal", str(tmp_path / "j.db"), "--concurrency", str(width))
    for count in (15, 40, 70):
        process = subprocess.Popen(
            command(grader, name, *options), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        )
        wait_for(count, grader, process)
        process.send_signal(how)
        out, err = process.communicate(timeout=60)
        if how == signal.SIGINT:
            assert process.returncode == 130
            assert "this continues it: unbudged run" in err
            assert json.loads(out)["undecided"]
        else:
            assert process.returncode == -signal.SIGKILL
    last = subprocess.run(
        command(grader, name, *options), capture_output=True, text=True, timeout=300
    )
    assert json.loads(last.stdout) == json.loads(whole.stdout)
    assert last.returncode == whole.returncode == 1
    # at most what was in flight at each of the three kills was bought a second time
    again = len(texts(grader)) - len(once)
    assert 0 <= again <= 3 * width
    assert set(texts(grader)) == set(once)


def test_a_finished_scan_is_read_again_without_a_single_call(grader, tmp_path):
    options = ("--journal", str(tmp_path / "j.db"))
    first = subprocess.run(command(grader, "target", *options), capture_output=True, text=True)
    made = len(texts(grader))
    again = subprocess.run(command(grader, "target", *options), capture_output=True, text=True)
    assert len(texts(grader)) == made
    assert again.stdout == first.stdout


def test_the_command_makes_any_report_of_a_journal(grader, tmp_path):
    journal = str(tmp_path / "j.db")
    whole = subprocess.run(
        [part for part in command(grader, "target", "--journal", journal) if part != "--json"],
        capture_output=True, text=True, timeout=300,
    )
    made = len(texts(grader))
    again = subprocess.run(
        [sys.executable, "-m", "unbudged.cli", "report", journal, "--text",
         "--html", str(tmp_path / "r.html")],
        capture_output=True, text=True, timeout=60,
    )
    assert again.returncode == 0, again.stderr
    assert again.stdout == whole.stdout
    assert "repeat: unbudged run" in again.stdout
    assert "<html" in (tmp_path / "r.html").read_text()
    assert len(texts(grader)) == made


@pytest.mark.parametrize("target", [plain, lambda text: float(hash(text) % 7)])
def test_a_journal_alone_gives_the_report_again(target, tmp_path):
    report = unbudged.run(target, ANSWERS, journal=tmp_path / "j.db", pass_mark=2.0)
    with Journal(tmp_path / "j.db", create=False) as journal:
        assert replay(journal).to_json() == report.to_json()


def test_a_journal_cut_off_gives_what_is_known_and_says_what_is_not(tmp_path):
    calls = 0

    def target(text: str) -> float:
        nonlocal calls
        calls += 1
        if calls == 60:
            raise KeyboardInterrupt
        return plain(text)

    with pytest.raises(unbudged.Interrupted) as stopped:
        unbudged.run(target, ANSWERS, journal=tmp_path / "j.db")
    partial = stopped.value.report
    assert partial.undecided
    with Journal(tmp_path / "j.db", create=False) as journal:
        report = replay(journal)
    assert report.calls == 59
    assert report.verdict == partial.verdict
    assert {u.attack_id for u in report.undecided} == {u.attack_id for u in partial.undecided}
    assert all("cut off" in u.why for u in report.undecided)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": 7}, "its seed is 0, this scan's 7"),
        ({"families": ["role_reversal"]}, "its corpus or choice of attacks differ"),
        ({"separator": " "}, "separator"),
        ({"placement": "prefix"}, "placement"),
        ({"baselines": ["It is red."]}, "baselines"),
        ({"target": lambda text: 3.0}, "target"),
        ({"contrast": ("good", "bad")}, "contrast"),
    ],
)
def test_a_journal_of_another_scan_is_refused_before_any_call_and_kept(tmp_path, change, said):
    path = tmp_path / "j.db"
    unbudged.run(plain, ANSWERS, journal=path)
    before = path.read_bytes()
    calls = []

    def other(text: str) -> float:
        calls.append(text)
        return 1.0

    options = {"baselines": ANSWERS, "target": plain, **change}
    with pytest.raises(unbudged.UsageError, match="of another scan") as refused:
        unbudged.run(options.pop("target"), options.pop("baselines"), journal=path, **options)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert path.read_bytes() == before


def test_a_journal_of_another_version_is_refused_and_can_still_be_reported(tmp_path, monkeypatch):
    path = tmp_path / "j.db"
    report = unbudged.run(plain, ANSWERS, journal=path)
    monkeypatch.setattr("unbudged.journal.document.VERSION", "9.9.9")
    with pytest.raises(unbudged.UsageError, match=r"unbudged version is .*, this scan's '9\.9\.9'"):
        unbudged.run(plain, ANSWERS, journal=path)
    with Journal(path, create=False) as journal:
        assert replay(journal).verdict == report.verdict


def test_a_changed_source_file_makes_another_target(grader, tmp_path):
    options = ("--journal", str(tmp_path / "j.db"))
    subprocess.run(command(grader, "target", *options), capture_output=True, timeout=300)
    grader.write_text(grader.read_text().replace("full marks", "best mark"))
    done = subprocess.run(
        command(grader, "target", *options), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 2
    assert "of another scan" in done.stderr


def test_what_only_decides_may_change_between_runs(tmp_path):
    path = tmp_path / "j.db"
    calls = []

    def target(text: str) -> float:
        calls.append(text)
        return plain(text)

    least = unbudged.api.plan_scan(target, ANSWERS).least_calls
    capped = unbudged.run(target, ANSWERS, journal=path, max_calls=least)
    made = len(calls)
    assert capped.undecided
    report = unbudged.run(target, ANSWERS, journal=path, alpha=0.05, direction="up")
    assert report.findings
    assert len(calls) == report.calls > made


def test_two_scans_cannot_share_a_journal(grader, tmp_path):
    options = ("--journal", str(tmp_path / "j.db"))
    first = subprocess.Popen(
        command(grader, "held", *options), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(5, grader, first)
    second = subprocess.run(
        command(grader, "held", *options), capture_output=True, text=True, timeout=60
    )
    assert second.returncode == 2
    assert "in use by another scan" in second.stderr
    (tmp_path / "log.go").touch()
    out, _ = first.communicate(timeout=300)
    assert first.returncode == 1
    assert json.loads(out)["findings"]


def test_a_full_disk_stops_the_scan_with_what_it_knows_and_the_journal_whole(tmp_path):
    script = tmp_path / "full.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import json, resource, signal, unbudged
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            calls = 0
            def target(text):
                global calls
                calls += 1
                if calls == 40:  # from here on no file may grow, as on a full disk
                    resource.setrlimit(resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
                return 1.0
            report = unbudged.run(target, {ANSWERS!r}, journal={str(tmp_path / "j.db")!r})
            print(json.dumps([report.verdict, calls, [u.why for u in report.undecided][:1]]))
            """
        )
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120
    )
    verdict, calls, why = json.loads(done.stdout)
    assert verdict == "inconclusive"
    assert "cannot be written" in why[0]
    assert calls == 40
    with Journal(tmp_path / "j.db", create=False) as journal:
        assert journal.found == 39


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("os.unlink({journal!r})", "deleted, moved or replaced"),
        ("os.rename({journal!r}, {journal!r} + '.old')", "deleted, moved or replaced"),
        ("os.replace({other!r}, {journal!r})", "deleted, moved or replaced"),
        ("os.truncate({journal!r}, 0)", "cut short"),
    ],
)
@pytest.mark.parametrize("width", [1, 4])
def test_a_journal_taken_away_stops_the_scan_and_the_report_is_written(tmp_path, how, said, width):
    journal, other, page = tmp_path / "j.db", tmp_path / "other", tmp_path / "page.html"
    other.write_text("not the journal")
    grader = tmp_path / "grader.py"
    grader.write_text(
        "import os\nbaselines = ['It is blue.']\ncalls = 0\n"
        "def target(text):\n    global calls\n    calls += 1\n"
        f"    if calls == 30:\n        {how.format(journal=str(journal), other=str(other))}\n"
        "    return 1.0\n"
    )
    options = ("--journal", str(journal), "--html", str(page), "--concurrency", str(width))
    done = subprocess.run(
        command(grader, "target", *options), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 3
    [line] = done.stderr.splitlines()
    assert f"the journal {journal} was {said} while the scan ran" in line
    assert json.loads(done.stdout)["verdict"] == "inconclusive"
    assert page.exists()


@pytest.mark.parametrize("place", ["no/such/folder/j.db", ".", "/proc/j.db", "a.txt", "other.db"])
def test_a_place_where_no_journal_can_be_is_one_line_before_any_call(tmp_path, place):
    (tmp_path / "a.txt").write_text("not a database, but long enough to be read\n" * 50)
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE mine (x)")
    other.close()
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(unbudged.UsageError) as refused:
        unbudged.run(lambda text: 1 / 0, ANSWERS, journal=tmp_path / place)
    assert "\n" not in str(refused.value)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_damaged_journal_is_named_as_one(tmp_path):
    path = tmp_path / "j.db"
    unbudged.run(plain, ANSWERS, journal=path)
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + os.urandom(4096) + whole[8192:])
    with pytest.raises(unbudged.UsageError, match=r"j\.db"):
        unbudged.run(plain, ANSWERS, journal=path)


# What is kept, and what never is


def test_what_the_judge_said_is_kept_with_its_model_temperature_and_usage(tmp_path):
    def target(text: str) -> dict[str, object]:
        return {
            "score": 1.0, "explanation": f"short: {len(text)}", "model": "tiny-1",
            "temperature": 0.0, "usage": {"input_tokens": 12, "output_tokens": 3},
        }

    unbudged.run(target, ANSWERS, journal=tmp_path / "j.db")
    with Journal(tmp_path / "j.db", create=False) as journal:
        kept = [reading for _, reading, _ in journal.all()]
    assert all(reading.values == {"score": 1.0} for reading in kept)
    assert all(reading.explanation.startswith("short: ") for reading in kept)
    assert all(reading.meta["usage"]["output_tokens"] == 3 for reading in kept)
    assert {reading.meta["model"] for reading in kept} == {"tiny-1"}


def test_without_explanations_none_is_kept(tmp_path):
    def target(text: str) -> dict[str, object]:
        return {"score": 1.0, "explanation": "MARKED FOR A REASON"}

    unbudged.run(target, ANSWERS, journal=tmp_path / "j.db", explanations=False)
    assert b"MARKED FOR" not in (tmp_path / "j.db").read_bytes()


SECRETS = {
    "shape": "sk-" + "proj-Ab12Cd34Ef56Gh78Ij90",
    "bearer": "abcdef0123456789abcdef",
    "named": "hunter2hunter2",
    "environment": "zq-the-very-own-value-9",
    "address": "user:pa55word",
}


def test_keys_and_tokens_reach_neither_journal_nor_report_nor_log(tmp_path):
    path = tmp_path / "grader.py"
    path.write_text(
        textwrap.dedent(
            f"""
            baselines = ["It is blue.", "It is green."]
            said = (
                "Incorrect API key provided: {SECRETS["shape"]}. Authorization: Bearer"
                " {SECRETS["bearer"]}; password={SECRETS["named"]} at"
                " https://{SECRETS["address"]}@host/v1 {SECRETS["environment"]}"
            )
            def target(text):
                if "<" in text:
                    raise ValueError(said)
                return {{"score": 1.0, "explanation": said, "model": said}}
            """
        )
    )
    done = subprocess.run(
        command(path, "target", "--journal", str(tmp_path / "j.db")), capture_output=True,
        text=True, timeout=120, env={**os.environ, "MY_API_TOKEN": SECRETS["environment"]},
    )
    document = json.loads(done.stdout)
    assert document["unscorable"]
    kept = b"".join(file.read_bytes() for file in tmp_path.glob("j.db*"))
    for secret in SECRETS.values():
        assert secret not in done.stdout
        assert secret not in done.stderr
        assert secret.encode() not in kept
    assert b"[redacted]" in kept


@pytest.mark.parametrize(
    "text",
    [
        "The key is to read the question.", "token by token", "a secret: none was found",
        "score: 5/10", "password", "sk-1", "eyJ", "authorization was not needed here",
    ],
)
def test_ordinary_words_are_not_taken_for_secrets(text):
    from unbudged.core.redact import redact

    assert redact(text) == text


def test_payloads_in_a_journal_are_byte_for_byte(tmp_path):
    odd = 'null \\u0000 byte, half \ud83d pair, "quotes", \u202e turned'
    unbudged.run(plain, [odd, "It is blue."], journal=tmp_path / "j.db")
    with Journal(tmp_path / "j.db", create=False) as journal:
        assert replay(journal).baselines[0].baseline == odd


def test_a_journal_called_memory_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    unbudged.run(plain, ANSWERS, journal=":memory:")
    assert (tmp_path / ":memory:").stat().st_size > 0


def test_a_target_that_changes_folder_sends_no_file_elsewhere(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "grader.py").write_text(
        "import os\nbaselines = ['It is blue.']\nos.chdir('elsewhere')\n"
        "def target(text):\n    return 1.0 + ('full marks' in text)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "unbudged.cli", "run", "grader.py", "-q", "--journal", "j.db",
         "--save", "r.json"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
    )
    assert done.returncode == 1, done.stderr
    assert (tmp_path / "j.db").exists()
    assert (tmp_path / "r.json").exists()
    assert not list((tmp_path / "elsewhere").iterdir())
