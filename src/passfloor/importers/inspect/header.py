"""What the header of an Inspect log says: what was planned, of whom, and which figures came out."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from passfloor.grading.imported.verdicts import number, text
from passfloor.importers.interface import Convention, Note, Published, TaskName

MAX_EPOCHS = 1_000_000
_PASS_AT = re.compile(r"pass_at_([0-9]{1,7})", re.ASCII)
_PASS_ALL = re.compile(r"pass_k_([0-9]{1,7})", re.ASCII)

CONVENTION = Convention(
    errors="dropped",
    estimator="unbiased",
    partial_credit=True,
    why="Inspect leaves samples that errored or were not scored out of its reducers and gives P half "
    "credit in its mean; here every planned sample of every epoch counts, and P does not pass.",
)
"""How Inspect counts, whichever of its reducers a log asked for."""


_STATUS = {
    "started": "the run did not finish (status started): samples that were not written count as missing",
    "cancelled": "the run was cancelled: samples that were not written count as missing",
    "error": "the run ended in an error: samples that were not written count as missing",
}


def task(header: Mapping[str, Any]) -> str:
    """The name of what was evaluated."""
    return text(_eval(header).get("task")) or "inspect"


def model(header: Mapping[str, Any]) -> str:
    """The model that was evaluated."""
    return text(_eval(header).get("model")) or "unnamed model"


def identity(header: Mapping[str, Any]) -> str | None:
    """What a run and its retries have in common."""
    return text(_eval(header).get("task_id"))


def created(header: Mapping[str, Any]) -> str:
    """When the run was started, as ISO 8601; "" where that is not told."""
    return text(_eval(header).get("created")) or ""


def version(header: Mapping[str, Any]) -> str | None:
    """The commit of what was run, where the log has one."""
    revision = _eval(header).get("revision")
    return text(revision.get("commit")) if isinstance(revision, dict) else None


def solver(header: Mapping[str, Any]) -> str | None:
    """The solver that the run names."""
    return text(_eval(header).get("solver"))


def epochs(header: Mapping[str, Any]) -> int:
    """How often each sample was to run; 1 where that is not told."""
    told = _config(header).get("epochs")
    return told if isinstance(told, int) and not isinstance(told, bool) and 1 <= told <= MAX_EPOCHS else 1


def sample_ids(header: Mapping[str, Any]) -> list[TaskName]:
    """The samples that were to run, where the log names them."""
    dataset = _eval(header).get("dataset")
    told = dataset.get("sample_ids") if isinstance(dataset, dict) else None
    named = told if isinstance(told, list) else []
    return [each for each in named if isinstance(each, str | int) and not isinstance(each, bool)]


def sample_count(header: Mapping[str, Any]) -> int | None:
    """How many samples were to run, where only their number is told."""
    total = _results(header).get("total_samples")
    if not isinstance(total, int) or isinstance(total, bool) or not 0 <= total <= MAX_EPOCHS * MAX_EPOCHS:
        return None
    return -(-total // epochs(header))


def scorers(header: Mapping[str, Any]) -> list[str]:
    """The scorers that the header names."""
    named = _list(_eval(header).get("scorers")) or _list(_results(header).get("scores"))
    return [name for each in named if (name := text(each.get("name"))) is not None]


def status_notes(header: Mapping[str, Any], *, killed: bool) -> Iterator[Note]:
    """Warnings about how the run ended."""
    status = header.get("status")
    if killed:
        yield Note("killed", "the log has a journal and no header: the run was killed; " + _rest())
    elif isinstance(status, str) and status in _STATUS:
        yield Note(status, _STATUS[status])


def published(header: Mapping[str, Any], rule: Mapping[str, Any], name: str) -> Iterator[Published]:
    """The figures that the log prints for the chosen scorer, one for each reducer."""
    wanted = rule.get("part") or rule.get("scorer")
    for score in _list(_results(header).get("scores")):
        if score.get("name") != wanted:
            continue
        reducer = text(score.get("reducer")) or "mean"
        for metric in ("accuracy", "mean"):
            value = _metric(score, metric)
            if value is not None and 0 <= value <= 1:
                over = score.get("scored_samples")
                counted = f" over {over} samples" if isinstance(over, int) else ""
                yield Published(
                    _figure(reducer, metric), value, f"{name}: results, reducer {reducer}{counted}"
                )


def _rest() -> str:
    return "samples that were not written count as missing"


def _figure(reducer: str, metric: str) -> str:
    at, whole = _PASS_AT.fullmatch(reducer), _PASS_ALL.fullmatch(reducer)
    if at or whole:
        return f"pass@{int(at.group(1))}" if at else f"pass^{int(whole.group(1))}" if whole else metric
    return "mean score" if reducer == "mean" else f"{metric} of {reducer}"


def _metric(score: Mapping[str, Any], name: str) -> Any:
    metrics = score.get("metrics")
    metric = metrics.get(name) if isinstance(metrics, dict) else None
    return number(metric.get("value")) if isinstance(metric, dict) else None


def _eval(header: Mapping[str, Any]) -> Mapping[str, Any]:
    found = header.get("eval")
    return found if isinstance(found, dict) else {}


def _config(header: Mapping[str, Any]) -> Mapping[str, Any]:
    found = _eval(header).get("config")
    return found if isinstance(found, dict) else {}


def _results(header: Mapping[str, Any]) -> Mapping[str, Any]:
    found = header.get("results")
    return found if isinstance(found, dict) else {}


def _list(found: Any) -> list[Mapping[str, Any]]:
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
