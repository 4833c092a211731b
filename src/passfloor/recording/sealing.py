"""From recorded events to those that are sealed: without secrets, with what was said and symbols."""

from collections.abc import Mapping, Sequence
from typing import Any

from passfloor.dialects import read_reply
from passfloor.projection.symbols import Symbols
from passfloor.scrubbing import Scrubber, scrub_events
from passfloor.scrubbing.scrubber import MARK


def sealed(events: Sequence[Mapping[str, Any]], scrubber: Scrubber, symbols: Symbols) -> list[dict[str, Any]]:
    """The events of one attempt, in order, as they are sealed.

    Secrets go first, so that no digest is made of one. What a reply says is read from the text that is kept:
    where a secret came in pieces, none of which is one, the whole text goes.

    Args:
        events: All of them, well-formed, with ``seq``.
        scrubber: The run's.
        symbols: The attempt's own, fed with nothing yet.

    Raises:
        JsonError: An event has no canonical form.
    """
    dialects: dict[Any, str] = {}
    done = []
    for event in scrub_events(events, scrubber):
        if event["kind"] == "model.request":
            dialects[event.get("call")] = str(event.get("dialect"))
        elif event["kind"] == "model.output" and isinstance(event["sample"], dict):
            _scrub_pieces(event["sample"], dialects.get(event.get("call"), ""), scrubber)
        done.append(symbols.seal(event))
    return done


def _scrub_pieces(sample: dict[str, Any], dialect: str, scrubber: Scrubber) -> None:
    text = sample.get("text")
    if not isinstance(text, str) or (reply := read_reply(dialect, text)) is None:
        return
    _, count = scrubber.scrub_json([reply.said, *reply.minted])
    if count:
        sample |= {"text": MARK, "scrubbed": count}
