"""What a report says of how the calls went."""

from __future__ import annotations

from ..calling import Carrier
from ..core.run import Source
from ..prepare import Prepared


def remarks_of(
    scan: Prepared, carrier: Carrier | None, source: Source | None
) -> list[str]:
    """Return what is to be said of how the calls went."""
    remarks, calling = list(scan.remarks), scan.calling
    budget = scan.options.get("budget")
    if source is not None and budget is not None and source.calls > budget:
        remarks.append(
            f"{source.calls - budget} call{'s' * (source.calls - budget != 1)} beyond the budget"
            f" of {budget}: it pays for a scan of a judge that repeats itself and that nothing"
            " moves; max_calls (--max-calls) is a hard cap"
        )
    if calling.concurrency not in (None, 1) and not scan.judge.info.parallel:
        remarks.append("the target says that it is not parallel-safe: one call at a time")
    stuck = carrier.stuck if carrier is not None else 0
    if stuck:
        remarks.append(
            f"{stuck} call{'s' * (stuck != 1)} outlived the timeout of {calling.timeout:g} s"
            " and could not be interrupted; isolate=True (--isolate) can cut such calls off"
        )
    if unused := getattr(source, "unused", 0):
        remarks.append(
            f"{unused} call{'s' * (unused != 1)} made ahead of the rules were not needed:"
            " the price of many in flight with a noisy judge"
        )
    repeated = getattr(source, "repeated", 0)
    if repeated:
        many = f"{repeated} call{'s' * (repeated != 1)}"
        remarks.append(f"{many} repeated after errors that may pass")
    return remarks
