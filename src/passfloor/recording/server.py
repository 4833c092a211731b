"""The proxy: an HTTP server on loopback, in a thread of its own, with one path prefix an attempt."""

import asyncio
import contextlib
import json
import logging
import secrets
import threading
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from aiohttp import web
from multidict import CIMultiDict

from passfloor.errors import EnvironmentFault
from passfloor.recording.headers import Headers
from passfloor.recording.recorder import Exchange, Recorder
from passfloor.recording.source import ClientGone, NothingRecorded, Recalling, Source
from passfloor.recording.upstreams import PROVIDERS

HOST = "127.0.0.1"
RECALL = "recall"
"""The word in the path under which a callable agent asks in a replay what it was told."""

_HEADER_CAP = 64 * 1024
_START_S = 10.0
_STOP_S = 5.0
_DRAIN_S = 0.1
# What goes wrong with a call stands in its recording; a traceback could show what was sent.
_SILENT = logging.getLogger("passfloor.recording.silent")
_SILENT.addHandler(logging.NullHandler())
_SILENT.propagate = False


@dataclass(frozen=True)
class _Door:
    recorder: Recorder
    source: Source


class ModelProxy:
    """Listens on 127.0.0.1 alone, at a port the system chose. Safe between threads."""

    def __init__(self) -> None:
        self._doors: dict[str, _Door] = {}
        self._sources: list[Source] = []
        self._loop = asyncio.new_event_loop()
        self._thread: threading.Thread | None = None
        self._stop = asyncio.Event()
        self._ready = threading.Event()
        self._fault: OSError | None = None
        self.port = 0

    def start(self) -> None:
        """Begin to listen.

        Raises:
            EnvironmentFault: It cannot.
        """
        self._thread = threading.Thread(target=self._run, name="passfloor-model-proxy", daemon=True)
        self._thread.start()
        self._ready.wait(_START_S)
        if self._fault is not None or not self.port:
            said = "no answer" if self._fault is None else self._fault.strerror
            raise EnvironmentFault(
                f"the model proxy cannot listen on {HOST} ({said}); free a port, or try again"
            )

    def open(self, recorder: Recorder, source: Source) -> str:
        """Let an attempt in.

        Returns:
            Its address, such as ``http://127.0.0.1:4000/<id>``, to which providers' words are appended.
        """
        token = secrets.token_hex(12)
        self._doors[token] = _Door(recorder, source)
        if source not in self._sources:
            self._sources.append(source)
        return f"http://{HOST}:{self.port}/{token}"

    def shut(self, address: str) -> None:
        """Let an attempt in no more."""
        door = self._doors.pop(address.rpartition("/")[2], None)
        if door is not None and isinstance(door.source, Recalling):
            # Of that attempt alone, with all that was recorded of it; and it holds nothing open.
            with contextlib.suppress(ValueError):
                self._sources.remove(door.source)

    def close(self) -> None:
        """Stop listening and end every connection."""
        if self._thread is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(_STOP_S)
        self._thread = None

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        server = web.Server(
            self._handle,
            handler_cancellation=True,
            auto_decompress=False,
            access_log=None,
            logger=_SILENT,
            max_line_size=_HEADER_CAP,
            max_field_size=_HEADER_CAP,
        )
        runner = web.ServerRunner(server, shutdown_timeout=_DRAIN_S)
        await runner.setup()
        try:
            site = web.TCPSite(runner, HOST, 0)
            await site.start()
            self.port = runner.addresses[0][1]
            self._ready.set()
            await self._stop.wait()
        except OSError as error:
            self._fault = error
        finally:
            self._ready.set()
            await runner.cleanup()
            for source in self._sources:
                await source.close()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        token, provider, path = _parts(request.raw_path)
        door = self._doors.get(token)
        if door is not None and provider == RECALL and isinstance(door.source, Recalling):
            return _recalled(door.source, await _whole_body(request))
        if door is None or provider not in PROVIDERS:
            return _error(404, "unknown_path", "no attempt is recorded at this address")
        body = await _whole_body(request)
        headers = [(name, value) for name, value in request.headers.items()]
        exchange = door.recorder.asked(provider, request.method, path, headers, body)
        if exchange is None:
            return _error(410, "attempt_over", "this attempt is over")
        transport = request.transport
        exchange.is_gone = lambda: transport is None or transport.is_closing()
        sink = _Outgoing(request, exchange)
        try:
            await door.source.answer(exchange, sink)
        except (ClientGone, asyncio.CancelledError):
            exchange.ended("client")
            raise
        except BaseException:
            await sink.cut()
            raise
        return sink.response


class _Outgoing:
    """The answer to one call, on its way to the agent: a ``Sink``."""

    def __init__(self, request: web.BaseRequest, exchange: Exchange) -> None:
        self._request = request
        self._exchange = exchange
        self.response = web.StreamResponse()

    async def start(self, status: int, headers: Headers, reason: str | None = None) -> None:
        """Send the head; see ``Sink``."""
        self.response = web.StreamResponse(status=status, reason=reason, headers=CIMultiDict(headers))
        self._exchange.began(status, headers)
        await self._leave(self.response.prepare(self._request))
        # Without its length an answer is a stream, and an agent may act on its head alone: that leaves now,
        # or together with a first event that is here already.
        if "content-length" not in self.response.headers:
            asyncio.get_running_loop().call_soon(_send_head, self.response._payload_writer)

    async def send(self, data: bytes) -> None:
        """Send bytes of the body; see ``Sink``."""
        self._exchange.feed(data)
        await self._leave(self.response.write(data))

    async def end(self) -> None:
        """End it; see ``Sink``."""
        # Before the agent can see the end: it may be gone a moment later.
        self._exchange.ended(None)
        await self._leave(self.response.write_eof())

    async def cut(self) -> None:
        """Break it off; see ``Sink``."""
        self._exchange.ended("upstream")
        if self._request.transport is not None:
            self._request.transport.close()

    async def refuse(self, status: int, code: str, message: str) -> None:
        """Answer with an error of ours; see ``Sink``."""
        body = _error_body(code, message)
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        await self.start(status, headers)
        await self.send(body)
        await self.end()

    async def _leave(self, sending: Coroutine[Any, Any, Any]) -> None:
        try:
            await sending
        except ConnectionError:
            raise ClientGone from None


def _recalled(source: Recalling, body: bytes) -> web.Response:
    try:
        return web.Response(text=source.recall(json.loads(body)), content_type="application/json")
    except NothingRecorded as nothing:
        return _error(400, "not_recorded", str(nothing))


def _send_head(writer: Any) -> None:
    with contextlib.suppress(ConnectionError, RuntimeError):
        writer.send_headers()


async def _whole_body(request: web.BaseRequest) -> bytes:
    if request.headers.get("Expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    if not request.body_exists:
        return b""
    return b"".join([chunk async for chunk in request.content.iter_any()])


def _parts(target: str) -> tuple[str, str, str]:
    """The attempt's word, the provider's, and what follows it, of ``/<id>/<provider>/...``."""
    _, _, rest = target.partition("/")
    token, _, rest = rest.partition("/")
    for end, sign in enumerate(rest):
        if sign in "/?":
            return token, rest[:end], rest[end:]
    return token, rest, ""


def _error(status: int, code: str, message: str) -> web.Response:
    return web.Response(status=status, body=_error_body(code, message), content_type="application/json")


def _error_body(code: str, message: str) -> bytes:
    error = {"type": "passfloor_proxy", "code": code, "message": f"passfloor: {message}"}
    return json.dumps({"type": "error", "error": error}).encode()
