"""Strict JSON in, RFC 8785 bytes out: nothing else reads or writes JSON whose bytes are hashed."""

from passfloor.canonical.reading import MAX_NODES, Parsed, parse
from passfloor.canonical.refusal import MAX_DEPTH, MAX_INT
from passfloor.canonical.writing import canonical, depth, digest, equal, forms, sha256_hex, splice, text

__all__ = [
    "MAX_DEPTH",
    "MAX_INT",
    "MAX_NODES",
    "Parsed",
    "canonical",
    "depth",
    "digest",
    "equal",
    "forms",
    "parse",
    "sha256_hex",
    "splice",
    "text",
]
