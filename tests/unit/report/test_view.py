"""What is shown of a sealed run, derived once."""

import pytest

from passfloor.report.view import RunView, last_words

ROUTE = {"kind": "route", "to": "r0"}
OTHER = {"kind": "route", "to": "r1"}


def test_tallies_and_piles_follow_the_outcomes(sealed):
    tallies = RunView.of(sealed()[2]).tallies
    assert [(each.task_id, each.passed, each.wrong, each.errored, each.n, each.pile) for each in tallies] == [
        ("steady", 4, 0, 0, 4, "always"),
        ("flaky", 3, 1, 0, 4, "flaky"),
        ("never", 0, 2, 2, 4, "never"),
    ]


def test_figures_are_the_sealed_ones(sealed):
    receipt = sealed()[2]
    figures = RunView.of(receipt).figures(receipt.k)
    assert float(figures.pass_hat_k) == receipt.pass_caret_k == 0.5
    assert figures.counts == receipt.counts


def test_the_first_error_is_told(sealed):
    assert RunView.of(sealed()[2]).first_error == "exit, exit status 3"
    assert RunView.of(sealed({"a": ["yes"]}, k=1)[2]).first_error == ""


def test_a_divergence_is_named_and_none_is_empty(sealed):
    run = sealed({"a": ["yes", "yes"], "b": [ROUTE, OTHER]})
    assert RunView.of(run[2]).divergence == "task b, attempts 0 and 1: events[1].to ('r0' != 'r1')"
    assert RunView.of(sealed()[2]).divergence == ""


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
    assert RunView.of(sealed(script, k=1)[2]).outputs_alike is alike


def test_attempts_answered_from_a_cache_are_counted_and_how_they_were_fetched_is_no_output(sealed):
    receipt = sealed({"a": ["yes", "yes"]}, k=1)[2]
    assert RunView.of(receipt).cached == (0, [])

    def fetched(attempt, **notes):
        sample = {"stdout": "yes", **notes}
        events = [{"seq": 0, "kind": "model.output", "sample": sample}]
        return attempt.model_copy(update={"receipt": attempt.receipt.model_copy(update={"events": events})})

    def seen(*notes):
        attempts = [
            fetched(attempt, **note)
            for attempt, note in zip(receipt.task_results[0].attempts, notes, strict=True)
        ]
        result = receipt.task_results[0].model_copy(update={"attempts": attempts})
        view = RunView.of(receipt.model_copy(update={"task_results": [result]}))
        return view.cached, view.outputs_alike

    assert seen({"cached": ["x-cache", "age"]}, {}) == ((1, ["age", "x-cache"]), True)
    assert seen({"retries": [{"status": 503}]}, {}) == ((0, []), True)
    assert seen({"cached": True}, {"stderr_tail": "x"}) == ((0, []), False)


def test_answers_from_a_cache_are_counted_with_what_said_so(sealed):
    said = {"kind": "model.output", "sample": {"cached": ["x-cache", "age"]}}
    assert RunView.of(sealed({"a": [said, "yes"], "b": ["yes", said]}, k=1)[2]).cached == (
        2,
        ["age", "x-cache"],
    )
    assert RunView.of(sealed()[2]).cached == (0, [])


@pytest.mark.parametrize(
    ("tail", "last"), [("", ""), ("one\ntwo\n\n", "two"), ("\n \n", ""), ("only", "only")]
)
def test_the_last_words_are_the_last_line_that_is_not_blank(sealed, tail, last):
    attempt = sealed({"a": ["yes"]}, k=1)[2].task_results[0].attempts[0]
    events = [{"seq": 0, "kind": "model.output", "sample": {"stdout": "", "stderr_tail": tail}}]
    spoken = attempt.model_copy(update={"receipt": attempt.receipt.model_copy(update={"events": events})})
    assert last_words(spoken) == last
    silent = attempt.model_copy(update={"receipt": attempt.receipt.model_copy(update={"events": []})})
    assert last_words(silent) == ""
