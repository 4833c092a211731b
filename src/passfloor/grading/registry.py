"""Every grader by kind and version. A version once released stays: old receipts are re-graded by it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from passfloor.errors import UsageError
from passfloor.grading.evidence import Evidence
from passfloor.grading.kinds import (
    code,
    files,
    imported,
    json_schema,
    json_values,
    numbers,
    process,
    python_names,
    python_source,
    text,
    tools,
)
from passfloor.models.assertions import Assertion
from passfloor.models.suite import Task

CURRENT = "1"
"""The version of every kind that new plans name."""

Grader = Callable[[Any, Evidence], bool]

_FIRST: tuple[Grader, ...] = (
    process.completed,
    process.exit_code,
    text.output_equals,
    text.output_contains,
    text.output_not_contains,
    text.output_matches,
    numbers.number_close,
    json_values.json_equals,
    json_values.json_path,
    json_schema.json_schema,
    files.file_exists,
    files.file_absent,
    files.content_eq,
    files.contains,
    files.file_sha256,
    files.line_count_delta,
    python_source.syntax_valid,
    python_names.symbol_present,
    python_names.no_symbol,
    python_names.no_unused_import,
    python_source.has_docstring,
    python_source.docstring_contains,
    tools.tool_called,
    tools.tool_not_called,
    tools.call_count,
    code.command,
    code.python,
    imported.imported,
)

GRADERS: Mapping[str, Mapping[str, Grader]] = {grader.__name__: {"1": grader} for grader in _FIRST}
"""Kind -> version -> grader. A grader bears the name of its kind."""


def versions_of(tasks: Iterable[Task]) -> dict[str, str]:
    """The kinds that the tasks use, sorted, each with the version that judges it now."""
    kinds = {assertion.kind for task in tasks for assertion in task.assertions}
    return dict.fromkeys(sorted(kinds), CURRENT)


def unsupported(graders: Mapping[str, str]) -> list[str]:
    """The entries of ``{kind: version}`` that are not in the registry, as ``kind/version``, in order."""
    return [f"{kind}/{version}" for kind, version in graders.items() if version not in GRADERS.get(kind, {})]


def evaluate(assertion: Assertion, evidence: Evidence, version: str = CURRENT) -> bool:
    """Whether the assertion holds.

    Raises:
        CannotJudge: neither true nor false would be honest.
        Attested: it cannot be evaluated from the evidence by a pure function.
        UsageError: the registry has no such version; ask ``unsupported`` first.
    """
    grader = GRADERS[assertion.kind].get(version)
    if grader is None:
        raise UsageError(f"no grader {assertion.kind}/{version} in this release; verify with one that has it")
    return grader(assertion, evidence)
