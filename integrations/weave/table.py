"""Writes COVERAGE.md: what becomes of every scorer Weave ships, from readings of each.

``python integrations/weave/table.py`` in an environment of ci/framework_env.sh.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
os.environ.setdefault("WANDB_ERROR_REPORTING", "false")

from shipped_scorers import CASES, WEAK, Case, dialect, shipped, use_judge  # noqa: E402
from trace_server import TraceServer  # noqa: E402

from judge_server import JudgeServer  # noqa: E402
from unbudged import TargetError  # noqa: E402
from unbudged.adapters.weave import make_judge  # noqa: E402
from unbudged.adapters.weave.shipped import SHIPPED, Shipped  # noqa: E402
from unbudged.core.judge import Scored, Unscorable  # noqa: E402

COVERAGE = FOLDER / "COVERAGE.md"
_HEAD = """# Weave's scorers through the adapter

Written by `integrations/weave/table.py` from readings of every scorer class that Weave
{version} ships, each with its judge behind a local server. A scorer that is scanned with a
judge is also scanned by the tests: a fair judge holds, a gullible one is moved, a broken one
gives no score. Those that need a download are described from their source and were not run.

{count}.

| Scorer | Scanned | Better | Channels | Scale | Pass mark | Asks for, or why not |
|---|---|---|---|---|---|---|
"""
_ASKS = {
    "rule": "", "judge": "a model", "embedding": "an embedding model", "client": "a model",
    "bedrock": "",
}  # fmt: skip


def rows() -> list[tuple[str, str, str]]:
    """Return (name, yes or no or with a package, row) of every shipped scorer, by running it."""
    with JudgeServer(dialect=dialect) as judges:
        use_judge(judges.url("fair"))
        server = TraceServer()
        server.judge_url = judges.url("fair")
        os.environ["GUARDRAIL_URL"] = server.url
        try:
            return [_row(name, CASES[name], server) for name in shipped()]
        finally:
            server.close()


def _row(name: str, case: Case, server: TraceServer) -> tuple[str, str, str]:
    if case.kind == "needs":
        cells = _known(SHIPPED[name])
        return _joined(name, "with a package", *cells, f"needs {case.note}")
    assert case.build is not None
    try:
        judge = make_judge(case.build())
    except TargetError as error:
        return _joined(name, "no", "", "", "", "", str(error))
    if case.kind == "client":
        reading = _in_project(judge, server)
    else:
        judge.check([WEAK])
        reading = asyncio.run(judge.read(WEAK))
    if isinstance(reading, Unscorable):
        return _joined(name, "no", "", "", "", "", f"gives no score as it ships: {reading.detail}")
    assert isinstance(reading, Scored)
    info = judge.info
    asks = [n for n, required in judge.columns.named.items() if required]
    asks += [part for part in (_ASKS[case.kind], case.note) if part]
    better, channels = "as the prompt says", "as the prompt says"
    if SHIPPED[name].channels:
        better = "higher" if info.higher_is_better else "lower"
        channels = ", ".join(reading.values)
    mark = _mark(info.pass_mark, all_bool=reading.passed is not None)
    said = ", ".join(asks) or "nothing"
    return _joined(name, "yes", better, channels, _ends(info.scale), mark, said)


def _known(known: Shipped) -> tuple[str, str, str, str]:
    mark = known.mark or ("0.5" if known.channels == ("passed",) else "")
    better = "higher" if known.higher_is_better else "lower"
    return better, ", ".join(known.channels), _ends(known.scale), mark


def _in_project(judge: Any, server: TraceServer) -> Any:
    import weave

    settings = {
        "WF_TRACE_SERVER_URL": server.url, "WANDB_BASE_URL": server.url, "WANDB_API_KEY": "0" * 40
    }  # fmt: skip
    os.environ.update(settings)
    weave.init("entity/project")
    try:
        return asyncio.run(judge.read(WEAK))
    finally:
        weave.finish()
        for name in settings:
            del os.environ[name]


def _ends(scale: tuple[float, float] | None) -> str:
    return "" if scale is None else f"{scale[0]:g} to {scale[1]:g}"


def _mark(mark: float | None, all_bool: bool) -> str:
    if mark is None and all_bool:
        return "0.5"
    return "" if mark is None else f"{mark:g}"


def _joined(name: str, scanned: str, *cells: str) -> tuple[str, str, str]:
    shown = " | ".join(cell.replace("|", "\\|") for cell in (name, scanned, *cells))
    return name, scanned, f"| {shown} |"


def table() -> str:
    """Return the whole document."""
    import weave

    made = rows()
    kinds = [scanned for _, scanned, _ in made]
    count = f"{len(made)} scorers: " + ", ".join(
        f"{kinds.count(kind)} {kind}" for kind in ("yes", "no", "with a package")
    )
    head = _HEAD.format(version=weave.__version__, count=count)
    return head + "\n".join(row for _, _, row in made) + "\n"


if __name__ == "__main__":
    COVERAGE.write_text(table(), encoding="utf-8")
