"""``bench export`` and ``bench redact`` by the real command."""

import base64
import hashlib
import json

import pytest

AGENT = """
from pathlib import Path
Path("notes.txt").write_text("long " * 500)
seen = Path(SEEN)
print("no" if seen.exists() else "yes")
seen.touch()
"""


@pytest.fixture
def run(cli):
    """Two attempts of two tasks; the first task is flaky, the second one's file is looked at."""
    suite = json.loads(cli.suite("a", "b").read_text())
    suite["tasks"][1]["assertions"] = [{"kind": "contains", "path": "notes.txt", "text": "long"}]
    cli.write("suite.json", json.dumps(suite))
    agent = cli.write("agent.py", AGENT.replace("SEEN", repr(str(cli.cwd / "seen"))))
    cli.good(
        "bench",
        "run",
        "suite.json",
        "--reliability",
        2,
        "--agent",
        f"python3 {agent}",
        "--concurrency",
        1,
        "--out",
        "r.json",
    )
    return cli


FLAGS = ("--suite", "suite.json")


def statement(envelope):
    return json.loads(base64.b64decode(envelope["payload"]))


def test_a_verified_receipt_is_exported(run):
    done = run.good("bench", "export", "r.json", *FLAGS)
    said = statement(json.loads(done.stdout))
    content = (run.cwd / "r.json").read_bytes()
    assert said["subject"][0] == {"name": "r.json", "digest": {"sha256": hashlib.sha256(content).hexdigest()}}
    assert said["predicate"]["floor"]["fraction"] == "1/2"
    assert said["predicate"]["piles"] == {"always": ["b"], "flaky": ["a"], "never": []}


def test_the_flaky_task_failed_as_a_test(run):
    made = ("bench", "export", "r.json", *FLAGS, "--predicate", "test-result", "--out", "e.json")
    assert run.good(*made).stdout == ""
    said = statement(json.loads((run.cwd / "e.json").read_text()))
    assert (said["predicate"]["result"], said["predicate"]["failedTests"]) == ("FAILED", ["a"])
    again = run(*made)
    assert (again.returncode, "exists" in again.stderr) == (2, True)
    run.good(*made, "--force")


def test_what_does_not_verify_is_refused_with_the_exit_of_verification(run):
    document = json.loads((run.cwd / "r.json").read_text())
    document["counts"]["passed"] += 1
    run.write("forged.json", json.dumps(document))
    for verb in ("export", "redact"):
        done = run("bench", verb, "forged.json", *FLAGS, "--out", "never.json")
        assert (done.returncode, done.stdout) == (1, "")
        assert "FABRICATED_FLOOR/counts" in done.stderr
        assert not (run.cwd / "never.json").exists()
    assert run("bench", "export", "r.json", "--suite", "nowhere.json").returncode == 2


def test_a_test_grade_receipt_is_not_exported(run):
    run.good(
        "bench",
        "run",
        "suite.json",
        "--reliability",
        2,
        "--agent",
        "true",
        "--stub-signer",
        "--out",
        "t.json",
    )
    done = run("bench", "export", "t.json", *FLAGS, "--allow-stub")
    assert (done.returncode, done.stdout) == (3, "")
    assert "test-grade" in done.stderr


def test_a_redacted_receipt_verifies_but_for_what_was_looked_at(run):
    made = run.json("bench", "redact", "r.json", *FLAGS, "--out", "red.json")
    assert (made["removed"], made["left"]) == (1, 0)
    original = json.loads((run.cwd / "r.json").read_text())
    assert made["original"]["receipt_hash"] == original["receipt_hash"]
    assert b"long long" not in (run.cwd / "red.json").read_bytes()
    found = run.json("bench", "reliability-verify", "red.json", *FLAGS, code=3)
    assert [finding["code"] for finding in found["findings"]] == ["attested_verdict"]
    assert found["attested"] == 2
    assert found["redacted"] == {**made["original"], "blobs": 1}
    allowed = run.json("bench", "reliability-verify", "red.json", *FLAGS, "--allow-attested")
    assert (allowed["status"], allowed["pass_caret_k"]) == ("MATCH", 0.5)
    text = run.good("bench", "reliability-verify", "red.json", *FLAGS, "--allow-attested").stdout
    assert "redacted: 1 value taken out of receipt" in text


def test_who_holds_the_original_can_tell(run):
    run.good("bench", "redact", "r.json", *FLAGS, "--kind", "files", "--out", "red.json")
    assert "it is receipt" in run.good("bench", "redact", "r.json", *FLAGS, "--compare", "red.json").stdout
    assert run.json("bench", "redact", "r.json", *FLAGS, "--compare", "red.json")["same"] is True
    assert run.json("bench", "redact", "r.json", *FLAGS, "--compare", "r.json", code=1)["same"] is False


def test_a_redacted_receipt_is_read_by_the_other_verbs(run):
    run.good("bench", "redact", "r.json", *FLAGS, "--out", "red.json")
    allowed = (*FLAGS, "--allow-attested")
    for form in ("text", "json", "markdown", "junit", "html"):
        run.good("bench", "report", "red.json", *allowed, "--format", form)
    run.good("bench", "gate", "red.json", *allowed, "--require-floor", "0.5")
    run.good("bench", "compare", "r.json", "red.json", *allowed)
    said = statement(json.loads(run.good("bench", "export", "red.json", *allowed).stdout))["predicate"]
    assert (said["attestedVerdicts"], len(said["redactedFrom"])) == (2, 64)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--out", "x.json", "--compare", "r.json"),
        ("--compare", "r.json", "--force"),
        ("--out", "x.json", "--blob", "12345678"),
        ("--out", "x.json", "--kind", "requests"),
        ("--out", "r.json"),
    ],
)
def test_redact_refuses_what_cannot_be_meant(run, words):
    done = run("bench", "redact", "r.json", *FLAGS, *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("passfloor: ")
