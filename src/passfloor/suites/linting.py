"""Warnings about a suite that loads but measures less than it seems to."""

from passfloor.canonical import canonical
from passfloor.models.assertions import (
    Assertion,
    Command,
    ContentEq,
    JsonEquals,
    OutputContains,
    OutputEquals,
)
from passfloor.models.suite import Suite, Task
from passfloor.suites.places import Place, quoted

PROTECTING = frozenset({"file_absent", "file_sha256", "line_count_delta", "no_symbol", "syntax_valid"})
"""Kinds about files whose purpose is to say what must stay: that they hold at the start is no fault."""

_SHORTEST = 4
_ANY_PYTHON = "*.py"


def lint(suite: Suite) -> list[str]:
    """Look for assertions that say less than they seem to.

    Returns:
        One line a warning, in suite order; each names the task and the assertion and ends with what removes
        it. An empty list means that nothing was found, not that the suite is good. Four things are looked
        for: a task whose assertions all hold for an agent that does nothing, an assertion that the starting
        file satisfies while nothing else about that file has to change, an expected text that stands in the
        prompt, and a command that judges by files which are all the agent's.
    """
    warnings = []
    for index, task in enumerate(suite.tasks):
        place = Place("").at("tasks", index).of(task.id)
        verdicts = _idle_verdicts(task)
        if verdicts and all(verdicts):
            warnings.append(
                place.say(
                    "every assertion holds for an agent that does nothing; add one that the work makes true"
                )
            )
        else:
            warnings += _satisfied(task, verdicts, place)
        warnings += _given_away(task, place)
        warnings += _agents_own(task, place)
    return warnings


def _idle_verdicts(task: Task) -> list[bool]:
    """Whether each assertion holds for an agent that ends at once, says nothing and touches nothing."""
    from passfloor.grading import Attested, CannotJudge, evaluate
    from passfloor.grading.evidence import CapturedFile, Evidence

    evidence = Evidence(
        stdout="",
        stdout_cut=False,
        exit_code=0,
        files={path: CapturedFile(data=data, cut=False) for path, data in task.file_bytes.items()},
        tool_calls=(),
        starting=task.file_bytes,
    )

    def holds(assertion: Assertion) -> bool:
        try:
            return bool(evaluate(assertion, evidence))
        except (Attested, CannotJudge):
            return False

    return [holds(assertion) for assertion in task.assertions]


def _satisfied(task: Task, verdicts: list[bool], place: Place) -> list[str]:
    """Warnings about assertions that hold at the start on a file that nothing asks to change.

    Beside an assertion on the same file that does not hold yet, such a one says what must survive.
    """
    paths = [_path(assertion, task) for assertion in task.assertions]
    to_change = {path for path, holds in zip(paths, verdicts, strict=True) if not holds}
    warnings = []
    for index, (assertion, path, holds) in enumerate(zip(task.assertions, paths, verdicts, strict=True)):
        if holds and path is not None and path not in to_change and assertion.kind not in PROTECTING:
            warnings.append(
                place.at("assertions", index).say(
                    f"{assertion.kind} holds in the starting file {quoted(path)} already;"
                    " remove it, or protect the file by file_sha256"
                )
            )
    return warnings


def _path(assertion: Assertion, task: Task) -> str | None:
    """The file an assertion is about, None where it is about none."""
    if "path" not in type(assertion).model_fields:
        return None
    path: str | None = getattr(assertion, "path")  # noqa: B009 - a union in which not every kind has it
    if path is not None:
        return path
    python = [name for name in task.files if name.endswith(".py")]
    return python[0] if len(python) == 1 else _ANY_PYTHON


def _given_away(task: Task, place: Place) -> list[str]:
    """Warnings about expected texts that the prompt holds."""
    prompt = "\n".join([task.description, *task.steps])
    warnings = []
    for index, assertion in enumerate(task.assertions):
        text = _expected(assertion)
        if len(text) >= _SHORTEST and text in prompt:
            warnings.append(
                place.at("assertions", index).say(
                    f"the expected text {quoted(text, 40)} stands in the prompt, where it can be copied from;"
                    " ask without giving it away"
                )
            )
    return warnings


def _agents_own(task: Task, place: Place) -> list[str]:
    """Warnings about commands that bring no file of their own."""
    return [
        place.at("assertions", index).say(
            "the command brings no files of its own, so that the agent can change what judges it;"
            " put the tests under 'files'"
        )
        for index, assertion in enumerate(task.assertions)
        if isinstance(assertion, Command) and not assertion.files
    ]


def _expected(assertion: Assertion) -> str:
    """The text that would do, "" where there is none. Truth values are left out: prompts offer both."""
    if isinstance(assertion, OutputContains):
        return assertion.text
    if isinstance(assertion, OutputEquals | ContentEq):
        return assertion.expected.strip("\r\n")
    if isinstance(assertion, JsonEquals):
        value = assertion.expected
        if isinstance(value, str):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return canonical(value).decode("ascii")
    return ""
