"""A run is taken further under the very plan it began with; what differs is named."""

import pytest

from passfloor.journal.header import RunHeader
from passfloor.journal.resume import differences
from passfloor.models.plan import Plan, Selection


def changed(plan: Plan, **changes: object) -> Plan:
    subject = {k.removeprefix("subject_"): v for k, v in changes.items() if k.startswith("subject_")}
    rest = {name: value for name, value in changes.items() if not name.startswith("subject_")}
    return plan.model_copy(update={**rest, "subject": plan.subject.model_copy(update=subject)})


def test_the_same_plan_differs_in_nothing(header: RunHeader, plan: Plan) -> None:
    same = Plan.model_validate(plan.model_dump())
    for finished in (True, False):
        assert differences(header, same, seed=0, n=3, finished=finished) == []


def test_equal_numbers_are_the_same(header: RunHeader, plan: Plan) -> None:
    old = header.model_copy(update={"plan": changed(plan, scheduler_config={"a": 1})})
    assert differences(old, changed(plan, scheduler_config={"a": 1.0}), seed=0, n=3, finished=False) == []
    assert differences(old, changed(plan, scheduler_config={"a": True}), seed=0, n=3, finished=False) == [
        'scheduler_config: was {"a":1}, now {"a":true}'
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("suite_hash", "f" * 64),
        ("selection", Selection(of="f" * 64, tasks=["a"])),
        ("k", 3),
        ("k_reason", "because"),
        ("coordination_rule", "causal"),
        ("identity_fields", ["x"]),
        ("scheduler_config", {"scheduler": "other"}),
        ("subject_name", None),
        ("subject_version", "2"),
        ("subject_adapter", "http"),
        ("subject_adapter_digest", "f" * 64),
        ("subject_model", "m"),
        ("subject_config_digest", "f" * 64),
        ("gate", {"floor": "0.9"}),
        ("completion_only", True),
        ("graders", {}),
    ],
)
def test_each_member_that_differs_is_named(header: RunHeader, plan: Plan, name: str, value: object) -> None:
    found = differences(header, changed(plan, **{name: value}), seed=0, n=3, finished=True)
    assert len(found) == 1
    assert found[0].startswith(name.replace("subject_", "subject.") + ": was ")
    assert found[0].isprintable()
    assert found[0].isascii()


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_every_member_of_a_plan_is_looked_at(header: RunHeader, plan: Plan) -> None:
    nothing = dict.fromkeys(Plan.model_fields)
    selection = Selection(of="f" * 64, tasks=["a"])
    kept = {"n": plan.n, "subject": plan.subject, "gate": {}, "k_reason": "x", "selection": selection}
    other = Plan.model_construct(**{**nothing, **kept})
    found = differences(header, other, seed=0, n=3, finished=True)
    assert [line.partition(":")[0] for line in found] == [
        name for name in Plan.model_fields if name not in {"n", "subject"}
    ]


def test_all_that_differs_is_named_at_once(header: RunHeader, plan: Plan) -> None:
    new = changed(plan, k=1, suite_hash="f" * 64, subject_adapter_digest="f" * 64)
    names = [line.partition(":")[0] for line in differences(header, new, seed=1, n=3, finished=False)]
    assert names == ["suite_hash", "k", "subject.adapter_digest", "seed"]


@pytest.mark.parametrize(
    ("asked", "n", "finished", "refused"),
    [
        (3, 3, False, None),
        (5, 3, True, None),
        (5, 5, False, None),
        (5, 3, False, "resume it with 3 first"),
        (2, 3, True, "never dropped"),
        (3, 5, True, "never dropped"),
        (3, 5, False, "never dropped"),
    ],
)
def test_n_may_only_grow_and_only_once_the_run_is_finished(
    header: RunHeader, plan: Plan, asked: int, n: int, finished: bool, refused: str | None
) -> None:
    found = differences(header, changed(plan, n=asked), seed=0, n=n, finished=finished)
    assert [line.startswith(f"n: was {n}, now {asked} (") for line in found] == [True] * bool(refused)
    assert refused is None or refused in found[0]


def test_values_of_any_length_and_script_fit_one_line(header: RunHeader, plan: Plan) -> None:
    new = changed(plan, subject_name="\x1b[31m\u202e" + "x" * 10_000)
    (found,) = differences(header, new, seed=0, n=3, finished=True)
    assert found.isprintable()
    assert found.isascii()
    assert len(found) < 200
