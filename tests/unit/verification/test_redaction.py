"""Redacted receipts: what was taken out is declared, and all else holds as before."""

import copy
import io
from dataclasses import replace

import casework
import forging
import pytest
from judging import HERE, inputs_of

from passfloor.blobs import externalise
from passfloor.canonical import digest
from passfloor.errors import UsageError
from passfloor.exports.redaction import chosen, is_redacted_from, redact, size_of
from passfloor.grading import Attested, grade
from passfloor.grading.evidence import evidence_of
from passfloor.models.redaction import without_redaction
from passfloor.signing.signers import Ed25519Signer, StubReliabilitySigner
from passfloor.suites import read_suite
from passfloor.verification.inputs import KeyPolicy, Trust, TrustedKey
from passfloor.verification.verifier import verify

LONG = "a line of a log\n" * 100
CODE = "def f():\n    return 1\n" + "# so that it is long\n" * 60
LEFT = [("log.txt", LONG), ("f.py", CODE), ("s", "s")]


def task(name, **assertion):
    return {"id": name, "description": "x", "assertions": [assertion]}


SUITE = {
    "version": "long-v1",
    "tasks": [
        task("log", kind="content_eq", path="log.txt", expected=LONG),
        task("there", kind="file_exists", path="log.txt"),
        task("code", kind="content_eq", path="f.py", expected=CODE),
        task("other", kind="content_eq", path="s", expected="s"),
    ],
}
ATTESTED = [(16, "attested_verdict")]
OTHER = Ed25519Signer(forging.OTHER_KEY)
SIGNER = Ed25519Signer(forging.TEST_KEY)
BOTH = ("--signer-key", forging.TEST_X, "--signer-key", forging.OTHER_X)


def agent(task, index):
    files = {path: forging.captured(text) for path, text in LEFT}
    return externalise(forging.frame(task, f"{index}\n", files))[0]


def original(suite=SUITE, **changes):
    """A receipt whose long files stand in its blobs."""
    blobs = {digest(text): text for _, text in LEFT[:2]}
    return forging.build(forging.Run(suite=suite, events=agent, blobs=blobs, **changes))


def judged(made, *flags, keys=("--signer-key", forging.TEST_X), **changes):
    known = {"suite": read_suite(SUITE, folder=None, source="the suite"), **changes}
    inputs = replace(inputs_of((*keys, "--at", casework.AT, *flags), HERE / "honest"), **known)
    return verify(io.BytesIO(casework.written(made)), inputs)


def codes(outcome):
    return [(finding.step, finding.code) for finding in outcome.findings]


def all_of(made):
    return chosen(made, kinds=(), names=())


@pytest.fixture
def receipt():
    return original()


def redacted(receipt, names=None, signer=SIGNER):
    return redact(receipt, all_of(receipt) if names is None else names, signer)


def test_the_original_matches(receipt):
    assert len(receipt["blobs"]) == 2
    assert judged(receipt).matches
    assert judged(receipt).redacted is None
    assert "redacted" not in judged(receipt).not_established


def test_without_its_blobs_the_verdicts_over_them_are_somebodys_word(receipt):
    made = redacted(receipt)
    outcome = judged(made)
    assert codes(outcome) == ATTESTED
    n = receipt["n"]
    assert outcome.attested == tuple((task, index) for task in ("log", "code") for index in range(n))
    assert outcome.redacted.redaction.receipt_hash == receipt["receipt_hash"]
    assert "redacted" in outcome.not_established
    allowed = judged(made, allow_attested=True)
    assert allowed.matches
    assert allowed.numbers == judged(receipt).numbers


def test_where_nothing_consults_what_was_taken_out_all_is_derived_again(receipt):
    name = digest(CODE)
    made = redacted(receipt, [name])
    assert [task for task, _ in judged(made).attested] == ["code"] * receipt["n"]
    kept = redacted(receipt, [digest(LONG)])
    assert {task for task, _ in judged(kept).attested} == {"log"}


def test_receipt_hash_and_signature_of_the_original_are_named_and_checked(receipt):
    made = redacted(receipt, signer=OTHER)
    outcome = judged(made, keys=BOTH, allow_attested=True)
    assert outcome.matches
    assert outcome.redacted.anchor
    assert codes(judged(made, keys=BOTH[2:], allow_attested=True)) == [(5, "key_unknown")]
    assert codes(judged(made, keys=BOTH[:2], allow_attested=True)) == [(5, "key_unknown")]


def test_what_is_demanded_of_a_key_is_demanded_where_somebody_else_redacts(receipt):
    strict = KeyPolicy(min_k=9)
    by_key = {
        key.public.kid: TrustedKey(key.public, "known", policy=policy)
        for key, policy in ((forging.TEST_KEY, strict), (forging.OTHER_KEY, KeyPolicy()))
    }
    for signer in (SIGNER, OTHER):
        outcome = judged(redacted(receipt, signer=signer), trust=Trust(keys=by_key), allow_attested=True)
        assert codes(outcome) == [(16, "k")]


@pytest.mark.parametrize(
    ("member", "value", "found"),
    [
        ("receipt_hash", "0" * 64, (6, "sig_invalid")),
        ("signer_fingerprint", OTHER.fingerprint, (6, "header")),
        ("signature", "x", (6, "header")),
        ("receipt_hash", "0", (2, "type")),
        ("signature", "", (2, "type")),
        ("signer_fingerprint", None, (2, "type")),
        ("blobs", [], (2, "type")),
        ("blobs", ["x"], (2, "type")),
    ],
)
def test_an_original_that_nobody_signed_is_not_named(receipt, member, value, found):
    made = redacted(receipt)
    made["ext"]["redacted"][member] = value
    outcome = judged(forging.seal(made, forging.TEST_KEY), keys=BOTH, allow_attested=True)
    assert found in codes(outcome)
    faults = [finding for finding in outcome.findings if (finding.step, finding.code) == found]
    assert faults[0].path.startswith("ext.redacted.")


@pytest.mark.parametrize("value", [None, 1, [], {}, {"blobs": ["0" * 64]}])
def test_ext_redacted_is_reserved(receipt, value):
    made = {**receipt, "ext": {"redacted": value}}
    outcome = judged(forging.seal(made, forging.TEST_KEY))
    assert codes(outcome) == [(2, "type")]


def test_a_blob_that_is_missing_and_not_declared_is_missing(receipt):
    made = copy.deepcopy(receipt)
    del made["blobs"][digest(LONG)]
    outcome = judged(forging.seal(made, forging.TEST_KEY))
    assert str(outcome.status) == "HASH_MISMATCH"
    assert (10, "blob") in codes(outcome)
    part = redacted(receipt, [digest(CODE)])
    del part["blobs"][digest(LONG)]
    assert (10, "blob") in codes(judged(forging.seal(part, forging.TEST_KEY)))


def test_what_is_declared_as_taken_out_is_gone_once_and_was_used(receipt):
    made = redacted(receipt)
    made["blobs"][digest(LONG)] = LONG
    assert (10, "blob") in codes(judged(forging.seal(made, forging.TEST_KEY)))
    twice = redacted(receipt)
    twice["ext"]["redacted"]["blobs"].reverse()
    assert (2, "type") in codes(judged(forging.seal(twice, forging.TEST_KEY)))
    unused = redacted(receipt)
    names = sorted([*unused["ext"]["redacted"]["blobs"], "0" * 64])
    unused["ext"]["redacted"]["blobs"] = names
    assert (10, "blob_unused") in codes(judged(forging.seal(unused, forging.TEST_KEY)))


def edit_counts(made):
    made["counts"]["passed"] -= 1
    made["counts"]["wrong"] += 1


def edit_verdict(made):
    made["task_results"][1]["attempts"][0]["passed"] = False


def edit_attested_verdict(made):
    made["task_results"][0]["attempts"][0]["passed"] = False


def edit_event(made):
    made["task_results"][0]["attempts"][0]["receipt"]["events"][-3]["sample"]["stdout"] = "x"


def edit_reference(made):
    events = made["task_results"][0]["attempts"][0]["receipt"]["events"]
    events[-2]["sample"]["log.txt"]["text"]["blob"] = digest(CODE)


def edit_order(made):
    made["task_results"][0]["attempts"].reverse()


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (edit_counts, "counts"),
        (edit_verdict, "passed"),
        (edit_attested_verdict, "passed"),
        (edit_event, "chain"),
        (edit_reference, "chain"),
        (edit_order, "order"),
    ],
)
@pytest.mark.parametrize("resealed", [False, True])
def test_tampering_beyond_removal_is_refused(receipt, edit, code, resealed):
    made = redacted(receipt)
    edit(made)
    made = forging.seal(made, forging.TEST_KEY) if resealed else made
    outcome = judged(made, allow_attested=True)
    assert code in [finding.code for finding in outcome.findings]
    assert not outcome.matches


def test_who_holds_the_original_can_tell_whether_more_was_changed(receipt):
    made = redacted(receipt, signer=OTHER)
    assert is_redacted_from(made, receipt)
    assert not is_redacted_from(receipt, receipt)
    made["task_results"][0]["attempts"][0]["outcome"] = "wrong"
    assert not is_redacted_from(made, receipt)
    unlike = original(n=3)
    assert not is_redacted_from(redacted(receipt), unlike)
    less = redacted(receipt)
    less["ext"]["redacted"]["blobs"].append("0" * 64)
    assert not is_redacted_from(less, receipt)


def test_a_redacted_receipt_can_be_redacted_further_and_keeps_naming_its_original():
    receipt = original(members={"ext": {"note": "kept"}})
    first = redacted(receipt, [digest(CODE)])
    second = redact(first, all_of(first), OTHER)
    assert second["ext"]["redacted"]["receipt_hash"] == receipt["receipt_hash"]
    assert second["ext"]["redacted"]["blobs"] == sorted(receipt["blobs"])
    assert second["ext"]["note"] == "kept"
    assert second["blobs"] == {}
    assert is_redacted_from(second, receipt)
    assert judged(second, keys=BOTH, allow_attested=True).matches


def test_what_is_taken_out_can_be_chosen(receipt):
    names = sorted(receipt["blobs"])
    assert all_of(receipt) == names
    assert chosen(receipt, kinds=["files"], names=()) == names
    assert chosen(receipt, kinds=(), names=[names[0][:8], names[0]]) == names[:1]
    assert size_of(receipt, [digest(LONG)]) == len(LONG) + 100 + 2
    for kinds, wrong in [(["requests"], ()), ((), ["0" * 7]), ((), ["0" * 64]), ((), [names[0][:7]])]:
        with pytest.raises(UsageError):
            chosen(receipt, kinds=kinds, names=wrong)
    with pytest.raises(UsageError, match="nothing to take out"):
        all_of({**receipt, "blobs": {}})
    with pytest.raises(UsageError, match="several"):
        chosen({**receipt, "blobs": {"a" * 64: 1, "a" * 63 + "b": 2}}, kinds=(), names=["a" * 8])


def test_an_empty_ext_cannot_be_told_from_none_later(receipt):
    with pytest.raises(UsageError, match="empty ext"):
        redact({**receipt, "ext": {}}, all_of(receipt), SIGNER)
    assert without_redaction(None) is None
    assert without_redaction({"a": 1}) == {"a": 1}
    assert without_redaction({"redacted": {}}) is None
    assert without_redaction({"redacted": {}, "a": 1}) == {"a": 1}


def test_a_test_grade_receipt_stays_test_grade(receipt):
    signer = StubReliabilitySigner()
    seal = {"signature": signer.sign_hash(receipt["receipt_hash"]), "signer_fingerprint": signer.fingerprint}
    stubbed = {**receipt, **seal}
    made = redact(stubbed, all_of(receipt), signer)
    assert judged(made, allow_attested=True, trust=Trust(allow_stub=True)).matches
    mixed = redact(stubbed, all_of(receipt), SIGNER)
    assert codes(judged(mixed, allow_attested=True)) == [(5, "stub_not_allowed")]


def test_graders_with_code_are_not_run_over_less_than_was_judged():
    """They would answer about something else, and be held against the receipt."""
    tasks = [task("log", kind="command", argv=["test", "-f", "log.txt"])]
    made, asked = original({"version": "code-v1", "tasks": tasks}), []

    def run(task, attempt, index, evidence):
        asked.append(attempt)
        return "log.txt" in evidence.files

    suite = read_suite({"version": "code-v1", "tasks": tasks}, folder=None, source="the suite")
    whole = judged(made, suite=suite, allow_attested=True, run_grader=run)
    assert (whole.matches, whole.graders_run) == (True, made["n"])
    assert set(asked) == set(range(made["n"]))
    asked.clear()
    left = judged(redacted(made), suite=suite, allow_attested=True, run_grader=run)
    assert (left.matches, left.graders_run, asked) == (True, 0, [])


@pytest.mark.parametrize(("signed", "asked"), [(True, 2), (False, 0)])
def test_graders_with_code_are_not_run_where_nobody_signed_the_original(signed, asked):
    tasks = [task("log", kind="file_exists", path="log.txt"), task("code", kind="command", argv=["test"])]
    document, calls = {"version": "code-v1", "tasks": tasks}, []

    def events(task, index):
        left = {"log.txt": forging.captured(LONG)} if task["id"] == "log" else {"test": forging.captured("")}
        return externalise(forging.frame(task, f"{index}\n", left))[0]

    def run(_task, attempt, _index, _evidence):
        calls.append(attempt)
        return True

    made = redacted(forging.build(forging.Run(suite=document, events=events, blobs={digest(LONG): LONG})))
    if not signed:
        made["ext"]["redacted"]["receipt_hash"] = "0" * 64
        forging.seal(made)
    suite = read_suite(document, folder=None, source="the suite")
    assert judged(made, suite=suite, run_grader=run).matches is signed
    assert len(calls) == asked


def test_parts_of_conversations_that_were_taken_out_may_hold_calls_of_tools():
    (asks,) = read_suite(
        {"version": "v", "tasks": [task("t", kind="tool_called", tool="look")]}, folder=None, source="x"
    ).tasks
    events = [{"seq": 0, "kind": "model.request", "request": {"messages": [{"blob": "0" * 64}]}}]
    assert not evidence_of(asks, events).withheld
    assert evidence_of(asks, events, frozenset({"0" * 64})).withheld_calls
    assert not evidence_of(asks, events, frozenset({"1" * 64})).withheld
    for given, verdict in ((frozenset(), False), (frozenset({"0" * 64}), None)):
        if verdict is None:
            with pytest.raises(Attested):
                grade(asks, events, removed=given)
        else:
            assert grade(asks, events, removed=given).passed is verdict


@pytest.mark.parametrize(
    ("assertion", "attested"),
    [
        ({"kind": "symbol_present", "symbol": "f"}, True),
        ({"kind": "symbol_present", "symbol": "f", "path": "g.py"}, False),
        ({"kind": "file_absent", "path": "g.py"}, False),
        ({"kind": "file_sha256", "path": "f.py", "expected": "0" * 64}, True),
        ({"kind": "completed"}, False),
    ],
)
def test_what_an_assertion_looks_at_decides(assertion, attested):
    (one,) = read_suite({"version": "v", "tasks": [task("t", **assertion)]}, folder=None, source="x").tasks
    removed = frozenset({digest(CODE)})
    if attested:
        with pytest.raises(Attested):
            grade(one, agent({"id": "t", "description": "x"}, 0), removed=removed)
    else:
        grade(one, agent({"id": "t", "description": "x"}, 0), removed=removed)
