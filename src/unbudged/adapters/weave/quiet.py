"""Weave imported without its crash reports, unless the user has asked for them."""

from __future__ import annotations

import os
import sys

_REPORTING = "WANDB_ERROR_REPORTING"


def import_quietly() -> None:
    """Import Weave; where it is imported already, the user's own choice stands.

    A bare ``import weave`` opens a session with a crash-report service that is closed over
    the network at exit. Weave reads the variable once, so it is taken back afterwards;
    older versions do not read it and are told directly.
    """
    if "weave" in sys.modules:
        return
    ours = _REPORTING not in os.environ
    if ours:
        os.environ[_REPORTING] = "false"
    try:
        import weave  # noqa: F401

        if ours:
            _silence()
    finally:
        if ours:
            os.environ.pop(_REPORTING, None)


def _silence() -> None:
    try:
        from weave.telemetry.trace_sentry import global_trace_sentry
    except ImportError:  # moved: then it is a version that reads the variable
        return
    global_trace_sentry._disabled = True
