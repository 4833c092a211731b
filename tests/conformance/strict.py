"""Strict I-JSON, RFC 8785 forms, digests, and shapes by JSON Schema (docs/format.md, section 1)."""

import hashlib
import json
import math
import re
from decimal import Decimal
from json.encoder import encode_basestring as quote

DEPTH, NODES, LARGEST = 64, 4_000_000, 2**53 - 1


class RefusedError(Exception):
    """The text is no I-JSON, or too much of it; ``args[0]`` is the code."""


def parse(data: bytes, *, max_bytes: int = 64 * 2**20):
    """One I-JSON value and nothing beside it."""
    if len(data) > max_bytes:
        raise RefusedError("size")
    try:
        text = data.decode()  # refuses overlong forms and encoded surrogates; a byte order mark falls below
        bare = re.sub(r'"(?:[^"\\]|\\.)*"', '"', text, flags=re.DOTALL)
        if 1 + sum(map(bare.count, ",[{")) > NODES:
            raise RefusedError("nodes")
        depth = 0
        for bracket in re.findall(r"[\[\]{}]", bare):
            depth += 1 if bracket in "[{" else -1
            if depth > DEPTH:
                raise RefusedError("parse")
        value = json.loads(
            text, object_pairs_hook=_once, parse_int=_whole, parse_float=_finite, parse_constant=_finite
        )
        if re.search(r"\\u[dD][89a-fA-F]", text):
            form(value)  # a lone surrogate cannot be written
    except (ValueError, RecursionError):
        raise RefusedError("parse") from None
    return value


def form(value) -> bytes:
    """The RFC 8785 form."""
    return _spelled(value).encode()


def digest(value) -> str:
    """SHA-256 of the form, or of bytes, in hex."""
    return hashlib.sha256(value if isinstance(value, bytes) else form(value)).hexdigest()


def faults(value, rule, root, path="$"):
    """Where a value is not of the shape that a JSON Schema gives it. 1.0 is no integer and true no number."""
    rule = root["$defs"][rule["$ref"].rpartition("/")[2]] if "$ref" in rule else rule
    for choice in ("anyOf", "oneOf"):
        if choice in rule and all(any(faults(value, one, root, path)) for one in rule[choice]):
            yield path
    if "type" in rule and rule["type"] not in kinds(value):
        yield path
        return
    if (
        value != rule.get("const", value)
        or value not in rule.get("enum", [value])
        or not bounded(value, rule)
    ):
        yield path
    if isinstance(value, list):
        for position, item in enumerate(value):
            yield from faults(item, rule.get("items", {}), root, f"{path}[{position}]")
    if isinstance(value, dict):
        known, others = rule.get("properties", {}), rule.get("additionalProperties", True)
        yield from (f"{path}.{name}" for name in rule.get("required", ()) if name not in value)
        for name, member in value.items():
            inner = known.get(name, others)
            if inner is False:
                yield f"{path}.{name}"
            elif inner is not True:
                yield from faults(member, inner, root, f"{path}.{name}")


def kinds(value):
    """The names that JSON Schema has for a value's type."""
    if isinstance(value, bool) or value is None:
        return {"null"} if value is None else {"boolean"}
    if isinstance(value, int | float):
        return {"number", "integer"} if isinstance(value, int) else {"number"}
    return {"string" if isinstance(value, str) else "object" if isinstance(value, dict) else "array"}


def bounded(value, rule):
    """Whether numbers are in their range, texts of their pattern, texts and arrays as long as they may be."""
    if "number" in kinds(value):
        return rule.get("minimum", value) <= value <= rule.get("maximum", value)
    if isinstance(value, str):
        pattern = rule.get("pattern", "").replace("$", r"\Z")
        fits = rule.get("minLength", 0) <= len(value) <= rule.get("maxLength", len(value))
        return fits and re.search(pattern, value, re.ASCII) is not None
    return not isinstance(value, list) or len(value) >= rule.get("minItems", 0)


def _once(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name twice")
    return dict(pairs)


def _whole(text):
    if len(text) > 17 or abs(int(text)) > LARGEST:
        raise ValueError("past 2^53-1")
    return int(text)


def _finite(text):
    if not math.isfinite(float(text)):
        raise ValueError("not finite")
    return float(text)


def _spelled(value):
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join([f"{quote(name)}:{_spelled(value[name])}" for name in names]) + "}"
    if isinstance(value, list):
        return "[" + ",".join([_spelled(item) for item in value]) + "]"
    if isinstance(value, float):
        return _number(value)
    return str(value) if type(value) is int else {None: "null", True: "true", False: "false"}[value]


def _number(value: float) -> str:
    """As ECMAScript writes a double: the shortest digits, an exponent below 1e-6 and from 1e21 on."""
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0")
    point = len(digits) + exponent
    if 0 < point <= 21:
        text = text.ljust(point, "0")
        text = text[:point] + ("." + text[point:] if text[point:] else "")
    elif -6 < point <= 0:
        text = "0." + "0" * -point + text
    else:
        text = text[0] + ("." + text[1:] if text[1:] else "") + f"e{point - 1:+d}"
    return "-" * sign + text
