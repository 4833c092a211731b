"""Two verifiers that share no code with the package, one in Python, one for Node, agree with it."""

import functools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FOLDERS = sorted(path.parent for path in (ROOT / "tests/vectors/receipts").glob("*/expected.json"))
COMMANDS = {"python": [sys.executable, str(HERE / "verify.py")], "node": ["node", str(HERE / "verify.mjs")]}

JUDGED = {
    "size", "nodes", "attempts", "tasks", "stages", "version", "grader", "parse", "schema", "type",
    "order", "clock", "attempt_hash", "chain", "task", "suite", "suite_version", "plan", "blob",
    "attempt_count", "task_missing", "empty_events", "blob_unused", "attempt_identity", "diverged",
    "coordination_hash", "coordination_identical", "coordination_ok", "counts", "pass_at_1",
    "pass_caret_k", "receipt_hash", "unsigned", "header", "sig_encoding", "sig_invalid",
    "key_unknown", "stub_not_allowed", "synthetic", "coordination_unrecorded",
}  # fmt: skip
VERDICTS = {"outcome", "passed", "score", "harness_output", "scorer", "scorer_failed", "attested_verdict"}
WHAT_ANSWERS_SAY = {"said", "symbol"}
DEMANDS = {
    "replayed_coordination", "expected_suite", "floor", "k", "subject", "age", "challenge", "precommit",
    "ledger", "distinct_outputs", "key_outside_window", "key_revoked", "weak_key",
}  # fmt: skip
# What the end of a stream looks like is part of what answers say; which logs are read, of verdicts.
NOT_THEIRS = {"recorded_stream_without_end_fail", "imported_by_nobody_known_fail"}
# Digits that are none of ASCII's: the published schema refuses their type, ours the time that they tell.
OTHER_DIGITS = {"clock_other_digits_resealed_fail": "type", "clock_other_digits_unsealed_fail": "type"}


def expected_of(folder):
    return json.loads((folder / "expected.json").read_text())


@functools.cache
def judged_by(name):
    """Case -> what the verifier says of it; all of them in one process."""
    if name == "node":
        at_least_twenty()
    words = [*COMMANDS[name], "--folders", *map(str, FOLDERS)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    return {line["case"]: line for line in map(json.loads, done.stdout.splitlines())}


def at_least_twenty():
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.removeprefix("v").split(".")[0]) < 20:
        pytest.skip(f"node is {version.strip()}, the verifier is written for 20 and newer")


def codes(line):
    return {code for code, _ in line["found"]}


def is_theirs(folder):
    """Whether the folder asks for what the independent verifiers judge."""
    return expected_of(folder)["code"] in JUDGED | {None} and folder.name not in NOT_THEIRS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_vector_that_can_be_judged_without_grading_is_judged_alike(name):
    said, apart = judged_by(name), []
    for folder in filter(is_theirs, FOLDERS):
        line, wanted = said[folder.name], expected_of(folder)
        if line["status"] == "UNJUDGED":
            continue
        code = OTHER_DIGITS.get(folder.name, wanted["code"])
        alike = (line["status"], line["exit"]) == (wanted["status"], wanted["exit"])
        if not alike or (codes(line) if code is None else code not in codes(line)):
            apart.append((folder.name, wanted, line))
    assert apart == []


@pytest.mark.parametrize("name", COMMANDS)
def test_what_cannot_be_judged_is_said_with_an_exit_of_its_own_and_is_little(name):
    unjudged = [line for line in judged_by(name).values() if line["status"] == "UNJUDGED"]
    assert {line["exit"] for line in unjudged} == {5}
    flags = {"--suite", "--signer-key", "--at", "--max-bytes", "--use-embedded-suite"}
    flags |= {"--allow-unrecorded", "--allow-attested"}
    for folder in FOLDERS:
        asked = {word for word in expected_of(folder)["flags"] if word.startswith("--")}
        can = asked <= flags and "--signer-key" in asked and asked & {"--suite", "--use-embedded-suite"}
        assert (judged_by(name)[folder.name]["status"] == "UNJUDGED") == (not can), folder.name
    theirs = [folder for folder in FOLDERS if is_theirs(folder)]
    assert len(theirs) - len(unjudged) > 0.75 * len(FOLDERS)


@pytest.mark.parametrize("name", COMMANDS)
def test_of_a_fault_that_is_not_theirs_nothing_wrong_is_said(name):
    """A resealed receipt with an invented verdict is whole in all they look at: MATCH, with step 12 named."""
    for folder in FOLDERS:
        line, wanted = judged_by(name)[folder.name], expected_of(folder)
        if wanted["code"] in VERDICTS and folder.name.endswith("_resealed_fail"):
            assert codes(line) <= {"counts", "pass_at_1", "pass_caret_k"}, folder.name


def test_both_find_the_same_in_every_vector():
    one, other = judged_by("python"), judged_by("node")
    assert one.keys() == other.keys()
    assert [case for case in one if codes(one[case]) != codes(other[case])] == []


def test_every_code_is_theirs_or_named_as_not_theirs():
    table = (ROOT / "docs/reference/statuses.md").read_text()
    all_codes = set(re.findall(r"^\| [A-Z_]+ \| \d \| `(\w+)` \|", table, re.MULTILINE))
    assert all_codes - JUDGED - VERDICTS - WHAT_ANSWERS_SAY - DEMANDS == set()


def test_they_import_nothing_of_the_package():
    for path in HERE.glob("*"):
        if path.suffix in {".py", ".mjs"} and not path.name.startswith("test_"):
            assert "import passfloor" not in path.read_text()
            assert "from passfloor" not in path.read_text()
    words = [*COMMANDS["python"], "--folders", str(FOLDERS[0])]
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *words[1:]],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert not [line for line in done.stderr.splitlines() if re.search(r"\| +passfloor", line)]
    script = "\n".join(path.read_text() for path in HERE.glob("*.mjs"))
    assert set(re.findall(r'from "([^"]+)"', script)) == {
        "node:crypto", "node:fs", "node:path", "node:url",
        "./strict.mjs", "./coordinated.mjs", "./framed.mjs",
    }  # fmt: skip
