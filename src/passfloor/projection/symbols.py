"""Sealing: from events as they happen in one attempt to the form in which attempts are compared."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from passfloor import blobs
from passfloor.dialects import Reply, read_reply
from passfloor.projection.acts import ActReader
from passfloor.projection.identity_fields import parse_identity_fields
from passfloor.projection.minted import Minted, conversation_of, history_of
from passfloor.projection.texts import in_strings
from passfloor.projection.vocabulary import ANSWER, ARTIFACT, ASKED, FRAMING, GRADED, PLACING, SAMPLE

_SHORT_ID = 24
_MARK_ALIKE = re.compile(r"\$(?=\{(?:attempt|attempt_id|proxy|identity)\})|@(?=[0-9a-f]{16}/[0-9])")


class Symbols:
    r"""Seals the events of one attempt, fed in order.

    Inside strings, names of members included: the attempt's folder reads ``${attempt}``, its id
    ``${attempt_id}``, the proxy ``${proxy}``, what a declared identity field matches ``${identity}``, an id
    that an earlier answer made up its symbol. What merely looks like one of these gets a backslash
    (``$\{identity}``), but in the agent's output and files, which are graded. The ``sample`` of an answer
    stays as it arrived; ``said`` is derived from it here.
    """

    def __init__(
        self, attempt_folder: str, attempt_id: str, proxy: str, identity_fields: Sequence[str] = ()
    ) -> None:
        """What is the attempt's own.

        Args:
            attempt_folder: Absolute path without a slash at its end; empty where there is none.
            attempt_id: 64 hex digits. Their first 24, by which the folder is named, are replaced as well.
            proxy: The address at which the attempt reaches the proxy, such as
                ``http://127.0.0.1:4000/<id>``; empty where there is none.
            identity_fields: Declarations as in the plan.

        Raises:
            UsageError: a declaration cannot be read.
        """
        self._words = _words(attempt_folder, attempt_id, proxy)
        self._fields = parse_identity_fields(identity_fields)
        self._reader = ActReader()
        self._minted = Minted()
        self._requests: dict[Any, tuple[str, str, tuple[str, ...]]] = {}
        self._items: dict[str, Any] = {}

    def seal(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """The sealed form of the next event, large values still in place.

        Raises:
            JsonError: the event has no canonical form.
        """
        ids: tuple[str, ...] = ()
        history: tuple[str, ...] = ()
        if event["kind"] == ANSWER:
            sealed, ids, history = self._answer(event)
        else:
            sealed = self._act(event)
        moved, _ = blobs.externalise([sealed])
        # Where an act stands is nothing to go by here.
        acts = self._reader.read({"seq": 0, **moved[0]})
        if ids:
            # What else an answer says comes before what was heard.
            self._minted.add(ids, acts[-1].digest, acts[-1].lane, history)
        return sealed

    def _act(self, event: Mapping[str, Any]) -> dict[str, Any]:
        kind = event["kind"]
        if kind.startswith(FRAMING):
            return dict(event)
        frame = {name: event[name] for name in PLACING if name in event}
        members = {name: value for name, value in event.items() if name not in PLACING}
        if kind == ASKED:
            return {**frame, **self._request(members, event["call"], event["lane"])}
        changed = self._minted.replaced(self._own_words(members, kind), event.get("lane", ""))
        if kind == ARTIFACT:
            changed = {**changed, "value": _restated(event.get("value"), changed.get("value"))}
        return {**frame, **changed}

    def _request(self, members: dict[str, Any], call: int, lane: str) -> dict[str, Any]:
        """The members of a request. Conversations repeat in every turn: each item is sealed once."""
        request: Any = members.get("request")
        history = history_of(request)
        self._requests[call] = (members["dialect"], lane, history)
        name = conversation_of(request)
        if name is not None:
            # Nothing in here is changed: the place of what is known already.
            new = [
                None if link in self._items else item
                for link, item in zip(history, request[name], strict=True)
            ]
            members = {**members, "request": {**request, name: new}}
        words = self._own_words(members, ASKED)
        changed = self._minted.replaced_in_request(words, lane, history)
        if name is not None and isinstance(words["request"][name], list):
            for link, item in zip(history, changed["request"][name], strict=True):
                self._items.setdefault(link, item)
            items = [self._items[link] for link in history]
            changed["request"] = {**changed["request"], name: items}
        return changed

    def _own_words(self, members: Any, kind: str) -> Any:
        if not kind.startswith(GRADED):
            members = in_strings(members, _escaped, names=True)
        for field in self._fields:
            members = field.replaced(members)
        return in_strings(members, self._own, names=True)

    def _answer(self, event: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...], tuple[str, ...]]:
        """The answer with what it says, the ids it made up, and ``history_of`` its request."""
        sample = event[SAMPLE]
        asked = self._requests.get(event.get("call"))
        if asked is None or not isinstance(sample, Mapping):
            return dict(event), (), ()
        dialect, lane, history = asked
        said, reply = heard_of(dialect, sample, self._minted, lane)
        return {**event, SAMPLE: {**sample, "said": said}}, () if reply is None else reply.minted, history

    def _own(self, text: str) -> str:
        for old, new in self._words:
            text = text.replace(old, new)
        return text


def heard_of(dialect: str, sample: Mapping[str, Any], minted: Minted, lane: str) -> tuple[Any, Reply | None]:
    """What an answer says, of its own text and the answers before it alone, and the reply as it was read.

    Args:
        dialect: Of its request.
        sample: As it is sealed; ``said`` in it plays no part.
        minted: The ids of earlier answers, which read as symbols.
        lane: Of its request.

    Returns:
        The reply is None where no dialect reads it: it then says its text, or the base64 form of its bytes.
    """
    text = sample.get("text")
    if not isinstance(text, str):
        return sample.get("base64"), None
    reply = read_reply(dialect, text)
    return minted.replaced(text if reply is None else reply.said, lane), reply


def _escaped(text: str) -> str:
    return _MARK_ALIKE.sub(r"\g<0>\\", text)


def _words(folder: str, attempt_id: str, proxy: str) -> list[tuple[str, str]]:
    """What is replaced, in this order: the address and the folder may hold the id."""
    words = [(proxy, "${proxy}"), (proxy.partition("://")[2].partition("/")[0], "${proxy}")]
    words += [(folder, "${attempt}"), (attempt_id, "${attempt_id}")]
    words.append((attempt_id[:_SHORT_ID], "${attempt_id}"))
    return [(old, new) for old, new in words if old]


def _restated(before: Any, after: Any) -> Any:
    """Captured files with size and digest of the text as it reads now: digests are of what is kept."""
    if before == after or not isinstance(after, Mapping):
        return after
    return {path: _file(entry) for path, entry in after.items()}


def _file(entry: Any) -> Any:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("text"), str) or "sha256" not in entry:
        return entry
    content = entry["text"].encode()
    return {**entry, "sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
