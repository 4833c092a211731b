"""Which headers go on, which are recorded, and which belong to one connection alone; pure."""

import re
from collections.abc import Iterable

Headers = list[tuple[str, str]]
"""Names and values in order; a name may come more than once."""

LANE = "x-passfloor-lane"
"""Names the lane of a call; read, and not forwarded."""

LONGEST_LANE = 100
"""Characters of a lane's name."""

_HOP = frozenset(
    {"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te",
     "trailer", "transfer-encoding", "upgrade"}
)  # fmt: skip
_OURS = _HOP | {"content-length", "expect", "host", LANE}
_COORDINATION = ("anthropic-beta", "anthropic-version", "openai-beta")
_SERVED_AGAIN = ("content-type",)
_CODINGS = frozenset({"gzip", "x-gzip", "deflate", "identity"})
_BOUNDARY = re.compile(r'multipart/.*;\s*boundary="?([^";,\s]{1,200})"?', re.IGNORECASE | re.ASCII)
_QUERY_SECRET = re.compile(r"(?i)((?:^|[?&])(?:key|api[_-]?key|(?:access_|auth_)?token|sig|signature)=)[^&]*")


def to_upstream(headers: Iterable[tuple[str, str]]) -> Headers:
    """What of an agent's headers goes on: all but those of its connection and the lane.

    Codings that nobody here can undo are not asked for: what was said has to be readable.
    """
    given = list(headers)
    dropped = _OURS | _named_in_connection(given)
    kept = []
    for name, value in given:
        lower = name.lower()
        if lower == "accept-encoding":
            kept.append((name, _known_codings(value)))
        elif lower not in dropped:
            kept.append((name, value))
    return kept


def to_agent(headers: Iterable[tuple[str, str]]) -> Headers:
    """What of an upstream's headers goes on to the agent: all but those of its connection."""
    given = list(headers)
    dropped = _HOP | _named_in_connection(given)
    return [(name, value) for name, value in given if name.lower() not in dropped]


def whole_text(text: str) -> str:
    """What was sent, as text that can be written down: bytes that are no UTF-8 as U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def coordination_headers(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The few headers of a request that are recorded, by lower-case name."""
    found: dict[str, str] = {}
    for name, given in headers:
        value = whole_text(given)
        if (lower := name.lower()) in _COORDINATION:
            found[lower] = f"{found[lower]}, {value}" if lower in found else value
    return found


def served_again(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The headers of a reply that are recorded: what a replay serves again. It need not wait."""
    found: dict[str, str] = {}
    for name, value in headers:
        if (lower := name.lower()) in _SERVED_AGAIN:
            found[lower] = whole_text(value)
        elif lower == "retry-after":
            found[lower] = "0"
    return found


def first(headers: Iterable[tuple[str, str]], wanted: str) -> str:
    """The value of a header, "" where it is absent."""
    return next((value for name, value in headers if name.lower() == wanted), "")


def lane_of(headers: Iterable[tuple[str, str]]) -> str:
    """The lane a call names; "" where it names none, or what is no name."""
    lane = first(headers, LANE).strip()
    return lane if is_lane(lane) else ""


def is_lane(text: str) -> bool:
    """Whether a text can name a lane; the empty one is the lane of those that name none."""
    return text.isprintable() and len(text) <= LONGEST_LANE


def boundary_of(content_type: str) -> str:
    """What divides a multipart body, "" where it is none."""
    found = _BOUNDARY.match(content_type)
    return found.group(1) if found else ""


def without_keys(path: str) -> str:
    """A path whose query, if it has one, holds no key."""
    place, sign, query = path.partition("?")
    return place + sign + _QUERY_SECRET.sub(r"\1[scrubbed]", query)


def _named_in_connection(headers: Headers) -> frozenset[str]:
    named = (value for name, value in headers if name.lower() == "connection")
    return frozenset(word.strip().lower() for value in named for word in value.split(","))


def _known_codings(value: str) -> str:
    words = (word.strip() for word in value.split(","))
    known = [word for word in words if word.partition(";")[0].strip().lower() in _CODINGS]
    return ", ".join(known) or "identity"
