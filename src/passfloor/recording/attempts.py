"""Recording the attempts of a run: one proxy for all of them, one recording each."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from passfloor.errors import UsageError
from passfloor.projection.symbols import Symbols
from passfloor.recording.recorder import Lines, Recorder, Taken
from passfloor.recording.sealing import sealed
from passfloor.recording.source import Recalling
from passfloor.recording.upstreams import Upstream, check_reachable
from passfloor.scrubbing import Scrubber

if TYPE_CHECKING:
    from passfloor.recording.server import ModelProxy
    from passfloor.recording.source import Source

EXTRA = "passfloor[record]"
"""What to install for recording."""

_BASE_URLS = {
    "OPENAI_BASE_URL": "openai",
    "OPENAI_API_BASE": "openai",
    "ANTHROPIC_BASE_URL": "anthropic",
}
_LOCAL = "127.0.0.1,localhost"


class AttemptRecording:
    """One attempt, while its agent runs and until its events are sealed.

    Attributes:
        address: Where the attempt reaches the proxy.
        recall: Where a callable agent asks what it was told; empty where it is asked anew.
    """

    def __init__(
        self,
        recorder: Recorder,
        address: str,
        seal: Callable[[Any], list[dict[str, Any]]],
        keys: Mapping[str, str],
        *,
        recalls: bool,
    ) -> None:
        self._recorder = recorder
        self._seal = seal
        self._keys = dict(keys)
        self.address = address
        self.recall = f"{address}/recall" if recalls else ""

    def variables_beside(self, passed: Mapping[str, str]) -> dict[str, str]:
        """What the agent's environment says of the proxy.

        Clients go to this machine directly, whatever proxy the variables that are ``passed`` name.
        """
        found = {name: f"{self.address}/{word}" for name, word in _BASE_URLS.items()} | self._keys
        for name in ("NO_PROXY", "no_proxy"):
            others = passed.get(name, "")
            found[name] = f"{others},{_LOCAL}" if others else _LOCAL
        return found

    def finish(self) -> Taken:
        """What was recorded, once the agent has ended."""
        return self._recorder.finish()

    def seal(self, events: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """All events of the attempt, with ``seq``, as they are sealed."""
        return self._seal(events)


class Recording:
    """Records the attempts of one run.

    The proxy is started with the first attempt. May be used from several threads.
    """

    def __init__(
        self,
        source: "Callable[[str], Source]",
        *,
        scrubber: Scrubber | None = None,
        identity_fields: Sequence[str] = (),
        upstreams: Mapping[str, Upstream] | None = None,
        keys: Mapping[str, str] | None = None,
    ) -> None:
        """Fix what answers.

        Args:
            source: Attempt id -> what answers its calls, asked once an attempt.
            scrubber: Takes secrets out of events before anything is made of them.
            identity_fields: As in the plan.
            upstreams: Which are looked for by ``check``.
            keys: Variables that agents get in place of their keys.

        Raises:
            UsageError: an identity field cannot be read, or recording is not installed.
        """
        require_extra()
        Symbols("", "", "", identity_fields)
        self.scrubber = scrubber or Scrubber()
        self._source = source
        self._fields = tuple(identity_fields)
        self._upstreams = dict(upstreams or {})
        self._keys = dict(keys or {})
        self._proxy: ModelProxy | None = None
        self._lock = threading.Lock()

    def check(self) -> None:
        """Look whether something listens at the upstreams that were named.

        Raises:
            UsageError: Nothing does.
        """
        check_reachable(self._upstreams)

    @contextmanager
    def attempt(
        self, attempt_id: str, folder: str, lines: Lines = lambda _: ()
    ) -> Iterator[AttemptRecording]:
        """Record an attempt for as long as the context lasts.

        Args:
            attempt_id: Its id.
            folder: Its folder; empty where it has none.
            lines: As for ``Recorder``.

        Raises:
            EnvironmentFault: The proxy cannot listen.
        """
        proxy = self._started()
        recorder, source = Recorder(lines), self._source(attempt_id)
        address = proxy.open(recorder, source)

        def symbols() -> Symbols:
            return Symbols(folder, attempt_id, address, self._fields)

        recalls = isinstance(source, Recalling)
        if isinstance(source, Recalling):
            source.begin(recorder, symbols())
        try:
            yield AttemptRecording(
                recorder,
                address,
                lambda events: sealed(events, self.scrubber, symbols()),
                self._keys,
                recalls=recalls,
            )
        finally:
            proxy.shut(address)

    def close(self) -> None:
        """Stop the proxy."""
        with self._lock:
            proxy, self._proxy = self._proxy, None
        if proxy is not None:
            proxy.close()

    def _started(self) -> "ModelProxy":
        from passfloor.recording.server import ModelProxy

        with self._lock:
            if self._proxy is None:
                proxy = ModelProxy()
                proxy.start()
                self._proxy = proxy
            return self._proxy


def record_from(
    upstreams: Mapping[str, Upstream], scrubber: Scrubber, identity_fields: Sequence[str] = ()
) -> Recording:
    """Records attempts whose calls go to the providers.

    Raises:
        UsageError: as ``Recording`` does.
    """
    require_extra()
    from passfloor.recording.forwarding import Upstreams

    source = Upstreams(upstreams)
    return Recording(
        lambda _: source, scrubber=scrubber, identity_fields=identity_fields, upstreams=upstreams
    )


def require_extra() -> None:
    """Look for what recording needs beside the package itself.

    Raises:
        UsageError: It is not installed; the message says how to.
    """
    try:
        import aiohttp  # noqa: F401
    except ImportError:
        raise UsageError(f"recording needs aiohttp; install it with: pip install '{EXTRA}'") from None
