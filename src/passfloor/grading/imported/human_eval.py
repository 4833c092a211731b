"""One line of a human-eval results file."""

from collections.abc import Mapping
from typing import Any

from passfloor.grading.imported.scores import shown
from passfloor.grading.imported.verdicts import Reading, Unreadable, text

NAME = "human-eval"


def read(record: Any, rule: Mapping[str, Any]) -> Reading:  # noqa: ARG001 - the form of every reader
    """Read one completion.

    ``passed`` is the verdict. A completion that ran too long failed its test, as the tool counts it: wrong.
    What ``result`` says is kept beside the verdict: that it timed out as a word, why it failed as text.

    Raises:
        Unreadable: it is no line of results, or ``passed`` is neither true nor false.
    """
    if not isinstance(record, dict):
        raise Unreadable(f"a line is a JSON object, here stands {shown(record)}")
    passed = record.get("passed")
    if not isinstance(passed, bool):
        raise Unreadable(
            f"'passed' is {shown(passed)}, not true or false; give the file that ends in _results.jsonl"
        )
    result = text(record.get("result"))
    if passed or result is None:
        return Reading("passed" if passed else "wrong")
    if result == "timed out":
        return Reading("wrong", None, result)
    return Reading("wrong", None, None, text(result.removeprefix("failed:").strip()))
