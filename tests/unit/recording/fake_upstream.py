"""A provider on loopback that mints fresh ids in every reply and misbehaves on demand; not asynchronous."""

import gzip
import itertools
import json
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Seen:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Reply:
    """What is answered: ``chunks`` are written one by one, in the framing that ``headers`` ask for."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    chunks: Iterable[bytes] = ()
    cut: bool = False
    """Close the connection where the end should be."""
    close_delimited: bool = False
    """No length and no chunks: the end of the connection is the end of the reply."""


def plain(value: Any, status: int = 200, **headers: str) -> Reply:
    body = json.dumps(value).encode()
    return Reply(
        status, {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}, [body]
    )


def gzipped(value: Any) -> Reply:
    body = gzip.compress(json.dumps(value).encode())
    headers = {
        "Content-Type": "application/json",
        "Content-Encoding": "gzip",
        "Content-Length": str(len(body)),
    }
    return Reply(200, headers, [body])


def stream(datas: Iterable[Any], *, done: bool = True, cut: bool = False, named: bool = False) -> Reply:
    """A stream of events; ``named``: each with its type as the event's name."""

    def chunks() -> Iterable[bytes]:
        for data in datas:
            name = f"event: {data['type']}\n" if named else ""
            yield f"{name}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
        if done:
            yield b"data: [DONE]\n\n"

    return Reply(200, {"Content-Type": "text/event-stream"}, chunks(), cut=cut)


def byte_by_byte(reply: Reply) -> Reply:
    reply.chunks = (bytes([byte]) for chunk in list(reply.chunks) for byte in chunk)
    return reply


def _id(front: str) -> str:
    return f"{front}{uuid.uuid4().hex}"


def chat(content: str | None = "yes", tools: Iterable[tuple[str, str]] = (), **more: Any) -> dict[str, Any]:
    """A chat completion; ``tools``: names and arguments."""
    message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": None, "annotations": []}
    calls = [
        {"id": _id("call_"), "type": "function", "function": {"name": name, "arguments": arguments}}
        for name, arguments in tools
    ]
    if calls:
        message["tool_calls"] = calls
    choice = {
        "index": 0,
        "message": message,
        "logprobs": None,
        "finish_reason": "tool_calls" if calls else "stop",
    }
    return {
        "id": _id("chatcmpl-"),
        "object": "chat.completion",
        "created": int(time.time()),
        "model": "fake-1",
        "choices": [choice],
        "service_tier": "default",
        "system_fingerprint": "fp_1",
        **more,
    }


def chat_chunks(
    content: str | None = "yes", tools: Iterable[tuple[str, str]] = (), **more: Any
) -> list[dict[str, Any]]:
    """The chunks that spell ``chat(content, tools)``, texts a character at a time."""
    whole = chat(content, tools, **more)
    frame = {name: value for name, value in whole.items() if name != "choices"} | {
        "object": "chat.completion.chunk",
        "obfuscation": uuid.uuid4().hex[:7],
    }

    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return {**frame, "choices": [choice]}

    found = [chunk({"role": "assistant", "content": None if content is None else "", "refusal": None})]
    found += [chunk({"content": letter}) for letter in content or ""]
    message = whole["choices"][0]["message"]
    for index, call in enumerate(message.get("tool_calls", [])):
        first = {"index": index, **call, "function": {**call["function"], "arguments": ""}}
        found.append(chunk({"tool_calls": [first]}))
        found += [
            chunk({"tool_calls": [{"index": index, "function": {"arguments": letter}}]})
            for letter in call["function"]["arguments"]
        ]
    found.append(chunk({}, whole["choices"][0]["finish_reason"]))
    return found


def response(output: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A reply of the responses API."""
    return {
        "id": _id("resp_"),
        "object": "response",
        "created_at": int(time.time()),
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "model": "fake-1",
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "metadata": {},
        **more,
    }


def said_item(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {
        "id": _id("msg_"),
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": content,
    }


def call_item(name: str, arguments: str) -> dict[str, Any]:
    return {
        "id": _id("fc_"),
        "type": "function_call",
        "call_id": _id("call_"),
        "name": name,
        "arguments": arguments,
        "status": "completed",
    }


def response_events(whole: dict[str, Any]) -> list[dict[str, Any]]:
    """The events that spell a reply of the responses API."""
    empty = {**whole, "status": "in_progress", "output": []}
    found: list[dict[str, Any]] = [{"type": "response.created", "response": empty}]
    for index, item in enumerate(whole["output"]):
        opened = {**item, "status": "in_progress"}
        if item["type"] == "message":
            opened["content"] = []
            found.append({"type": "response.output_item.added", "output_index": index, "item": opened})
            place = {"item_id": item["id"], "output_index": index, "content_index": 0}
            part = {"type": "output_text", "text": "", "annotations": []}
            found.append({"type": "response.content_part.added", **place, "part": part})
            text = item["content"][0]["text"]
            found += [
                {"type": "response.output_text.delta", **place, "delta": letter, "logprobs": []}
                for letter in text
            ]
            found.append({"type": "response.output_text.done", **place, "text": text, "logprobs": []})
            found.append({"type": "response.content_part.done", **place, "part": item["content"][0]})
        else:
            opened["arguments"] = ""
            found.append({"type": "response.output_item.added", "output_index": index, "item": opened})
            place = {"item_id": item["id"], "output_index": index}
            found += [
                {"type": "response.function_call_arguments.delta", **place, "delta": letter}
                for letter in item["arguments"]
            ]
            done = {"arguments": item["arguments"], "name": item["name"]}
            found.append({"type": "response.function_call_arguments.done", **place, **done})
        found.append({"type": "response.output_item.done", "output_index": index, "item": item})
    found.append({"type": "response.completed", "response": whole})
    return [{**event, "sequence_number": number} for number, event in enumerate(found)]


def message(content: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """An Anthropic message; tool blocks get ids."""
    blocks = [{**block, "id": _id("toolu_")} if block["type"] == "tool_use" else block for block in content]
    tools = any(block["type"] == "tool_use" for block in blocks)
    return {
        "id": _id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": "fake-2",
        "content": blocks,
        "stop_reason": "tool_use" if tools else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 3, "output_tokens": 5},
        **more,
    }


def message_events(whole: dict[str, Any]) -> list[dict[str, Any]]:
    """The events that spell an Anthropic message."""
    usage = {**whole["usage"], "output_tokens": 1}
    start = {**whole, "content": [], "stop_reason": None, "usage": usage}
    found: list[dict[str, Any]] = [{"type": "message_start", "message": start}, {"type": "ping"}]
    for index, block in enumerate(whole["content"]):
        match block["type"]:
            case "text":
                opened, kind, name, text = {**block, "text": ""}, "text_delta", "text", block["text"]
            case "thinking":
                opened, kind, name = {**block, "thinking": "", "signature": ""}, "thinking_delta", "thinking"
                text = block["thinking"]
            case _:
                opened, kind, name = {**block, "input": {}}, "input_json_delta", "partial_json"
                text = json.dumps(block["input"]) if block["input"] else ""
        found.append({"type": "content_block_start", "index": index, "content_block": opened})
        pieces = [text[at : at + 2] for at in range(0, len(text), 2)] or [""]
        found += [
            {"type": "content_block_delta", "index": index, "delta": {"type": kind, name: piece}}
            for piece in pieces
        ]
        if "signature" in block:
            delta = {"type": "signature_delta", "signature": block["signature"]}
            found.append({"type": "content_block_delta", "index": index, "delta": delta})
        found.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    found.append(
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": whole["usage"]["output_tokens"]}}
    )
    found.append({"type": "message_stop"})
    return found


class FakeUpstream:
    """Serves at ``url``; ``answer`` makes the reply to each request, in any thread."""

    def __init__(self, answer: Callable[[Seen], Reply]) -> None:
        self.answer = answer
        self.seen: list[Seen] = []
        self.hung_up = threading.Event()
        self.numbers = itertools.count()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.upstream = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "FakeUpstream":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    upstream: FakeUpstream


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 0

    def log_message(self, *_: object) -> None:
        pass

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except ConnectionError:
            self.server.upstream.hung_up.set()
            self.close_connection = True

    def any_method(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        seen = Seen(self.command, self.path, headers, body)
        self.server.upstream.seen.append(seen)
        self.write(self.server.upstream.answer(seen))

    do_GET = do_POST = do_HEAD = do_PUT = do_DELETE = any_method  # noqa: N815

    def write(self, reply: Reply) -> None:
        bodiless = self.command == "HEAD" or reply.status in {204, 304}
        chunked = not bodiless and not reply.close_delimited and "Content-Length" not in reply.headers
        self.send_response(reply.status)
        framing = {"Transfer-Encoding": "chunked"} if chunked else {}
        closing = {"Connection": "close"} if reply.close_delimited else {}
        for name, value in {**reply.headers, **framing, **closing}.items():
            self.send_header(name, value)
        self.end_headers()
        if bodiless:
            return
        for chunk in reply.chunks:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk) if chunked else chunk)
        if reply.cut or reply.close_delimited:
            self.close_connection = True
        elif chunked:
            self.wfile.write(b"0\r\n\r\n")
