"""How alike the attempts are: the consistency block, each figure with the tasks behind it."""

import statistics
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction

from passfloor.report.envelope.model import Measure
from passfloor.report.envelope.records import TaskRecord
from passfloor.stats import consistency

TREND_LEVEL = 0.05
"""A trend over the order of attempts is spoken of where chance alone gives as much less often than this."""


def measures(tasks: Sequence[TaskRecord]) -> Iterator[Measure]:
    """The figures that the attempts allow; one that nothing is known of is absent."""
    yield from _of_outcomes(tasks)
    yield from _of_answers(tasks)
    yield from _of_tool_paths(tasks)
    yield from _of_cost(tasks)


def drift(tasks: Sequence[TaskRecord]) -> str:
    """How the success rate moves with the order of the attempts; empty where it does not show."""
    found = consistency.trend([[attempt.outcome == "passed" for attempt in task.attempts] for task in tasks])
    if found is None or found.p >= TREND_LEVEL:
        return ""
    word = "more" if found.slope > 0 else "less"
    return (
        f"later attempts pass {word} often than earlier ones ({100 * float(found.slope):+.1f} points an "
        f"attempt, p = {found.p:.2g}): something carries over, such as a cache or a rate limit; find it "
        "before you trust the pair"
    )


def _of_outcomes(tasks: Sequence[TaskRecord]) -> Iterator[Measure]:
    pairs = [(len(task.attempts), task.count("passed")) for task in tasks]
    if pairs[0][0] < 2:
        return
    value = consistency.outcome_consistency(pairs)
    meaning = "1 - 4(pass^1 - pass^2); 1: the same outcome always, 0: a coin"
    yield Measure("outcome_consistency", "outcome consistency", value, "ratio", len(tasks), meaning)
    if (value_or_none := consistency.icc(pairs)) is not None:
        meaning = "how far the task decides the outcome"
        yield Measure("icc", "ICC(1,1)", value_or_none, "ratio", len(tasks), meaning)
    if shares := consistency.variance_shares(pairs):
        between, within = shares
        yield Measure("between", "variance between tasks", between, "share", len(tasks), "of all variance")
        yield Measure("within", "variance within tasks", within, "share", len(tasks), "of all variance")


def _of_answers(tasks: Sequence[TaskRecord]) -> Iterator[Measure]:
    groups = [
        labels
        for task in tasks
        if len(labels := [attempt.answer for attempt in task.attempts if attempt.answer is not None]) > 1
    ]
    if not groups:
        return
    share = consistency.agreement(groups)
    meaning = "the share of the most frequent answer"
    yield Measure("answer_agreement", "answer agreement", share, "share", len(groups), meaning)
    number = Fraction(sum(map(consistency.distinct, groups)), len(groups))
    yield Measure("distinct_answers", "distinct answers", number, "ratio", len(groups), "the mean over tasks")


def _of_tool_paths(tasks: Sequence[TaskRecord]) -> Iterator[Measure]:
    """Of tasks in which a call is recorded at all; an attempt of theirs without one took the empty path."""
    groups: list[Sequence[Hashable]] = []
    for task in tasks:
        paths = [attempt.path for attempt in task.attempts if attempt.outcome != "errored"]
        if len(paths) > 1 and any(path is not None for path in paths):
            groups.append(paths)
    if groups:
        value = consistency.agreement(groups)
        meaning = "the share of the most frequent order of tool calls"
        yield Measure("tool_path_agreement", "tool path agreement", value, "share", len(groups), meaning)


def _of_cost(tasks: Sequence[TaskRecord]) -> Iterator[Measure]:
    times = [[attempt.seconds for attempt in task.attempts] for task in tasks]
    tokens = [[attempt.tokens for attempt in task.attempts] for task in tasks]
    for code, label, groups in (
        ("time_spread", "spread of time", times),
        ("token_spread", "spread of tokens", tokens),
    ):
        spreads = [spread for values in groups if (spread := _spread(values)) is not None]
        if spreads:
            meaning = "standard deviation over mean of a task's attempts"
            yield Measure(code, label, statistics.fmean(spreads), "ratio", len(spreads), meaning)
    known = [task for task in tasks if all(attempt.tokens is not None for attempt in task.attempts)]
    passed = sum(task.count("passed") for task in known)
    if passed:
        used = sum(attempt.tokens or 0 for task in known for attempt in task.attempts)
        cost, meaning = Fraction(used, passed), "all tokens used, over attempts passed"
        yield Measure("tokens_per_success", "tokens per success", cost, "tokens", len(known), meaning)


def _spread(values: Sequence[Fraction | int | None]) -> float | None:
    """The coefficient of variation of what is known; None below two values, or where they are all 0."""
    known = [float(value) for value in values if value is not None]
    if len(known) < 2 or not (mean := statistics.fmean(known)):
        return None
    return statistics.stdev(known) / mean
