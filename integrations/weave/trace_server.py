"""A Weave trace server small enough to run in a test: it takes everything, keeps it, answers."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class TraceServer:
    """Serve Weave's trace and login addresses on a free port of 127.0.0.1.

    ``requests`` are (path, JSON body) in the order of arrival. Completions that Weave asks
    of its server are passed on to ``judge_url``, an OpenAI-compatible address. It is also an
    AWS guardrail, which steps in when ``objects(text)``.
    """

    def __init__(self) -> None:
        self.requests: list[tuple[str, Any]] = []
        self.judge_url = ""
        self.objects: Callable[[str], bool] = lambda text: False
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, body: Any) -> dict[str, Any]:
        """Return what Weave's own server would, as far as its client looks."""
        self.requests.append((path, body))
        number = f"{len(self.requests):032x}"
        if path == "/server_info":
            return {"min_required_weave_python_version": "0.0.1", "trace_server_version": "99.0.0"}
        if path == "/graphql":
            project = {"name": "project", "entityName": "entity", "id": "1"}
            viewer = {"username": "user", "entity": "entity", "defaultEntity": {"name": "entity"}}
            made = {"project": project, "model": project}
            return {"data": {"viewer": viewer, "upsertModel": made, **made}}
        if path == "/completions/create":
            return {"response": self._complete(body["inputs"])}
        if path.startswith("/guardrail/"):
            text = body["content"][0]["text"]["text"]
            action = "GUARDRAIL_INTERVENED" if self.objects(text) else "NONE"
            return {"action": action, "outputs": [], "assessments": [{}], "usage": {}}
        if path == "/table/create":
            return {"digest": number, "row_digests": [number] * len(body["table"]["rows"])}
        if path == "/feedback/create":
            when = "2030-01-01T00:00:00Z"
            return {"id": number, "created_at": when, "wb_user_id": "user", "payload": {}}
        if path == "/feedback/batch/create":
            return {"res": []}
        return {"digest": number}

    def calls(self) -> dict[str, dict[str, Any]]:
        """Return every call that was logged, by id: what it started and ended with."""
        calls: dict[str, dict[str, Any]] = {}

        def note(part: dict[str, Any]) -> None:
            said = {k: v for k, v in part.items() if v is not None}
            calls.setdefault(part["id"], {}).update(said)

        for path, body in self.requests:
            if path.endswith("/calls/complete"):
                for part in body["batch"]:
                    note(part)
            elif path.endswith(("/call/start", "/call/end")):
                note(body.get("start") or body["end"])
            elif path == "/call/upsert_batch":
                for item in body["batch"]:
                    note(item["req"].get("start") or item["req"]["end"])
        return calls

    def of_op(self, name: str) -> list[dict[str, Any]]:
        """Return the calls of one op, in the order they were logged."""
        return [c for c in self.calls().values() if f"/op/{name}:" in c.get("op_name", "")]

    def _complete(self, inputs: dict[str, Any]) -> dict[str, Any]:
        asked = {key: value for key, value in inputs.items() if value is not None}
        request = urllib.request.Request(
            f"{self.judge_url}/chat/completions",
            json.dumps(asked).encode(),
            {"Content-Type": "application/json"},
        )
        patience = 1 if "/slow/" in self.judge_url else 20
        try:
            with urllib.request.urlopen(request, timeout=patience) as reply:
                document: dict[str, Any] = json.loads(reply.read())
                return document
        except (OSError, ValueError) as error:
            return {"error": f"{type(error).__name__}: {error}"}


def _handler(server: TraceServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self.reply(None)

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            try:
                self.reply(json.loads(data) if data else None)
            except UnicodeDecodeError:
                self.reply(None)
            except json.JSONDecodeError:  # a file in a form
                self.reply(None)

        def reply(self, body: Any) -> None:
            data = json.dumps(server.answer(self.path.split("?")[0], body)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler
