"""One HTTP request and its whole answer, within a deadline and a size; nothing is followed or kept open."""

import http.client
import io
import os
import socket
import time
import zlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult

from passfloor.adapters.open_calls import OpenCalls
from passfloor.adapters.retries import CallRefused, CallTimeout, ConnectionFault, Reply
from passfloor.recording.addresses import PORTS, port_of

BODY_CAP = 8 * 1024 * 1024
"""Most bytes of an answer's body, also once it is unpacked."""

_CHUNK = 64 * 1024


def post(
    url: SplitResult,
    body: bytes,
    headers: Mapping[str, str],
    *,
    deadline: float,
    calls: OpenCalls | None = None,
) -> Reply:
    """Send a POST request and read all of its answer; redirects are answers like any other.

    Args:
        url: ``http`` or ``https``, with a host. No proxy is asked.
        body: The request's body, JSON.
        headers: Further headers.
        deadline: On the system's monotonic clock, for everything but the look-up of the host's name.
        calls: Where it can be cut short, from the moment the host's name is looked up.

    Raises:
        ConnectionFault: The connection could not be made, or ended before the answer did.
        CallTimeout: The deadline came first.
        CallRefused: The answer is too long, packed in an unknown way, or no HTTP.
    """
    calls = OpenCalls() if calls is None else calls
    try:
        raw = _connect(url, deadline, calls)
    except OSError as error:
        raise _fault(error) from None
    # It writes the request and reads the answer, over a connection that keeps the deadline.
    connection = http.client.HTTPConnection(url.hostname or "", port_of(url))
    connection.default_port = PORTS[url.scheme]
    connection.sock = _Bounded(raw, deadline)
    target = (url.path or "/") + (f"?{url.query}" if url.query else "")
    sent = {"Content-Type": "application/json", "Accept": "application/json", "Connection": "close"}
    try:
        connection.request("POST", target, body, {**sent, **headers})
        return _read(connection.getresponse())
    except (http.client.RemoteDisconnected, http.client.IncompleteRead):
        raise ConnectionFault("connection dropped") from None
    except http.client.HTTPException as error:
        raise CallRefused(f"the answer is no HTTP ({type(error).__name__})") from None
    except OSError as error:
        raise _fault(error) from None
    finally:
        _close(raw, calls)


def _connect(url: SplitResult, deadline: float, calls: OpenCalls) -> socket.socket:
    host = url.hostname or ""
    raw = _dial(host, port_of(url), deadline, calls)
    if url.scheme == "http":
        return raw
    import ssl

    try:
        context = ssl.create_default_context()
        secured = context.wrap_socket(raw, server_hostname=host, do_handshake_on_connect=False)
    finally:
        # The secured one has taken the connection over, unless there is none.
        _close(raw, calls)
    calls.hold(secured)
    try:
        secured.settimeout(_left(deadline))
        secured.do_handshake()
    except BaseException:
        _close(secured, calls)
        raise
    return secured


def _dial(host: str, port: int, deadline: float, calls: OpenCalls) -> socket.socket:
    """A connection to the first of the host's addresses that takes one."""
    fault = OSError()
    for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        raw = socket.socket(family, kind, protocol)
        calls.hold(raw)
        try:
            raw.settimeout(_left(deadline))
            raw.connect(address)
        except OSError as error:
            _close(raw, calls)
            fault = error
        except BaseException:
            _close(raw, calls)
            raise
        else:
            return raw
    raise fault


def _close(raw: socket.socket, calls: OpenCalls) -> None:
    calls.let_go(raw)
    raw.close()


def _fault(error: OSError) -> Exception:
    """What a fault of the socket means, in the system's words: never an address or a thing that was sent."""
    # The system's own time-out (ETIMEDOUT) has a number, that of the deadline has none.
    if isinstance(error, TimeoutError) and error.errno is None:
        return CallTimeout()
    if isinstance(error, socket.gaierror):
        return ConnectionFault("host not found")
    if reason := getattr(error, "reason", None):
        return CallRefused(f"no secure connection ({reason})")
    return ConnectionFault(os.strerror(error.errno).lower() if error.errno else "connection failed")


def _read(response: http.client.HTTPResponse) -> Reply:
    headers = {name.lower(): value for name, value in response.getheaders()}
    packed = headers.get("content-encoding", "identity").strip().lower()
    if packed not in {"identity", "gzip", "x-gzip", ""}:
        raise CallRefused("the answer is packed in a way that was not asked for")
    data = bytearray()
    while chunk := response.read(min(_CHUNK, BODY_CAP + 1 - len(data))):
        data += chunk
        if len(data) > BODY_CAP:
            raise CallRefused(f"the answer is longer than {BODY_CAP} bytes")
    if response.length:
        raise ConnectionFault("connection dropped")
    body = bytes(data)
    return Reply(response.status, headers, _unpacked(body) if packed.endswith("gzip") else body)


def _unpacked(data: bytes) -> bytes:
    """Undo gzip (RFC 1952), never to more than ``BODY_CAP`` bytes."""
    unpacker = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        body = unpacker.decompress(data, BODY_CAP + 1)
    except zlib.error:
        raise CallRefused("the answer says gzip and is none") from None
    if len(body) > BODY_CAP:
        raise CallRefused(f"the answer is longer than {BODY_CAP} bytes")
    if not unpacker.eof:
        raise CallRefused("the answer says gzip and is none")
    return body


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


class _Bounded:
    """A socket whose every operation ends at one deadline, however slowly an answer drips."""

    def __init__(self, raw: socket.socket, deadline: float) -> None:
        self._raw = raw
        self._deadline = deadline

    def sendall(self, data: Any) -> None:
        self._raw.settimeout(_left(self._deadline))
        self._raw.sendall(data)

    def makefile(self, *_args: Any, **_kwargs: Any) -> io.BufferedReader:
        return io.BufferedReader(_Incoming(self._raw, self._deadline))

    def close(self) -> None:
        """Whoever opened the socket closes it: http.client does so before the answer is read."""


class _Incoming(io.RawIOBase):
    def __init__(self, raw: socket.socket, deadline: float) -> None:
        super().__init__()
        self._raw = raw
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._raw.settimeout(_left(self._deadline))
        return self._raw.recv_into(buffer)
