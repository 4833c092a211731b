"""Addresses of services: whether a text is one, and whether something listens there."""

import re
import socket
from urllib.parse import SplitResult, urlsplit

PORTS = {"http": 80, "https": 443}
"""The port of each scheme where a URL names none."""

_REACH_S = 5.0
_PRINTABLE = re.compile(r"[!-~]+")


def parts_of(url: str) -> SplitResult | None:
    """The parts of an http or https URL; None where it is none that a call can be made to."""
    try:
        parts = urlsplit(url)
        # A name that no look-up takes is none: RFC 1035 section 2.3.4 bounds each of its labels.
        (parts.hostname or "").encode("idna")
        fine = parts.scheme in PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if fine and _PRINTABLE.fullmatch(url) else None


def port_of(parts: SplitResult) -> int:
    """The port a URL names, or that of its scheme."""
    return parts.port or PORTS[parts.scheme]


def silence_at(parts: SplitResult) -> str | None:
    """Look whether something listens there; no request is sent.

    Returns:
        None where it does, else "HOST:PORT (what the system says)".
    """
    host, port = parts.hostname or "", port_of(parts)
    try:
        socket.create_connection((host, port), timeout=_REACH_S).close()
    except OSError as error:
        return f"{host}:{port} ({(error.strerror or 'no answer').lower()})"
    return None
