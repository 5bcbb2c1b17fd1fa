"""Fixtures of DeepEval's conformance tests: judges that speak its dialect."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "1")  # read at import

from dialect import speak

from judge_server import JudgeServer


@pytest.fixture(scope="session")
def judges() -> Iterator[JudgeServer]:
    """Serve every persona in the dialect of DeepEval's metrics."""
    with JudgeServer(delay=3.0) as server:
        yield speak(server)
