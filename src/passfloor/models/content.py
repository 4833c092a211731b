"""The content of a file that a suite brings with it."""

import base64

from passfloor.canonical import sha256_hex
from passfloor.models.base import Document


class BinaryFile(Document):
    """A file that is not UTF-8 text: its bytes in base64 (RFC 4648 section 4)."""

    base64: str


Content = str | BinaryFile
"""A file's content: its text, or its bytes in base64."""


def content_bytes(content: Content) -> bytes:
    """The content, byte for byte."""
    return base64.b64decode(content.base64) if isinstance(content, BinaryFile) else content.encode()


def content_hash(content: Content) -> str:
    """SHA-256 of the content in hex."""
    return sha256_hex(content_bytes(content))
