"""What is shown of a sealed run, derived once."""

import pytest

from passfloor.report import view

ROUTE = {"kind": "route", "to": "r0"}
OTHER = {"kind": "route", "to": "r1"}


def test_tallies_and_piles_follow_the_outcomes(sealed):
    tallies = view.tallies(sealed()[2])
    assert [(each.task_id, each.passed, each.wrong, each.errored, each.n, each.pile) for each in tallies] == [
        ("steady", 4, 0, 0, 4, "always"),
        ("flaky", 3, 1, 0, 4, "flaky"),
        ("never", 0, 2, 2, 4, "never"),
    ]


def test_figures_are_the_sealed_ones(sealed):
    receipt = sealed()[2]
    figures = view.figures(receipt)
    assert float(figures.pass_hat_k) == receipt.pass_caret_k == 0.5
    assert figures.counts == receipt.counts


def test_the_first_error_is_told(sealed):
    assert view.first_error(sealed()[2]) == "exit, exit status 3"
    assert view.first_error(sealed({"a": ["yes"]}, k=1)[2]) == ""


def test_a_divergence_is_named_and_none_is_empty(sealed):
    run = sealed({"a": ["yes", "yes"], "b": [ROUTE, OTHER]})
    assert view.divergence(run[2]) == "task b, attempts 0 and 1: events[1].to ('r0' != 'r1')"
    assert view.divergence(sealed()[2]) == ""


@pytest.mark.parametrize(
    ("script", "alike"),
    [
        ({"a": ["x", "x"], "b": ["y", "y"]}, True),
        ({"a": ["x", "x"], "b": ["y", "z"]}, False),
        ({"a": ["x"]}, False),
        ({"a": ["x", "x", "errored"]}, True),
        ({"a": ["x", "errored"]}, False),
        ({"a": ["errored", "errored"]}, False),
    ],
)
def test_outputs_are_alike_only_where_every_task_finished_twice_the_same(sealed, script, alike):
    assert view.all_outputs_alike(sealed(script, k=1)[2]) is alike


@pytest.mark.parametrize(
    ("tail", "last"), [("", ""), ("one\ntwo\n\n", "two"), ("\n \n", ""), ("only", "only")]
)
def test_the_last_words_are_the_last_line_that_is_not_blank(sealed, tail, last):
    attempt = sealed({"a": ["yes"]}, k=1)[2].task_results[0].attempts[0]
    events = [{"seq": 0, "kind": "model.output", "sample": {"stdout": "", "stderr_tail": tail}}]
    spoken = attempt.model_copy(update={"receipt": attempt.receipt.model_copy(update={"events": events})})
    assert view.last_words(spoken) == last
    silent = attempt.model_copy(update={"receipt": attempt.receipt.model_copy(update={"events": []})})
    assert view.last_words(silent) == ""
