"""Worker processes that end with code 0 only when their work is done.

pebble takes code 0 for a worker that has nothing left to do, whoever ended it, and waits for ever
for the call it was in.
"""

from __future__ import annotations

import sys
from multiprocessing.context import SpawnContext, SpawnProcess

#: what the code 0 of a worker is called that something else ended
ENDED = 99
_DONE = 213


class Worker(SpawnProcess):
    """A process that says with its exit code whether it came to its own end."""

    def run(self) -> None:
        """Do the work and leave with the code that means so."""
        super().run()
        sys.exit(_DONE)

    @property
    def exitcode(self) -> int | None:
        """0 for work that is done, ``ENDED`` for another's 0, else the code as it is."""
        code = super().exitcode
        return 0 if code == _DONE else ENDED if code == 0 else code


class Workers(SpawnContext):
    """Where pebble takes its processes from: spawned, a fork of a process with threads may hang."""

    Process = Worker
