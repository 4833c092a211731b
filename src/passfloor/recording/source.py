"""What answers the calls that reach the proxy: an upstream, or in a replay what was recorded."""

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from passfloor.recording.headers import Headers
from passfloor.recording.recorder import Exchange, Recorder

if TYPE_CHECKING:
    from passfloor.projection.symbols import Symbols


class ClientGone(Exception):  # noqa: N818  # an event, not a fault of ours
    """The agent hung up."""


class Sink(Protocol):
    """Where an answer goes. What is sent leaves at once, and is recorded as it leaves."""

    async def start(self, status: int, headers: Headers, reason: str | None = None) -> None:
        """Send the head of the answer; ``headers`` may name its length.

        Raises:
            ClientGone: The agent hung up.
        """
        ...

    async def send(self, data: bytes) -> None:
        """Send the next bytes of its body.

        Raises:
            ClientGone: The agent hung up.
        """
        ...

    async def end(self) -> None:
        """End it as it should.

        Raises:
            ClientGone: The agent hung up.
        """
        ...

    async def cut(self) -> None:
        """Break it off: the agent sees the connection end in the middle."""
        ...

    async def refuse(self, status: int, code: str, message: str) -> None:
        """Answer in the harness's own name, with an error as model clients know it.

        Raises:
            ClientGone: The agent hung up.
        """
        ...


class Source(Protocol):
    """Answers calls. Many at once, all in the proxy's own event loop."""

    async def answer(self, call: Exchange, sink: Sink) -> None:
        """Answer one call; whatever is raised but ``ClientGone`` breaks the answer off."""
        ...

    async def close(self) -> None:
        """Let go of what is held open. Called in the loop in which it was used."""
        ...


class NothingRecorded(Exception):  # noqa: N818  # a fact about a recording, told to the agent
    """A recording holds no answer to what is asked."""


@runtime_checkable
class Recalling(Protocol):
    """A ``Source`` that answers one attempt from what was recorded of it."""

    def begin(self, recorder: Recorder, symbols: "Symbols") -> None:
        """The attempt begins.

        Args:
            recorder: Records it.
            symbols: Its own, fed with nothing yet.
        """
        ...

    def recall(self, asked: Any) -> str:
        """What a callable agent was told where it asks for itself: ``{"ref": ...}`` or ``{"lane": ...}``.

        Returns:
            A JSON document.

        Raises:
            NothingRecorded: There is nothing, or nothing left.
        """
        ...
