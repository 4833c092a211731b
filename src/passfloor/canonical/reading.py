"""Read I-JSON (RFC 7493), sized up before anything is built from it."""

import json
import math
import re
from collections import Counter
from itertools import chain
from typing import NamedTuple

from passfloor.canonical.refusal import MAX_DEPTH, MAX_INT, quoted, refuse
from passfloor.errors import JsonError

MAX_NODES = 4_000_000

# Kept while escapes are taken out: what structures a text, and each character that can follow a backslash.
_NOT_ESCAPABLE = bytes(set(range(256)) - set(b'[]{},:"\\/bfnrtu'))
_NOT_STRUCTURE = bytes(set(range(256)) - set(b'[]{},:"'))
_SQUARE = bytes.maketrans(b"{}", b"[]")
# Every digit becomes a zero, and all that can stand before a number a colon. An integer of up to 15 digits is
# below 2^53; digits after a point, and those of most strings, do not follow a colon.
_DIGITS = bytes.maketrans(b"123456789,[ \t\n\r-", b"000000000:::::::")
_LONG_NUMBER = b":" + b"0" * 16
_LONGEST_INTEGER = len(str(-MAX_INT))
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class Parsed(NamedTuple):
    """What ``parse`` read.

    Attributes:
        value: dict, list, str, int, float, bool or None.
        nodes: Commas and opening brackets outside strings, plus one: at least the number of values.
        floats: Numbers written with a fraction or an exponent.
        ascii_names: No object name outside ASCII occurs.
    """

    value: object
    nodes: int
    floats: int
    ascii_names: bool

    @property
    def plain(self) -> bool:
        """No float and no name outside ASCII: the standard library's compact sorted dump is canonical."""
        return self.ascii_names and not self.floats


def parse(data: bytes, *, max_nodes: int = MAX_NODES, max_depth: int = MAX_DEPTH) -> Parsed:
    """Read one I-JSON text and nothing beside it.

    Args:
        data: UTF-8 without byte order mark. JSON whitespace around the value is allowed.
        max_nodes: Most values allowed, counted as in ``Parsed.nodes``.
        max_depth: Most containers allowed inside one another; a scalar has depth 0.

    Raises:
        JsonError: Whatever is wrong with the bytes. ``nodes`` or ``depth``: too many values, or too deep;
            found before anything is built. ``nonfinite``: all is well but for NaN, an infinity or a number
            that overflows to one. ``parse``: anything else, such as a name that occurs twice in an object,
            half a surrogate pair, or an integer past 2^53-1 in magnitude.
    """
    text = _utf8(data)
    shape = size_up(data)
    if shape.nodes > max_nodes:
        raise JsonError(f"{shape.nodes} JSON values, the limit is {max_nodes}; split the file", code="nodes")
    if deeper(shape.outline, max_depth):
        raise JsonError(f"JSON nested deeper than {max_depth} levels; flatten it", code="depth")
    reader = _Reader()
    try:
        value = reader.read(text, long_numbers=_LONG_NUMBER in b":" + data.translate(_DIGITS))
        # Equal names fall together in a dict: fewer members are left than colons stood outside the strings.
        if sum(map(len, reader.objects)) != shape.names:
            raise JsonError(f"the name {quoted(_repeated(text))} occurs twice in one JSON object; keep one")
        if shape.unicode_escapes and _SURROGATE.search(data):
            _refuse_halves(value, max_depth)
    except json.JSONDecodeError as error:
        raise JsonError(f"not JSON: {error.msg} (line {error.lineno} column {error.colno})") from None
    except RecursionError:
        raise JsonError("JSON nested too deep for this interpreter; flatten it", code="depth") from None
    if reader.nonfinite is not None:
        raise JsonError(
            f"{quoted(reader.nonfinite)} is no finite number; use null or a string", code="nonfinite"
        )
    ascii_names = (data.isascii() and not shape.unicode_escapes) or reader.has_ascii_names()
    return Parsed(value, shape.nodes, reader.floats, ascii_names)


class Shape(NamedTuple):
    r"""How large a JSON text is: values at least, names, all brackets drawn square, whether ``\u`` occurs."""

    nodes: int
    names: int
    outline: bytes
    unicode_escapes: bool


def size_up(data: bytes) -> Shape:
    r"""Count nodes and names, draw all brackets square, and say whether a ``\u`` escape occurs.

    Operations on the whole buffer only: Python code that ran once a string would cost more than the parse.
    Exact for valid JSON; in any other text exact up to the first error, and nothing beyond that is parsed.
    """
    unicode_escapes = False
    if b"\\" in data:
        data = data.translate(None, _NOT_ESCAPABLE).replace(b"\\\\", b"")
        unicode_escapes = b"\\u" in data
        data = data.replace(b'\\"', b"")
    # A character is inside a string when an odd number of quotes comes before it. Taking out two neighbouring
    # quotes changes that for no other character, and most strings are empty by now.
    data = data.translate(None, _NOT_STRUCTURE).replace(b'""', b"")
    if b'"' in data:
        # As str: bytes.join() needs ten times the memory for its list of buffers.
        data = "".join(data.decode().split('"')[::2]).encode()
    outline = data.translate(_SQUARE, b",:")
    nodes = data.count(b",") + outline.count(b"[") + 1
    return Shape(nodes, data.count(b":"), outline, unicode_escapes)


def deeper(outline: bytes, limit: int) -> bool:
    """Say whether brackets nest deeper than the limit: take away the innermost pairs that many times."""
    for _ in range(limit):
        rest = outline.replace(b"[]", b"")
        if len(rest) == len(outline):
            break
        outline = rest
    # What can still be shortened is too deep. What cannot is unbalanced: its openers are all open at once.
    return b"[]" in outline or outline.count(b"[") > limit


class _Reader:
    """The standard library's scanner, and what its hooks saw on the way."""

    def __init__(self) -> None:
        self.objects: list[dict[str, object]] = []
        self.floats = 0
        self.nonfinite: str | None = None

    def read(self, text: str, *, long_numbers: bool) -> object:
        keep = self.objects.append
        return json.JSONDecoder(
            object_hook=lambda members: keep(members) or members,
            parse_int=_integer if long_numbers else int,
            parse_float=self._float,
            parse_constant=self._constant,
        ).decode(text)

    def has_ascii_names(self) -> bool:
        return all(map(str.isascii, chain.from_iterable(self.objects)))

    def _float(self, digits: str) -> float | None:
        self.floats += 1
        number = float(digits)
        if math.isfinite(number):
            return number
        self._constant(digits)
        return None

    def _constant(self, name: str) -> None:
        # Not raised here: whether the rest is JSON decides between ``nonfinite`` and ``parse``.
        self.nonfinite = self.nonfinite or name


def _integer(digits: str) -> int:
    # The length first: int() raises ValueError past some thousands of digits.
    if len(digits) > _LONGEST_INTEGER or abs(int(digits)) > MAX_INT:
        raise JsonError(f"the integer {quoted(digits)} is past 2^53-1 in magnitude; write it as a string")
    return int(digits)


def _utf8(data: bytes) -> str:
    if data.startswith(b"\xef\xbb\xbf"):
        raise JsonError("JSON that starts with a byte order mark; save it as UTF-8 without one")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        fault = f"byte {data[error.start]:#04x} at offset {error.start}"
        raise JsonError(f"not UTF-8: {fault}; save it as UTF-8") from None


def _refuse_halves(value: object, max_depth: int) -> None:
    """Refuse a value in which a surrogate has no other half: where the scanner joined two, none is left."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        refuse(value, max_depth=max_depth)


def _repeated(text: str) -> str:
    """Return a name that occurs twice in one object, of a text in which there is one."""
    found: list[str] = []

    def members(pairs: list[tuple[str, object]]) -> None:
        found.extend(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)

    json.JSONDecoder(object_pairs_hook=members).decode(text)
    return found[0]
