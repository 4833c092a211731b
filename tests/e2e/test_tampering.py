"""A receipt that was edited, with and without the key to seal it again."""

import copy
import json

import pytest

from passfloor import receipts
from passfloor.aggregate import TaskCount, nearest, numbers
from passfloor.canonical import canonical, sha256_hex
from passfloor.digests import files_out, journal_head, spine_head
from passfloor.signing.jws import sign_detached
from passfloor.signing.private_keys import read_private_key


@pytest.fixture(scope="module")
def honest(golden):
    return json.loads(golden.receipt.read_bytes())


def lower_the_floor(document):
    document["pass_caret_k"] = 0.0


def raise_the_ceiling_of_counts(document):
    document["counts"]["passed"] += 1


def flip_a_verdict(document):
    attempt = document["task_results"][1]["attempts"][0]
    attempt.update(outcome="wrong", passed=False)


def flip_a_byte_of_a_run_receipt(document):
    event = document["task_results"][0]["attempts"][1]["receipt"]["events"][0]
    event["seed"] += 1


def strip_an_attempt(document):
    document["task_results"][0]["attempts"].pop()


def strip_a_task(document):
    document["task_results"].pop(2)


def copy_an_attempt(document):
    attempts = document["task_results"][0]["attempts"]
    attempts[1] = copy.deepcopy(attempts[0])
    attempts[1]["index"] = 1


def claim_divergence(document):
    document["coordination_ok"] = False


def rename_a_kind(document):
    document["task_results"][0]["attempts"][0]["receipt"]["events"][0]["kind"] = 7


def claim_another_k(document):
    document["k"] = 1


def claim_another_agent(document):
    document["subject"]["name"] = "somebody"


EDITS = [
    (lower_the_floor, "FABRICATED_FLOOR"),
    (raise_the_ceiling_of_counts, "FABRICATED_FLOOR"),
    (flip_a_verdict, "FABRICATED_SCORE"),
    (flip_a_byte_of_a_run_receipt, "HASH_MISMATCH"),
    (strip_an_attempt, "MISSING_RECEIPT"),
    (strip_a_task, "MISSING_RECEIPT"),
    (copy_an_attempt, "DUPLICATE_ATTEMPT"),
    (claim_divergence, "COORDINATION_DIVERGED"),
    (rename_a_kind, "MALFORMED_RECEIPT"),
    (claim_another_k, "HASH_MISMATCH"),
    (claim_another_agent, "HASH_MISMATCH"),
]


def sealed_again(document, golden):
    """What somebody with the key can do: hash and sign whatever stands there."""
    pem = golden.identity / "keys" / f"{document['signer_fingerprint']}.pem"
    key = read_private_key(pem.read_bytes(), password=None, source=str(pem))
    document["receipt_hash"] = receipts.receipt_hash(document)
    document["signature"] = sign_detached(key, document["receipt_hash"].encode())
    return document


@pytest.fixture
def judged(golden, tmp_path):
    """The object that verify prints about a document."""

    def judge(document, code):
        path = tmp_path / "edited.json"
        path.write_text(json.dumps(document))
        return golden.json("bench", "verify", path, code=code)

    return judge


def test_the_honest_document_matches_in_any_layout(golden, honest, judged):
    assert judged(honest, 0)["status"] == "MATCH"
    assert judged(sealed_again(copy.deepcopy(honest), golden), 0)["status"] == "MATCH"


@pytest.mark.parametrize(("edit", "status"), EDITS, ids=[edit.__name__ for edit, _ in EDITS])
def test_an_edit_has_the_same_name_whether_or_not_it_was_sealed_again(
    golden, honest, judged, tmp_path, edit, status
):
    document = copy.deepcopy(honest)
    edit(document)
    path = tmp_path / "unsealed.json"
    path.write_text(json.dumps(document))
    unsealed = golden("bench", "verify", path)
    assert (unsealed.returncode, unsealed.stderr) == (1, "")
    assert unsealed.stdout.startswith(f"overall: {status}\n")
    if status != "MALFORMED_RECEIPT":
        assert "HASH_MISMATCH/receipt_hash (step 4)" in unsealed.stdout
        assert "UNSIGNED/sig_invalid (step 6)" in unsealed.stdout
    resealed = judged(sealed_again(document, golden), 1)
    assert resealed["status"] == status
    assert not {"receipt_hash", "sig_invalid"} & {finding["code"] for finding in resealed["findings"]}


@pytest.mark.parametrize("edit", [lower_the_floor, flip_a_verdict])
def test_check_runs_nothing_over_a_broken_seal_and_tells_a_false_claim_beside_its_own_verdict(
    golden, honest, tmp_path, edit
):
    document = copy.deepcopy(honest)
    edit(document)
    path = tmp_path / "edited.json"
    path.write_text(json.dumps(document))
    refused = golden.json("bench", "check", path, code=1)
    assert (refused["passed"], refused["compared"], refused["attempts"]) == (False, 0, [])
    path.write_text(json.dumps(sealed_again(document, golden)))
    found = golden.json("bench", "check", path, code=0)
    assert (found["status"], found["passed"]) == ("PASS", True)
    assert found["attempts"][0]["coordination_identical"] is True
    told = golden("bench", "check", path).stdout
    assert f"the receipt itself is rejected: {dict(EDITS)[edit]}" in told


def test_an_invented_failure_turned_pass_is_refused_even_when_all_else_is_made_anew(golden, honest, judged):
    """The key holder edits evidence, re-hashes attempt and heads and derives every figure again."""
    document = copy.deepcopy(honest)
    result = document["task_results"][0]
    attempt = result["attempts"][0]
    receipt = attempt["receipt"]
    artifact = next(event for event in receipt["events"] if event["kind"] == "model.artifact")
    artifact["sample"] = {}
    receipt["journal_head"] = journal_head(attempt["attempt_id"], map(canonical, receipt["events"]))
    receipt["spine_head"] = spine_head(result["task_hash"], {}, files_out(receipt["events"]))
    attempt["receipt_hash"] = sha256_hex(canonical(receipt))
    counts = [TaskCount.of(each["outcome"] for each in task["attempts"]) for task in document["task_results"]]
    document["pass_caret_k"] = nearest(numbers(counts, document["k"]).pass_hat_k)
    found = judged(sealed_again(document, golden), 1)
    assert "outcome" in {finding["code"] for finding in found["findings"]}


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", "MALFORMED_RECEIPT"),
        (b"not json", "MALFORMED_RECEIPT"),
        (b"[]", "MALFORMED_RECEIPT"),
        (b"null", "MALFORMED_RECEIPT"),
        (b"{}", "MALFORMED_RECEIPT"),
        (b'{"a": NaN}', "MALFORMED_RECEIPT"),
        (b"\xff\xfe{}", "MALFORMED_RECEIPT"),
        (b"[" * 200_000, "MALFORMED_RECEIPT"),
    ],
    ids=["empty", "words", "list", "null", "object", "nan", "utf16", "deep"],
)
def test_what_is_no_receipt_is_malformed_and_no_traceback(golden, tmp_path, content, status):
    path = tmp_path / "x.json"
    path.write_bytes(content)
    for verb in ("verify", "check"):
        done = golden("bench", verb, path)
        assert done.returncode == 1, done.stderr
        assert status in done.stdout.splitlines()[0]
        assert done.stderr == ""
    found = golden.json("bench", "verify", path, code=1)
    assert (found["status"], found["k"], found["assurance"]) == (status, None, "none")


def test_a_receipt_past_the_size_cap_is_not_judged(golden):
    found = golden.json("bench", "verify", golden.receipt, "--max-bytes", 100, code=4)
    assert found["status"] == "RESOURCE_LIMIT"


@pytest.mark.parametrize("edit", [lower_the_floor, flip_a_byte_of_a_run_receipt])
def test_an_unsealed_edit_cannot_be_attributed_to_the_signer(golden, honest, tmp_path, edit):
    document = copy.deepcopy(honest)
    edit(document)
    path = tmp_path / "edited.json"
    path.write_text(json.dumps(document))
    text = " ".join(golden("bench", "verify", path).stdout.split())
    assert "the content cannot be attributed to the named signer" in text
    assert "not trusted" in text
