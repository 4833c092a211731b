"""Passes calls on to their upstreams and replies back, byte for byte, as they come; retries nothing."""

from collections.abc import Mapping
from typing import Any

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from passfloor.recording.headers import Headers, to_agent, to_upstream
from passfloor.recording.recorder import Exchange
from passfloor.recording.source import Sink
from passfloor.recording.upstreams import Upstream

_CONNECT_S = 30.0
# Shorter than servers keep an idle connection open: a call on one that was just closed would fail.
_IDLE_S = 4.0
_HEADER_CAP = 64 * 1024
# RFC 9110, section 15: all others are invalid, and a client treats them as a fault of the server.
_STATUSES = range(100, 600)
_SKIPPED = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")


class Upstreams:
    """A ``Source`` that asks the providers."""

    def __init__(self, upstreams: Mapping[str, Upstream]) -> None:
        """Fix where each provider's calls go."""
        self._upstreams = dict(upstreams)
        self._sessions: dict[bool, aiohttp.ClientSession] = {}

    async def answer(self, call: Exchange, sink: Sink) -> None:
        """Ask the upstream of the call's provider, and hand on what it says as it says it."""
        upstream = self._upstreams[call.provider]
        try:
            reply = await self._session(upstream).request(
                call.method,
                URL(upstream.url + call.path, encoded=True),
                data=call.body or None,
                headers=CIMultiDict(_with_length(call)),
                skip_auto_headers=_SKIPPED,
                allow_redirects=False,
            )
        except (aiohttp.ClientError, OSError, ValueError) as error:
            await sink.refuse(502, "upstream_unreachable", f"the upstream gave no answer: {_why(error)}")
            return
        try:
            if reply.status in _STATUSES:
                await self._hand_on(reply, sink)
            else:
                await sink.refuse(
                    502, "upstream_unusable", f"the upstream answered with status {reply.status}"
                )
        finally:
            # Where the end was reached this is nothing; else it ends the connection.
            reply.close()

    async def close(self) -> None:
        """Close the connections."""
        for session in self._sessions.values():
            await session.close()

    async def _hand_on(self, reply: aiohttp.ClientResponse, sink: Sink) -> None:
        await sink.start(reply.status, to_agent(reply.headers.items()), reply.reason)
        try:
            async for chunk in reply.content.iter_any():
                await sink.send(chunk)
        except (aiohttp.ClientError, OSError):
            for chunk in _salvaged(reply.content):
                await sink.send(chunk)
            await sink.cut()
            return
        await sink.end()

    def _session(self, upstream: Upstream) -> aiohttp.ClientSession:
        """The session for the machine itself or for elsewhere, where the environment's proxies count."""
        local = upstream.is_local
        if local not in self._sessions:
            self._sessions[local] = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_S),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                trust_env=not local,
                max_line_size=_HEADER_CAP,
                max_field_size=_HEADER_CAP,
            )
        return self._sessions[local]


def _with_length(call: Exchange) -> Headers:
    headers = to_upstream(call.headers)
    if not call.body and call.method in {"POST", "PUT", "PATCH"}:
        headers.append(("Content-Length", "0"))
    return headers


def _salvaged(content: Any) -> list[bytes]:
    """What had arrived when a connection broke: the reader gives it up together with the connection."""
    found = []
    while getattr(content, "_buffer", None):
        found.append(bytes(content._read_nowait_chunk(-1)))
    return found


def _why(error: Exception) -> str:
    """The kind of fault and the system's words for it: never an address or what was sent."""
    said = getattr(error, "strerror", None) or ""
    return f"{type(error).__name__} {said}".strip()
