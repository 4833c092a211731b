"""The Python API: the documented example, the public names, and where it is strict."""

import contextlib
import importlib
import io
import json
import os
import subprocess
import sys

import pytest

import passfloor
from passfloor import (
    Ed25519Signer,
    MockReplayAdapter,
    ProcessAdapter,
    ReliabilityRunner,
    ReliabilityVerifier,
    StochasticMockReplayAdapter,
    StubReliabilitySigner,
    build_golden_suite_v1,
    load_receipt,
    reliability_check,
    write_receipt,
)
from passfloor.errors import JsonError, MalformedRunReceiptError, RunStoppedError, UsageError
from passfloor.signing.private_keys import generate

EXAMPLE = """
from passfloor import (
    MockReplayAdapter,
    ReliabilityRunner,
    ReliabilityVerifier,
    StubReliabilitySigner,
    build_golden_suite_v1,
    reliability_check,
)

suite = build_golden_suite_v1()
adapter = MockReplayAdapter()

runner = ReliabilityRunner(suite=suite, adapter=adapter, scheduler_config={}, k=5)
receipt = StubReliabilitySigner().sign(runner.run())
print(f"pass^5 floor: {receipt.pass_caret_k:.2%}  pass@1: {receipt.pass_at_1:.2%}")

verifier = ReliabilityVerifier(suite=suite, adapter=adapter)
print(verifier.verify(receipt).report())  # overall: MATCH

print(reliability_check(receipt, suite, adapter).report())  # reliability-check: PASS
"""


@pytest.fixture
def suite():
    return build_golden_suite_v1()


@pytest.fixture
def signed(suite):
    return StubReliabilitySigner().sign(ReliabilityRunner(suite, MockReplayAdapter(), k=2).run())


def test_the_documented_example_runs_and_says_match_and_pass():
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(EXAMPLE, "example", "exec"), {})
    lines = said.getvalue().splitlines()
    assert lines[0] == "pass^5 floor: 100.00%  pass@1: 100.00%"
    assert lines[1].startswith("overall: MATCH")
    assert "reliability-check: PASS" in lines


def test_the_public_names_are_these_and_no_more():
    assert passfloor.__all__ == [
        "__version__",
        "Ed25519Signer",
        "MockReplayAdapter",
        "PassfloorError",
        "ProcessAdapter",
        "ReliabilityReceipt",
        "ReliabilityRunner",
        "ReliabilityVerifier",
        "ReplayAdapter",
        "Scorer",
        "StochasticMockReplayAdapter",
        "StubReliabilitySigner",
        "Suite",
        "Task",
        "build_answers_suite_v1",
        "build_golden_suite_v1",
        "load_receipt",
        "load_suite",
        "pass_at_k",
        "pass_hat_k",
        "reliability_check",
        "write_receipt",
    ]
    assert set(dir(passfloor)) == set(passfloor.__all__)
    for name in passfloor.__all__:
        assert getattr(passfloor, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        passfloor.nope  # noqa: B018
    with pytest.raises(ImportError):
        importlib.import_module("passfloor.nope")


def test_importing_the_package_loads_nothing_of_it():
    code = "import passfloor, sys; print([m for m in sys.modules if m.startswith('passfloor.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_key_never_signs_for_an_adapter_that_drives_no_agent(suite):
    signer = Ed25519Signer(generate())
    for adapter in (MockReplayAdapter(), StochasticMockReplayAdapter()):
        with pytest.raises(UsageError, match=f"adapter '{adapter.key}' drives no real agent"):
            signer.sign(ReliabilityRunner(suite, adapter, k=1).run())


def test_a_subclass_of_a_double_is_still_a_double(suite):
    class Disguised(MockReplayAdapter):
        pass

    with pytest.raises(UsageError, match="drives no real agent"):
        Ed25519Signer(generate()).sign(ReliabilityRunner(suite, Disguised(), k=1).run())


class Custom:
    """A real adapter object for these tests: one answer, judged by itself."""

    def __init__(self, answer="yes", run_id=None):
        self.answer = answer
        self.run_id = run_id

    def run_task(self, task, scheduler_config):
        events = [
            {"seq": 0, "kind": "task.started"},
            {"seq": 1, "kind": "model.output", "sample": self.answer},
            {"seq": 2, "kind": "task.completed"},
        ]
        return {"events": events, **({} if self.run_id is None else {"run_id": self.run_id})}

    def score_task(self, task, receipt):
        passed = receipt["events"][1]["sample"] == "yes"
        return passed, 1.0 if passed else 0.0, {}


def test_an_adapter_object_is_signed_verified_and_checked_with_its_own_scorer(suite):
    key = generate()
    receipt = Ed25519Signer(key).sign(ReliabilityRunner(suite, Custom(), k=2).run())
    assert (receipt.subject.adapter, receipt.graders) == ("custom", {})
    verifier = ReliabilityVerifier(suite, Custom(), trusted_keys=[key.public])
    result = verifier.verify(receipt)
    assert (result.status, result.matches) == ("MATCH", True)
    assert reliability_check(receipt, suite, Custom(), trusted_keys=[key.public.x]).passed
    judge = ReliabilityVerifier(suite, Custom(answer="no"), trusted_keys=[key.public])
    assert judge.verify(receipt).status == "MATCH"


def test_a_pinned_key_shuts_out_the_stub_and_every_other(suite, signed):
    adapter = MockReplayAdapter()
    assert ReliabilityVerifier(suite, adapter).verify(signed).status == "MATCH"
    assert ReliabilityVerifier(suite, adapter, allow_stub=False).verify(signed).status == "UNSIGNED"
    key = generate().public
    assert ReliabilityVerifier(suite, adapter, trusted_keys=[key]).verify(signed).status == "UNSIGNED"
    receipt = Ed25519Signer(generate()).sign(ReliabilityRunner(suite, Custom(), k=1).run())
    assert ReliabilityVerifier(suite, Custom(), trusted_keys=[key]).verify(receipt).status == "UNSIGNED"
    assert ReliabilityVerifier(suite, Custom()).verify(receipt).status == "UNSIGNED"


def test_the_verifier_never_runs_the_adapter(suite, signed):
    class Unrunnable(MockReplayAdapter):
        def run_task(self, task, scheduler_config):
            raise AssertionError("ran")

    assert ReliabilityVerifier(suite, Unrunnable()).verify(signed).matches


def test_a_receipt_is_judged_from_memory_bytes_and_file_alike(tmp_path, suite, signed):
    path = write_receipt(signed, tmp_path / "r.json")
    verifier = ReliabilityVerifier(suite, MockReplayAdapter())
    assert {verifier.verify(each).status for each in (signed, path, str(path), path.read_bytes())} == {
        "MATCH"
    }
    assert load_receipt(path) == signed
    assert verifier.verify(b"nonsense").status == "MALFORMED_RECEIPT"
    with pytest.raises(UsageError, match="cannot open"):
        verifier.verify(tmp_path / "missing.json")
    with pytest.raises(JsonError):
        load_receipt(b"nonsense")


def test_a_written_receipt_replaces_what_was_there_and_leaves_nothing_beside_it(tmp_path, signed):
    path = tmp_path / "r.json"
    path.write_text("before")
    write_receipt(signed, path)
    assert json.loads(path.read_bytes())["k"] == 2
    assert list(tmp_path.iterdir()) == [path]


def test_time_is_an_argument(suite, signed):
    late = ReliabilityVerifier(suite, MockReplayAdapter(), now=signed.emitted_at + 10**9)
    early = ReliabilityVerifier(suite, MockReplayAdapter(), now=signed.emitted_at - 301)
    assert late.verify(signed).status == "MATCH"
    assert early.verify(signed).status == "MALFORMED_RECEIPT"


def test_a_suite_may_be_given_by_name(signed):
    assert ReliabilityVerifier("golden-v1", MockReplayAdapter()).verify(signed).matches
    assert ReliabilityVerifier(adapter=MockReplayAdapter()).verify(signed).matches
    receipt = ReliabilityRunner("golden-v1", MockReplayAdapter(), k=1).run()
    assert receipt.suite_hash == signed.suite_hash


@pytest.mark.parametrize(("k", "n"), [(0, None), (3, 2), (True, None), (10_001, None)])
def test_a_budget_that_supports_no_figure_is_refused(suite, k, n):
    with pytest.raises(UsageError):
        ReliabilityRunner(suite, MockReplayAdapter(), k=k, n=n)


def test_a_malformed_run_receipt_raises_with_its_place(suite):
    class Broken(Custom):
        def run_task(self, task, scheduler_config):
            return {"events": [{"seq": True, "kind": "x"}]}

    with pytest.raises(MalformedRunReceiptError, match="task 'file_io_read_write', attempt 0: events"):
        ReliabilityRunner(suite, Broken(), k=1).run()


def test_a_process_is_run_through_the_same_api(tmp_path, suite):
    adapter = ProcessAdapter(["false"], workspace_root=tmp_path)
    with pytest.raises(RunStoppedError):
        ReliabilityRunner(suite, adapter, k=3).run()
    receipt = ReliabilityRunner(suite, adapter, k=1, agent_name="F", model_name="M", k_reason="why").run()
    assert receipt.counts.errored == 5
    assert (receipt.subject.name, receipt.subject.model, receipt.k_reason) == ("F", "M", "why")
    completion = ReliabilityRunner(
        suite, ProcessAdapter(["true"], workspace_root=tmp_path), k=1, completion_only=True
    ).run()
    assert completion.pass_caret_k == 1.0
    assert list(tmp_path.iterdir()) == []


def test_run_ids_of_an_adapter_s_own_do_not_count_as_coordination(suite):
    class Numbered(Custom):
        calls = 0

        def run_task(self, task, scheduler_config):
            self.calls += 1
            self.run_id = f"run-{self.calls}"
            return super().run_task(task, scheduler_config)

    key = generate()
    receipt = Ed25519Signer(key).sign(ReliabilityRunner(suite, Numbered(), k=3).run())
    assert receipt.coordination_ok is True
    assert ReliabilityVerifier(suite, Numbered(), trusted_keys=[key.public]).verify(receipt).matches


def test_check_selects_tasks_and_attempts(suite, signed):
    adapter = MockReplayAdapter()
    everything = reliability_check(signed, suite, adapter, tasks=(), attempt=None)
    assert len(everything.outcome.attempts) == 10
    one = reliability_check(signed, suite, adapter, tasks=["doc_update_docstring"], attempt=1)
    assert [(each.task_id, each.attempt) for each in one.outcome.attempts] == [("doc_update_docstring", 1)]
    other = reliability_check(signed, suite, MockReplayAdapter(seed=1))
    assert (other.status, other.passed) == ("UNDECIDED", False)


def test_tasks_run_side_by_side_give_what_they_give_one_after_the_other():
    suite = build_golden_suite_v1()
    one, many = (
        ReliabilityRunner(suite, StochasticMockReplayAdapter(seed=3), k=3, concurrency=concurrency).run()
        for concurrency in (1, 4)
    )

    def told(receipt):
        return [
            (result.task_id, result.coordination_hash, [attempt.outcome for attempt in result.attempts])
            for result in receipt.task_results
        ]

    assert told(one) == told(many)
    assert [each.environment[0].concurrency for each in (one, many)] == [1, 4]
    for bad in (0, -1, True, 1.5):
        with pytest.raises(UsageError, match="concurrency"):
            ReliabilityRunner(suite, MockReplayAdapter(), k=1, concurrency=bad)


def test_secrets_of_the_agent_and_patterns_are_replaced_here_too(tmp_path):
    suite = {
        "version": "own-v1",
        "tasks": [{"id": "t", "description": "d", "assertions": [{"kind": "completed"}]}],
    }
    (tmp_path / "suite.json").write_text(json.dumps(suite))
    adapter = ProcessAdapter(
        [
            "sh",
            "-c",
            'echo "$API_KEY" ticket 4711; echo "{\\"kind\\": \\"n 4711\\"}" >> "$PASSFLOOR_JOURNAL"',
        ],
        env=["API_KEY"],
        environ={"PATH": os.environ["PATH"], "API_KEY": "canary-1234-abcd"},
        workspace_root=tmp_path,
    )
    scrub = ["4711"]
    receipt = ReliabilityRunner(tmp_path / "suite.json", adapter, k=1, scrub=scrub).run()
    events = receipt.task_results[0].attempts[0].receipt.events
    assert events[1]["kind"] == "n [scrubbed]"
    assert events[2]["sample"]["stdout"] == "[scrubbed] ticket [scrubbed]\n"
    signed = StubReliabilitySigner().sign(receipt)
    assert ReliabilityVerifier(tmp_path / "suite.json").verify(signed).matches
    for patterns, status in ((scrub, "PASS"), ((), "FAIL")):
        check = reliability_check(signed, tmp_path / "suite.json", adapter, scrub=patterns)
        assert check.status == status


def test_an_object_that_raises_now_and_then_is_measured_and_not_in_the_way(suite):
    class Shaky(Custom):
        calls = 0

        def run_task(self, task, scheduler_config):
            self.calls += 1
            if self.calls == 2:
                raise ValueError("lost")
            return super().run_task(task, scheduler_config)

    key = generate()
    receipt = Ed25519Signer(key).sign(ReliabilityRunner(suite, Shaky(), k=1, n=3).run())
    assert (receipt.counts.errored, receipt.counts.attempts) == (5, 15)
    assert receipt.coordination_ok is True
    assert ReliabilityVerifier(suite, Shaky(), trusted_keys=[key.public]).verify(receipt).status == "MATCH"
    checked = reliability_check(receipt, suite, Shaky(), attempt=None, trusted_keys=[key.public])
    assert checked.status == "PASS"


def test_arguments_of_another_kind_are_refused_in_one_line(suite, signed, tmp_path):
    verifier = ReliabilityVerifier(suite, MockReplayAdapter())
    for ask, what in [
        (lambda: ReliabilityRunner(5, MockReplayAdapter()), "suite is of type int"),
        (lambda: ReliabilityVerifier(5), "suite is of type int"),
        (lambda: ReliabilityRunner(suite, MockReplayAdapter(), 5), "scheduler_config is of type int"),
        (lambda: verifier.verify({}), "receipt is of type dict"),
        (lambda: verifier.verify(5), "receipt is of type int"),
        (lambda: load_receipt(None), "receipt is of type NoneType"),
        (lambda: reliability_check({}, suite, MockReplayAdapter()), "receipt is of type dict"),
        (lambda: write_receipt({}, tmp_path / "r.json"), "receipt is of type dict"),
        (lambda: write_receipt(signed, 5), "path is of type int"),
    ]:
        with pytest.raises(UsageError, match=f"^{what}") as caught:
            ask()
        assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("seed", [-1, 2**53, 1.5, "1", True])
def test_a_seed_that_no_receipt_can_hold_is_refused_before_the_run(suite, seed):
    with pytest.raises(UsageError, match=r"seed=.*: give a whole number from 0 to"):
        ReliabilityRunner(suite, MockReplayAdapter(), k=1, seed=seed)


def test_one_text_in_place_of_a_list_is_not_taken_for_its_letters(suite):
    adapter = MockReplayAdapter()
    with pytest.raises(UsageError, match="scrub is of type str: give a list of patterns"):
        ReliabilityRunner(suite, adapter, k=1, scrub="sk-")
    with pytest.raises(UsageError, match="trusted_keys is of type str: give a list of keys"):
        ReliabilityVerifier(suite, trusted_keys="11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
    with pytest.raises(UsageError, match="trusted_keys is of type int"):
        ReliabilityVerifier(suite, trusted_keys=5)


def test_a_path_that_no_file_can_have_is_refused_in_one_line():
    with pytest.raises(UsageError, match="give the path of a file"):
        load_receipt("a\0b")
