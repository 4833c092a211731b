"""The three commands of the README, on the packaged agent, through the real entry point."""

import json
import subprocess
import sys

from passfloor.models.receipt import ReliabilityReceipt

RUN = {
    "receipt", "run", "identity_created", "suite_version", "suite_hash", "k", "n", "pass_caret_k",
    "pass_at_1", "success_rate", "counts", "coordination_ok", "coordination_rule", "gate",
}  # fmt: skip
VERIFY = {
    "status", "assurance", "findings", "receipt_hash", "suite_hash", "k", "n", "pass_caret_k", "pass_at_1",
    "signer_fingerprint", "not_established", "coordination_rule", "acts_compared", "identity_fields",
    "identity_marks", "served", "served_changes", "check", "challenge", "commitment", "ledger", "attested",
    "graders_run", "redacted",
}  # fmt: skip
CHECK = {"status", "passed", "mode", "compared", "repeated", "attempts"}
CHECKED = {
    "task_id", "attempt", "coordination_identical", "byte_identical", "divergent_field", "detail",
    "undecided",
}  # fmt: skip


def test_run_prints_its_object_and_seals_what_it_says(golden):
    ran = golden.ran
    assert set(ran) == RUN
    assert ran["receipt"] == "reliability.json"
    assert ran["identity_created"] is True
    assert (ran["suite_version"], ran["k"], ran["n"]) == ("golden-v1", 2, 2)
    assert (ran["pass_caret_k"], ran["pass_at_1"], ran["success_rate"]) == (1.0, 1.0, 1.0)
    assert ran["counts"] == {
        "tasks": 5, "attempts": 10, "passed": 10, "wrong": 0, "errored": 0, "tasks_any": 5, "tasks_all": 5,
    }  # fmt: skip
    assert (ran["coordination_ok"], ran["coordination_rule"], ran["gate"]) == (True, "identical", None)
    sealed = ReliabilityReceipt.model_validate_json(golden.receipt.read_bytes())
    assert sealed.session.run == ran["run"]
    assert sealed.suite_hash == ran["suite_hash"]
    assert sealed.subject.adapter == "reference"


def test_verify_prints_its_object_and_matches(golden):
    found = golden.json("bench", "reliability-verify", golden.receipt)
    assert set(found) == VERIFY
    assert (found["status"], found["assurance"], found["findings"]) == ("MATCH", "signed", [])
    sealed = json.loads(golden.receipt.read_bytes())
    same = ("receipt_hash", "suite_hash", "k", "n", "pass_caret_k", "pass_at_1", "signer_fingerprint")
    assert {name: found[name] for name in same} == {name: sealed[name] for name in same}
    assert found["not_established"] == ["events_happened", "only_run", "subject_code", "timing"]


def test_check_prints_its_object_and_passes(golden):
    found = golden.json("bench", "reliability-check", golden.receipt, "--all")
    assert set(found) == CHECK
    assert (found["status"], found["passed"], found["mode"], found["compared"]) == ("PASS", True, "rerun", 10)
    assert all(set(attempt) == CHECKED for attempt in found["attempts"])
    assert {attempt["attempt"] for attempt in found["attempts"]} == {0, 1}
    assert all(each["byte_identical"] and each["divergent_field"] is None for each in found["attempts"])


def test_check_reruns_one_attempt_unless_told_otherwise(golden):
    found = golden.json("bench", "reliability-check", golden.receipt)
    assert [(each["task_id"], each["attempt"]) for each in found["attempts"]] == [("file_io_read_write", 0)]
    named = golden.json(
        "bench", "check", golden.receipt, "--task", "doc_update_docstring", "--attempt", 1
    )  # fmt: skip
    assert [(each["task_id"], each["attempt"]) for each in named["attempts"]] == [("doc_update_docstring", 1)]


def test_a_selection_the_receipt_does_not_hold_is_a_usage_error(golden, expect_refusal):
    check = ("bench", "check", golden.receipt)
    said = expect_refusal(golden(*check, "--task", "doc_update_docstrings"), 2)
    assert "did you mean 'doc_update_docstring'?" in said
    assert "attempts 0 to 1" in expect_refusal(golden(*check, "--attempt", 2), 2)
    expect_refusal(golden(*check, "--all", "--attempt", 0), 2)


def test_check_with_another_agent_cannot_tell(golden):
    found = golden.json(
        "bench", "check", golden.receipt, "--agent", "passfloor-reference --flaky 0.5", code=4
    )
    assert (found["status"], found["passed"], found["compared"]) == ("UNDECIDED", False, 0)
    text = golden("bench", "check", golden.receipt, "--agent", "true")
    assert text.returncode == 4
    assert "another agent" in text.stdout


def test_the_text_ends_with_the_block_in_its_order(cli):
    done = cli.good("bench", "run", "golden-v1", "--reliability", 1, "--quiet")
    assert [line.split(":")[0].rstrip() for line in done.stdout.splitlines()[2:]] == [
        "pass^1 floor",
        "pass@1",
        "success rate",
        "               a point estimate, not a bound",
        "               out only failure rates above 95.0%",
        "coordination",
        "receipt",
    ]


def test_python_dash_m_is_the_same_program(cli):
    done = subprocess.run(
        [sys.executable, "-m", "passfloor", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == cli.good("--version").stdout == cli.good("-V").stdout
    failed = subprocess.run(
        [sys.executable, "-m", "passfloor", "nope"], capture_output=True, text=True, check=False
    )
    assert failed.returncode == 2
