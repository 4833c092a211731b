"""What is measured: the work of verifying, and the least that any verifier of the same file must do."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def whole_file(path: Path, _prepared: Any) -> None:
    """Strict parse, sorted dump and SHA-256 of everything at once: the least for one who holds the file."""
    value = json.loads(path.read_bytes(), object_pairs_hook=_unique)
    hashlib.sha256(_sorted(value)).hexdigest()


def line_by_line(path: Path, _prepared: Any) -> None:
    """The same a line at a time: the least for one who forgets."""
    whole = hashlib.sha256()
    with path.open("rb") as stream:
        for line in stream:
            content = line.rstrip(b",\n")
            if content.startswith(b'{"attempts"'):
                whole.update(_sorted(json.loads(content, object_pairs_hook=_unique)))
            else:
                whole.update(line)
    whole.hexdigest()


def ours(path: Path, prepared: Any) -> None:
    """The whole verification: every head, hash, verdict, figure and the signature re-derived."""
    from passfloor.verification.verifier import verify

    with path.open("rb") as stream:
        outcome = verify(stream, prepared)
    if not outcome.matches:
        raise AssertionError(outcome.findings[:3])


ROWS: dict[str, Callable[[Path, Any], None]] = {"whole": whole_file, "lines": line_by_line, "ours": ours}


def inputs_for(shape: str, times: int) -> Any:
    """What ``ours`` is given: the suite, the key that signed, and limits that let large files through."""
    from made import KEY, NOW, SHAPES, suite_of

    from passfloor.models.suite import Suite
    from passfloor.verification.inputs import Inputs, Limits, Trust, TrustedKey

    public = KEY.public
    return Inputs(
        now=NOW,
        trust=Trust({public.kid: TrustedKey(public, "the benchmark's key")}, pinned=True),
        read_suite=Suite.model_validate,
        suite=suite_of(SHAPES[shape], times),
        limits=Limits(max_bytes=2**30, max_nodes=2**30),
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name occurs twice")
    return members


def _sorted(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
