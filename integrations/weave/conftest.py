"""Fixtures of Weave's conformance tests: a judge that speaks its dialect, a trace server."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

os.environ.update(
    WANDB_ERROR_REPORTING="false",
    LITELLM_LOCAL_MODEL_COST_MAP="True",
    WEAVE_PRINT_CALL_LINK="false",
    WEAVE_RETRY_MAX_ATTEMPTS="1",
)

from shipped_scorers import dialect, use_judge
from trace_server import TraceServer

from judge_server import JudgeServer


@pytest.fixture(scope="session")
def judges() -> Iterator[JudgeServer]:
    """Serve every persona in the dialect of Weave's scorers."""
    with JudgeServer(dialect=dialect, delay=2.0) as server:
        use_judge(server.url("fair"))
        yield server


@pytest.fixture
def project(judges: JudgeServer) -> Iterator[TraceServer]:
    """Open a Weave project on a server of our own, for one test."""
    import weave

    server = TraceServer()
    server.judge_url = judges.url("fair")
    settings = {
        "WF_TRACE_SERVER_URL": server.url, "WANDB_BASE_URL": server.url, "WANDB_API_KEY": "0" * 40
    }  # fmt: skip
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    weave.init("entity/project")
    try:
        yield server
    finally:
        weave.finish()
        for name, value in before.items():
            if value is None:
                os.environ.pop(name)
            else:
                os.environ[name] = value
        server.close()
