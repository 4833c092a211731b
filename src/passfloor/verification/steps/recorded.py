"""Step 10 where model calls were recorded: what was asked and heard, and that it says what it says.

What an answer says enters the comparison of attempts. It is derived again from the text that stands beside
it, so that nobody can keep the text and let two answers look alike, or different.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from passfloor import blobs
from passfloor.canonical import canonical, equal
from passfloor.dialects import Reply, dialect_of, is_whole
from passfloor.errors import UsageError
from passfloor.models.plan import Plan
from passfloor.projection import (
    ANSWER,
    ASKED,
    ERRORED_KIND,
    SAMPLE,
    SYMBOL,
    TIMING,
    Act,
    ActReader,
    IdentityField,
    Minted,
    count_marks,
    heard_of,
    parse_identity_fields,
    undeclared_marks,
)
from passfloor.projection.identity_fields import IDENTITY_MARK
from passfloor.verification.findings import MOST_ALIKE, Finding
from passfloor.verification.served import Answer

LONGEST_LANE = 100
"""Characters of a lane's name."""

_BODIES = frozenset({"request", "request_text", "request_base64"})
_ASKED_MEMBERS = frozenset({"seq", "kind", "call", "lane", "dialect", "method", "path"})
_HEADERS = frozenset({"anthropic-beta", "anthropic-version", "openai-beta"})
_TEXTS = frozenset({"text", "base64"})
_SAMPLE_MEMBERS = frozenset({"status", "said", "complete"})
_SAMPLE_NOTES = frozenset({"ended_by", "headers", "scrubbed"})
_SERVED_AGAIN = frozenset({"content-type", "retry-after"})
_BY_ITSELF = "CALL"
_SYMBOL = re.compile(SYMBOL.pattern.encode())
_MARK = IDENTITY_MARK.encode()
_GRADED = "agent."

Problem = tuple[str, str]
"""The place inside an event and the reason."""


@dataclass
class Hearing:
    """What reading an attempt's recorded events gave.

    Attributes:
        faults: Code, place below ``events`` and reason of each finding.
        served: For each model that was asked for what replies named, in order.
        marks: How often an identity field was found.
        acts: What the comparison of attempts goes by.
    """

    faults: list[tuple[str, str, str]] = field(default_factory=list)
    served: dict[str | None, dict[Answer, None]] = field(default_factory=dict)
    marks: int = 0
    acts: list[Act] = field(default_factory=list)


def read_fields(plan: Plan) -> tuple[tuple[IdentityField, ...], list[Finding]]:
    """The plan's declarations, and why they cannot be read."""
    try:
        return parse_identity_fields(plan.identity_fields), []
    except UsageError as error:
        return (), [Finding(9, "type", str(error), path="identity_fields")]


def problems(events: Sequence[Mapping[str, Any]]) -> Iterator[Problem]:
    """Where well-formed events are no recording: the place below ``events`` and the reason."""
    yield from islice(_problems(events), MOST_ALIKE)


def _problems(events: Sequence[Mapping[str, Any]]) -> Iterator[Problem]:
    asked: list[Mapping[str, Any]] = []
    answered: set[int] = set()
    broken = False
    for position, event in enumerate(events):
        found: Problem | None = None
        if event["kind"] == ASKED:
            found = _asked_problem(event, len(asked))
            asked.append(event)
        elif event["kind"] == ANSWER and "call" in event:
            found = _answer_problem(event, asked, answered)
            broken |= found is None and _broke_off(event[SAMPLE])
        elif event["kind"] == ANSWER and event.keys() - TIMING - {"lane"} != {"seq", "kind", SAMPLE}:
            found = "", "an answer to no recorded call has a sample and a lane, and nothing else"
        if not _is_lane(event.get("lane", "")):
            found = ".lane", f"expected the name of a lane, at most {LONGEST_LANE} printable characters"
        if found is not None:
            yield f"[{position}]{found[0]}", found[1]
    for call, request in enumerate(asked):
        if call not in answered and request.get("method") != _BY_ITSELF:
            yield f"[{request['seq']}]", "no answer stands to this call, not even one that broke off"
    if broken and events[-1]["kind"] != ERRORED_KIND:
        yield f"[{len(events) - 1}].kind", "an answer was broken off by the upstream, and so is the attempt"


def _asked_problem(event: Mapping[str, Any], number: int) -> Problem | None:
    members = event.keys() - TIMING
    bodies = members & _BODIES
    if len(bodies) != 1 or members - bodies - {"headers"} != _ASKED_MEMBERS:
        return (
            "",
            "expected call, lane, dialect, method, path and one of request, request_text, request_base64",
        )
    if not _is_whole_number(event["call"]) or event["call"] != number:
        return ".call", f"expected {number}: calls are numbered in the order in which they were made"
    for name in ("dialect", "method", "path", *(bodies - {"request"})):
        if not isinstance(event[name], str):
            return f".{name}", "expected text"
    expected = dialect_of(event["method"], event["path"])
    if event["dialect"] != expected:
        return ".dialect", f"this method and path speak {expected}"
    if "headers" in event and not _are_headers(event["headers"], _HEADERS):
        return ".headers", f"expected texts by name, none but {', '.join(sorted(_HEADERS))}"
    return None


def _answer_problem(
    event: Mapping[str, Any], asked: Sequence[Mapping[str, Any]], answered: set[int]
) -> Problem | None:
    call, sample = event["call"], event[SAMPLE]
    if event.keys() - TIMING != {"seq", "kind", "call", SAMPLE}:
        return "", "an answer has its call and its sample, and nothing else"
    if not _is_whole_number(call) or not 0 <= call < len(asked):
        return ".call", "no call with this number was made before"
    if call in answered:
        return ".call", "this call was answered before"
    answered.add(call)
    problem = _sample_problem(sample)
    if problem is not None:
        return f".sample{problem[0]}", problem[1]
    dialect = asked[call].get("dialect")
    spoken = dialect if isinstance(dialect, str) else ""
    if sample["complete"] and "text" in sample and is_whole(spoken, sample["text"]) is False:
        return ".sample.complete", "the stream has no end, so that it broke off"
    return None


def _sample_problem(sample: Any) -> Problem | None:
    if not isinstance(sample, dict):
        return "", "expected {status, said, text or base64, complete}"
    texts = sample.keys() & _TEXTS
    if len(texts) != 1 or not _SAMPLE_MEMBERS <= sample.keys() - texts <= _SAMPLE_MEMBERS | _SAMPLE_NOTES:
        return "", "expected {status, said, text or base64, complete}"
    status = sample["status"]
    if status is not None and not (_is_whole_number(status) and 100 <= status <= 599):
        return ".status", "expected 100 to 599, or null where none arrived"
    if not isinstance(sample["complete"], bool):
        return ".complete", "expected true or false"
    if not all(isinstance(sample[name], str) for name in texts):
        return f".{min(texts)}", "expected text"
    by = sample.get("ended_by", "client")
    if by not in ("client", "upstream") or ("ended_by" in sample and sample["complete"]):
        return ".ended_by", "expected client or upstream, and only of an answer that is not complete"
    if not _are_headers(sample.get("headers", {}), _SERVED_AGAIN):
        return ".headers", f"expected texts by name, none but {', '.join(sorted(_SERVED_AGAIN))}"
    if "scrubbed" in sample and not (_is_whole_number(sample["scrubbed"]) and sample["scrubbed"] > 0):
        return ".scrubbed", "expected a number of secrets"
    return None


def _broke_off(sample: Mapping[str, Any]) -> bool:
    """Whether an answer is not whole, and not because the agent hung up."""
    return not sample["complete"] and sample.get("ended_by") != "client"


def hear(
    events: Sequence[Mapping[str, Any]],
    encoded: Sequence[bytes],
    fields: Sequence[IdentityField],
    values: "TextShelf",
) -> Hearing:
    """Read an attempt's events as the agent went through them, deriving what each answer says.

    Args:
        events: Without ``problems``; large values replaced by references.
        encoded: Their RFC 8785 forms.
        fields: The plan's declarations.
        values: The receipt's blobs.
    """
    found = Hearing()
    reader, minted = ActReader(), Minted()
    symbols: set[str] = set()
    asked: dict[int, Mapping[str, Any]] = {}
    for position, (event, form) in enumerate(zip(events, encoded, strict=True)):
        acts = reader.read(event)
        found.acts += acts
        if event["kind"] == ASKED:
            asked[event["call"]] = event
        if event["kind"] != ANSWER:
            _check_marks(event, form, symbols, fields, values, found)
        elif "call" in event:
            request = asked[event["call"]]
            said, reply = heard_of(request["dialect"], event[SAMPLE], minted, request["lane"])
            if not equal(said, event[SAMPLE]["said"]):
                reason = "the text beside it says something else"
                found.faults.append(("said", f"[{position}].sample.said", reason))
            if reply is not None:
                symbols.update(f"@{acts[-1].digest[:16]}/{number}" for number in range(len(reply.minted)))
                minted.add(reply.minted, acts[-1].digest, request["lane"])
                _note_served(found, request, reply)
    return found


class TextShelf:
    """The receipt's blobs, each searched once for symbols and marks."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        """``values``: digest -> value."""
        self.values = values
        self._symbols: dict[str, frozenset[str]] = {}
        self._marked: dict[str, bool] = {}

    def symbols(self, event: Mapping[str, Any], form: bytes) -> frozenset[str]:
        """Every symbol in an event, given its RFC 8785 form, and in the blobs it refers to."""
        found = _symbols(form)
        for _, name in blobs.references(event):
            if name not in self._symbols:
                self._symbols[name] = _symbols(self._form(name))
            found |= self._symbols[name]
        return found

    def has_marks(self, event: Mapping[str, Any], form: bytes) -> bool:
        """Whether the identity mark stands in an event or in a blob it refers to."""
        return _MARK in form or any(self._is_marked(name) for _, name in blobs.references(event))

    def _is_marked(self, name: str) -> bool:
        if name not in self._marked:
            self._marked[name] = _MARK in self._form(name)
        return self._marked[name]

    def _form(self, name: str) -> bytes:
        return canonical(self.values.get(name))


def _check_marks(
    event: Mapping[str, Any],
    form: bytes,
    symbols: set[str],
    fields: Sequence[IdentityField],
    values: TextShelf,
    found: Hearing,
) -> None:
    """Symbols name ids of earlier answers; what is declared to change stands where it is declared."""
    graded = event["kind"].startswith(_GRADED)
    place = f"[{event['seq']}]"
    unknown = () if graded else sorted(values.symbols(event, form) - symbols)
    if unknown:
        reason = f"the symbol '{unknown[0]}' names no id of an earlier answer"
        found.faults.append(("symbol", place, reason))
    if values.has_marks(event, form):
        whole = blobs.expand([event], values.values)[0]
        found.marks += count_marks(whole)
        if not graded and undeclared_marks(whole, fields):
            reason = "the mark of an identity field stands where none is declared"
            found.faults.append(("symbol", place, reason))


def _symbols(form: bytes) -> frozenset[str]:
    """Neither quoted nor escaped in RFC 8785, a symbol reads in the bytes as in the text."""
    return frozenset(match.group().decode() for match in _SYMBOL.finditer(form))


def _note_served(found: Hearing, request: Mapping[str, Any], reply: Reply) -> None:
    if reply.model is None and reply.fingerprint is None:
        return
    body = request.get("request")
    wanted = body.get("model") if isinstance(body, dict) else None
    named = wanted if isinstance(wanted, str) else None
    found.served.setdefault(named, {})[reply.model, reply.fingerprint] = None


def _is_lane(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_LANE and value.isprintable()


def _are_headers(value: Any, allowed: frozenset[str]) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() <= allowed
        and all(isinstance(text, str) for text in value.values())
    )


def _is_whole_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
