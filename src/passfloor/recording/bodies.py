"""Bodies as they are recorded: requests parsed where they can be, replies as the text that arrived; pure."""

import base64
import zlib
from collections.abc import Callable
from typing import Any

from passfloor.canonical import parse
from passfloor.errors import JsonError
from passfloor.workspaces.streams import whole_end

BODY_CAP = 16 * 1024 * 1024
"""Most bytes of one body, unpacked, that are recorded."""

MAX_DEPTH = 40
"""Most containers inside one another in a request that is recorded as JSON: it ends up inside a receipt."""

_MAX_EXACT = 2**53
# RFC 1952 allows any number of members; each further one has what follows it copied.
_MOST_MEMBERS = 100
_BOUNDARY = b"boundary"


class TooLong(Exception):  # noqa: N818  # a fact about a body, told as an attempt's fault
    """A body is longer than can be recorded."""


def request_members(body: bytes, *, coding: str = "", boundary: str = "") -> dict[str, Any]:
    """What an event says of a request's body: ``request``, else ``request_text``, else ``request_base64``.

    Args:
        body: As it was sent.
        coding: Its ``content-encoding``.
        boundary: What divides a multipart body: made anew by each client, so a word stands for it.

    Raises:
        TooLong: It cannot be recorded.
    """
    plain = _decoded(body, coding)
    if boundary:
        plain = plain.replace(boundary.encode(), _BOUNDARY)
    if len(plain) > BODY_CAP:
        raise TooLong
    try:
        text = plain.decode()
    except UnicodeDecodeError:
        return {"request_base64": base64.b64encode(plain).decode()}
    try:
        value = parse(plain, max_depth=MAX_DEPTH).value if plain and not boundary else None
    except JsonError:
        value = None
    if isinstance(value, dict | list) and _is_exact(value):
        return {"request": value}
    return {"request_text": text}


def reply_members(raw: bytes, *, coding: str = "", whole: bool, size: int | None = None) -> dict[str, str]:
    """What a sample says of a reply's body: ``text``, or ``base64`` of what is no UTF-8.

    Args:
        raw: As it arrived.
        coding: Its ``content-encoding``; of one that is not known, or false, the bytes stay as they are.
        whole: Nothing is missing at its end; else a character that is cut goes.
        size: Bytes that arrived, where ``raw`` is only their start.

    Raises:
        TooLong: It cannot be recorded.
    """
    if (len(raw) if size is None else size) > BODY_CAP:
        raise TooLong
    plain = _decoded(raw, coding)
    if len(plain) > BODY_CAP:
        raise TooLong
    try:
        return {"text": (plain if whole else whole_end(plain)).decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(plain).decode()}


def _decoded(data: bytes, coding: str) -> bytes:
    """The body without its coding (RFC 9110, section 8.4.1), as far as it goes."""
    words = [word.strip().lower() for word in coding.split(",") if word.strip()]
    for word in reversed(words):
        if word in {"gzip", "x-gzip"}:
            plain = _inflated(data, lambda: zlib.decompressobj(16 + zlib.MAX_WBITS))
        elif word == "deflate":
            # Many servers send it without the frame the standard asks for.
            plain = _inflated(data, zlib.decompressobj)
            plain = _inflated(data, lambda: zlib.decompressobj(-zlib.MAX_WBITS)) if plain is None else plain
        else:
            plain = data if word == "identity" else None
        if plain is None:
            return data
        data = plain
    return data


def _inflated(data: bytes, make: "Callable[[], Any]") -> bytes | None:
    parts: list[bytes] = []
    size = 0
    while data:
        if len(parts) == _MOST_MEMBERS:
            return None
        unpacker = make()
        try:
            part = unpacker.decompress(data, BODY_CAP + 1 - size)
        except zlib.error:
            return b"".join(parts) if parts else None
        parts.append(part)
        size += len(part)
        if size > BODY_CAP:
            raise TooLong
        data = unpacker.unused_data
    return b"".join(parts)


def _is_exact(value: Any) -> bool:
    """Whether every number is the same to every reader of JSON."""
    level = [value]
    while level:
        if any(isinstance(item, float) and abs(item) >= _MAX_EXACT for item in level):
            return False
        boxes = [item for item in level if isinstance(item, list | dict)]
        level = [inner for box in boxes for inner in (box.values() if isinstance(box, dict) else box)]
    return True
