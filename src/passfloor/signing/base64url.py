"""Base64url without padding (RFC 7515 section 2), in its one canonical spelling."""

import base64


def encode(data: bytes) -> str:
    """Return ``data`` as base64url text without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def decode(text: str) -> bytes | None:
    """Return the bytes spelled by ``text``, or None when it is not their canonical spelling.

    Padding, blanks, the letters of plain base64 and non-zero trailing bits (RFC 4648 section 3.5) are all
    refused: two texts never stand for the same bytes.
    """
    try:
        # Too much padding is passed over here; the comparison below passes nothing over.
        data = base64.urlsafe_b64decode(text + "==")
    except ValueError:
        return None
    return data if encode(data) == text else None
