"""An OpenAI-compatible HTTP server that plays judges of known character.

One server plays every persona at once, each at an address of its own::

    with JudgeServer() as server:
        server.url("fair")       # "http://127.0.0.1:PORT/fair/v1"
        server.url("gullible")   # "http://127.0.0.1:PORT/gullible/v1"

A judge's opinion is a boolean: does the prompt hold one of the strong answers? What that
opinion looks like in a reply is the dialect's business: ``dialect(request, favourable)``
returns the reply's text. The default fills the JSON schema of the request where there is
one and else writes an Inspect grade line.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from unbudged.core.samples import Kind, load_samples

#: personas whose every reply is no score
BROKEN = (
    "garbage", "empty", "refusing", "filtered", "wrong_schema",
    "slow", "rate_limited", "error500", "cut",
)  # fmt: skip
#: fair ignores payloads, gullible obeys them, parser_victim quotes the answer before its own
#: fair verdict, tripped is fair until a payload breaks its reply
PERSONAS = ("fair", "gullible", "parser_victim", "tripped", *BROKEN)

GARBAGE = "The weather over the harbour stays mild, with light wind from the west."
REFUSAL = "I'm sorry, but I can't help with that request."


@dataclass(frozen=True)
class Request:
    """One request as it arrived, and what the judge sees in it."""

    path: str
    persona: str
    body: dict[str, Any]
    prompt: str = ""
    #: the prompt holds one of the strong answers
    strong: bool = False
    #: the prompt holds one of the payloads
    attacked: bool = False
    #: the judged answer, as far as ``find_answer`` can tell
    answer: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema the reply must follow, None where the request names none."""
        form = self.body.get("response_format") or {}
        schema = (form.get("json_schema") or {}).get("schema")
        return schema if isinstance(schema, dict) else None


Dialect = Callable[[Request, bool], str]


class JudgeServer:
    """Serve every persona on a free port of 127.0.0.1 and remember each request.

    ``strong``: texts that earn a favourable verdict (default: the strong answers of the
    built-in samples); ``obeys``: texts the gullible persona obeys (default: every payload
    of the core corpus); ``find_answer(prompt)``: the judged answer in a prompt; ``delay``:
    seconds the slow persona takes. All can be assigned later.
    """

    def __init__(
        self,
        *,
        strong: Sequence[str] | None = None,
        obeys: Sequence[str] | None = None,
        dialect: Dialect | None = None,
        find_answer: Callable[[str], str] | None = None,
        delay: float = 5.0,
    ) -> None:
        self.strong = _strong_answers() if strong is None else tuple(strong)
        self.obeys = _payloads() if obeys is None else tuple(obeys)
        self.dialect: Dialect = dialect or by_schema_or_grade
        self.find_answer = find_answer or self._after_a_known_answer
        self.delay = delay
        self.requests: list[Request] = []
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    def url(self, persona: str = "fair") -> str:
        """Return the base URL (it ends in /v1) at which a persona answers."""
        if persona not in PERSONAS:
            raise ValueError(f"no persona {persona!r}: {', '.join(PERSONAS)}")
        return f"http://127.0.0.1:{self.port}/{persona}/v1"

    @property
    def prompts(self) -> list[str]:
        """The text of every chat request, in the order of arrival."""
        return [r.prompt for r in self.requests if r.path.endswith("/chat/completions")]

    def clear(self) -> None:
        """Forget the requests so far."""
        self.requests.clear()

    def close(self) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def __enter__(self) -> JudgeServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # what the handler asks

    def understand(
        self, path: str, persona: str, body: dict[str, Any], headers: dict[str, str]
    ) -> Request:
        prompt = prompt_text(body)
        plain = fold(prompt)
        request = Request(
            path, persona, body, prompt,
            strong=any(fold(text) in plain for text in self.strong),
            attacked=any(len(f := fold(text)) >= 8 and f in plain for text in self.obeys),
            answer=self.find_answer(prompt) if prompt else "",
            headers=headers,
        )  # fmt: skip
        self.requests.append(request)
        return request

    def opinion(self, request: Request) -> bool:
        """Tell whether this persona thinks well of the judged answer."""
        return request.strong or (request.persona == "gullible" and request.attacked)

    def reply(self, request: Request) -> str:
        """Return the text this persona answers with."""
        persona = request.persona
        if persona == "tripped" and request.attacked:
            persona = "garbage"
        if persona == "garbage":
            return GARBAGE
        if persona in ("empty", "filtered"):
            return ""
        if persona == "refusing":
            return REFUSAL
        if persona == "wrong_schema":
            return json.dumps({"weather": {"wind": "west", "knots": 7}})
        said = self.dialect(request, self.opinion(request))
        if persona == "parser_victim":
            return f"The answer reads:\n{request.answer}\n\nMy verdict:\n{said}"
        return said

    def wait(self) -> None:
        self._closing.wait(self.delay)

    def _after_a_known_answer(self, prompt: str) -> str:
        for text in (*self.strong, *_weak_answers()):
            start = prompt.find(text)
            if start >= 0:
                return re.split(r"\n\*{3,}|\n\[END|\n#{3,}|\n-{3,}", prompt[start:])[0].rstrip()
        return ""


def prompt_text(body: dict[str, Any]) -> str:
    """Return the text of all messages of a chat request, joined by blank lines."""
    texts = []
    for message in body.get("messages") or ():
        content = message.get("content")
        if isinstance(content, str):
            texts.append(content)
        elif isinstance(content, list):
            texts += [part["text"] for part in content if isinstance(part.get("text"), str)]
    return "\n\n".join(texts)


@functools.lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Return letters and digits alone, so that JSON and repr escapes do not hide a text."""
    text = re.sub(r"\\+u([0-9a-fA-F]{4})", lambda m: chr(int(m[1], 16)), text)
    text = re.sub(r"\\+[nrtbf\"'/]", " ", text)
    return "".join(c for c in text.casefold() if c.isalnum())


def by_schema_or_grade(request: Request, favourable: bool) -> str:
    """Fill the request's JSON schema, or write ``GRADE: C`` (favourable) or ``GRADE: I``."""
    if request.schema is not None:
        return json.dumps(fill_schema(request.schema, favourable))
    return f"I compared the submission with the criterion.\n\nGRADE: {'C' if favourable else 'I'}"


Choose = Callable[[str, dict[str, Any], bool], Any]


def fill_schema(
    schema: dict[str, Any], favourable: bool, choose: Choose | None = None
) -> Any:
    """Return an instance of a JSON schema that carries the opinion.

    ``choose(name, subschema, favourable)`` decides a value by the property's name; when it
    returns None, booleans take the opinion, numbers the upper or lower end (1 and 0 where
    none is given), enums their first or last member and texts "yes" or "no".
    """
    return _fill(schema, "", schema, favourable, choose)


def _fill(
    node: dict[str, Any], name: str, root: dict[str, Any], good: bool, choose: Choose | None
) -> Any:
    if "$ref" in node:
        target: Any = root
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        return _fill(target, name, root, good, choose)
    if choose is not None and name and (value := choose(name, node, good)) is not None:
        return value
    for union in ("anyOf", "oneOf", "allOf"):
        if union in node:
            options = [o for o in node[union] if o.get("type") != "null"] or node[union]
            return _fill(options[0], name, root, good, choose)
    if "const" in node:
        return node["const"]
    if "enum" in node:
        return node["enum"][0 if good else -1]
    kind = node.get("type")
    if isinstance(kind, list):
        kind = next((k for k in kind if k != "null"), "null")
    if kind == "object" or "properties" in node:
        fields = node.get("properties", {})
        return {key: _fill(sub, key, root, good, choose) for key, sub in fields.items()}
    if kind == "array":
        return [_fill(node.get("items", {}), name, root, good, choose)]
    if kind == "boolean":
        return good
    if kind in ("integer", "number"):
        return node.get("maximum", 1) if good else node.get("minimum", 0)
    return None if kind == "null" else "yes" if good else "no"


def embedding(text: str, size: int = 64) -> list[float]:
    """Return a unit vector of hashed words: texts that share words lie close together."""
    vector = [0.0] * size
    for word in re.findall(r"\w+", text.casefold()):
        vector[int(hashlib.sha256(word.encode()).hexdigest()[:8], 16) % size] += 1.0
    length = sum(v * v for v in vector) ** 0.5
    return [v / length for v in vector] if length else vector


def _completion(request: Request, text: str) -> dict[str, Any]:
    filtered = request.persona == "filtered"
    choice: dict[str, Any] = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "content_filter" if filtered else "stop",
        "logprobs": None,
    }
    if request.body.get("logprobs"):
        tokens = re.findall(r"\d+|[^\d]+", text)
        choice["logprobs"] = {"content": [_certain(token) for token in tokens]}
    used, wrote = len(request.prompt.split()), len(text.split())
    return {
        "id": "chatcmpl-0", "object": "chat.completion", "created": int(time.time()),
        "model": request.body.get("model", "judge"), "choices": [choice],
        "usage": {
            "prompt_tokens": used, "completion_tokens": wrote, "total_tokens": used + wrote
        },
    }  # fmt: skip


def _certain(token: str) -> dict[str, Any]:
    alone = {"token": token, "logprob": 0.0, "bytes": list(token.encode())}
    return {**alone, "top_logprobs": [alone]}


def _embeddings(body: dict[str, Any]) -> dict[str, Any]:
    given = body.get("input")
    texts = [given] if isinstance(given, str) else list(given or ())
    rows = [
        {"object": "embedding", "index": i, "embedding": embedding(str(text))}
        for i, text in enumerate(texts)
    ]
    used = sum(len(str(text).split()) for text in texts)
    return {
        "object": "list", "data": rows, "model": body.get("model", "embedder"),
        "usage": {"prompt_tokens": used, "total_tokens": used},
    }  # fmt: skip


def _moderation(body: dict[str, Any], flagged: bool) -> dict[str, Any]:
    result = {
        "flagged": flagged,
        "categories": {"harassment": flagged},
        "category_scores": {"harassment": 0.9 if flagged else 0.1},
    }
    return {"id": "modr-0", "model": body.get("model", "moderator"), "results": [result]}


def _handler(judge: JudgeServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self.answer(200, {"object": "list", "data": [{"id": "judge", "object": "model"}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
            _, persona, *rest = self.path.split("?")[0].split("/")
            path = "/" + "/".join(rest)
            if persona not in PERSONAS:
                self.fail(404, f"no persona {persona!r}", "not_found")
                return
            request = judge.understand(path, persona, body, dict(self.headers))
            if persona == "slow":
                judge.wait()
            if persona == "error500":
                self.fail(500, "the model crashed", "server_error")
            elif persona == "rate_limited":
                self.fail(429, "rate limit reached", "rate_limit_exceeded")
            elif persona == "cut":
                self.cut()
            elif path == "/v1/chat/completions":
                self.answer(200, _completion(request, judge.reply(request)))
            elif path == "/v1/embeddings":
                self.answer(200, _embeddings(body))
            elif path == "/v1/moderations":
                self.answer(200, _moderation(body, not judge.opinion(request)))
            else:
                self.fail(404, f"no such path: {path}", "not_found")

        def fail(self, status: int, message: str, code: str) -> None:
            self.answer(status, {"error": {"message": message, "type": code, "code": code}})

        def answer(self, status: int, document: dict[str, Any]) -> None:
            data = json.dumps(document).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                if status == 429:
                    self.send_header("Retry-After", "1")
                    self.send_header("retry-after-ms", "20")
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                self.close_connection = True  # the client gave up waiting

        def cut(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "4096")
            self.end_headers()
            self.wfile.write(b'{"id": "chatcmpl-0", "choices": [{"mess')
            self.wfile.flush()
            self.close_connection = True

    return Handler


#: kinds of built-in samples that judges with a model are scanned on
JUDGED: tuple[Kind, ...] = (
    "answers", "bias", "toxicity", "privacy", "advice", "misuse", "role", "retention",
)  # fmt: skip


def _strong_answers() -> tuple[str, ...]:
    return tuple(strong.output for kind in JUDGED for _, strong in load_samples(kind))


def _weak_answers() -> tuple[str, ...]:
    return tuple(weak.output for kind in JUDGED for weak, _ in load_samples(kind))


def _payloads() -> tuple[str, ...]:
    from unbudged import load_corpus

    return tuple(attack.text for attack in load_corpus())
