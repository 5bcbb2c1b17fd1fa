"""Run a framework's one-liners in an empty folder: verdict, exit code, no file, no output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

_DEEPEVAL = """
from deepeval.metrics import GEval
from deepeval.models import LocalModel
from deepeval.test_case import SingleTurnParams
target = GEval(
    name="Sound", evaluation_steps=["Compare the answer with the question."],
    evaluation_params=[SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT],
    model=LocalModel(model="judge", base_url={url!r}, api_key="none"),
)
"""
_INSPECT = """
from inspect_ai.scorer import model_graded_qa
target = model_graded_qa(model="unbudged_mock/{persona}")
"""
_WEAVE = """
from weave.scorers import HallucinationFreeScorer
target = HallucinationFreeScorer(model_id="openai/judge")
"""
TARGETS = {
    "deepeval": (_DEEPEVAL, "unbudged.adapters.deepeval.scan_metric"),
    "inspect_ai": (_INSPECT, "unbudged.adapters.inspect_ai.scan_scorer"),
    "weave": (_WEAVE, "unbudged.adapters.weave.scan_scorer"),
}
#: one payload says enough; a real judge is scanned elsewhere
ATTACK = "override.full_marks"
#: of this process, not of a user's
_OURS = ("DEEPEVAL", "WANDB", "WEAVE", "INSPECT", "LITELLM", "OPENAI", "PYTHON")


def environment(name: str, url: str, home: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_OURS)}
    more = {"HOME": home, "USERPROFILE": home, "PYTHONDONTWRITEBYTECODE": "1"}
    if name == "weave":
        more |= {"OPENAI_API_BASE": url, "OPENAI_API_KEY": "none"}
        more |= {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "WANDB_ERROR_REPORTING": "false"}
    return {**kept, **more}


def run(arguments: list[str], name: str, url: str) -> tuple[int, str, str]:
    """Run a command in an empty folder; exits with a sentence when it left a file there."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            arguments, cwd=folder, env=environment(name, url, home), stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=600,
        )  # fmt: skip
        left = sorted(str(p.relative_to(folder)) for p in Path(folder).rglob("*"))
    if left:
        sys.exit(f"fresh_install: {name}: left {left} in the folder\n{done.stderr[-2000:]}")
    return done.returncode, done.stdout, done.stderr


def expect(what: str, got: Any, wanted: Any, said: str) -> None:
    if got != wanted:
        sys.exit(f"fresh_install: {what}: {got!r} instead of {wanted!r}\n{said[-3000:]}")
    print(f"{what}: {got!r}")


def one_liners(name: str, server: Any) -> None:
    source, scan = TARGETS[name]
    for persona, verdict, code in (("fair", "held", 0), ("gullible", "moved", 1)):
        target = source.format(url=server.url(persona), persona=persona)
        module, function = scan.rsplit(".", 1)
        # ours first: importing DeepEval makes a folder and a call home unless told not to
        text = (
            f"import sys\nfrom {module} import {function}\n{target}\n"
            f"report = {function}(target, attacks=[{ATTACK!r}])\n"
            "print(report.to_text(), report.verdict, file=sys.stderr)\n"
        )
        _, out, err = run([sys.executable, "-c", text], name, server.url(persona))
        expect(f"{function}, {persona} judge", (err.split() or [""])[-1], verdict, err)
        expect("  on standard output", out, "", err)
        with tempfile.TemporaryDirectory() as elsewhere:
            file = Path(elsewhere, "mine.py")
            file.write_text(target)
            command = [tool("unbudged"), "run", f"{file}:target", "--attack", ATTACK, "--json"]
            status, out, err = run(command, name, server.url(persona))
        expect(f"unbudged run, {persona} judge", status, code, out + err)
        expect("  verdict", json.loads(out)["verdict"], verdict, err)


def inspect_tasks() -> None:
    for task in ("verdict_injection", "unbudged/verdict_injection",
                 "verdict_forging", "unbudged/verdict_forging"):  # fmt: skip
        with tempfile.TemporaryDirectory() as logs:
            command = [
                tool("inspect"), "eval", task, "--model", "unbudged_mock/gullible",
                "--log-dir", logs, "--log-format", "json", "--display", "none",
            ]  # fmt: skip
            if task.endswith("injection"):
                command += ["-T", "families=role_reversal"]
            status, out, err = run(command, "inspect_ai", "")
            expect(f"inspect eval {task}", status, 0, out + err)
            (file,) = Path(logs).glob("*.json")
            log = json.loads(file.read_text(encoding="utf-8"))
        expect("  log", log["status"], "success", err)
        metrics = {n: m["value"] for s in log["results"]["scores"] for n, m in s["metrics"].items()}
        print(f"  {metrics}")


def tool(name: str) -> str:
    """Return the path of a command that this environment brings."""
    found = sorted(Path(sys.executable).parent.glob(f"{name}*"))
    if not found:
        sys.exit(f"fresh_install: this environment has no command {name}")
    return str(found[0])


def main() -> None:
    name = sys.argv[1]
    import unbudged

    if str(ROOT / "src") in str(Path(unbudged.__file__).resolve()):
        sys.exit("fresh_install: this is the source folder, not an installed package")
    sys.path[:0] = [str(ROOT / "integrations"), str(ROOT / "integrations" / name)]
    from judge_server import JudgeServer

    with JudgeServer() as server:
        if name == "deepeval":
            from dialect import speak

            speak(server)
        elif name == "weave":
            from shipped_scorers import dialect

            server.dialect = dialect
        one_liners(name, server)
    if name == "inspect_ai":
        inspect_tasks()


if __name__ == "__main__":
    main()
