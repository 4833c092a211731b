"""What no JSON text may hold, and how a refusal names the place and the value."""

import math
import re

from passfloor.errors import JsonError

MAX_DEPTH = 64
MAX_INT = 2**53 - 1

_BARE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_SURROGATE = re.compile("[\ud800-\udfff]")


def refuse(value: object, *, max_depth: int = MAX_DEPTH) -> None:
    """Raise for the first part of the value, in order, that has no RFC 8785 form; do nothing if all have one.

    Raises:
        JsonError: The message names the place by a JSON path, like ``$.a[3]``. ``nonfinite``: NaN or an
            infinity; ``depth``: too deep, or a value that contains itself; ``parse``: all else.
    """
    _refuse(value, "$", max_depth)


def quoted(words: str) -> str:
    """Quote untrusted text for a message: one line of printable ASCII, 64 characters at most."""
    shown = ascii(words[:60])
    return shown if len(words) <= 60 and len(shown) <= 62 else f"{shown[:60]}..."


def _refuse(value: object, path: str, room: int) -> None:
    if type(value) is dict or type(value) is list:
        if not room:
            raise JsonError(f"{_cut(path)} is nested too deep, or contains itself; flatten it", code="depth")
        _refuse_parts(value, path, room - 1)
    elif type(value) is int:
        if not -MAX_INT <= value <= MAX_INT:
            raise JsonError(f"{_cut(path)} is an integer past 2^53-1 in magnitude; write it as a string")
    elif type(value) is float:
        if not math.isfinite(value):
            raise JsonError(f"{_cut(path)} is {value}; use null or a string", code="nonfinite")
    elif type(value) is str:
        if _SURROGATE.search(value):
            raise JsonError(f"{_cut(path)} is {quoted(value)}: half a surrogate pair; escape it otherwise")
    elif value is not None and type(value) is not bool:
        raise JsonError(f"{_cut(path)} is of type {type(value).__name__}, unknown to JSON; convert it")


def _refuse_parts(value: dict[object, object] | list[object], path: str, room: int) -> None:
    if isinstance(value, list):
        for index, item in enumerate(value):
            _refuse(item, f"{path}[{index}]", room)
        return
    for name, item in value.items():
        if type(name) is not str:
            raise JsonError(f"{_cut(path)} has a name of type {type(name).__name__}; JSON names are strings")
        if _SURROGATE.search(name):
            raise JsonError(f"{_cut(path)} has the name {quoted(name)}: half a surrogate pair; rename it")
        step = f".{name}" if _BARE_NAME.fullmatch(name) else f"[{quoted(name)}]"
        _refuse(item, path + step, room)


def _cut(path: str) -> str:
    return path if len(path) <= 200 else f"{path[:80]}...{path[-100:]}"
