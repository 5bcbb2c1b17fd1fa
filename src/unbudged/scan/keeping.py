"""The journal of a scan: opened for this scan and no other, closed with what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..prepare import Prepared

if TYPE_CHECKING:
    from ..journal import Journal


def open_journal(scan: Prepared, versions: Mapping[str, str]) -> Journal:
    """Open the journal of this scan, new or begun earlier; UsageError for another scan's."""
    from ..journal import Journal, describe, differs
    from ..journal.identity import identity_of

    assert scan.journal is not None
    journal = Journal(scan.journal, explanations=scan.explanations)
    try:
        new = describe(scan, identity_of(scan.target, scan.judge.info), versions)
        old = journal.values()
        if old:
            difference = differs(old, new)
            if difference:
                raise UsageError(
                    f"the journal {journal.path} is of another scan: {difference}; name another"
                    " file, or scan as before"
                )
        journal.keep(new)
    except BaseException:
        journal.close()
        raise
    return journal


def close_journal(journal: Journal, costs: Mapping[str, float]) -> None:
    """Close the journal of a scan, what it cost so far kept in it."""
    import json

    with suppress(UsageError):  # the disk is full: the readings are what counts
        journal.keep({"costs": json.dumps(costs)})
    journal.close()


def figures(text: str | None) -> dict[str, float]:
    """Return the costs a journal holds, none where it holds none."""
    import json

    return dict(json.loads(text)) if text else {}
