"""One attempt: what an adapter gave back, completed and judged."""

import copy
import threading

import pytest

from passfloor.adapters.interface import AttemptSpec
from passfloor.blobs import THRESHOLD
from passfloor.canonical import canonical, sha256_hex
from passfloor.digests import files_out, journal_head, spine_head
from passfloor.errors import EnvironmentFault, MalformedRunReceiptError, UsageError
from passfloor.models.run_receipt import RunReceipt
from passfloor.running.completion import complete
from passfloor.running.plan import make_plan
from passfloor.running.worker import TaskBlock, fresh
from passfloor.scrubbing import Scrubber

SPEC = AttemptSpec(3, "ab" * 32, "20260101T000000Z-abcdef/0/3", 0, 1)
STARTED = {"seq": 0, "kind": "task.started"}
NOTHING = Scrubber()


def given(*events, **members):
    return {"events": [STARTED, *events], **members}


def test_run_id_attempt_id_and_heads_are_the_harness_s_to_say(task_of):
    task = task_of(files={"a.txt": "in"})
    receipt, moved, _ = complete(given({"seq": 1, "kind": "task.completed"}), task, SPEC, NOTHING)
    assert moved == {}
    assert receipt["run_id"] == SPEC.run_id
    assert receipt["attempt_id"] == SPEC.attempt_id
    assert receipt["journal_head"] == journal_head(SPEC.attempt_id, map(canonical, receipt["events"]))
    assert receipt["spine_head"] == spine_head(task.task_hash, task.file_hashes, {})


def test_an_adapter_s_own_run_id_is_kept_beside_and_its_heads_are_replaced(task_of):
    own = {"run_id": "mine", "attempt_id": "x", "journal_head": "x", "spine_head": "y", "extra": [1]}
    receipt, *_ = complete(given(**own), task_of(), SPEC, NOTHING)
    plain, *_ = complete(given(extra=[1]), task_of(), SPEC, NOTHING)
    assert receipt == {**plain, "adapter_run_id": "mine"}
    assert receipt["extra"] == [1]


def test_a_run_receipt_may_be_a_model(task_of):
    model = RunReceipt(run_id="r", attempt_id="a", journal_head="j", spine_head="s", events=[dict(STARTED)])
    receipt, *_ = complete(model, task_of(), SPEC, NOTHING)
    assert receipt["events"] == [STARTED]


def test_what_was_given_is_not_changed_and_not_shared(task_of):
    original = given({"seq": 1, "kind": "n", "deep": {"list": [1]}})
    before = copy.deepcopy(original)
    receipt, *_ = complete(original, task_of(), SPEC, NOTHING)
    assert original == before
    receipt["events"][1]["deep"]["list"].append(2)
    assert original == before


def test_large_captured_text_moves_out_before_the_heads_are_made(task_of):
    text = "x" * (THRESHOLD + 1)
    artifact = {"seq": 1, "kind": "model.artifact", "sample": {"f": {"sha256": "0", "size": 1, "text": text}}}
    receipt, moved, _ = complete(given(artifact), task_of(), SPEC, NOTHING)
    [(name, value)] = moved.items()
    assert value == text
    assert receipt["events"][1]["sample"]["f"]["text"] == {"blob": name}
    assert receipt["journal_head"] == journal_head(SPEC.attempt_id, map(canonical, receipt["events"]))
    assert receipt["spine_head"] == spine_head(task_of().task_hash, {}, files_out(receipt["events"]))


@pytest.mark.parametrize(
    ("broken", "field"),
    [
        (None, "NoneType"),
        ([], "list"),
        ({}, "events"),
        ({"events": []}, "events is an empty list"),
        ({"events": (event for event in [STARTED])}, "events is generator, expected a list"),
        ({"events": [{**STARTED, "v": (each for each in [1])}]}, "cannot be copied"),
        ({"events": [STARTED], "extra": threading.Lock()}, "cannot be copied"),
        ({"events": "x"}, "events"),
        ({"events": [7]}, "events\\[0\\]"),
        ({"events": [{"seq": 0}]}, "events\\[0\\].kind"),
        ({"events": [{"seq": 0, "kind": ""}]}, "events\\[0\\].kind"),
        ({"events": [{"seq": 0, "kind": 7}]}, "events\\[0\\].kind"),
        ({"events": [{"kind": "x"}]}, "events\\[0\\].seq"),
        ({"events": [{"seq": True, "kind": "x"}]}, "events\\[0\\].seq"),
        ({"events": [{"seq": 0.0, "kind": "x"}]}, "events\\[0\\].seq"),
        ({"events": [STARTED, {"seq": 3, "kind": "x"}]}, "events\\[1\\].seq"),
        ({"events": [STARTED, {"seq": 1, "kind": "model.output"}]}, "events\\[1\\].sample"),
        ({"events": [STARTED, {"seq": 1, "kind": "x", "ts": "now"}]}, "events\\[1\\].ts"),
        ({"events": [{**STARTED, "v": float("nan")}]}, "events\\[0\\]"),
        ({"events": [{**STARTED, "v": 2**60}]}, "events\\[0\\]"),
        ({"events": [{**STARTED, "v": "\ud835"}]}, "events\\[0\\]"),
        ({"events": [STARTED], "extra": float("inf")}, "canonical form"),
    ],
)
def test_a_malformed_run_receipt_is_named_by_task_attempt_and_field(task_of, broken, field):
    with pytest.raises(MalformedRunReceiptError, match=f"task 't', attempt 3: .*{field}") as caught:
        complete(broken, task_of(), SPEC, NOTHING)
    assert "\n" not in str(caught.value)


def test_nesting_that_a_receipt_could_not_hold_is_refused_here(task_of):
    def nested(levels):
        value = "leaf"
        for _ in range(levels):
            value = [value]
        return given(extra=value)

    complete(nested(57), task_of(), SPEC, NOTHING)
    with pytest.raises(MalformedRunReceiptError, match="nested deeper than 59"):
        complete(nested(59), task_of(), SPEC, NOTHING)


def test_call_i_of_a_block_is_attempt_i_on_an_instance_of_its_own(suite_of, scripted):
    suite = suite_of("a")
    adapter = scripted(lambda task, call: [{"kind": "model.output", "sample": f"call {call}"}])
    plan = make_plan(suite, adapter, k=2, scheduler_config={"scheduler": "s"})
    for _ in range(2):
        block = TaskBlock(adapter, suite.tasks[0], plan)
        samples = [block.run(SPEC)[0]["events"][1]["sample"] for _ in range(2)]
        assert samples == ["call 0", "call 1"]
    assert adapter.calls == {}
    assert adapter.seen[0] == ("a", 0, {"scheduler": "s"})


def test_an_adapter_that_changes_its_configuration_changes_its_own_copy(suite_of, scripted):
    suite = suite_of("a")

    class Greedy(type(scripted())):
        def run_task(self, task, scheduler_config):
            scheduler_config["seen"] = True
            return super().run_task(task, {})

    adapter = Greedy()
    plan = make_plan(suite, adapter, k=1, scheduler_config={"x": [1]})
    TaskBlock(adapter, suite.tasks[0], plan).run(SPEC)
    assert plan.scheduler_config == {"x": [1]}


def test_the_adapter_s_own_scorer_sees_large_values_in_full(suite_of, scripted):
    suite, text = suite_of("a"), "y" * (THRESHOLD + 1)
    seen = []

    class Judge(type(scripted())):
        def score_task(self, task, receipt):
            seen.append(receipt["events"][1]["sample"]["f"]["text"])
            return False, 0.5, {"note": "half"}

    artifact = {"kind": "model.artifact", "sample": {"f": {"sha256": "0", "size": 1, "text": text}}}
    adapter = Judge(lambda task, call: [artifact])
    finished = TaskBlock(adapter, suite.tasks[0], make_plan(suite, adapter, k=1)).finish(SPEC)
    assert seen == [text]
    attempt = finished.attempt
    assert (attempt.outcome, attempt.passed, attempt.score) == ("wrong", False, 0.5)
    assert attempt.harness_output == {"note": "half"}
    assert attempt.receipt_hash == sha256_hex(canonical(attempt.receipt.model_dump()))
    assert list(finished.blobs.values()) == [text]


def test_an_adapter_that_cannot_be_copied_is_refused_with_the_remedy():
    class Stubborn:
        def __deepcopy__(self, memo):
            raise RuntimeError("no")

    with pytest.raises(UsageError, match="__deepcopy__"):
        fresh(Stubborn())


class Named:
    """An adapter of named attempts that is interrupted, and remembers what was discarded."""

    key = "process"
    declared = True

    def __init__(self, error, *, discards=None):
        self.error = error
        self.discarded = []
        self.discards = discards

    def run_attempt(self, task, attempt, scheduler_config):
        raise self.error

    def discard(self, attempt_id):
        self.discarded.append(attempt_id)
        if self.discards is not None:
            raise self.discards

    def score_task(self, task, receipt):
        return True, 1.0, {}

    def identity(self):
        return {}

    def options(self):
        return {}

    def check(self):
        pass


def test_what_an_interrupted_attempt_left_is_discarded_and_the_interruption_goes_on(suite_of):
    suite = suite_of("a")
    for adapter in (
        Named(KeyboardInterrupt()),
        Named(KeyboardInterrupt(), discards=EnvironmentFault("stuck")),
    ):
        with pytest.raises(KeyboardInterrupt):
            TaskBlock(adapter, suite.tasks[0], make_plan(suite, adapter, k=1)).run(SPEC)
        assert adapter.discarded == [SPEC.attempt_id]


def test_a_fault_of_the_machine_discards_nothing(suite_of):
    """A folder that exists may be of a run that is still going."""
    suite, adapter = suite_of("a"), Named(EnvironmentFault("exists already"))
    with pytest.raises(EnvironmentFault):
        TaskBlock(adapter, suite.tasks[0], make_plan(suite, adapter, k=1)).run(SPEC)
    assert adapter.discarded == []


SECRET = "sk-canary-1234"


def test_secrets_are_gone_before_anything_is_hashed_moved_or_judged(suite_of, scripted):
    suite, seen = suite_of("a"), []

    class Judge(type(scripted())):
        def variables(self):
            return {"API_KEY": SECRET, "OTHER": "plain"}

        def score_task(self, task, receipt):
            seen.append(receipt)
            return True, 1.0, {}

    text = f"{SECRET} plain " + "x" * THRESHOLD
    sample = {"f": {"sha256": sha256_hex(text.encode()), "size": len(text), "text": text}}
    adapter = Judge(lambda task, call: [{"kind": "model.artifact", "sample": sample}])
    finished = TaskBlock(adapter, suite.tasks[0], make_plan(suite, adapter, k=1)).finish(SPEC)
    [kept] = finished.blobs.values()
    assert kept.startswith("[scrubbed] plain xx")
    entry = seen[0]["events"][1]["sample"]["f"]
    assert entry == {
        "sha256": sha256_hex(kept.encode()),
        "size": len(kept.encode()),
        "text": kept,
        "scrubbed": 1,
    }
    receipt = finished.attempt.receipt.model_dump()
    assert SECRET not in str(receipt)
    assert receipt["journal_head"] == journal_head(SPEC.attempt_id, map(canonical, receipt["events"]))
    assert receipt["spine_head"] == spine_head(suite.tasks[0].task_hash, {}, files_out(receipt["events"]))


def test_the_run_s_own_patterns_take_the_place_of_what_the_adapter_knows(suite_of, scripted):
    suite = suite_of("a")
    adapter = scripted(lambda task, call: [{"kind": "note", "text": "ticket 4711"}])
    plan = make_plan(suite, adapter, k=1)
    plain, _ = TaskBlock(adapter, suite.tasks[0], plan).run(SPEC)
    assert plain["events"][1]["text"] == "ticket 4711"
    scrubbed, _ = TaskBlock(adapter, suite.tasks[0], plan, Scrubber(patterns=["[0-9]{4}"])).run(SPEC)
    assert scrubbed["events"][1]["text"] == "ticket [scrubbed]"


def test_members_beside_the_events_are_scrubbed_and_so_is_what_a_refusal_names(suite_of, scripted):
    suite, scrubber = suite_of("a"), Scrubber([SECRET])
    adapter = scripted(lambda task, call: {"events": [dict(STARTED)], "note": SECRET})
    plan = make_plan(suite, adapter, k=1)
    receipt, _ = TaskBlock(adapter, suite.tasks[0], plan, scrubber).run(SPEC)
    assert receipt["note"] == "[scrubbed]"
    adapter = scripted(lambda task, call: {"events": [{**STARTED, SECRET: float("nan")}]})
    with pytest.raises(MalformedRunReceiptError) as refused:
        TaskBlock(adapter, suite.tasks[0], plan, scrubber).run(SPEC)
    assert "[scrubbed]" in str(refused.value)
    assert SECRET not in str(refused.value)


def raising(scripted, error):
    def play(task, call):
        raise error

    return scripted(play)


class UnsayableError(Exception):
    def __str__(self):
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (ValueError("message"), "ValueError: message"),
        (ValueError(), "ValueError"),
        (ValueError("two\nlines \x1b[1m é \ud800"), "ValueError: two\\nlines \\x1b[1m \\xe9 \\ud800"),
        (ValueError("x" * 1000), "ValueError: " + "x" * 288),
        (ValueError("é" * 1000), ("ValueError: " + "\\xe9" * 1000)[:300]),
        (UnsayableError(), "UnsayableError"),
    ],
)
def test_an_attempt_whose_object_raises_is_errored_and_owes_nothing(suite_of, scripted, error, detail):
    suite, adapter = suite_of("a"), raising(scripted, error)
    attempt = TaskBlock(adapter, suite.tasks[0], make_plan(suite, adapter, k=1)).finish(SPEC).attempt
    cause = {"type": "worker", "detail": detail}
    assert attempt.receipt.events == [
        {"seq": 0, "kind": "attempt.errored", "error": cause, "exit_code": None}
    ]
    assert (attempt.outcome, attempt.passed, attempt.score) == ("errored", False, None)
    assert attempt.error.model_dump() == cause


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), EnvironmentFault("disk full")])
def test_an_interruption_and_an_error_of_ours_end_the_run(suite_of, scripted, error):
    suite, adapter = suite_of("a"), raising(scripted, error)
    with pytest.raises(type(error)):
        TaskBlock(adapter, suite.tasks[0], make_plan(suite, adapter, k=1)).finish(SPEC)


def test_only_the_last_event_can_say_that_an_attempt_errored(task_of):
    errored = {"kind": "attempt.errored", "error": {"type": "exit", "detail": ""}, "exit_code": 1}
    assert complete(given({"seq": 1, **errored}), task_of(), SPEC, NOTHING)
    early = given({"seq": 1, **errored}, {"seq": 2, "kind": "task.completed"})
    with pytest.raises(MalformedRunReceiptError, match=r"events\[1\].kind: .* last event"):
        complete(early, task_of(), SPEC, NOTHING)


@pytest.mark.parametrize("own", [1, None, {"route": "r1"}, "r" * 201])
def test_an_adapter_s_own_run_id_is_short_text(task_of, own):
    assert complete(given(run_id="r" * 200), task_of(), SPEC, NOTHING)
    with pytest.raises(MalformedRunReceiptError, match="run_id must be text"):
        complete(given(run_id=own), task_of(), SPEC, NOTHING)
