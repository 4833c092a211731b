"""The verifier as a whole, where a vector would be clumsy."""

import copy
import io
import json
import os
import subprocess
import sys
from dataclasses import replace

import casework
import forging
import pytest
from judging import HERE, inputs_of, judge

from passfloor.errors import UsageError
from passfloor.models.check import CHECK_TYP
from passfloor.signing.signers import StubReliabilitySigner
from passfloor.suites import read_suite
from passfloor.verification.findings import PRECEDENCE, STATUS_OF, Finding, Status, overall
from passfloor.verification.inputs import Inputs, Trust
from passfloor.verification.result import Assurance
from passfloor.verification.statement import statement_hash
from passfloor.verification.verifier import verify

FLAGS = (*casework.DEFAULT, "--at", casework.AT)
STUB = ("--suite", "../suites/mini.json", "--allow-stub", "--at", casework.AT)


def inputs(flags=FLAGS, **changes):
    return replace(inputs_of(flags, HERE / "honest"), **changes)


def verified(document, flags=FLAGS, **changes):
    return verify(io.BytesIO(casework.written(document)), inputs(flags, **changes))


def codes(outcome):
    return {(finding.step, finding.code) for finding in outcome.findings}


def test_an_honest_receipt_gives_everything_that_was_derived():
    outcome = verified(casework.honest())
    assert outcome.matches
    assert outcome.assurance is Assurance.SIGNED
    assert outcome.anchor == "--signer-key"
    assert outcome.numbers.pass_hat_k * 2 == outcome.numbers.pass_at_k == 1
    assert outcome.receipt_hash == casework.honest()["receipt_hash"]
    assert outcome.distinct_outputs == (("capital", 2, 2), ("tidy", 1, 2))
    assert outcome.suite_source == "named by the relying party"


def test_a_refused_receipt_does_not_match():
    assert not verified({**casework.honest(), "signature": ""}).matches


def test_the_stub_is_test_grade():
    outcome = verified(casework.honest(signer="stub"), STUB)
    assert outcome.matches
    assert outcome.assurance is Assurance.TEST


def test_timing_does_not_make_outputs_distinct():
    def events(task, index):
        made = forging.frame(task, "Paris\n", {"notes.txt": forging.captured("final\n")})
        made[1]["ts"] = index
        return made

    outcome = verified(casework.honest(events=events))
    assert outcome.matches
    assert outcome.distinct_outputs == (("capital", 1, 2), ("tidy", 1, 2))


def test_how_an_output_was_fetched_does_not_make_it_distinct_and_a_file_of_that_name_does():
    def events(task, index):
        files = {"notes.txt": forging.captured("final\n"), "cached": forging.captured(str(index))}
        return forging.frame(task, "Paris\n", files if task["id"] == "tidy" else {})

    outcome = verified(casework.honest(events=events))
    assert outcome.distinct_outputs == (("capital", 1, 2), ("tidy", 2, 2))

    def fetched(task, index):
        made = forging.frame(task, "Paris\n", {"notes.txt": forging.captured("final\n")})
        made[1]["sample"][("retries", "cached")[index]] = ["x-cache"]
        return made

    outcome = verified(casework.honest(events=fetched))
    assert outcome.matches
    assert outcome.distinct_outputs == (("capital", 1, 2), ("tidy", 1, 2))


def test_a_built_in_suite_is_found_by_version_and_hash():
    mini = read_suite(copy.deepcopy(forging.MINI), folder=None, source="here")
    asked = []

    def builtin(version, suite_hash):
        asked.append((version, suite_hash))
        return mini

    outcome = verified(casework.honest(selection=("tidy",)), suite=None, builtin=builtin)
    assert outcome.matches
    assert outcome.suite_source == "built in"
    assert asked == [("mini-v1", forging.suite_hash(forging.MINI))]


def test_an_unknown_suite_is_asked_for():
    with pytest.raises(UsageError, match=r"mini-v1.*--suite$"):
        verified(casework.honest(), suite=None, builtin=lambda *_: None)


def test_an_embedded_suite_is_offered_where_none_is_known():
    with pytest.raises(UsageError, match="--use-embedded-suite"):
        verified(casework.honest(embed=True), suite=None, builtin=lambda *_: None)


def test_an_embedded_suite_that_is_not_there_cannot_be_used():
    with pytest.raises(UsageError, match="embeds no suite"):
        verified(casework.honest(), suite=None, use_embedded_suite=True)


def test_an_embedded_suite_behind_the_tasks_is_found():
    document = casework.honest(embed=True)
    suite = document.pop("suite")
    data = forging.lines(document).replace(b"\n]}\n", b'\n],"suite":' + json.dumps(suite).encode() + b"}\n")
    assert verify(io.BytesIO(data), inputs(suite=None, use_embedded_suite=True)).matches


def test_a_stream_that_cannot_be_read_twice_is_read_once():
    class Pipe(io.BytesIO):
        def seekable(self):
            return False

        def seek(self, *_):
            raise OSError

    pretty = json.dumps(casework.honest(), indent=2).encode()
    assert verify(Pipe(pretty), inputs()).matches


@pytest.mark.parametrize("tail", [b"", b"\n\n", b"x"])
def test_each_task_result_is_observed_once_and_in_order(tail):
    seen = []
    data = forging.lines(casework.honest()) + tail
    verify(io.BytesIO(data), inputs(observe=seen.append))
    assert [(task.task.id, task.position, task.result["task_id"]) for task in seen] == [
        ("capital", 0, "capital"),
        ("tidy", 1, "tidy"),
    ]


class Scorer:
    def score_task(self, task, receipt):
        return True, 1.0, {}


def test_a_custom_adapters_own_scorer_judges_in_its_place():
    document = casework.honest(adapter="custom", own_scorer=True)
    assert verified(document, scorer=Scorer()).matches


def test_a_custom_adapters_own_scorer_is_believed_over_the_receipt():
    class Strict(Scorer):
        def score_task(self, task, receipt):
            return False, 0.0, {}

    outcome = verified(casework.honest(adapter="custom", own_scorer=True), scorer=Strict())
    assert outcome.status is Status.FABRICATED_SCORE


def test_an_own_scorer_needs_no_assertions():
    bare = {"version": "bare-v1", "tasks": [{"id": "a", "description": "Do it."}]}
    suite = read_suite(copy.deepcopy(bare), folder=None, source="here")
    forged = {"version": "bare-v1", "tasks": [{**bare["tasks"][0], "assertions": []}]}
    forged_suite = read_suite(copy.deepcopy(forged), folder=None, source="here")
    assert suite.suite_hash != forged_suite.suite_hash
    document = casework.honest(
        suite=forged, adapter="custom", own_scorer=True, events=lambda task, _: forging.frame(task)
    )
    assert verified(document, suite=forged_suite, scorer=Scorer()).matches
    assert verified(document, suite=suite, scorer=Scorer()).status is Status.HASH_MISMATCH


def test_a_synthetic_scorer_judges_nothing_that_a_key_signed():
    class Synthetic(Scorer):
        key = "mock"

    document = casework.honest(adapter="custom", own_scorer=True)
    assert codes(verified(document, scorer=Synthetic())) == {(12, "scorer")}


def test_the_declared_assertions_are_no_own_scorer():
    class Declared(Scorer):
        declared = True

    document = casework.honest(adapter="custom", own_scorer=True)
    assert codes(verified(document, scorer=Declared())) == {(12, "scorer")}


def test_an_own_scorer_is_not_asked_where_the_assertions_judge():
    class Lenient(Scorer):
        def score_task(self, task, receipt):
            raise AssertionError

    assert verified(casework.honest(), scorer=Lenient()).matches


def test_a_scorer_that_raises_is_a_finding():
    class Broken(Scorer):
        def score_task(self, task, receipt):
            raise ZeroDivisionError

    outcome = verified(casework.honest(adapter="custom", own_scorer=True), scorer=Broken())
    assert outcome.status is Status.DIVERGED
    assert outcome.numbers is None


@pytest.mark.parametrize(
    "entry",
    [
        {"sha256": 5, "size": 1, "text": "x"},
        {"sha256": forging.sha(b"x"), "size": 1},
        {"sha256": forging.sha(b""), "size": 0, "base64": "!"},
        {"sha256": forging.sha(b""), "size": 0, "base64": 5},
        "x",
    ],
)
def test_an_adapter_object_may_capture_what_it_likes(entry):
    def events(task, index):
        kinds = ({"kind": "model.artifact", "sample": {"x": entry}}, {"kind": "model.artifact", "sample": 5})
        return forging.numbered([{"kind": "model.output", "sample": {"stdout": ""}}, *kinds])

    members = {"completion_only": True, "graders": {}}
    assert verified(casework.honest(adapter="custom", events=events, members=members)).matches


def test_what_an_adapter_object_captured_must_still_be_what_it_says():
    def events(task, index):
        entry = {"sha256": forging.sha(b"x"), "size": 1, "text": "y"}
        return forging.numbered([{"kind": "model.artifact", "sample": {"x": entry}}])

    members = {"completion_only": True, "graders": {}}
    outcome = verified(casework.honest(adapter="custom", events=events, members=members))
    assert codes(outcome) == {(10, "chain")}


def test_a_large_request_may_be_a_blob():
    message = {"role": "user", "content": "x" * 1100}
    name = forging.digest(message)

    def events(task, index):
        request = {"kind": "model.request", "request": {"messages": [{"blob": name}]}}
        return forging.numbered([request, {"kind": "model.output", "sample": {"stdout": "Paris"}}])

    members = {"completion_only": True, "graders": {}}
    document = casework.honest(adapter="custom", events=events, members=members, blobs={name: message})
    assert verified(document).matches
    without = forging.seal({**document, "blobs": {}})
    assert codes(verified(without)) == {(10, "blob")}


def test_without_any_key_nothing_is_trusted():
    bare = Inputs(
        now=forging.EMITTED,
        trust=Trust(),
        read_suite=lambda document: read_suite(document, folder=None, source="the embedded suite"),
        use_embedded_suite=True,
    )
    outcome = verify(io.BytesIO(forging.lines(casework.honest(embed=True))), bare)
    assert codes(outcome) == {(5, "key_unknown")}
    assert outcome.assurance is Assurance.NONE


def test_a_clock_may_run_ahead_a_little():
    document = casework.honest()
    assert verified(document, now=forging.EMITTED - 300).matches
    assert codes(verified(document, now=forging.EMITTED - 301)) == {(15, "clock")}


def test_every_code_belongs_to_one_status():
    listed = [code for _, group in PRECEDENCE for code in group]
    assert len(listed) == len(set(listed)) == len(STATUS_OF)
    assert {status for status, _ in PRECEDENCE} == set(Status) - {Status.MATCH}


def test_the_seal_decides_last_of_the_hashes():
    found = [Finding(4, "receipt_hash", ""), Finding(14, "pass_caret_k", ""), Finding(6, "sig_invalid", "")]
    assert overall(found) is Status.FABRICATED_FLOOR
    assert overall([found[0], found[2]]) is Status.HASH_MISMATCH
    assert overall([*found, Finding(11, "attempt_hash", "")]) is Status.HASH_MISMATCH
    assert overall([]) is Status.MATCH


BIG = {
    "48 MB of empty objects": (b"[" + b"{}," * 16_000_000 + b"{}]", "RESOURCE_LIMIT", (3, "nodes")),
    "200,000 brackets": (b"[" * 200_000, "MALFORMED_RECEIPT", (1, "parse")),
    "200,000 brackets and as many names": (b'{"a":' * 200_000, "MALFORMED_RECEIPT", (1, "parse")),
    "an integer of 10,000 digits": (b'{"k":' + b"9" * 10_000 + b"}", "MALFORMED_RECEIPT", (1, "parse")),
    "a float of 10,000 digits": (b'{"k":1.' + b"9" * 10_000 + b"e9}", "MALFORMED_RECEIPT", (2, "type")),
    "64 MB of blanks": (b" " * (64 * 2**20 + 1), "RESOURCE_LIMIT", (0, "size")),
    "one task result of 30 MB": (
        forging.lines(casework.honest()).replace(
            b'"harness_output":{', b'"harness_output":{"x":"' + b"x" * 30_000_000 + b'",', 1
        ),
        "HASH_MISMATCH",
        None,
    ),
}


@pytest.mark.parametrize("name", BIG)
def test_big_inputs_end_in_a_status(name):
    data, status, finding = BIG[name]
    if name.startswith("one task"):
        status = "FABRICATED_SCORE"
    outcome = judge(data, FLAGS)
    assert str(outcome.status) == status
    assert finding is None or codes(outcome) >= {finding}


def test_a_long_list_of_faults_costs_one_finding():
    document = casework.honest()
    document["task_results"][0]["attempts"] = [0] * 1_000_000
    outcome = verified(document)
    assert [finding.code for finding in outcome.findings if finding.step in (2, 3)] == ["attempts"]


_PEAK = """
import io, resource, sys
from judging import HERE, inputs_of
from passfloor.verification.verifier import verify
flags = sys.argv[1:]
data = sys.stdin.buffer.read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(verify(io.BytesIO(data), inputs_of(flags, HERE / "honest")).status)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
_LISTS = ("attempts", "environment", "interrupted", "stages", "events", "identity_fields")


@pytest.mark.parametrize("item", [b"{}", b"0"])
@pytest.mark.parametrize("name", _LISTS)
def test_a_list_of_faults_costs_no_more_than_the_list(name, item):
    data = casework.written(casework.honest())
    opened = b'"%s":[' % name.encode()
    assert opened in data
    start, rest = data.split(opened, 1)
    joint = b"" if rest.startswith(b"]") else b","
    data = start + opened + b",".join([item] * 800_000) + joint + rest
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, *FLAGS],
        input=data,
        capture_output=True,
        check=True,
        cwd=HERE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])},
    )
    status, megabytes = done.stdout.split()
    assert status in {b"RESOURCE_LIMIT", b"MALFORMED_RECEIPT"}
    assert int(megabytes) < 400


def test_many_stages_over_a_long_plan_are_not_hashed_one_by_one():
    document = casework.honest(members={"scheduler_config": {"note": "x" * 1_000_000}})
    document["session"]["stages"] *= 5_000
    assert codes(verified(document)) == {(3, "stages")}


def test_findings_of_one_kind_are_capped():
    document = casework.honest()
    document["blobs"] = {f"{number:064x}": number for number in range(5_000)}
    document["session"]["interrupted"] = [{"task_id": "x", "index": 0, "starts": 2}] * 5_000
    casework.events(document).extend({"seq": 0} for _ in range(5_000))
    outcome = verified(document)
    assert outcome.status is Status.MALFORMED_RECEIPT
    assert len(outcome.findings) < 500


def statement(document, **changes):
    """A check statement about ``document`` by the stub, over every attempt."""
    attempts = [
        {"task_id": result["task_id"], "index": attempt["index"], "undecided": False}
        | {"coordination_identical": True, "byte_identical": True}
        for result in document["task_results"]
        for attempt in result["attempts"]
    ]
    counts = {"attempts": len(attempts), "coordination_identical": len(attempts)}
    counts |= {"byte_identical": len(attempts), "undecided": 0}
    made = {
        "schema": "passfloor/check/v1",
        "tool": document["tool"],
        "receipt_hash": document["receipt_hash"],
        "suite_hash": document["suite_hash"],
        "mode": "replay",
        "rule": document["coordination_rule"],
        "attempts": attempts,
        "counts": counts,
        "checked_at": document["session"]["ended_at"],
        **changes,
    }
    hashed, signer = statement_hash(made), StubReliabilitySigner()
    seal = {"statement_hash": hashed, "signature": signer.sign_hash(hashed, typ=CHECK_TYP)}
    return json.dumps({**made, **seal, "signer_fingerprint": signer.fingerprint}).encode()


def test_a_replay_that_is_demanded_has_to_be_vouched_for():
    document = casework.honest(signer="stub")
    vouched = verified(document, STUB, statement=statement(document), require_replayed=True)
    assert vouched.matches
    assert vouched.vouched.document.counts.byte_identical == 4
    assert verified(document, STUB).vouched is None
    for given in (None, statement(document, mode="rerun"), b"{}"):
        outcome = verified(document, STUB, statement=given, require_replayed=True)
        assert (outcome.status, codes(outcome)) == (Status.POLICY_FAILED, {(16, "replayed_coordination")})


def test_a_statement_that_is_refused_is_told_although_none_is_demanded():
    document = casework.honest(signer="stub")
    assert verified(document, STUB, statement=statement(document, mode="rerun")).matches
    other = statement(document, receipt_hash="0" * 64)
    outcome = verified(document, STUB, statement=other)
    assert codes(outcome) == {(16, "replayed_coordination")}
    assert "another receipt" in outcome.vouched.problem
