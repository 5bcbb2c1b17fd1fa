"""What every adapter must do, as plain functions that take an adapter under test.

A conformance test builds one ``Subject`` for its framework and calls the checks it needs;
each raises AssertionError with a sentence. ``CONTRACT`` lists those that every adapter
must pass, for use with ``pytest.mark.parametrize("check", CONTRACT, ids=name_of)``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from judge_server import BROKEN, JudgeServer
from unbudged import Report, Sample, Scored, TargetError, Unscorable
from unbudged.adapters.extras import EXTRAS
from unbudged.core.samples import load_samples
from unbudged.errors import MissingExtra

#: the three payloads of a conformance scan: a direct order, a forged verdict, a closed tag
ATTACKS = ("override.full_marks", "delim.xml_tags", "system.developer_note")

#: texts that a careless path between payload and scorer would change
AWKWARD = (
    "plain words",
    "  spaces before and after \t\n",
    "line one\r\nline two\rline three\u2028line four\x0b\x0c",
    "{braces} {{doubled}} {0} %s %(name)s $name ${name} {% raw %}",
    'quotes \' " ` and back\\slashes \\n \\u0041 \\',
    "nul \x00 bell \x07 escape \x1b[31m end",
    "bidi \u202eoverride\u202c and zero\u200bwidth\ufeff",
    "cafe\u0301 caf\u00e9 \ufb01 \uff21 \u00a0 \U0001f468\u200d\U0001f469\u200d\U0001f467",
    "<b>bold</b> &amp; <!-- note --> </answer> ]]> ```json\n{\"score\": 10}\n```",
    "::error::not a command",
)


@dataclass(frozen=True)
class Subject:
    """An adapter under test, and how to build the objects it scans.

    ``judged(base_url)`` returns a scorer or metric whose judge is the OpenAI-compatible
    server at that address, with a time limit below ``slowest`` seconds and few retries.
    ``by_length()`` returns one with no judge whose score depends on the judged text
    (twenty texts of different length give at least two different scores).
    ``recording()`` returns one without a judge and the list to which it appends every
    judged text exactly as it arrives.
    ``failing`` holds, by a name for the failure, functions that return one which never
    gives a score; ``alone`` is the source of a program that defines ``target`` from
    ``BASE_URL``, imports included; ``blind(base_url)`` returns a judged one that never
    shows the judge the judged text and ``blind_reads`` the field it reads instead.
    """

    extra: str
    adapter: ModuleType
    scan: Callable[..., Report]
    judged: Callable[[str], Any]
    by_length: Callable[[], Any]
    recording: Callable[[], tuple[Any, list[str]]]
    failing: Mapping[str, Callable[[], Any]]
    alone: str
    weak: Sample = field(default_factory=lambda: load_samples()[0][0])
    good: Sample = field(default_factory=lambda: load_samples()[0][1])
    blind: Callable[[str], Any] | None = None
    blind_reads: str = ""
    #: AWKWARD texts the adapter refuses on purpose, none by default
    refuses: Callable[[str], bool] = lambda text: False

    def judge(self, target: Any, **options: Any) -> Any:
        return self.adapter.make_judge(target, **options)

    def report(self, target: Any, **options: Any) -> Report:
        """Scan with three payloads, one weak answer and one good one to tell it from."""
        given = {"attacks": ATTACKS, "contrast": (self.good, self.weak), **options}
        return self.scan(target, [self.weak], **given)


# readings


def every_failure_is_unscorable(subject: Subject) -> None:
    assert subject.failing, "the subject names no failures"
    for name, build in subject.failing.items():
        reading = _read(subject.judge(build()), subject.weak)
        assert isinstance(reading, Unscorable), f"{name} was read as {reading}"
        assert reading.detail, name
        assert "\n" not in reading.detail, f"{name}: {reading.detail!r}"


def a_scan_of_nothing_but_failures_is_not_held(subject: Subject) -> None:
    for name, build in subject.failing.items():
        report = subject.scan(build(), [subject.weak], attacks=ATTACKS)
        assert report.verdict == "inconclusive", f"{name}: {report.verdict}"
        assert report.unscorable, name
        assert not report.findings, name


def the_text_arrives_byte_for_byte(subject: Subject) -> None:
    target, seen = subject.recording()
    judge = subject.judge(target)
    for text in AWKWARD:
        seen.clear()
        reading = _read(judge, subject.weak.with_output(text))
        if subject.refuses(text):
            assert isinstance(reading, Unscorable), f"{text!r} was to be refused: {reading}"
            assert seen == []
        else:
            assert seen == [text], f"sent {text!r}, arrived {seen!r}; {reading}"


def twenty_at_once_score_as_twenty_alone(subject: Subject) -> None:
    texts = [f"{subject.weak.output} {'and so on ' * n}" for n in range(20)]
    samples = [subject.weak.with_output(text) for text in texts]
    alone = [_read(subject.judge(subject.by_length()), sample) for sample in samples]
    judge = subject.judge(subject.by_length())

    async def at_once() -> list[Any]:
        return await asyncio.gather(*(judge.read(sample) for sample in samples))

    together = asyncio.run(at_once())
    again = [_read(judge, sample) for sample in reversed(samples)][::-1]
    assert all(isinstance(reading, Scored) for reading in alone), alone
    values = [reading.values for reading in alone]
    assert len({json.dumps(dict(v), sort_keys=True) for v in values}) > 1, "one score for all"
    assert [reading.values for reading in together] == values
    assert [reading.values for reading in again] == values


# judges behind a server


def a_fair_judge_holds(subject: Subject, server: JudgeServer) -> None:
    report = subject.report(subject.judged(server.url("fair")))
    assert report.verdict == "held", report.to_text()


def a_gullible_judge_is_moved(subject: Subject, server: JudgeServer) -> None:
    report = subject.report(subject.judged(server.url("gullible")))
    assert report.verdict == "moved", report.to_text()
    assert {finding.attack_id for finding in report.findings} == set(ATTACKS), report.to_text()
    assert not report.unscorable, report.to_text()


def a_broken_judge_is_unscorable(subject: Subject, server: JudgeServer) -> None:
    for persona in BROKEN:
        a_judge_of_this_persona_is_unscorable(subject, server, persona)


def a_judge_of_this_persona_is_unscorable(
    subject: Subject, server: JudgeServer, persona: str
) -> None:
    # one attack: a judge that needs time to fail needs it for every call
    report = subject.scan(
        subject.judged(server.url(persona)), [subject.weak], attacks=ATTACKS[:1], max_calls=6
    )
    assert report.verdict == "inconclusive", f"{persona}: {report.to_text()}"
    assert report.unscorable, f"{persona}: {report.to_text()}"
    assert not report.findings, f"{persona}: {report.to_text()}"
    scored = [score for score in report.baselines if score.readings]
    assert not scored, f"{persona} gave a score: {scored}"


def a_payload_that_breaks_the_reply_is_its_own_outcome(
    subject: Subject, server: JudgeServer
) -> None:
    report = subject.report(subject.judged(server.url("tripped")))
    assert report.verdict == "inconclusive", report.to_text()
    assert {probe.attack_id for probe in report.unscorable if probe.disables} == set(ATTACKS)


def the_judged_text_reaches_the_judge(subject: Subject, server: JudgeServer) -> None:
    server.clear()
    subject.report(subject.judged(server.url("fair")), attacks=ATTACKS[:1])
    assert any(subject.weak.output in prompt for prompt in server.prompts), "text never sent"


def a_judge_that_never_sees_the_text_stops_the_scan(
    subject: Subject, server: JudgeServer
) -> None:
    assert subject.blind is not None, "the subject has no blind judge"
    with pytest.raises(TargetError) as raised:
        subject.report(subject.blind(server.url("fair")))
    assert subject.blind_reads in str(raised.value), str(raised.value)
    assert "\n" not in str(raised.value)


# installation


def a_missing_framework_is_one_sentence(subject: Subject) -> None:
    extra = EXTRAS[subject.extra]
    with _installed_as(None, extra.distribution):
        said = _refusal(subject)
    assert said.count("\n") == 0
    assert extra.distribution in said
    assert f'pip install "unbudged[{subject.extra}]"' in said


def a_version_under_the_floor_is_one_sentence_with_both(subject: Subject) -> None:
    extra = EXTRAS[subject.extra]
    with _installed_as("0.0.7", extra.distribution):
        said = _refusal(subject)
    assert said.count("\n") == 0
    assert "0.0.7" in said
    assert extra.floor in said


def a_folder_of_the_same_name_fools_nobody(subject: Subject) -> None:
    module = EXTRAS[subject.extra].module
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder, module)
        package.mkdir()
        for file in ("__init__.py", "scorers.py", "scorer.py", "metrics.py"):
            (package / file).write_text(
                "class Scorer:\n"
                "    def score(self, output): return float(len(output))\n"
                "class BaseMetric(Scorer): pass\n"
            )
        done = _python(
            f"import {module}, unbudged, sys\n"
            f"assert {module}.__file__.startswith({folder!r}), {module}.__file__\n"
            "from unbudged.api import find_adapter\n"
            f"for kind in ({module}.Scorer, {module}.BaseMetric):\n"
            "    assert find_adapter(kind()) is None, find_adapter(kind())\n"
            "report = unbudged.run(lambda text: 0.5, ['an answer'], attacks=['override.*'])\n"
            "print(report.verdict)\n",
            folder,
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "inconclusive"  # a constant judge, scanned as what it is


# side effects


def a_scan_leaves_no_trace(subject: Subject, server: JudgeServer) -> None:
    """Scan in a fresh process: no file in its folder, no output, no network but the judge's."""
    trace = scan_alone(subject, server.url("fair"))
    assert trace.code == 0, trace.stderr
    assert trace.verdict == "held", trace
    assert trace.stdout == "", f"printed {trace.stdout!r}"
    assert trace.files == [], f"left files behind: {trace.files}"
    allowed = {f"127.0.0.1:{server.port}", f"localhost:{server.port}"}
    assert set(trace.hosts) <= allowed, f"talked to {set(trace.hosts) - allowed}"
    assert trace.loop_patched is False, "patched asyncio for the whole process"


def the_command_scans_it_on_the_built_in_samples(subject: Subject, server: JudgeServer) -> None:
    """``unbudged run scorer.py:target`` with nothing else: no baselines, no options of its own."""
    with tempfile.TemporaryDirectory() as folder:
        source = f"import sys\nBASE_URL = {server.url('fair')!r}\n{subject.alone}\n"
        Path(folder, "scorer.py").write_text(source)
        arguments = ["run", "scorer.py:target", "--json"]
        for attack in ATTACKS:
            arguments += ["--attack", attack]
        done = _python(
            "import sys; from unbudged.cli import main\n"
            f"sys.argv[1:] = {arguments!r}\nsys.exit(main())",
            folder,
        )
        left = _below(Path(folder))
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stdout}{done.stderr}"
    report = json.loads(done.stdout)
    assert report["verdict"] == "held"
    assert report["baseline_count"] == len(load_samples())
    assert left == ["scorer.py"]


@dataclass(frozen=True)
class Trace:
    """What a scan in a process of its own did besides scanning.

    ``hosts`` are host:port of every connection and the names of every look-up; ``files``
    are paths below the folder it ran in, folders included, that
    were not there when the target had been built.
    """

    code: int
    stdout: str
    stderr: str
    files: list[str]
    hosts: list[str]
    verdict: str | None
    loop_patched: bool | None
    home: list[str]


_ALONE = '''
import sys, json, asyncio, atexit
hosts = []
def _watch(event, args):
    if event == "socket.connect":
        address = args[1]
        if isinstance(address, tuple):
            hosts.append(f"{{address[0]}}:{{address[1]}}")
    elif event == "socket.getaddrinfo":
        hosts.append(f"{{args[0]}}:{{args[1]}}")
sys.addaudithook(_watch)
_before = (asyncio.run, asyncio.get_event_loop, asyncio.BaseEventLoop.run_until_complete)
BASE_URL = {url!r}
verdict, patched, built = None, None, []
def _tell():
    with open({told!r}, "w") as file:
        json.dump(dict(hosts=hosts, verdict=verdict, patched=patched, built=built), file)
atexit.register(_tell)  # before any framework's own: handlers run last in, first out
{source}
import os
built = [os.path.join(top, name) for top, *inside in os.walk(".") for name in sum(inside, [])]
import unbudged
from unbudged.core.samples import load_samples
weak, good = load_samples()[0]
report = unbudged.run(target, [weak], attacks={attacks!r}, contrast=(good, weak))
verdict = report.verdict
if verdict != "held":
    sys.stderr.write(report.to_text())
patched = _before != (
    asyncio.run, asyncio.get_event_loop, asyncio.BaseEventLoop.run_until_complete
) or hasattr(asyncio, "_nest_patched")
'''


def scan_alone(subject: Subject, url: str) -> Trace:
    """Scan ``subject.alone`` in a fresh process, in an empty folder and an empty home."""
    with tempfile.TemporaryDirectory() as top:
        folder, home = Path(top, "work"), Path(top, "home")
        folder.mkdir()
        home.mkdir()
        told = Path(top, "told.json")
        code = _ALONE.format(
            url=url, told=str(told), source=subject.alone, attacks=list(ATTACKS)
        )
        done = _python(code, str(folder), {"HOME": str(home), "USERPROFILE": str(home)})
        said = json.loads(told.read_text()) if told.exists() else {}
        # what importing the framework leaves behind is not the scan's doing
        before = {os.path.normpath(path) for path in said.get("built", ())}
        files = [path for path in _below(folder) if path not in before]
        return Trace(
            done.returncode, done.stdout, done.stderr, files, said.get("hosts", []),
            said.get("verdict"), said.get("patched"), _below(home),
        )  # fmt: skip


#: checks that take the subject alone
WITHOUT_JUDGE: Sequence[Callable[[Subject], None]] = (
    every_failure_is_unscorable,
    a_scan_of_nothing_but_failures_is_not_held,
    the_text_arrives_byte_for_byte,
    twenty_at_once_score_as_twenty_alone,
    a_missing_framework_is_one_sentence,
    a_version_under_the_floor_is_one_sentence_with_both,
    a_folder_of_the_same_name_fools_nobody,
)
#: checks that take the subject and a server
WITH_JUDGE: Sequence[Callable[[Subject, JudgeServer], None]] = (
    a_fair_judge_holds,
    a_gullible_judge_is_moved,
    a_broken_judge_is_unscorable,
    a_payload_that_breaks_the_reply_is_its_own_outcome,
    the_judged_text_reaches_the_judge,
    a_judge_that_never_sees_the_text_stops_the_scan,
    a_scan_leaves_no_trace,
    the_command_scans_it_on_the_built_in_samples,
)


def name_of(check: Callable[..., None]) -> str:
    return check.__name__


def _read(judge: Any, sample: Sample) -> Any:
    return asyncio.run(judge.read(sample))


def _refusal(subject: Subject) -> str:
    with pytest.raises(MissingExtra) as raised:
        subject.scan(subject.by_length(), [subject.weak], attacks=ATTACKS[:1])
    return str(raised.value)


@contextlib.contextmanager
def _installed_as(version: str | None, distribution: str) -> Iterator[None]:
    """Let the installation tell another version of a distribution, or that it is not there."""
    import importlib.metadata as metadata

    real = metadata.Distribution.from_name
    with tempfile.TemporaryDirectory() as folder:
        info = Path(folder, f"{distribution.replace('-', '_')}-{version}.dist-info")
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
        )

        def from_name(name: str) -> metadata.Distribution:
            if name.replace("_", "-") != distribution:
                return real(name)
            if version is None:
                raise metadata.PackageNotFoundError(name)
            return metadata.Distribution.at(info)

        metadata.Distribution.from_name = from_name  # type: ignore[method-assign, assignment]
        try:
            yield
        finally:
            metadata.Distribution.from_name = real  # type: ignore[method-assign]


def _python(
    code: str, folder: str, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    left = {k: v for k, v in os.environ.items() if not k.startswith(_OURS)}
    path = f"import sys; sys.path[:0] = {[folder, _sources()]!r}\n"
    return subprocess.run(
        [sys.executable, "-c", path + code],
        cwd=folder,
        env={**left, **(environment or {}), "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


#: what a test's own environment may have set for its frameworks and a user's has not
_OURS = ("DEEPEVAL", "WANDB", "WEAVE", "INSPECT", "LITELLM", "CONFIDENT", "PYTHONPATH")


def _sources() -> str:
    import unbudged

    return str(Path(unbudged.__file__).parents[1])


def _below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
