"""What a fork of the worker does: it is one attempt of a callable agent, from its session to its end.

It imports the standard library and ``function_values`` alone.
"""

import contextlib
import ctypes
import importlib
import json
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any, NoReturn

from passfloor.adapters.function_values import FunctionAttempt, FunctionTask, Result, append_lines

ANSWER_CAP = 1024 * 1024
"""Bytes of an answer that are handed on."""

# prctl(2), Linux.
_PR_SET_PDEATHSIG = 1
# Looked up once, for all forks: each copies what it touches, and the look-up touches more than the call.
_PRCTL = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


def prctl(option: int, value: int) -> None:
    """Set an option of this process, where the system is Linux."""
    if _PRCTL is not None:
        _PRCTL(option, value, 0, 0, 0)


def be_the_attempt(
    request: dict[str, Any], task: FunctionTask, prints: int, paths: list[str], *, parent: int
) -> NoReturn:
    """Be the attempt: in the fork, to its end."""
    status = 70
    try:
        os.setsid()
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == parent:
            _settle(request, prints, paths)
            _write_answer(request["answer"], _answer(request, task))
            status = 0
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        # Nothing of the forked process's own may run here: not its exit handlers, not the rest of its loop.
        os._exit(status)


def _settle(request: dict[str, Any], prints: int, paths: list[str]) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(prints, 1)
    os.dup2(prints, 2)
    os.close(prints)
    os.close(nothing)
    sys.path[:] = paths
    os.chdir(request["work"])


def _answer(request: dict[str, Any], task: FunctionTask) -> tuple[dict[str, Any], bytes]:
    """The header of the answer and its text, in UTF-8 that may hold half surrogate pairs."""
    try:
        target: Any = importlib.import_module(request["module"])
        for name in request["name"].split("."):
            target = getattr(target, name)
    except BaseException as error:  # whatever the module does is the attempt's to report
        return _fault("load", error), b""
    if not callable(target):
        return {
            "status": "load",
            "detail": f"it is of type {type(target).__name__} and cannot be called",
        }, b""
    if request["probe"]:
        return {"status": "returned", "size": 0}, b""
    try:
        return _call(target, request, task)
    except BaseException as error:
        # Where it came from, for whoever reads what the callable printed.
        traceback.print_exception(error)
        return _fault("raised", error), b""


def _call(target: Any, request: dict[str, Any], task: FunctionTask) -> tuple[dict[str, Any], bytes]:
    journal = Path(request["journal"])
    attempt = FunctionAttempt(
        workspace=Path(request["work"]),
        journal=journal,
        **{name: request[name] for name in ("seed", "run_seed", "attempt_id", "index", "recorded", "recall")},
    )
    value = target(task, attempt)
    if awaits := hasattr(value, "__await__"):
        import asyncio

        value = asyncio.run(_awaited(value))
    if isinstance(value, Result):
        append_lines(journal, value.events)
        value = value.output
    if not isinstance(value, str):
        return {"status": "unfit", "detail": type(value).__name__}, b""
    data = value.encode("utf-8", "surrogatepass")
    return {"status": "returned", "size": len(data), "awaits": awaits}, data[:ANSWER_CAP]


async def _awaited(value: Any) -> Any:
    return await value


def _fault(status: str, error: BaseException) -> dict[str, Any]:
    try:
        message = str(error)
    except Exception:  # an exception that cannot be shown is still one
        message = ""
    detail = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return {"status": status, "detail": detail[:1000]}


def _write_answer(path: str, answer: tuple[dict[str, Any], bytes]) -> None:
    header, text = answer
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(path, flags, 0o600)
    rest = memoryview(json.dumps(header).encode() + b"\n" + text)
    while rest:
        rest = rest[os.write(file, rest) :]
