"""Whether an answer says of itself that it was kept from an earlier call; pure.

A closed list: what gateways and caches in front of models are known to say. An answer that says nothing may
come from a cache all the same. Not meant: a provider's own cache of prompts (``cached_tokens``), which saves
reading a prompt again and draws the answer anew, and an answer repeated to a retry of its own attempt.
"""

import re
from collections.abc import Callable, Mapping

BODY_MEMBER = "cached"
"""A member of the answer's JSON object that says so where it is ``true``."""

_HIT = re.compile(r"(?<![a-z])(?:refresh)?hit(?![a-z])")
_KEPT = re.compile(r"(?<![a-z])(?:hit|stale|updating|revalidated)(?![a-z])")
# A cache that answered from what it keeps names itself with the parameter "hit" (RFC 9211, section 2.1).
_STATUS_HIT = re.compile(r";\s*hit\s*(?:=\s*\?1\s*)?(?:;|,|$)")


def _hit(value: str) -> bool:
    return _HIT.search(value) is not None


def _kept(value: str) -> bool:
    return _KEPT.search(value) is not None


def _status_hit(value: str) -> bool:
    return _STATUS_HIT.search(value) is not None


def _old(value: str) -> bool:
    """Seconds since the origin made it (RFC 9111, section 5.1); caches say 0 of what they just fetched."""
    return value.isascii() and value.isdigit() and value.strip("0") != ""


def _said(value: str) -> bool:
    return bool(value)


HEADERS: Mapping[str, Callable[[str], bool]] = {
    "age": _old,
    "cache-status": _status_hit,
    "cf-aig-cache-status": _hit,
    "cf-cache-status": _kept,
    "helicone-cache": _hit,
    "x-cache": _hit,
    "x-cache-status": _kept,
    "x-litellm-cache-key": _said,
    "x-portkey-cache-status": _hit,
}
"""Header in lower case -> whether its value, in lower case, says so."""


def cached_by(headers: Mapping[str, str], *, body_says: bool = False) -> list[str]:
    """What in an answer says that it comes from a cache, in order; empty where nothing does.

    Args:
        headers: Names in lower case.
        body_says: Whether its JSON object says so.

    Returns:
        Names of headers of the list above, and ``cached`` for the member of the body.
    """
    found = [name for name, says in HEADERS.items() if says(headers.get(name, "").strip().lower())]
    return sorted([*found, BODY_MEMBER] if body_says else found)
