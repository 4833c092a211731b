"""The report as JSON."""

import json
from fractions import Fraction

import pytest

from passfloor.report.envelope_document import envelope_document, rate
from passfloor.report.formats import FORMATS


@pytest.mark.parametrize(
    ("value", "text"), [(Fraction(9346, 10080), "4673/5040"), (Fraction(0), "0"), (Fraction(2, 2), "1")]
)
def test_a_rate_is_exact_in_lowest_terms_and_the_nearest_double(value, text):
    assert rate(value) == {"fraction": text, "float": value.numerator / value.denominator}


def test_the_worked_suite_gives_its_figures(sealed, enveloped, worked_script):
    document = envelope_document(enveloped(sealed(worked_script, k=5)))
    assert document["pass_at_k"]["fraction"] == "4673/5040"
    assert document["pass_hat_k"]["fraction"] == "869/1680"
    assert document["success_rate"]["fraction"] == "147/200"
    floor, ceiling = document["pass_hat_k"]["interval"], document["pass_at_k"]["interval"]
    assert [round(x, 5) for x in (floor["low"], floor["high"])] == [0.31409, 0.71687]
    assert [round(x, 5) for x in (ceiling["low"], ceiling["high"])] == [0.81607, 0.99921]
    assert [point["k"] for point in document["curve"]] == list(range(1, 11))
    measures = {measure["code"]: measure for measure in document["consistency"]}
    assert round(measures["icc"]["value"]["float"], 5) == 0.46944
    assert round(measures["outcome_consistency"]["value"]["float"], 5) == 0.57556
    assert measures["icc"]["tasks"] == 20
    assert document["piles"] == {
        "always": 10, "flaky": 9, "never_same": 1, "never_scattered": 0, "never": 0,
    }  # fmt: skip


def test_everything_is_plain_json_and_says_whether_it_is_verified(sealed, enveloped, from_counts):
    for envelope, verified in ((enveloped(sealed()), True), (from_counts({"a": "pwe"}), False)):
        document = json.loads(FORMATS["json"](envelope))
        assert document["verified"] is verified
        assert document == json.loads(json.dumps(envelope_document(envelope)))
        assert len(document["tasks"][0]["attempts"]) == document["n"]


def test_tasks_stand_in_suite_order_with_all_that_is_known(sealed, enveloped):
    tasks = envelope_document(enveloped(sealed()))["tasks"]
    assert [task["task_id"] for task in tasks] == ["steady", "flaky", "never"]
    flaky = tasks[1]
    assert flaky["parting"]["step"] == 1
    assert flaky["contrast"]["left_line"] == "yes"
    assert flaky["modal_share"]["fraction"] == "3/4"
    assert flaky["attempts"][1]["text"] == "no"
