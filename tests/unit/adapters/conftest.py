"""A real server on loopback that answers as a test says, and a clock that only waits on paper."""

import contextlib
import http.server
import json
import threading
import time
from dataclasses import dataclass, field

import pytest


@dataclass
class PaperClock:
    """Waiting takes no time and moves the clock on."""

    at: float = 1_000_000.0
    waits: list[float] = field(default_factory=list)

    def monotonic(self):
        return self.at

    def now(self):
        return self.at

    def sleep(self, seconds):
        self.waits.append(seconds)
        self.at += seconds


@dataclass
class Seen:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


class Server:
    """Answers request i by item i of ``script``, the last one again for the rest.

    An item is ``(status, headers, body)``, or a function of the handler that does as it likes.
    """

    def __init__(self):
        self.script = []
        self.seen = []
        self.released = threading.Event()
        lock, outer = threading.Lock(), self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with lock:
                    outer.seen.append(Seen(self.path, dict(self.headers.items()), body))
                    item = outer.script[min(len(outer.seen), len(outer.script)) - 1]
                if callable(item):
                    item(self)
                    return
                status, headers, content = item
                content = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def handle(self):
                with contextlib.suppress(ConnectionError):
                    super().handle()

            def log_message(self, *args):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def stop(self):
        self.released.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def hangs(self, handler):
        """Answers nothing until the test is over."""
        self.released.wait()

    def drips(self, handler):
        """A byte now and then, never the end."""
        handler.send_response(200)
        handler.end_headers()
        while not self.released.is_set():
            handler.wfile.write(b" ")
            time.sleep(0.05)


@pytest.fixture
def server():
    made = Server()
    yield made
    made.stop()


@pytest.fixture
def clock():
    return PaperClock()
