"""Where an endpoint is, and the headers that are sent to it: as the operator names them."""

import re
from collections.abc import Mapping
from urllib.parse import SplitResult

from passfloor.errors import UsageError
from passfloor.recording.addresses import parts_of

_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OURS = frozenset(
    {"host", "content-length", "content-type", "transfer-encoding", "connection", "accept", "accept-encoding",
     "idempotency-key"}
)  # fmt: skip


def parse_endpoint(url: str, flag: str) -> SplitResult:
    """The parts of an endpoint's address.

    Raises:
        UsageError: It is no http or https URL, or holds a user, a password or a fragment.
    """
    parts = parts_of(url)
    # The whole is not repeated: a query may hold a key.
    if parts is None:
        raise UsageError(f"{flag} is not an http or https URL; write it like http://127.0.0.1:8000/run")
    if parts.username is not None or parts.password is not None:
        raise UsageError(f"{flag} holds a user or password; send it in a header whose value is in a variable")
    if parts.fragment:
        raise UsageError(f"{flag} holds a fragment, which no server sees; leave out the # and what follows")
    return parts


def secret_headers(names: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """Header name -> value, from the variables that hold them, as far as those are set.

    Raises:
        UsageError: Not a header's name, or one that is ours to write; or a value no header can have.
    """
    found = {}
    for header, variable in names.items():
        if not _HEADER.fullmatch(header) or header.lower() in _OURS:
            raise UsageError(f"{header!a} is no header that can be added; choose another name")
        if variable in environ:
            found[header] = header_value(environ[variable], variable)
    return found


def header_value(value: str, variable: str) -> str:
    """The value of a variable, for a header.

    Raises:
        UsageError: It is empty or holds what no header can; the value is not repeated.
    """
    if not value or not value.isascii() or not value.isprintable():
        raise UsageError(
            f"the value of {variable} cannot stand in a header: printable ASCII, at least a character"
        )
    return value
