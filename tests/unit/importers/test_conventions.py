"""The same attempts as their source counts them: each way to a smaller n or a kinder mean, exactly."""

import json
from fractions import Fraction

import pytest

from passfloor.importers.collate import collate
from passfloor.importers.conventions import differs, lines, ours, reasons, theirs
from passfloor.importers.interface import Asked, Convention, Log, Published, Record, Subject
from passfloor.importers.spool import RecordSpool

RULE = {"outcome": "o", "score": "s"}


def found(told, convention, *, published=(), planned=None):
    """``told``: task -> outcomes, or (outcome, score) pairs."""
    records = [
        Record(
            task,
            at,
            json.dumps(dict(zip("os", each if isinstance(each, tuple) else (each,), strict=False))),
            "x",
        )
        for task, outcomes in told.items()
        for at, each in enumerate(outcomes)
    ]
    log = Log("rows", "s", Subject(), RULE, tuple(told), planned, lambda: records, (), published, convention)
    with RecordSpool() as spool:
        return collate(log, Asked(), spool)


ERRORS = {"a": ["passed", "error", "error", "error"], "b": ["error"] * 4}


def test_errors_that_are_dropped_turn_an_eighth_into_all():
    it = found(ERRORS, Convention(errors="dropped"))
    assert ours(it.tasks, "success rate").value == Fraction(1, 8)
    assert (ours(it.tasks, "pass@4").value, ours(it.tasks, "pass^4").value) == (Fraction(1, 2), 0)
    rate = theirs(it.tasks, "success rate", it.log.convention)
    assert (rate.value, rate.tasks) == (1, 1)
    assert theirs(it.tasks, "pass^4", it.log.convention) is None


def test_only_missing_attempts_may_be_left_out():
    it = found({"a": ["passed", "error"]}, Convention(errors="excluded"), planned=4)
    assert ours(it.tasks, "success rate").value == Fraction(1, 4)
    assert theirs(it.tasks, "success rate", it.log.convention).value == Fraction(1, 2)


def test_the_observed_rate_put_into_the_closed_forms_is_another_number():
    it = found({"a": ["passed", "passed", "wrong", "wrong", "wrong"]}, Convention(estimator="plug-in"))
    assert ours(it.tasks, "pass@2").value == Fraction(7, 10)
    assert theirs(it.tasks, "pass@2", it.log.convention).value == Fraction(16, 25)
    assert theirs(it.tasks, "pass^2", it.log.convention).value == Fraction(4, 25)


def test_a_tool_that_prints_means_alone_has_no_figure_of_draws():
    it = found({"a": ["passed", "wrong"], "b": ["passed"]}, Convention(estimator="mean", errors="dropped"))
    assert theirs(it.tasks, "pass@2", it.log.convention) is None
    assert theirs(it.tasks, "success rate", it.log.convention).value == Fraction(2, 3)


def test_partial_credit_is_a_mean_of_scores():
    told = {"a": [("wrong", 0.5), ("passed", None)], "b": [("wrong", None), ("error", None)]}
    it = found(told, Convention())
    pooled = Convention(partial_credit=True, errors="dropped", estimator="mean")
    assert theirs(it.tasks, "success rate", pooled).value == Fraction(1, 2)
    by_task = Convention(partial_credit=True, errors="dropped")
    assert theirs(it.tasks, "success rate", by_task).value == Fraction(3, 8)
    assert theirs(it.tasks, "mean score", Convention(errors="counted")).value == Fraction(3, 8)
    assert theirs(found({"a": ["error"]}, Convention()).tasks, "mean score", by_task) is None


def test_tasks_with_enough_attempts_stand_behind_a_figure():
    it = found({"a": ["passed"] * 3, "b": ["wrong"]}, Convention(), planned={"a": 3, "b": 1})
    figure = ours(it.tasks, "pass^3")
    assert (figure.value, figure.tasks) == (1, 1)
    assert ours(it.tasks, "pass^4") is None


def test_what_the_source_printed_stands_beside_and_is_compared():
    published = (
        Published("pass@2", 0.64, "report"),
        Published("pass@3", 0.9, "report"),
        Published("vibes", 1.0, "report"),
    )
    it = found(
        {"a": ["passed", "passed", "wrong", "wrong", "wrong"]},
        Convention(estimator="plug-in"),
        published=published,
    )
    told = {line.name: line for line in lines(it, 2)}
    assert list(told) == ["success rate", "pass@2", "pass^2", "pass@3", "vibes"]
    assert told["pass@2"].agrees is True
    assert told["pass@3"].agrees is False
    assert told["vibes"].agrees is None
    assert told["success rate"].agrees is None
    assert differs(list(told.values()))
    assert not differs(lines(found({"a": ["passed"]}, Convention()), 1))


@pytest.mark.parametrize(
    ("convention", "words"),
    [
        (Convention(errors="dropped"), ["errored, cancelled and missing"]),
        (Convention(errors="excluded"), ["attempts that are missing"]),
        (Convention(estimator="plug-in"), ["observed rate"]),
        (Convention(estimator="mean", partial_credit=True), ["mean over all attempts", "partial credit"]),
        (Convention(), []),
    ],
)
def test_every_difference_has_its_reason(convention, words):
    said = list(reasons(convention))
    assert len(said) == len(words)
    assert all(word in text for word, text in zip(words, said, strict=True))
