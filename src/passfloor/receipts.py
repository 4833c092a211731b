"""The receipt as a file: what is hashed, how it is laid out, how it is read without holding it whole.

Any white space and member order verifies. The writer puts every member but ``task_results`` first, one a
line, then one task result a line, so that a reader can judge a task and forget it::

    {
    "blobs":{},
    ...
    "tool":{"name":"passfloor","version":"0.1.0"},
    "task_results":[
    {"attempts":[...],...},
    {"attempts":[...],...}
    ]}

Reading line by line is as strict as reading the whole. JSON strings hold no raw line break, so every line
break stands between tokens; the lines before the marker, closed by a brace, must parse as an object (so the
marker stands at the top level), each task line must parse as one value, and nothing may follow the end.
"""

import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from passfloor.canonical import MAX_DEPTH, MAX_NODES, Parsed, canonical, parse, text
from passfloor.errors import JsonError

MAX_BYTES = 64 * 1024 * 1024
SEAL_MEMBERS = frozenset({"receipt_hash", "signature", "signer_fingerprint"})
"""What the seal itself adds, and so cannot cover."""

_TASKS = "task_results"
_MARKER = b'"task_results":[\n'
_END = b"]}"
BETWEEN = b",\n"
"""What stands between two task results in a receipt file."""

CLOSING = b"\n" + _END + b"\n"
"""What stands after the last one."""

_TASK_DEPTH = MAX_DEPTH - 2


class LayoutError(Exception):
    """The bytes are not in the line layout; read them whole."""


class Seal:
    """The receipt hash, fed task by task: SHA-256 over the RFC 8785 form of all but the seal's members."""

    def __init__(self, head: Mapping[str, Any], *, plain: bool = False) -> None:
        """Start with every member but the task results."""
        covered = {name: value for name, value in head.items() if name not in SEAL_MEMBERS and name != _TASKS}
        before = canonical({k: v for k, v in covered.items() if _utf16(k) < _utf16(_TASKS)}, plain=plain)
        after = canonical({k: v for k, v in covered.items() if _utf16(k) > _utf16(_TASKS)}, plain=plain)
        self._hash = hashlib.sha256(before[:-1] + (b"," if len(before) > 2 else b"") + _MARKER[:-1])
        self._after = (b"," if len(after) > 2 else b"") + after[1:]
        self._first = True

    def add(self, task: bytes) -> None:
        """Add the RFC 8785 form of the next task result."""
        self.add_parts((task,))

    def add_parts(self, parts: Iterable[bytes]) -> None:
        """Add the RFC 8785 form of the next task result, which is these joined."""
        if not self._first:
            self._hash.update(b",")
        for part in parts:
            self._hash.update(part)
        self._first = False

    def hex(self) -> str:
        """The receipt hash over what was added so far, as if it were all."""
        final = self._hash.copy()
        final.update(b"]" + self._after)
        return final.hexdigest()


def receipt_hash(document: Mapping[str, Any]) -> str:
    """The receipt hash of a whole document."""
    seal = Seal(document)
    for task in document[_TASKS]:
        seal.add(canonical(task))
    return seal.hex()


def write(document: Mapping[str, Any]) -> Iterator[bytes]:
    """The lines of a receipt file; joined they are the file."""
    yield from opening(document)
    before = b""
    for task in document[_TASKS]:
        yield before + text(task)
        before = BETWEEN
    yield CLOSING if before else _END + b"\n"


def opening(head: Mapping[str, Any]) -> Iterator[bytes]:
    """The lines of a receipt file that stand before its first task result."""
    yield b"{\n"
    for name in sorted(name for name in head if name != _TASKS):
        yield text(name) + b":" + text(head[name]) + b",\n"
    yield _MARKER


class LineReader:
    """Reads the line layout: ``head`` at once, then the task results one by one.

    Raises:
        LayoutError: the bytes are laid out otherwise (nothing is said about whether they are valid).
        JsonError: a limit was passed.
    """

    def __init__(self, stream: BinaryIO, *, max_bytes: int = MAX_BYTES, max_nodes: int = MAX_NODES) -> None:
        """Read the head. ``stream`` is at its start."""
        self._stream = stream
        self._left = max_bytes
        self._max_bytes = max_bytes
        # The array of task results itself is one more value.
        self._nodes = max_nodes - 1
        self._max_nodes = max_nodes
        lines = []
        for line in iter(self._line, b""):
            if line == _MARKER:
                break
            lines.append(line)
        else:
            raise LayoutError
        before = b"".join(lines)
        if not before.endswith(b",\n"):
            raise LayoutError
        self.head = self._parsed(before[:-2] + b"}", MAX_DEPTH)
        head = self.head.value
        # Empty, it was an object that began with a comma.
        if not isinstance(head, dict) or not head or _TASKS in head:
            raise LayoutError

    def tasks(self) -> Iterator[Parsed]:
        """Each task result in file order."""
        line = self._line()
        more = line.rstrip(b"\n") != _END
        while more:
            content = line.removesuffix(b"\n")
            more = content.endswith(b",")
            yield self._parsed(content[:-1] if more else content, _TASK_DEPTH)
            line = self._line()
        if line.rstrip(b"\n") != _END or self._line():
            raise LayoutError

    def _line(self) -> bytes:
        line = self._stream.readline(self._left + 1)
        self._left -= len(line)
        if self._left < 0:
            raise too_large(self._max_bytes)
        return line

    def _parsed(self, data: bytes, max_depth: int) -> Parsed:
        try:
            parsed = parse(data, max_nodes=self._nodes, max_depth=max_depth)
        except JsonError as error:
            if error.code == "nodes":
                detail = f"more than {self._max_nodes} JSON values; split the run into several receipts"
                raise JsonError(detail, code="nodes") from None
            raise LayoutError from error
        self._nodes -= parsed.nodes
        return parsed


class WholeReader:
    """Reads any layout, holding the whole document.

    Raises:
        JsonError: the bytes are not strict JSON, or a limit was passed.
    """

    def __init__(self, stream: BinaryIO, *, max_bytes: int = MAX_BYTES, max_nodes: int = MAX_NODES) -> None:
        """Read and parse everything. ``stream`` is at its start."""
        data = stream.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise too_large(max_bytes)
        whole = parse(data, max_nodes=max_nodes)
        self._tasks: Any = whole.value.pop(_TASKS, None) if isinstance(whole.value, dict) else None
        self.head = whole

    def tasks(self) -> Iterator[Parsed]:
        """Each task result in file order; a ``task_results`` that is no list is yielded as one bad result."""
        results: Iterable[Any] = self._tasks if isinstance(self._tasks, list) else [self._tasks]
        for value in results:
            yield self.head._replace(value=value)


def rewindable(stream: BinaryIO, *, max_bytes: int = MAX_BYTES) -> BinaryIO:
    """The stream itself where it can be read twice, else what it holds, up to one byte past ``max_bytes``."""
    return stream if stream.seekable() else io.BytesIO(stream.read(max_bytes + 1))


def too_large(max_bytes: int) -> JsonError:
    """The refusal of a file past the size cap."""
    return JsonError(f"larger than {max_bytes} bytes (raise the limit with --max-bytes)", code="size")


def _utf16(name: str) -> bytes:
    return name.encode("utf-16-be", "surrogatepass")
