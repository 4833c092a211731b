"""The events the harness writes around what an agent did, and answers as they are kept; pure."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from passfloor.canonical import sha256_hex
from passfloor.models.suite import Task
from passfloor.workspaces.streams import STDOUT_CAP, StreamText, whole_end

_HALF_PAIR = re.compile("[\ud800-\udfff]")


def frame(
    task: Task,
    seed: int,
    lines: Sequence[Mapping[str, Any]],
    output: Mapping[str, Any],
    files: Mapping[str, Any],
    error: Mapping[str, str] | None,
    *,
    exit_code: int | None = None,
    recorded: bool = False,
) -> list[dict[str, Any]]:
    """The events of an attempt, ``seq`` by position; none of those we make holds a float.

    ``task.started``, what happened, ``model.output``, ``model.artifact``, then ``task.completed`` or
    ``attempt.errored``; where model calls are recorded ``agent.output`` and ``agent.artifact`` for the two.

    Args:
        task: The task that was attempted.
        seed: The run's seed.
        lines: What happened, without ``seq``: the journal lines of the agent, and calls that were recorded.
        output: The sample of ``model.output``.
        files: The sample of ``model.artifact``.
        error: ``{type, detail}`` where the attempt did not finish.
        exit_code: Of the agent's process; None where it has none of its own, or did not end by itself.
        recorded: Model calls were recorded and stand among ``lines``.
    """
    last: dict[str, Any] = {"kind": "task.completed"}
    if error:
        last = {"kind": "attempt.errored", "error": dict(error), "exit_code": exit_code}
    events = [
        {"kind": "task.started", "task_hash": task.task_hash, "seed": seed},
        *lines,
        *_outcome(output, files, recorded=recorded),
        last,
    ]
    return [{"seq": seq, **event} for seq, event in enumerate(events)]


def _outcome(output: Mapping[str, Any], files: Mapping[str, Any], *, recorded: bool) -> list[dict[str, Any]]:
    """What an agent said in the end and the files it left.

    Where its model calls were recorded these are its own doing, and coordination; else the agent as a whole
    is the sampler.
    """
    if recorded:
        return [
            {"kind": "agent.output", "value": dict(output)},
            {"kind": "agent.artifact", "value": dict(files)},
        ]
    return [
        {"kind": "model.output", "sample": dict(output)},
        {"kind": "model.artifact", "sample": dict(files)},
    ]


def output_sample(answer: StreamText, tail: StreamText, exit_code: int | None = None) -> dict[str, Any]:
    """``{stdout, exit_code, stderr_tail}``; ``replaced`` and ``cut`` where they apply."""
    sample: dict[str, Any] = {"stdout": answer.text, "exit_code": exit_code, "stderr_tail": tail.text}
    streams = (("stdout", answer), ("stderr", tail))
    if replaced := {name: stream.replaced for name, stream in streams if stream.replaced}:
        sample["replaced"] = replaced
    if answer.cut:
        sample["cut"] = answer.cut
    return sample


def kept_answer(text: str, *, size: int | None = None) -> StreamText:
    """An answer as it is kept: its first ``STDOUT_CAP`` bytes, half surrogate pairs as U+FFFD.

    Args:
        text: The answer, or its start.
        size: Bytes of the whole answer in UTF-8 (a half pair counts three); None where ``text`` is whole.

    Returns:
        The text; ``replaced`` is the SHA-256 of its bytes with each half pair in its three bytes.
    """
    data = text.encode("utf-8", "surrogatepass")
    size = len(data) if size is None else size
    kept = data[:STDOUT_CAP]
    if size > len(kept):
        kept = whole_end(kept)
    whole = kept.decode("utf-8", "surrogatepass")
    shown = _HALF_PAIR.sub("\ufffd", whole)
    return StreamText(shown, None if shown == whole else sha256_hex(kept), size - len(kept))
