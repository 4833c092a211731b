"""What changes by itself and is declared to: a place in events, and which part of it is replaced."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import re2

from passfloor.errors import UsageError
from passfloor.projection.difference import shown
from passfloor.projection.texts import in_strings, strings_of

IDENTITY_MARK = "${identity}"
"""What stands in an event where a declared field was."""

MOST_FIELDS = 100
"""Declarations in one plan."""

LONGEST_FIELD = 1000
"""Characters of one declaration."""

_STEP = re.compile(
    r"(?:^|\.)(?P<name>[A-Za-z_][A-Za-z0-9_-]*)|\[(?P<index>0|[1-9][0-9]{0,8})\]|\[(?P<all>\*)\]"
    r"|\['(?P<odd>[^']*)'\]"
)
# What frames an event, and what the harness alone writes: none of it is the agent's to let change.
_REFUSED = frozenset(
    {"seq", "kind", "call", "lane", "sample", "task_hash", "seed", "dialect", "method", "error"}
)
_WHOLE = frozenset({"request", "request_text", "request_base64", "value"})

Step = str | int | None
"""A member's name, an item's index, or None for every item."""


@dataclass(frozen=True)
class IdentityField:
    """One declaration, ``PATH`` or ``PATH=REGEX``.

    Attributes:
        text: As it was given and is sealed.
        steps: The way down from the event.
        pattern: RE2; of each string at the place or below, what it matches is replaced. None: all of it is.
    """

    text: str
    steps: tuple[Step, ...]
    pattern: Any = None

    def replaced(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """A copy of ``event`` with the mark in place of what is declared."""
        return dict(_changed(event, self.steps, self._marked))

    def without(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """A copy of ``event`` with null at the declared places."""
        return dict(_changed(event, self.steps, lambda _value: None))

    def _marked(self, value: Any) -> Any:
        if self.pattern is None:
            return IDENTITY_MARK
        return in_strings(value, self._matched, names=False)

    def _matched(self, text: str) -> str:
        # An empty match marks nothing: it would put a mark between any two characters.
        return str(self.pattern.sub(lambda found: IDENTITY_MARK if found.group() else "", text))


def parse_identity_field(text: str) -> IdentityField:
    r"""Read a declaration such as ``request.user`` or ``request.messages[*].content=\d{4}-\d\d-\d\d``.

    The path starts at the event: names joined by dots, ``[0]``, ``[*]`` for every item, ``['odd name']``.
    What follows the first ``=`` outside of a quoted name is an RE2 pattern.

    Raises:
        UsageError: it is empty or too long, the path cannot be read, it names what frames an event or a whole
            body, or the pattern is not RE2.
    """
    if not 0 < len(text) <= LONGEST_FIELD:
        raise UsageError(
            f"an identity field of {len(text)} characters; give 1 to {LONGEST_FIELD}: PATH or PATH=REGEX"
        )
    steps, rest = _steps(text)
    if not steps or text.startswith(".") or (rest and not rest.startswith("=")):
        raise UsageError(
            f"identity field {shown(text)} cannot be read at {shown(rest)}; write it like "
            "request.user or request.messages[*].content=REGEX"
        )
    first = steps[0]
    if not isinstance(first, str) or first in _REFUSED or (len(steps) == 1 and first in _WHOLE and not rest):
        raise UsageError(
            f"identity field {shown(text)} would take away what frames an event, or all of a body; "
            "name the member that changes, such as request.user"
        )
    return IdentityField(text, steps, _pattern(text, rest[1:]) if rest else None)


def parse_identity_fields(texts: Sequence[str]) -> tuple[IdentityField, ...]:
    """Read all declarations of a plan, in order.

    Raises:
        UsageError: as ``parse_identity_field`` does; or there are too many, or one stands there twice.
    """
    if len(texts) > MOST_FIELDS:
        raise UsageError(f"{len(texts)} identity fields, at most {MOST_FIELDS} are read; name fewer")
    twice = next((text for at, text in enumerate(texts) if text in texts[:at]), None)
    if twice is not None:
        raise UsageError(f"identity field {shown(twice)} is declared twice; name it once")
    return tuple(parse_identity_field(text) for text in texts)


def undeclared_marks(event: Mapping[str, Any], fields: Sequence[IdentityField]) -> int:
    """How many strings of an event hold the mark where no declaration allows it."""
    for field in fields:
        event = field.without(event)
    return sum(IDENTITY_MARK in text for text in strings_of(event))


def count_marks(event: Mapping[str, Any]) -> int:
    """How often the mark stands in an event."""
    return sum(text.count(IDENTITY_MARK) for text in strings_of(event))


def _steps(text: str) -> tuple[tuple[Step, ...], str]:
    """The steps from the front of ``text``, and what is left of it."""
    steps: list[Step] = []
    at = 0
    while found := _STEP.match(text, at):
        name, index, odd = found["name"], found["index"], found["odd"]
        if name is not None:
            steps.append(name)
        elif index is not None:
            steps.append(int(index))
        else:
            steps.append(odd)
        at = found.end()
    return tuple(steps), text[at:]


def _pattern(text: str, pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    problem = "it is empty"
    if pattern:
        try:
            return re2.compile(pattern, options)
        except (re2.error, UnicodeEncodeError):
            problem = "RE2 cannot read it"
    raise UsageError(
        f"identity field {shown(text)}: the pattern cannot be used ({problem}); "
        "see https://github.com/google/re2/wiki/Syntax"
    )


def _changed(value: Any, steps: Sequence[Step], change: Callable[[Any], Any]) -> Any:
    """A copy of ``value`` with ``change`` made at the end of each way; what lies beside is shared."""
    if not steps:
        return change(value)
    step, rest = steps[0], steps[1:]
    if isinstance(step, str):
        if not isinstance(value, Mapping) or step not in value:
            return value
        return {**value, step: _changed(value[step], rest, change)}
    if not isinstance(value, list):
        return value
    return [
        _changed(item, rest, change) if step is None or step == position else item
        for position, item in enumerate(value)
    ]
