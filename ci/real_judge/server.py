"""Run llama.cpp's server on a GGUF file for as long as a block lasts."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

MODEL = "local"


@contextlib.contextmanager
def serving(binary: Path, gguf: Path, log: Path, threads: int) -> Iterator[str]:
    """Yield the base URL of a server that holds the model, and stop the server after.

    One slot and no prompt cache: with either, the same text at temperature 0 does not
    always get the same answer.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        binary, "-m", gguf, "--host", "127.0.0.1", "--port", port, "--alias", MODEL,
        "-t", threads, "-np", "1", "-c", "4096", "--no-webui", "--offline", "--cache-ram", "0",
        "--no-cache-prompt",
    ]  # fmt: skip
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(part) for part in command],
            stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    try:
        _wait(process, f"http://127.0.0.1:{port}/health", log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    for _ in range(600):
        if (code := process.poll()) is not None:
            tail = log.read_text(errors="replace").splitlines()[-5:]
            sys.exit(f"real_judge: the server ended with {code}: " + " / ".join(tail))
        try:
            with urllib.request.urlopen(url, timeout=2) as reply:
                if reply.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.5)
    sys.exit(f"real_judge: no answer from {url} within five minutes")
