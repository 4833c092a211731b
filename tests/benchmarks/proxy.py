"""What the model proxy adds to a call, beside the least that aiohttp on both sides adds, in one run.

    python tests/benchmarks/proxy.py [rounds]

Upstream, proxy and client are a process each. ``direct`` calls the upstream; ``bare`` a pass-through of a few
lines on the same library; ``ours`` the recording proxy. Rows take turns. A cell is the median of a call's
milliseconds, of the rounds the least: alone; at eight at once; to the first byte of a stream.
"""

import asyncio
import contextlib
import http.client
import json
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

CALLS = 150
BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi " * 300}]}).encode()
REPLY = json.dumps({"id": "x", "choices": [{"index": 0, "message": {"content": "yes " * 300}}]}).encode()
CHUNKS = [
    f'data: {{"choices": [{{"index": 0, "delta": {{"content": "{n}"}}}}]}}\n\n'.encode() for n in range(8)
]
ROWS = ("direct", "bare", "ours")


def upstream() -> None:
    """Answer at once, or with a stream whose events come one by one; print the address."""
    from aiohttp import web

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        await request.read()
        if "stream" not in request.headers:
            return web.Response(body=REPLY, content_type="application/json")
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for chunk in CHUNKS:
            await response.write(chunk)
            await asyncio.sleep(0.001)
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response

    asyncio.run(_serve(answer))


def bare(url: str) -> None:
    """The least: read, pass on, pass back, on the same library."""
    import aiohttp
    from aiohttp import web

    async def main() -> None:
        async with aiohttp.ClientSession(auto_decompress=False) as session:

            async def answer(request: web.BaseRequest) -> web.StreamResponse:
                headers = {"stream": "1"} if "stream" in request.headers else {}
                body = await request.read()
                async with session.post(url + request.raw_path, data=body, headers=headers) as reply:
                    kept = {k: v for k, v in reply.headers.items() if k in {"Content-Type", "Content-Length"}}
                    response = web.StreamResponse(status=reply.status, headers=kept)
                    await response.prepare(request)
                    async for chunk in reply.content.iter_any():
                        await response.write(chunk)
                    await response.write_eof()
                    return response

            await _serve(answer)

    asyncio.run(main())


def ours(url: str) -> None:
    """The recording proxy."""
    from passfloor.recording.forwarding import Upstreams
    from passfloor.recording.recorder import Recorder
    from passfloor.recording.server import ModelProxy
    from passfloor.recording.upstreams import parse_upstreams

    proxy = ModelProxy()
    proxy.start()
    source = Upstreams(parse_upstreams([f"openai={url}"], {}))
    print(proxy.open(Recorder(), source) + "/openai", flush=True)
    threading.Event().wait()


def client(url: str) -> None:
    """Print the three medians, in milliseconds."""
    for _ in range(20):
        calls(url, 1)
    alone = statistics.median(calls(url, CALLS))
    together: list[float] = []
    threads = [threading.Thread(target=lambda: together.extend(calls(url, CALLS // 3))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    first = statistics.median(calls(url, CALLS // 3, stream=True))
    print(json.dumps([1000 * value for value in (alone, statistics.median(together), first)]))


def calls(url: str, count: int, *, stream: bool = False) -> list[float]:
    """Seconds of each of so many calls on one connection; of a stream to its first byte."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    headers = {"Content-Type": "application/json", **({"stream": "1"} if stream else {})}
    found = []
    for _ in range(count):
        started = time.perf_counter()
        connection.request("POST", parts.path + "/chat/completions", BODY, headers)
        reply = connection.getresponse()
        if stream:
            reply.read(1)
            found.append(time.perf_counter() - started)
        reply.read()
        if not stream:
            found.append(time.perf_counter() - started)
    connection.close()
    return found


async def _serve(answer: Any) -> None:
    from aiohttp import web

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.Event().wait()


@contextlib.contextmanager
def started(*words: str) -> Any:
    """A part in a process of its own: its address."""
    with subprocess.Popen([sys.executable, __file__, *words], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def main(rounds: int) -> None:
    """Measure and print the table."""
    with started("upstream") as url, started("bare", url) as passing, started("ours", url) as recording:
        places = dict(zip(ROWS, (url, passing, recording), strict=True))
        found: dict[str, list[list[float]]] = {row: [] for row in ROWS}
        for _ in range(rounds):
            for row, place in places.items():
                words = [sys.executable, __file__, "client", place]
                found[row].append(json.loads(subprocess.run(words, check=True, capture_output=True).stdout))
    least = {row: [min(column) for column in zip(*found[row], strict=True)] for row in ROWS}
    print(f"{'ms a call':>12} {'alone':>10} {'at eight':>10} {'first byte':>10}")
    for row in ROWS:
        print(f"{row:>12} " + " ".join(f"{value:10.2f}" for value in least[row]))
    added = {row: [a - b for a, b in zip(least[row], least["direct"], strict=True)] for row in ROWS}
    print(f"{'added, bare':>12} " + " ".join(f"{value:10.2f}" for value in added["bare"]))
    print(f"{'added, ours':>12} " + " ".join(f"{value:10.2f}" for value in added["ours"]))
    ratios = (a / b if b > 0 else float("nan") for a, b in zip(added["ours"], added["bare"], strict=True))
    print(f"{'ours / bare':>12} " + " ".join(f"{value:10.2f}" for value in ratios))


if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parent))
    match sys.argv[1:]:
        case ["upstream"]:
            upstream()
        case ["bare", url]:
            bare(url)
        case ["ours", url]:
            ours(url)
        case ["client", url]:
            client(url)
        case words:
            main(int(words[0]) if words else 5)
