"""A receipt of another tool's log: every verdict comes out of its record again, no more is claimed."""

import io
import json
from dataclasses import replace

import pytest

from passfloor.canonical import MAX_NODES, digest, parse
from passfloor.errors import ImportRefused, UsageError
from passfloor.importers.collate import collate
from passfloor.importers.interface import Asked, Log, Note, Published, Record, Subject
from passfloor.importers.spool import RecordSpool
from passfloor.receipts import receipt_hash
from passfloor.report.terminal import verification_report
from passfloor.running.imported import NODES_AN_ATTEMPT, Asking, seal_import, sealed_n
from passfloor.running.plan import Claims
from passfloor.signing.signers import StubReliabilitySigner
from passfloor.suites import read_suite
from passfloor.verification.inputs import Inputs, Trust
from passfloor.verification.verifier import verify

RULE = {"outcome": "o", "error": "e"}
TOLD = {
    "a": ["passed", "wrong"],
    3: ["passed", "passed"],
    "A": ["error", "cancelled"],
    "3": ["passed"],
}


def _log(told=TOLD, planned=2, **members):
    records = [
        Record(
            task,
            at,
            json.dumps({"o": outcome, "e": "boom" if outcome == "error" else None}),
            f"row {task}/{at}",
        )
        for task, outcomes in told.items()
        for at, outcome in enumerate(outcomes)
    ]
    return Log(
        "rows", "s", Subject("agent", None, "model"), RULE, tuple(told), planned, lambda: records, **members
    )


@pytest.fixture
def seal(tmp_path):
    """Seals a log under the stub; gives the receipt as JSON data."""

    def call(log=None, *, k=2, slim=False, claims=None):
        with RecordSpool() as spool:
            found = collate(log or _log(), Asked(), spool)
            asking = Asking(k, claims or Claims(), slim=slim, source="log.jsonl")
            with seal_import(found, asking, folder=tmp_path, clock=lambda: 1_800_000_000.0) as draft:
                head = StubReliabilitySigner().sign(draft.head)
                return parse(b"".join(draft.file(head))).value

    return call


def resealed(document):
    """The receipt sealed again, as whoever holds the key can."""
    from passfloor.models.receipt import ReceiptHead

    document = {**document, "receipt_hash": receipt_hash(document), "signature": "", "signer_fingerprint": ""}
    head = ReceiptHead.model_validate({k: v for k, v in document.items() if k != "task_results"})
    return {**StubReliabilitySigner().sign(head).document(), "task_results": document["task_results"]}


def judged(document, **options):
    inputs = Inputs(
        now=1_800_000_001.0,
        trust=Trust(allow_stub=True),
        read_suite=lambda data: read_suite(data, folder=None, source="embedded"),
        use_embedded_suite=True,
        **{"allow_unrecorded": True, **options},
    )
    return verify(io.BytesIO(json.dumps(document).encode()), inputs)


def codes(outcome):
    return {finding.code for finding in outcome.findings}


def test_an_imported_receipt_verifies_and_says_what_it_is(seal):
    document = seal()
    outcome = judged(document)
    assert outcome.status == "MATCH"
    assert "imported" in outcome.not_established
    assert document["subject"]["adapter"] == "import:rows"
    assert document["coordination_rule"] == "unrecorded"
    assert document["coordination_ok"] is None
    assert document["counts"] == {
        "tasks": 4, "attempts": 8, "passed": 4, "wrong": 1, "errored": 3, "tasks_any": 3, "tasks_all": 1,
    }  # fmt: skip


def test_without_being_allowed_unrecorded_coordination_fails_the_policy(seal):
    outcome = judged(seal(), allow_unrecorded=False)
    assert (outcome.status, codes(outcome)) == ("POLICY_FAILED", {"coordination_unrecorded"})


def test_names_and_losses_stand_in_ext(seal):
    log = _log(notes=(Note("killed", "it died \ud835"),), published=(Published("accuracy", 0.5, "header"),))
    ext = seal(log)["ext"]
    renamed = {new: old for new, old in ext["original_id"].items() if new.startswith("#")}
    assert sorted(renamed.values()) == ["A", "a"]
    assert ext["original_id"]['"3"'] == "3"
    told = ext["imported"]
    assert (told["importer"], told["source"], told["records"], told["missing"], told["cancelled"]) == (
        "rows", "log.jsonl", 7, 1, 1,
    )  # fmt: skip
    assert told["notes"][0] == {"code": "killed", "text": "it died \\ud835"}
    assert told["published"] == [{"name": "accuracy", "value": "0.5", "where": "header"}]


def test_notes_beyond_the_most_that_are_sealed_are_counted(seal):
    log = _log({"a": ["passed", "passed"]}, notes=tuple(Note("n", f"note {at}") for at in range(103)))
    told = seal(log)["ext"]["imported"]["notes"]
    assert len(told) == 101
    assert told[-1] == {"code": "more", "text": "3 notes left out"}
    few = seal(_log({"a": ["passed", "passed"]}, notes=(Note("n", "note"),)))
    assert few["ext"]["imported"]["notes"] == [{"code": "n", "text": "note"}]


def test_errors_keep_the_sources_words(seal):
    results = seal()["task_results"]
    errors = [attempt["error"] for result in results for attempt in result["attempts"] if attempt["error"]]
    assert errors == [
        {"type": "source", "detail": "boom"},
        {"type": "cancelled", "detail": "cancelled"},
        {"type": "missing", "detail": "planned, and not in the log"},
    ]


def test_the_logs_own_words_name_the_subject_unless_the_user_does(seal):
    subject = seal()["subject"]
    assert (subject["name"], subject["version"], subject["model"]) == ("agent", None, "model")
    assert seal(claims=Claims(agent_name="mine"))["subject"]["name"] == "mine"


@pytest.mark.parametrize("slim", [False, True])
def test_a_verdict_turned_around_is_found(seal, slim):
    document = seal(slim=slim)
    attempt = document["task_results"][0]["attempts"][1]
    attempt.update(outcome="passed", passed=True, score=1.0)
    if not slim:
        attempt["harness_output"] = {"assertions": [{"kind": "imported", "passed": True}]}
    outcome = judged(resealed(document), allow_attested=True)
    assert outcome.status == "FABRICATED_SCORE"


def test_a_record_changed_after_the_fact_breaks_its_chain(seal):
    document = seal()
    events = document["task_results"][0]["attempts"][1]["receipt"]["events"]
    events[1]["sample"] = json.dumps({"o": "passed"})
    assert {"chain", "attempt_hash", "outcome"} <= codes(judged(resealed(document)))


def test_digests_in_place_of_records_are_the_signers_word(seal):
    document = seal(slim=True)
    outcome = judged(document)
    assert (outcome.status, codes(outcome)) == ("POLICY_FAILED", {"attested_verdict"})
    assert judged(document, allow_attested=True).status == "MATCH"
    samples = [
        event["sample"]
        for result in document["task_results"]
        for attempt in result["attempts"]
        for event in attempt["receipt"]["events"]
        if event["kind"] == "model.output"
    ]
    assert all(set(sample) == {"sha256", "size"} for sample in samples)
    assert document["counts"] == seal()["counts"]


def test_a_bigger_k_than_n_is_refused(seal):
    with pytest.raises(UsageError, match="k=3 > n=2"):
        seal(k=3)


def test_one_receipt_has_one_n(seal):
    with pytest.raises(
        ImportRefused, match=r"the log planned n=1 for 3, n=2 for 1 of 4 tasks: say --attempts 2"
    ):
        seal(_log({"a": [1], "b": [1, 1], "c": [0], "d": [0]}, {"a": 1, "b": 2, "c": 1, "d": 1}))


def test_more_attempts_than_a_receipt_can_hold_are_refused_beforehand():
    with RecordSpool() as spool:
        found = collate(_log({"a": ["passed"]}, 1), Asked(), spool)
    (task,) = found.tasks
    many = replace(found, tasks=[task] * (MAX_NODES // NODES_AN_ATTEMPT + 1))
    with pytest.raises(ImportRefused, match="JSON values, a receipt may hold 4000000"):
        sealed_n(many)


def test_no_attempt_takes_more_values_than_are_reckoned_with(seal):
    document = seal()
    for result in document["task_results"]:
        for attempt in result["attempts"]:
            line = json.dumps(attempt, separators=(",", ":")).encode()
            assert parse(line).nodes < NODES_AN_ATTEMPT


def test_a_suites_name_that_no_suite_can_have_becomes_a_digest(seal):
    assert seal(replace(_log(), suite="x" * 300))["suite_version"].startswith("rows:")
    assert len(seal(replace(_log(), suite="a\nb"))["suite_version"]) == len("rows:") + 12


def _plan_again(document, **members):
    from passfloor.digests import plan_hash
    from passfloor.models.plan import Plan

    document.update(members)
    plan = Plan.model_validate({name: document[name] for name in Plan.model_fields})
    document["session"]["plan_hash"] = document["session"]["stages"][0]["plan_hash"] = plan_hash(plan)
    return resealed(document)


def test_an_import_that_claims_coordination_is_malformed(seal):
    outcome = judged(_plan_again(seal(), coordination_rule="identical"))
    assert "type" in codes(outcome)


def test_an_import_judged_by_completion_alone_is_malformed(seal):
    assert "type" in codes(judged(_plan_again(seal(), completion_only=True)))


@pytest.mark.parametrize("adapter", ["import:unheard-of", "import:"])
def test_an_importer_unknown_here_is_unsupported(seal, adapter):
    document = seal()
    document["subject"]["adapter"] = adapter
    outcome = judged(_plan_again(document))
    assert outcome.status == "UNSUPPORTED"
    assert "outcome" not in codes(outcome)


def test_tasks_of_another_importer_are_malformed(seal):
    document = seal()
    document["subject"]["adapter"] = "import:junit"
    assert "type" in codes(judged(_plan_again(document)))


def _rewritten(document, change):
    """The first attempt with events changed and every hash over them made anew."""
    from passfloor.canonical import canonical
    from passfloor.digests import journal_head

    attempt = document["task_results"][0]["attempts"][0]
    receipt = attempt["receipt"]
    receipt["events"] = change([dict(event) for event in receipt["events"]])
    for seq, event in enumerate(receipt["events"]):
        event["seq"] = seq
    receipt["journal_head"] = journal_head(receipt["attempt_id"], map(canonical, receipt["events"]))
    attempt["receipt_hash"] = digest(receipt)
    return resealed(document)


ERRORED = {"kind": "attempt.errored", "error": {"type": "source", "detail": ""}}


@pytest.mark.parametrize(
    "change",
    [
        lambda e: [e[0], e[1], {"kind": "x"}, e[2]],
        lambda e: e[1:],
        lambda e: [e[0]],
        lambda e: [{**e[0], "more": 1}, *e[1:]],
        lambda e: [{**e[0], "seed": True}, *e[1:]],
        lambda e: [e[0], {**e[1], "more": 1}, e[2]],
        lambda e: [e[0], {**e[1], "kind": "model.artifact"}, e[2]],
        lambda e: [e[0], {**e[1], "sample": ""}, e[2]],
        lambda e: [e[0], {**e[1], "sample": {"stdout": "{}"}}, e[2]],
        lambda e: [e[0], {**e[1], "sample": {"sha256": "x", "size": 1}}, e[2]],
        lambda e: [e[0], {**e[1], "sample": {"sha256": "0" * 64, "size": 0}}, e[2]],
        lambda e: [e[0], {**e[1], "sample": {"sha256": 1, "size": True}}, e[2]],
        lambda e: [e[0], e[1], {**e[2], "more": 1}],
        lambda e: [e[0], e[1], ERRORED],
        lambda e: [e[0], e[2]],
        lambda e: [e[0], ERRORED],
        lambda e: [e[0], {"kind": "attempt.errored", "error": []}],
        lambda e: [e[0], {"kind": "attempt.errored", "error": {"type": 1, "detail": ""}}],
        lambda e: [e[0], {"kind": "attempt.errored", "error": {"type": "missing", "detail": 1}}],
    ],
)
def test_events_that_no_import_writes_are_malformed(seal, change):
    assert "type" in codes(judged(_rewritten(seal(), change)))


def test_members_beside_the_events_are_malformed(seal):
    document = seal()
    attempt = document["task_results"][0]["attempts"][0]
    attempt["receipt"]["more"] = 1
    attempt["receipt_hash"] = digest(attempt["receipt"])
    assert "type" in codes(judged(resealed(document)))


def _sealed_with(seal, monkeypatch, name, change):
    """A receipt of whoever alters the program that seals: every hash is right."""
    from passfloor.running import imported

    made = getattr(imported, name)
    monkeypatch.setattr(imported, name, lambda *given: change(made(*given)))
    return seal()


@pytest.mark.parametrize(
    ("adapter", "rule"), [("custom", "identical"), ("mock", "causal"), ("mcp", "unrecorded")]
)
def test_records_of_another_tool_under_another_adapter_never_pass_for_witnessed(
    seal, monkeypatch, adapter, rule
):
    def posing(plan):
        subject = plan.subject.model_copy(update={"adapter": adapter})
        return plan.model_copy(update={"subject": subject, "coordination_rule": rule})

    outcome = judged(_sealed_with(seal, monkeypatch, "_plan", posing))
    assert outcome.status == "MALFORMED_RECEIPT"
    assert any("judged by an imported record" in finding.detail for finding in outcome.findings)


def test_a_kinder_rule_for_one_task_is_malformed(seal, monkeypatch):
    def kinder(suite):
        task = suite.tasks[0]
        rule = {**RULE, "pass_values": ["passed", "wrong"]}
        assertion = task.assertions[0].model_copy(update={"rule": rule})
        tasks = [task.model_copy(update={"assertions": [assertion]}), *suite.tasks[1:]]
        return suite.model_copy(update={"tasks": tasks})

    outcome = judged(_sealed_with(seal, monkeypatch, "suite_of", kinder))
    assert outcome.status == "MALFORMED_RECEIPT"
    assert any("read by one rule" in finding.detail for finding in outcome.findings)


def test_the_rule_stands_beside_the_figures(seal):
    log = _log({"a": ["passed", "wrong"]})
    text = verification_report(judged(seal(replace(log, rule={**RULE, "pass_values": ["passed", "wrong"]}))))
    assert "read by the signer's rule: error e, outcome o, pass_values passed or wrong" in " ".join(
        text.split()
    )
