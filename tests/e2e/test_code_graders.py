"""Suites that judge by code of their own: run, verified and graded again by the real command."""

import json
import shutil
import sys

import pytest

AGENT = "printf '%s' 'def add(a, b): return a + b' > add.py; ln -s /etc/passwd link; echo done\n"
TEST = """\
import subprocess, sys
said = subprocess.run([sys.executable, "-c", "import add; print(add.add(1, 2))"], capture_output=True).stdout
sys.exit(said.strip() != b"3")
"""
CHECKS = """\
import os
from pathlib import Path

def small(attempt):
    with open(CANARY, "a") as file:
        file.write("ran\\n")
    return (attempt.folder / "add.py").stat().st_size < 1000
"""


@pytest.fixture
def canary(cli):
    return cli.home / "canary"


@pytest.fixture
def coded(cli, canary):
    folder = cli.cwd / "suite"
    (folder / "tests").mkdir(parents=True)
    (folder / "tests" / "t.py").write_text(TEST)
    (folder / "checks.py").write_text(CHECKS.replace("CANARY", repr(str(canary))))
    task = {
        "id": "add",
        "description": "Write add.py",
        "assertions": [
            {"kind": "syntax_valid", "path": "add.py"},
            {"kind": "command", "argv": [sys.executable, "t.py"], "files": {"t.py": {"from": "tests/t.py"}}},
            {"kind": "python", "grader": "checks:small"},
        ],
    }
    (folder / "suite.json").write_text(json.dumps({"version": "code-v1", "tasks": [task]}))
    cli.write("agent.sh", AGENT.replace("ln -s /etc/passwd link; ", ""))
    return folder


RUN = ("bench", "run", "suite", "--reliability", 2, "--agent", "sh agent.sh")


@pytest.fixture
def sealed(cli, coded, canary):
    cli.good(*RUN, "--run-graders")
    canary.unlink()
    return cli.cwd / "reliability.json"


def test_a_run_does_not_run_the_suites_code_unasked(cli, coded, canary, expect_refusal):
    for more in ((), ("--dry-run",)):
        said = cli(*RUN, *more)
        assert said.returncode == 2
        assert said.stderr.splitlines()[-1].endswith("look at it, then allow it with --run-graders")
    assert not canary.exists()
    assert not (cli.cwd / ".passfloor").exists()


def test_a_run_that_is_allowed_to_judges_by_it(cli, coded, canary):
    said = cli.json(*RUN, "--run-graders")
    assert said["counts"]["passed"] == 2
    # Two attempts, each asked twice.
    assert canary.read_text() == "ran\n" * 4


def test_the_same_run_goes_on_with_the_flag_alone(cli, coded, canary):
    cli.good(*RUN, "--run-graders")
    more = (*RUN[:3], "--reliability", 2, "--attempts", 3, *RUN[5:], "--resume", "--force")
    assert cli(*more).returncode == 2
    assert cli.json(*more, "--run-graders")["counts"]["passed"] == 3
    # A run that is complete asks nobody.
    assert cli.json(*more)["counts"]["passed"] == 3


def test_verify_does_not_run_it_and_says_whose_word_the_verdicts_are(cli, sealed, canary):
    said = cli.json("bench", "reliability-verify", sealed, "--suite", "suite", code=3)
    assert [finding["code"] for finding in said["findings"]] == ["attested_verdict"]
    assert said["attested"] == 2
    text = cli.good("bench", "reliability-verify", sealed, "--suite", "suite", "--allow-attested").stdout
    asserted = text.partition("asserted by the signer:")[2].partition("not covered:")[0]
    assert "2 of 2 verdicts, in part: by graders with code" in " ".join(asserted.split())
    assert not canary.exists()


def test_verify_runs_it_where_it_is_asked_to_and_the_signature_holds(cli, sealed, canary):
    said = cli.json("bench", "reliability-verify", sealed, "--suite", "suite", "--run-graders")
    assert (said["status"], said["attested"], said["graders_run"]) == ("MATCH", 0, 4)
    assert canary.read_text() == "ran\n" * 4


def test_verify_runs_the_embedded_code_where_that_is_asked_for(cli, sealed, canary):
    shutil.rmtree(cli.cwd / "suite")
    cli.good("bench", "reliability-verify", sealed, "--use-embedded-suite", "--run-graders")
    assert canary.exists()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda made: made.update(signature=made["signature"][:-10] + "AAAAAAAAAA"),
        lambda made: made.update(emitted_at=made["emitted_at"] + 1),
        lambda made: made["task_results"][0]["attempts"][0].update(score=0.5),
    ],
)
def test_verify_runs_nothing_of_a_receipt_that_was_tampered_with(cli, sealed, canary, spoil):
    made = json.loads(sealed.read_text())
    spoil(made)
    sealed.write_text(json.dumps(made))
    cli.json("bench", "reliability-verify", sealed, "--suite", "suite", "--run-graders", code=1)
    assert not canary.exists()


def test_verify_runs_nothing_signed_by_a_stranger(cli, sealed, canary):
    key = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
    words = ("--suite", "suite", "--run-graders", "--signer-key", key)
    cli.json("bench", "reliability-verify", sealed, *words, code=1)
    assert not canary.exists()


def test_verify_runs_nothing_under_the_signature_that_anybody_can_make(cli, coded, canary):
    cli.good(*RUN, "--run-graders", "--stub-signer")
    canary.unlink()
    words = ("--suite", "suite", "--allow-stub", "--run-graders")
    cli.json("bench", "reliability-verify", "reliability.json", *words, code=3)
    assert not canary.exists()


def test_a_suite_whose_code_was_changed_is_another_suite(cli, sealed, canary):
    checks = cli.cwd / "suite" / "checks.py"
    checks.write_text(checks.read_text() + "\n")
    said = cli.json("bench", "reliability-verify", sealed, "--suite", "suite", "--run-graders", code=1)
    assert said["status"] == "HASH_MISMATCH"
    assert not canary.exists()


def test_a_flaky_grader_is_no_flaky_agent(cli):
    mark = cli.home / "mark"
    flaky = f"test -e {mark} && {{ rm {mark}; exit 1; }}; touch {mark}; exit 0"
    task = {
        "id": "t",
        "description": "",
        "assertions": [{"kind": "command", "run": flaky, "files": {"x": ""}}],
    }
    cli.write("flaky.json", json.dumps({"version": "flaky-v1", "tasks": [task]}))
    words = (
        "bench",
        "run",
        "flaky.json",
        "--reliability",
        2,
        "--agent",
        "true",
        "--run-graders",
        "--concurrency",
        1,
    )
    said = cli(*words, "--json", "--keep-going")
    assert said.returncode == 4
    assert json.loads(said.stdout)["counts"]["errored"] == 2
    assert "the grader gave no answer to rely on: asked twice, it gave two answers" in said.stderr
    again = cli.json(
        "bench", "regrade", "reliability.json", "--suite", "flaky.json", "--run-graders", "--times", 4, code=4
    )
    assert again["status"] == "UNDECIDED"
    assert [each["held"] for each in again["graded"][0]["attempts"]] == [2, 2]
    assert again["grader_share"] == "1"


def test_grading_again_finds_steady_graders_and_writes_it_down(cli, sealed):
    words = ("bench", "regrade", sealed, "--suite", "suite", "--times", 2)
    said = cli.json(*words, "--run-graders", "--out", "again.json")
    assert said["status"] == "PASS"
    assert json.loads((cli.cwd / "again.json").read_text()) == said
    assert cli(*words, "--run-graders", "--out", "again.json").returncode == 2
    text = cli.good(*words, "--run-graders").stdout
    assert text.startswith("regrade: PASS\n")


def test_grading_again_without_running_code_cannot_tell(cli, sealed, canary):
    assert cli.json("bench", "regrade", sealed, "--suite", "suite", code=4)["status"] == "UNDECIDED"
    assert not canary.exists()


def test_grading_declared_assertions_again_says_that_they_cannot_flip(golden):
    text = golden.good("bench", "regrade", golden.receipt).stdout
    assert "graded again they cannot flip" in " ".join(text.split())


@pytest.mark.parametrize(("words", "said"), [(("--times", 1), "--times 1"), (("--force",), "add --out")])
def test_what_grading_again_cannot_do_is_refused(golden, expect_refusal, words, said):
    assert said in expect_refusal(golden("bench", "regrade", golden.receipt, *words), 2)


def test_a_doctor_runs_no_code_of_the_suites(cli, coded, canary):
    cli("bench", "doctor", "--suite", "suite", "--agent", "sh agent.sh")
    assert not canary.exists()


def test_a_suite_with_code_is_shown_and_validated(cli, coded):
    assert "syntax_valid, command, python" in cli.good("suite", "show", "suite").stdout
    assert cli.json("suite", "validate", "suite")["valid"]
