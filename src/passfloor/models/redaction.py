"""What a redacted receipt says of the one it was made from; it stands in ``ext`` as ``redacted``."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from passfloor.models.base import Document, Sha256

REDACTED = "redacted"
"""The member of ``ext``."""


class Redaction(Document):
    """The seal of the original, and the blobs that were taken out of it since, by digest, ascending.

    Without the member of ``ext`` that holds this (and without ``ext`` where it is the only one), with these
    blobs put back, the receipt is the original but for its seal.
    """

    receipt_hash: Sha256
    signature: str = Field(min_length=1)
    signer_fingerprint: str = Field(min_length=1)
    blobs: list[Sha256] = Field(min_length=1, fail_fast=True)


def without_redaction(ext: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """``ext`` as it stood in the original; None where there was none."""
    if ext is None or REDACTED not in ext:
        return None if ext is None else dict(ext)
    return {name: value for name, value in ext.items() if name != REDACTED} or None
