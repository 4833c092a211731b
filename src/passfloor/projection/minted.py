"""Ids that answers made up: the same answer has other ones each time, so that they are told as symbols."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from passfloor.canonical import digest
from passfloor.projection.finder import WordFinder
from passfloor.projection.texts import in_strings

SYMBOL = re.compile(r"@([0-9a-f]{16})/(0|[1-9][0-9]*)")
"""A symbol: the front of the digest of the answer that made the id up, and the id's number there."""

LONG = 12
"""Characters from which on an id is also found inside a longer string; a shorter one could stand anywhere."""

_HISTORIES = ("messages", "input")


@dataclass(frozen=True, slots=True)
class _Origin:
    """One answer that made an id up: its symbol for it, its lane and what its request said so far."""

    symbol: str
    lane: str
    history: tuple[str, ...]


class Minted:
    """The ids that the answers of one attempt made up so far."""

    def __init__(self) -> None:
        self._origins: dict[str, list[_Origin]] = {}
        self._finder = WordFinder()

    def add(self, ids: Sequence[str], answer: str, lane: str, history: tuple[str, ...] = ()) -> None:
        """Note the ids of an answer, in the order of their numbers.

        Args:
            ids: as they arrived.
            answer: the answer's digest.
            lane: its request's lane.
            history: ``history_of`` its request.
        """
        for number, name in enumerate(ids):
            origin = _Origin(f"@{answer[:16]}/{number}", lane, history)
            if name not in self._origins and len(name) >= LONG:
                self._finder.add(name)
            self._origins.setdefault(name, []).append(origin)

    def replaced(self, value: Any, lane: str, history: tuple[str, ...] = ()) -> Any:
        """A JSON value with symbols for ids: where one is a whole string, or a long one is part of one.

        Where several answers made up the same id, that one is meant whose conversation ``history`` goes on
        with; with none, the latest of the lane, or the latest of all.
        """
        if not self._origins:
            return value
        return in_strings(value, lambda text: self._in_text(text, lane, history), names=True)

    def replaced_in_request(
        self, event: Mapping[str, Any], lane: str, history: tuple[str, ...]
    ) -> dict[str, Any]:
        """The same for a request: an item of a conversation goes on with the items before it.

        Args:
            event: its members, or some of them.
            lane: its lane.
            history: ``history_of`` it.
        """
        request: Any = event.get("request")
        name = conversation_of(request)
        if name is None:
            return dict(self.replaced(event, lane))
        rest = {key: value for key, value in request.items() if key != name}
        items = [self.replaced(item, lane, history[:at]) for at, item in enumerate(request[name])]
        changed = self.replaced({**event, "request": rest}, lane, history)
        return {**changed, "request": {**changed["request"], name: items}}

    def _in_text(self, text: str, lane: str, history: tuple[str, ...]) -> str:
        if text in self._origins:
            return self._symbol(text, lane, history)
        if len(text) <= LONG:
            return text
        return self._finder.replaced(text, lambda name: self._symbol(name, lane, history))

    def _symbol(self, name: str, lane: str, history: tuple[str, ...]) -> str:
        origins = self._origins[name]
        best = max(
            range(len(origins)),
            key=lambda at: (_shared(origins[at].history, history), origins[at].lane == lane, at),
        )
        return origins[best].symbol


def conversation_of(request: Any) -> str | None:
    """The member of a request that holds its conversation; None where there is none."""
    if not isinstance(request, Mapping):
        return None
    return next((name for name in _HISTORIES if isinstance(request.get(name), list)), None)


def history_of(request: Any) -> tuple[str, ...]:
    """The conversation that a request goes on with; empty where it holds none.

    Returns:
        For each item a digest over it and all before it, so that the last one stands for all.
    """
    name = conversation_of(request)
    chain = [""]
    for item in request[name] if name is not None else ():
        chain.append(digest([chain[-1], item]))
    return tuple(chain[1:])


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of ``one`` where the ``other`` begins with it, else 0."""
    return len(one) if 0 < len(one) <= len(other) and one[-1] == other[len(one) - 1] else 0
