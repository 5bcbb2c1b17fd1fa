"""``unbudged run --dry-run``: how many judge calls a scan will take, and what it was planned of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.conclude.notes import left_out
from ..reports.inert import shown_in, wrap
from ..reports.wording import count, counts
from .output import ReportStream

if TYPE_CHECKING:
    from ..prepare import Prepared


def foreseen(scan: Prepared, out: ReportStream, *, as_json: bool) -> str:
    """Return what a scan will take, as text for the stream or as one JSON document."""
    typical = scan.typical_calls
    notes = (*scan.plan.notes, *left_out(scan.plan), *scan.remarks)
    if as_json:
        import json

        from ..reports.json import SCHEMA_VERSION

        names = ("attack_count", "baseline_count", "probe_count", "least_calls", "most_calls")
        document = {
            "schema_version": SCHEMA_VERSION,
            "dry_run": True,
            **{name: getattr(scan, name) for name in names},
            "typical_calls": typical,
            "notes": notes,
        }
        return json.dumps(document, indent=2)
    with shown_in(out.encoding):
        lines = [
            counts(scan.attack_count, scan.baseline_count, scan.probe_count),
            f"at least {scan.least_calls} and at most {scan.most_calls} judge calls; none made",
        ]
        if scan.settings.trials:
            pairs = count(scan.settings.trials, "pair")
            lines.append(f"about {typical['noisy']} for any judge: {pairs} a probe")
        else:
            lines += wrap(
                f"typically about {typical['deterministic']} for a deterministic judge and"
                f" {typical['noisy']} for a noisy one; up to {typical['jumpy_up_to']} for one that"
                f" jumps when any word changes, {typical['noisy_up_to']} for a noisy one that"
                " payloads move"
            )
        for note in notes:
            lines += wrap(f"note: {note}")
        return "\n".join(lines)
