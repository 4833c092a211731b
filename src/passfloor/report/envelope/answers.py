"""What the assertions of a task read, and what it is compared with."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from passfloor.canonical import digest
from passfloor.grading import CapturedFile, Evidence
from passfloor.models.assertions import Assertion
from passfloor.models.suite import Task
from passfloor.projection import SAMPLE, SAMPLED_KINDS
from passfloor.report.envelope.records import TEXT_CAP, Failure

OUTPUT = "output"
"""What the agent's answer is called beside the paths of files."""

_READ_OUTPUT = frozenset(
    {
        "output_equals",
        "output_contains",
        "output_not_contains",
        "output_matches",
        "number_close",
        "json_equals",
        "json_path",
        "json_schema",
    }
)
_READ_TOOLS = frozenset({"tool_called", "tool_not_called", "call_count"})

Text = str | None
"""A text, or None where there is no such file."""


def texts_read(task: Task, evidence: Evidence) -> dict[str, Text]:
    """The texts that the task's assertions read, by name, each once and in the order of the assertions.

    Where they read none (``completed``, ``exit_code``, tool calls) it is the output. A file that is no UTF-8
    stands in base64.
    """
    names = [name for assertion in task.assertions if (name := _place(assertion, evidence)) is not None]
    return {name: _text(name, evidence) for name in names or [OUTPUT]}


def samples(events: Sequence[Mapping[str, Any]]) -> list[Any]:
    """All that the model is declared to have sampled: the answer where the assertions judge nothing."""
    return [event.get(SAMPLE) for event in events if event.get("kind") in SAMPLED_KINDS]


def label(values: Sequence[Any]) -> str:
    """What two attempts with the same answer share: SHA-256 of the RFC 8785 form of the list, in hex."""
    return digest(list(values))


def failures(task: Task, evidence: Evidence, harness_output: Mapping[str, Any]) -> Iterator[Failure]:
    """The assertions that did not hold, each with what it declares and what stood there."""
    verdicts = harness_output.get("assertions")
    if not isinstance(verdicts, list) or len(verdicts) != len(task.assertions):
        return
    for assertion, verdict in zip(task.assertions, verdicts, strict=True):
        if isinstance(verdict, Mapping) and verdict.get("passed") is False:
            yield Failure(assertion.kind, _expected(assertion), _got(assertion, evidence))


def as_text(value: Any) -> str:
    """A sample as text: a string as it is, anything else as JSON."""
    return value if isinstance(value, str) else _quoted(value)


def capped(text: str, cap: int = TEXT_CAP) -> str:
    """The beginning of ``text``, and how much of it is missing."""
    return text if len(text) <= cap else f"{text[:cap]}... ({len(text) - cap} more characters)"


def _place(assertion: Assertion, evidence: Evidence) -> str | None:
    if assertion.kind in _READ_OUTPUT:
        return OUTPUT
    if not hasattr(assertion, "path"):
        return None
    if assertion.path is not None:
        return str(assertion.path)
    sources = [name for name in evidence.files if name.endswith(".py")]
    return sources[0] if len(sources) == 1 else None


def _text(name: str, evidence: Evidence) -> Text:
    if name == OUTPUT:
        return evidence.stdout
    file = evidence.files.get(name)
    return None if file is None else _decoded(file)


def _decoded(file: CapturedFile) -> str:
    try:
        return file.data.decode()
    except UnicodeDecodeError:
        return base64.b64encode(file.data).decode("ascii")


def _expected(assertion: Assertion) -> str:
    declared = assertion.model_dump(exclude={"kind", "path"}, exclude_defaults=True, by_alias=True)
    if len(declared) == 1:
        return capped(_quoted(next(iter(declared.values()))))
    return capped(", ".join(f"{name} {_quoted(value)}" for name, value in declared.items()))


def _got(assertion: Assertion, evidence: Evidence) -> str:
    if assertion.kind == "exit_code":
        return _quoted(evidence.exit_code)
    if assertion.kind in _READ_TOOLS:
        return capped(f"calls {', '.join(evidence.tool_calls)}" if evidence.tool_calls else "no tool call")
    place = _place(assertion, evidence)
    if place is None:
        return "not one Python file alone"
    text = _text(place, evidence)
    if text is not None and not getattr(assertion, "exact", False):
        text = text.removesuffix("\n")
    found = "no such file" if text is None else _quoted(text)
    return capped(found if place == OUTPUT else f"{place}: {found}")


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
