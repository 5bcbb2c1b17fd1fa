"""Fixtures shared by the conformance tests of every framework."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from judge_server import JudgeServer


@pytest.fixture(scope="session")
def judge_server() -> Iterator[JudgeServer]:
    """Serve every persona for the whole run; assign ``dialect`` where the default will not do."""
    with JudgeServer() as server:
        yield server
