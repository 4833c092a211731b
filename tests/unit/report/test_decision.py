"""A gate as people and machines read it, to the letter."""

from fractions import Fraction

import pytest

from passfloor.comparison.evidence import Evidence, TaskRow
from passfloor.comparison.gate import decide
from passfloor.comparison.thresholds import thresholds
from passfloor.report import decision_document
from passfloor.report.decision import apart, asked_percent, gate_lines, gate_report, points, refusal
from passfloor.verification.findings import Finding
from passfloor.verification.result import Verification


def row(task_id, n, passed, errored=0):
    return TaskRow(task_id, "0" * 64, None, n, passed, errored)


ROWS = [row("steady", 10, 10), row("flaky", 10, 7), row("broken", 10, 2, errored=8)]

FAILED = """\
gate: failed
a clause does not hold
undecided  pass@5 of every task: asked 80%, seen 77.8%, margin -2.2 points
           the ceiling, not the floor: any of 5 drawn passed
           short: broken 77.8%
           at best 100.0%, were the errored attempts passes: read those runs
           first, then run again
passed     pass^5 of the suite: asked 10.5%, seen 36.1%, margin +25.6 points
failed     pass^5 of every task: asked 50%, seen 0.0%, margin -50.0 points
           short: broken 0.0%, flaky 8.3%
passed     every attempt of steady: asked 100%, seen 100.0%, margin 0.0 points
undecided  errored attempts: asked at most 3, seen 8, margin -5
           too many errored to tell: read those runs first, then run again
undecided  tasks of the suite run: asked 4, seen 3, margin -1
           the others were not run: run them, or say --allow-selection"""


def test_a_gate_says_one_line_a_clause_asked_seen_and_margin_and_what_is_short():
    asked = thresholds(
        require="0.8", require_floor="0.105", require_task_floor="0.5", must_pass=["steady"], max_errored=3
    )
    assert "\n".join(gate_lines(decide(ROWS, 5, asked, suite_tasks=4), 5)) == FAILED


def test_a_gate_over_a_test_signature_says_so():
    lines = gate_lines(decide(ROWS, 5, thresholds(require_floor="0.3")), 5, test_grade=True)
    assert lines[:2] == ["gate: passed (TEST-GRADE)", "every clause holds"]


def test_a_gate_where_no_answer_was_judged_says_so_whatever_it_decides():
    asked = thresholds(require_floor="0")
    said = "completion only: an attempt passed where it finished, whatever it answered"
    lines = gate_lines(decide(ROWS, 1, asked, completion_only=True), 1)
    assert lines[2] == said
    assert lines[-2:] == [
        "undecided  assertions: asked consulted, seen none (--completion-only)",
        "           no answer was judged: run without it, or say --allow-completion-only",
    ]
    told = gate_lines(decide(ROWS, 1, asked, completion_only=True, completion_will_do=True), 1)
    assert told[0] == "gate: passed"
    assert told[2] == said
    assert said not in gate_lines(decide(ROWS, 1, asked), 1)


def test_coordination_that_diverged_is_a_line_of_its_own():
    lines = gate_lines(decide(ROWS, 1, thresholds(require_floor="0"), held=False), 1)
    assert lines[-1] == "failed     coordination: asked held fixed, seen DIVERGED"


def test_a_ceiling_at_one_attempt_is_called_what_it_is():
    assert "           at k = 1: the success rate" in gate_lines(
        decide(ROWS, 1, thresholds(require="0.1")), 1
    )


def test_more_tasks_than_fit_are_counted_and_ids_cannot_act_on_a_terminal():
    rows = [row(f"t\x1b[31m{i}", 1, 0) for i in range(25)]
    text = "\n".join(gate_lines(decide(rows, 1, thresholds(require="1")), 1))
    assert "and 5 more tasks" in text
    assert "\x1b" not in text
    assert all(len(line) <= 80 for line in text.splitlines())


@pytest.mark.parametrize(
    ("value", "other", "shown"),
    [
        (Fraction(7, 10), Fraction(7, 10), "70.0"),
        (Fraction(1, 3), Fraction(3333, 10000), "33.333"),
        (Fraction(1, 10**30), Fraction(0), "0." + "0" * 18),
    ],
)
def test_a_figure_has_the_decimals_it_needs_to_look_unlike_what_was_asked(value, other, shown):
    assert apart(value, other) == shown


def test_a_margin_has_a_sign_and_never_looks_like_none():
    assert [points(Fraction(n, 100_000)) for n in (0, 1, -1, 7000)] == [
        "0.0 points",
        "+0.001 points",
        "-0.001 points",
        "+7.0 points",
    ]


def test_what_was_asked_is_shown_with_all_its_decimals():
    assert [asked_percent(Fraction(text)) for text in ("0", "0.8", "0.999", "0.99995")] == [
        "0%",
        "80%",
        "99.9%",
        "99.995%",
    ]


def test_a_receipt_that_was_rejected_decides_nothing_and_says_why(sealed, judged):
    run = sealed()
    refused = judged(run, allow_stub=False)
    text = refusal("gate", refused)
    assert text.startswith(
        "gate: refused\nthe receipt is rejected: UNSIGNED; look with bench reliability-verify\n"
    )
    assert "UNSIGNED/stub_not_allowed" in text
    document = decision_document.gate_on_receipt(Evidence(refused, ()), None)
    assert document["decision"] == "refused"
    assert document["completion_only"] is None
    assert document["reasons"] == [
        {"clause": "receipt", "decision": "refused", "status": "UNSIGNED", "codes": ["stub_not_allowed"]}
    ]
    assert document["status"] == "UNSIGNED"


def test_a_gate_over_a_receipt_names_suite_and_receipt_by_their_hashes(sealed, judged):
    run = sealed()
    suite, _, receipt = run
    rows = tuple(
        TaskRow(t.task_id, t.task_hash, None, 4, sum(a.passed for a in t.attempts), 0)
        for t in receipt.task_results
    )
    evidence = Evidence(judged(run), rows)
    result = decide(rows, 2, thresholds(require_floor="0.5"))
    text = gate_report(evidence, result)
    assert text.startswith("gate: passed (TEST-GRADE)\n")
    assert suite.suite_hash in text
    assert receipt.receipt_hash in text
    document = decision_document.gate_on_receipt(evidence, result)
    assert document["decision"] == "passed"
    assert document["reasons"][0]["asked"] == {"fraction": "1/2", "float": 0.5}
    assert document["pass_caret_k"] == 0.5
    assert document["counts"]["tasks"] == 3
    assert document["receipt_hash"] == receipt.receipt_hash


def rate(text):
    return {"fraction": text, "float": float(Fraction(text))}


def test_the_document_of_a_gate_lists_every_task_that_is_short_with_exact_numbers():
    document = decision_document.gate(decide(ROWS, 5, thresholds(require_task_floor="0.5")))
    assert document == {
        "decision": "failed",
        "completion_only": False,
        "reasons": [
            {
                "clause": "require_task_floor",
                "task_id": None,
                "decision": "failed",
                "asked": rate("1/2"),
                "seen": rate("0"),
                "at_best": rate("1/12"),
                "margin": rate("-1/2"),
                "short": [
                    {"task_id": "broken", "seen": rate("0"), "at_best": rate("1")},
                    {"task_id": "flaky", "seen": rate("1/12"), "at_best": rate("1/12")},
                ],
            }
        ],
    }


def test_only_receipts_that_were_rejected_are_reasons():
    good, bad = Verification(()), Verification((Finding(1, "parse", "not JSON"),))
    assert [reason["codes"] for reason in decision_document.refused(good, bad)["reasons"]] == [["parse"]]
