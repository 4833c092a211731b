"""Write JSON values in the form of RFC 8785, and compare and hash them by it.

The standard library's encoder is the fast way, where its output is the canonical form or can be made so;
``rfc8785`` writes the rest.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any

import rfc8785

from passfloor.canonical.refusal import MAX_DEPTH, MAX_INT, refuse
from passfloor.errors import JsonError

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_NAME_TYPES = {str}
_MARK = "\ud800"


def _without_set_up(make: Any) -> Callable[[object], str]:
    """What ``_ENCODER.encode`` does, made ready once: its set-up costs more than most values we encode.

    ``make`` is the standard library's own maker of encoders, which is no public name: where it is None, which
    cannot be called, or takes other arguments, the public way serves.
    """
    try:
        chunks: Callable[[object, int], Iterable[str]] = make(
            None, _ENCODER.default, json.encoder.encode_basestring, None, ":", ",", True, False, False
        )
    except TypeError:
        return _ENCODER.encode
    return lambda value: "".join(chunks(value, 0))


_encode = _without_set_up(getattr(json.encoder, "c_make_encoder", None))


def canonical(value: object, *, plain: bool = False) -> bytes:
    """Return the RFC 8785 form of a JSON value.

    Args:
        value: Exactly dict (with str names), list, str, int, float, bool and None, no subclasses; at most
            ``MAX_DEPTH`` containers inside one another.
        plain: The caller promises that the value is, or is part of, what ``parse`` returned with
            ``plain=True``, or is built of such parts, str, bool, None and ints in range under ASCII names. It
            is not checked again.

    Raises:
        JsonError: The value has no canonical form. The message names the place, like ``$.a[3]``.
            ``nonfinite``: NaN or an infinity; ``depth``: too deep, or a value that contains itself;
            ``parse``: all else.
    """
    try:
        return _encode(value if plain else _tame(value, MAX_DEPTH)).encode()
    except (ValueError, TypeError, RecursionError):
        pass
    refuse(value)
    return rfc8785.dumps(value)  # type: ignore[arg-type]  # refuse() lets nothing but JSON values pass


def splice(members: Mapping[str, object], ready: Mapping[str, bytes], *, plain: bool = False) -> bytes:
    """Return the RFC 8785 form of an object, some of whose members have that form already.

    Each value's text is made once: an event's bytes go into its chain, its run receipt, its attempt and the
    whole receipt.

    Args:
        members: A JSON object.
        ready: Name -> RFC 8785 form of some of its members.
        plain: As in ``canonical``, of the other members.

    Raises:
        JsonError: As ``canonical`` does.
    """
    # No JSON value holds half a surrogate pair: it marks a place that nothing else in a text can look like.
    marked = {**members, **dict.fromkeys(ready, _MARK)}
    try:
        text = _encode(marked if plain else _tame(marked, MAX_DEPTH))
        first, *parts = text.split(f'"{_MARK}"')
        joined = [first.encode()]
        for name, part in zip(sorted(ready), parts, strict=True):
            joined += ready[name], part.encode()
        return b"".join(joined)
    except (ValueError, TypeError, RecursionError):
        return canonical(dict(members))


def text(value: object) -> bytes:
    """Write a JSON value so that ``parse`` reads back one with the same canonical form.

    This is ``canonical(value)`` but for floats from 2^53 to below 1e21 in magnitude. RFC 8785 writes them as
    mere digits, which ``parse`` refuses as an integer past 2^53-1, so they are written as Python does.

    Raises:
        JsonError: As ``canonical`` does.
    """
    try:
        return _encode(_tame(value, MAX_DEPTH)).encode()
    except ValueError:
        pass
    refuse(value)
    return _readable(value).encode()


def forms(value: object) -> tuple[bytes, bytes]:
    """Return ``canonical(value)`` and ``text(value)``, made once where they are one. Raises as they do."""
    try:
        both = _encode(_tame(value, MAX_DEPTH)).encode()
    except (ValueError, TypeError, RecursionError):
        return canonical(value), text(value)
    return both, both


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of the bytes as 64 lower-case hex digits."""
    return hashlib.sha256(data).hexdigest()


def digest(value: object) -> str:
    """Return the SHA-256 of the canonical form as 64 lower-case hex digits. Raises as ``canonical`` does."""
    return sha256_hex(canonical(value))


def equal(a: object, b: object) -> bool:
    """Say whether two values are the same JSON: 1 equals 1.0, not True. Raises as ``canonical`` does."""
    return canonical(a) == canonical(b)


def depth(value: object) -> int:
    """Return how many lists and dicts stand inside one another: 0 for a scalar, 1 for ``[]``.

    Raises:
        JsonError: ``depth``: the value contains itself.
    """
    level = [value] if isinstance(value, dict | list) else []
    seen: set[int] = set()
    levels = 0
    while level:
        levels += 1
        seen.update(map(id, level))
        if levels > len(seen):
            raise JsonError("a JSON value contains itself; remove the cycle", code="depth")
        children = chain.from_iterable(box.values() if isinstance(box, dict) else box for box in level)
        # By identity, so that a part that is shared many times over is followed once a level.
        level = list({id(child): child for child in children if isinstance(child, dict | list)}.values())
    return levels


def _tame(value: object, room: int) -> object:
    """Return the same JSON value in terms that the standard encoder writes canonically.

    A float without a fraction becomes an integer; others have the same digits in Python and in ECMAScript
    from 1e-4 up. Names sort alike by code point and by UTF-16 unit up to U+D7FF.

    Raises:
        ValueError: It cannot be put so, which does not mean that it has no canonical form.
    """
    if value is None or type(value) is str or type(value) is bool:
        return value
    if type(value) is int and -MAX_INT <= value <= MAX_INT:
        return value
    if type(value) is float and -MAX_INT <= value <= MAX_INT:
        if value.is_integer():
            return int(value)
        if abs(value) >= 1e-4:
            return value
    if type(value) is list and room:
        return [item if type(item) is str else _tame(item, room - 1) for item in value]
    if type(value) is dict and room and _NAME_TYPES.issuperset(map(type, value)):
        names = "".join(value)
        if names.isascii() or max(names) <= "\ud7ff":
            room -= 1
            return {name: item if type(item) is str else _tame(item, room) for name, item in value.items()}
    raise ValueError


def _readable(value: object) -> str:
    if isinstance(value, list):
        return "[" + ",".join(map(_readable, value)) + "]"
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{_readable(name)}:{_readable(value[name])}" for name in names) + "}"
    if isinstance(value, float) and abs(value) > MAX_INT:
        return repr(value)
    return rfc8785.dumps(value).decode()  # type: ignore[arg-type]  # a scalar that refuse() let pass
