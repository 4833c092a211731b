"""Which variables hold secrets, and which pieces of their values are secrets on their own."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from passfloor.canonical import parse
from passfloor.errors import JsonError
from passfloor.scrubbing import formats
from passfloor.scrubbing.readings import unescaped

LEAST = 8
"""Fewest characters of a secret: anything shorter stands in ordinary text by chance."""

_LEAST_PIECE = 12
"""Fewest characters of a part of a value, such as a line of a key or a field of a connection string."""

_WORDS = frozenset(
    {
        *("AUTH", "AUTHORIZATION", "BEARER", "CONNECTION", "COOKIE", "COOKIES", "CREDENTIAL", "CREDS", "DSN"),
        *("JWT", "KEYS", "PASS", "PASSPHRASE", "PASSWORDS", "PAT", "PRIVATE", "PWD", "SECRETS", "SESSION"),
        *("SIGNATURE", "TOKENS", "WEBHOOK"),
    }
)
_ENDINGS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIALS")
_FOLDERS = frozenset({"PWD", "OLDPWD"})
_TRIVIAL = frozenset(
    {
        *("anonymous", "automatic", "changeme", "default", "disabled", "enabled", "false", "localhost"),
        *("none", "null", "optional", "password", "required", "true", "undefined", "unlimited", "unset"),
    }
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SEPARATORS = re.compile(r"[\s;,&=\"']+")
_PASSWORD = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*:([^\s/@]+)@")


def secrets_of(passed: Mapping[str, str], *, certain: bool = False) -> tuple[set[str], tuple[str, ...]]:
    """What is secret in the variables that are let through.

    Args:
        passed: Name -> value.
        certain: All of them are, whatever their names say.

    Returns:
        The values and their pieces; and the variables whose names say secret but whose values are too short
        or too plain to be told from ordinary text, sorted.
    """
    found: set[str] = set()
    left: list[str] = []
    for name, value in passed.items():
        named = certain or says_secret(name)
        if not value.strip() or not (named or looks_secret(value)):
            continue
        pieces = set(_pieces(value.strip(), named=named))
        found |= pieces
        if named and not pieces and value.strip().casefold() not in _TRIVIAL:
            left.append(name)
    return found, tuple(sorted(left))


def says_secret(name: str) -> bool:
    """Whether a variable's (or a member's) name says that its value is secret: word by word, in any case."""
    if name in _FOLDERS:
        return False
    words = [word.upper() for word in _WORD.findall(name)]
    return any(word in _WORDS or word.endswith(_ENDINGS) for word in words)


def looks_secret(value: str) -> bool:
    """Whether a value looks like a key of a well-known kind, or holds one."""
    value = value.strip()
    if value.startswith(formats.PREFIXES) and len(value) >= LEAST and not re.search(r"\s", value):
        return True
    data = value.encode(errors="surrogateescape")
    return any(pattern.search(data) is not None for pattern in formats.COMMON)


def is_plain(value: str) -> bool:
    """Whether a value is too short or too ordinary to be looked for in text."""
    return len(value) < LEAST or value.casefold() in _TRIVIAL or len(set(value)) < 3


def _pieces(value: str, *, named: bool) -> Iterator[str]:
    """The value in its spellings, and what of it may turn up alone."""
    data = value.encode(errors="surrogateescape")
    for spelling in (data, *unescaped(data)):
        text = spelling.decode(errors="surrogateescape")
        yield from (piece for piece in (text, *_parts(text, named=named)) if not is_plain(piece))


def _parts(text: str, *, named: bool) -> Iterator[str]:
    # Padding of base64 is left out by some who print it.
    yield text.rstrip("=")
    if text.startswith(("{", "[")):
        yield from _members(text)
    elif named or text.startswith("-----BEGIN"):
        yield from _lines(text)
        yield from (part for part in _SEPARATORS.split(text) if len(part) >= _LEAST_PIECE)
    if address := _PASSWORD.match(text):
        password = address.group(1).encode(errors="surrogateescape")
        for spelling in (password, *unescaped(password)):
            yield spelling.decode(errors="surrogateescape")


def _lines(text: str) -> Iterator[str]:
    """The lines of a text of several: a private key is often shown indented."""
    lines = [line.strip() for line in text.splitlines()]
    yield from (line for line in lines if len(line) >= _LEAST_PIECE and not line.startswith("-----"))


def _members(text: str) -> Iterator[str]:
    """The secret members of a JSON text, such as the key file of a service account."""
    try:
        value = parse(text.encode()).value
    except (JsonError, UnicodeEncodeError):
        return
    yield from _secret_strings(value, named=False)


def _secret_strings(value: Any, *, named: bool) -> Iterator[str]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _secret_strings(item, named=named or says_secret(name))
    elif isinstance(value, list):
        for item in value:
            yield from _secret_strings(item, named=named)
    elif isinstance(value, str) and (named or looks_secret(value)):
        yield value
        yield from _lines(value)
