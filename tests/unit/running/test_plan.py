"""What is fixed before the first attempt."""

import pytest

from passfloor.adapters.describe import describe
from passfloor.adapters.mock import MockReplayAdapter
from passfloor.adapters.process import ProcessAdapter
from passfloor.canonical import digest
from passfloor.digests import plan_hash
from passfloor.errors import UsageError
from passfloor.models.suite import Suite, Task
from passfloor.running.plan import MAX_ATTEMPTS, Claims, check_budget, make_plan


@pytest.fixture
def process(tmp_path):
    return ProcessAdapter(["sh", "-c", "true"], environ={"PATH": "/usr/bin:/bin"}, start_folder=tmp_path)


def test_n_is_k_unless_it_is_given():
    assert check_budget(5, None) == 5
    assert check_budget(5, 8) == 8
    assert check_budget(1, None) == 1
    assert check_budget(MAX_ATTEMPTS, None) == MAX_ATTEMPTS


@pytest.mark.parametrize(
    ("k", "n", "hint"),
    [
        (0, None, "at least 1"),
        (-1, None, "at least 1"),
        (3, 2, "raise --attempts to 3"),
        (1, MAX_ATTEMPTS + 1, "at most 10000"),
        (True, None, "whole number"),
        (2.0, None, "whole number"),
        (2, 3.0, "whole number"),
        ("2", None, "whole number"),
    ],
)
def test_a_budget_that_cannot_be_met_is_refused(k, n, hint):
    with pytest.raises(UsageError, match=hint):
        check_budget(k, n)


def test_a_plan_names_suite_agent_and_graders(suite_of, process):
    suite = suite_of("a", "b")
    plan = make_plan(suite, process, k=2, n=3, scheduler_config={"scheduler": "x"}, claims=Claims("A", "1"))
    about = describe(process)
    assert (plan.suite_hash, plan.k, plan.n, plan.selection) == (suite.suite_hash, 2, 3, None)
    assert plan.scheduler_config == {"scheduler": "x"}
    assert (plan.subject.name, plan.subject.version, plan.subject.model) == ("A", "1", None)
    assert plan.subject.adapter == "process"
    assert plan.subject.adapter_digest == digest(about.identity)
    assert plan.subject.config_digest == digest(about.options)
    assert plan.graders == {"completed": "1"}
    assert (plan.coordination_rule, plan.gate, plan.identity_fields) == ("identical", None, [])


def test_no_graders_are_named_where_the_adapter_judges_or_nothing_is_judged(suite_of, process):
    assert make_plan(suite_of("a"), MockReplayAdapter(), k=1).graders == {}
    assert make_plan(suite_of("a"), process, k=1, completion_only=True).graders == {}


def test_a_plan_does_not_change_with_what_it_was_made_of(suite_of):
    config = {"scheduler": "x"}
    plan = make_plan(suite_of("a"), MockReplayAdapter(), k=1, scheduler_config=config)
    config["scheduler"] = "y"
    assert plan.scheduler_config == {"scheduler": "x"}


def test_a_task_without_assertions_needs_a_run_that_is_completion_only(process):
    bare = Suite(version="s", tasks=[Task(id="t", description="d")])
    with pytest.raises(UsageError, match="completion-only"):
        make_plan(bare, process, k=1)
    assert make_plan(bare, process, k=1, completion_only=True).completion_only is True
    make_plan(bare, MockReplayAdapter(), k=1)


@pytest.mark.parametrize("adapter", [object(), None, "mock", MockReplayAdapter])
def test_what_is_no_adapter_is_refused(suite_of, adapter):
    with pytest.raises(UsageError, match="is no adapter"):
        make_plan(suite_of("a"), adapter, k=1)


@pytest.mark.parametrize("config", [{"x": float("nan")}, {"x": object()}, {"x": 2**60}])
def test_a_configuration_that_is_not_json_is_refused(suite_of, config):
    with pytest.raises(UsageError, match="scheduler_config is not JSON"):
        make_plan(suite_of("a"), MockReplayAdapter(), k=1, scheduler_config=config)


@pytest.mark.parametrize("config", [5, 0, "", [], [("a", 1)]])
def test_a_configuration_that_is_no_mapping_is_refused(suite_of, config):
    with pytest.raises(
        UsageError, match=f"^scheduler_config is of type {type(config).__name__}: give a dict"
    ):
        make_plan(suite_of("a"), MockReplayAdapter(), k=1, scheduler_config=config)


@pytest.mark.parametrize("claim", ["agent_name", "agent_version", "model_name", "k_reason"])
@pytest.mark.parametrize("value", ["\udcff", "a\ud83d", 5, b"x"])
def test_a_claim_that_is_no_text_is_refused_by_name(suite_of, claim, value):
    with pytest.raises(UsageError, match=f"^{claim} .*: give ") as caught:
        make_plan(suite_of("a"), MockReplayAdapter(), k=1, claims=Claims(**{claim: value}))
    assert str(caught.value).isascii()
    make_plan(suite_of("a"), MockReplayAdapter(), k=1, claims=Claims(**{claim: "é\U0001f600"}))


def test_what_a_gate_asks_is_part_of_the_plan_and_of_its_hash() -> None:
    task = Task.model_validate({"id": "a", "description": "a", "assertions": [{"kind": "completed"}]})
    suite, adapter = Suite(version="v1", tasks=[task]), MockReplayAdapter()
    open_, gated = (make_plan(suite, adapter, k=1, gate=gate) for gate in (None, {"require_floor": "0.5"}))
    assert (open_.gate, gated.gate) == (None, {"require_floor": "0.5"})
    assert plan_hash(open_) != plan_hash(gated)


def test_what_was_imported_cannot_be_run(process):
    imported = {"kind": "imported", "importer": "rows", "rule": {}}
    task = Task.model_validate({"id": "a", "description": "", "assertions": [imported]})
    with pytest.raises(UsageError, match="task 'a' was imported"):
        make_plan(Suite(version="v", tasks=[task]), process, k=1)
