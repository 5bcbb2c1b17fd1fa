"""What a person sees while a scan runs: in a terminal, in a CI log, and nowhere else."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import textwrap
import time

import pytest

import unbudged

GRADER = """
    import time
    baselines = ["It is blue.", "It is green, for two reasons."]
    def target(text):
        time.sleep(0.01)
        return 1.0 + ("full marks" in text)
"""


@pytest.fixture
def grader(tmp_path):
    path = tmp_path / "grader.py"
    path.write_text(textwrap.dedent(GRADER))
    return str(path)


def in_terminal(command: list[str], **env: str) -> tuple[str, str, int]:
    """Run with standard error on a real terminal; return (stdout, stderr, exit code)."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, stdin=subprocess.DEVNULL,
        env={**{k: v for k, v in os.environ.items() if k != "CI"}, "TERM": "xterm", **env},
    )
    os.close(theirs)
    said = b""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        ready, _, _ = select.select([ours], [], [], 0.2)
        if not ready:
            continue
        try:
            chunk = os.read(ours, 65536)
        except OSError:  # the terminal closed with its process
            break
        if not chunk:
            break
        said += chunk
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    return out.decode(), said.decode(), process.returncode


def command(grader: str, *options: str) -> list[str]:
    return [sys.executable, "-m", "unbudged.cli", "run", grader, *options]


def test_a_terminal_shows_how_far_it_is_and_standard_output_stays_clean(grader):
    plain = subprocess.run(command(grader), capture_output=True, text=True)
    out, err, code = in_terminal(command(grader, "--concurrency", "3"))
    assert code == plain.returncode == 1
    assert out == plain.stdout
    shown = err.split("\r")
    assert any("in flight" in line and "moved" in line and "calls" in line for line in shown)
    assert any("call/s" in line for line in shown)
    percent = [int(line.partition("%")[0]) for line in shown if "%|" in line]
    assert len(set(percent)) > 3
    assert percent[0] < 20
    assert all(len(line.rstrip()) <= 100 for line in shown if "call/s" in line)


@pytest.mark.parametrize("quiet", ["-q", "--quiet"])
def test_quiet_shows_no_progress_in_a_terminal(grader, quiet):
    _, err, _ = in_terminal(command(grader, quiet))
    assert "call/s" not in err
    assert "\r" not in err.replace("\r\n", "")


def test_a_dumb_terminal_gets_no_bar(grader):
    _, err, _ = in_terminal(command(grader), TERM="dumb")
    assert "call/s" not in err


def test_a_terminal_without_block_characters_gets_a_bar_it_can_show(grader):
    _, err, _ = in_terminal(command(grader), PYTHONIOENCODING="ascii")
    assert "call/s" in err
    assert "█" not in err


def test_a_file_gets_nothing_but_the_reasons_of_the_exit_code(grader):
    env = {k: v for k, v in os.environ.items() if k != "CI"}
    done = subprocess.run(command(grader), capture_output=True, text=True, env=env)
    assert len(done.stderr.splitlines()) == 1


def test_a_ci_log_gets_a_plain_line_now_and_then(grader):
    code = (
        "import sys; from unbudged.cli import main, watching; watching.EVERY = 0.2;"
        f" sys.exit(main(['run', {grader!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True,
        env={**os.environ, "CI": "true"},
    )
    lines = [line for line in done.stderr.splitlines() if "readings" in line]
    assert len(lines) >= 3
    assert all(line.startswith("unbudged: ") and "\r" not in line for line in lines)
    assert "s left" in lines[0]
    assert "readings" not in done.stdout.splitlines()[0]


def test_progress_counts_every_reading_once_and_ends_complete():
    seen = []
    report = unbudged.run(
        lambda text: 1.0 + ("full marks" in text), ["It is blue."], progress=seen.append
    )
    assert [p.done for p in seen] == list(range(1, report.calls + 1))
    assert all(p.wanted >= p.done for p in seen)
    assert seen[-1].wanted == seen[-1].done == report.calls
    assert seen[-1].moved == len({f.attack_id for f in report.findings}) > 0
    assert seen[0].rate > 0
    assert seen[0].seconds_left is not None


def test_progress_that_cannot_be_called_is_refused_before_any_call():
    with pytest.raises(unbudged.UsageError, match="progress must be a function"):
        unbudged.run(lambda text: 1 / 0, ["It is blue."], progress=True)
