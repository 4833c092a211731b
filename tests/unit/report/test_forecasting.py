"""A forecast as people and machines read it."""

from fractions import Fraction

from passfloor.comparison.forecast import forecast, read_mix
from passfloor.report.forecasting import forecast_document, forecast_report
from passfloor.stats import WORKED_MIX

WORKED = """\
plan           : 20 tasks x 10 attempts, k = 5
bill           : 200 runs of the agent
rates          : assumed
                 50% of tasks at 100%, 20% of tasks at 70%, 15% of tasks at 50%,
                 10% of tasks at 20%, 5% of tasks at 0%
true pair      : pass^5 53.8%, pass@5 91.2% at these rates
"""


def test_the_worked_suite_is_told_in_full():
    text = forecast_report(forecast(20, 10, 5, WORKED_MIX, target=Fraction(1, 5)), "assumed")
    assert text.startswith(WORKED)
    assert "for 20 points  : 87 tasks with 10 attempts each; with 20 tasks no number of\n" in text
    assert "compare        : two such runs show changes of pass^5 of 30.0 points or more" in text
    assert "for this bill 20 tasks x 10 attempts" in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_more_attempts_are_offered_where_they_are_enough_and_rates_are_counted_where_there_are_many():
    mix = read_mix(",".join(f"0.{i}" for i in range(1, 10)))
    found = forecast(400, 2, 1, mix, target=Fraction(3, 50), bar=Fraction(1, 2))
    text = " ".join(forecast_report(found, "given").split())
    assert "and 3 more rates" in text
    assert "each with 400 tasks" in text
    assert "--require-floor at 50.0% passes an agent" in text


def test_a_small_bill_has_the_rule_alone_and_few_tasks_show_no_change():
    text = forecast_report(forecast(1, 5, 5, WORKED_MIX, target=Fraction(1, 5)), "assumed")
    assert text.endswith("spend the\n                 rest on tasks")
    assert "two such runs can show no change of pass^5 whatever" in text


def test_the_document_holds_rates_as_exact_fractions():
    document = forecast_document(forecast(20, 10, 5, WORKED_MIX, target=Fraction(1, 5)), "assumed")
    assert document["runs"] == 200
    fifth = {"fraction": "1/5", "float": 0.2}
    assert document["rates"]["mix"][1] == {
        "share": "1/5",
        "rate": "7/10",
        "as_rates": {"share": fifth, "rate": {"fraction": "7/10", "float": 0.7}},
    }
    needed = {"tasks_needed": 87, "attempts_needed": None}
    assert document["target"] == {"width": "1/5", "as_rates": {"width": fifth}, **needed}
    assert document["rule_of_thumb"] == {"tasks": 20, "n": 10}
    small = forecast_document(forecast(1, 5, 5, WORKED_MIX, target=Fraction(1, 5)), "assumed")
    assert small["rule_of_thumb"] is small["detectable"] is None


def _bare(value):
    """Fractions as text that stand in no rate, and have no twin beside them that does."""
    if isinstance(value, list):
        return [each for part in value for each in _bare(part)]
    if not isinstance(value, dict) or set(value) == {"fraction", "float"}:
        return []
    twins = value.get("as_rates", {})
    bare = [name for name, text in value.items() if isinstance(text, str) and name not in {*twins, "source"}]
    spelled = {name: rate["fraction"] for name, rate in twins.items()}
    assert spelled == {name: value[name] for name in twins}
    return [*bare, *(each for part in value.values() for each in _bare(part))]


def test_every_exact_number_of_the_document_stands_beside_its_rate():
    document = forecast_document(forecast(20, 10, 5, WORKED_MIX, target=Fraction(1, 5)), "assumed")
    assert _bare(document) == []
    assert document["true"]["as_rates"]["pass_caret_k"]["float"] == 1076667 / 2000000
