"""Verifying on somebody else's machine: their folder, their user, no network, nothing written."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

NOBODY = 65534

# Ends the process at the first attempt to write, dial or start anything (PEP 578).
WATCHED = """
import os, sys

FORBIDDEN = ("socket.", "subprocess.", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "os.fork",
             "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.chmod",
             "os.truncate", "shutil.", "tempfile.", "urllib.")

def watch(event, arguments):
    writes = event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and (
        arguments[0] != os.devnull)
    if writes or event.startswith(FORBIDDEN):
        os.write(2, f"forbidden: {event} {arguments}".encode())
        os._exit(99)

from passfloor.cli import main
sys.addaudithook(watch)
sys.argv = ["passfloor", *sys.argv[1:]]
code = main()
if os.environ.get("CONTROL"):
    open(os.environ["CONTROL"], "w")
raise SystemExit(code)
"""


# Root may do anything, so it is given up; the interpreter may be where nobody else can read, so a first
# pass, which prints nowhere, loads what the second needs.
AS_NOBODY = f"""
import os, sys
from passfloor.cli import main
sys.argv = ["passfloor", *sys.argv[1:]]
if os.geteuid() == 0:
    kept = os.dup(1), os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1), os.dup2(nowhere, 2)
    main()
    sys.stdout.flush(), sys.stderr.flush()
    os.dup2(kept[0], 1), os.dup2(kept[1], 2)
    os.setgroups([]), os.setgid({NOBODY}), os.setuid({NOBODY})
raise SystemExit(main())
"""


def snapshot(*folders):
    return {
        path: (path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
        for folder in folders
        for path in [folder, *folder.rglob("*")]
    }


@pytest.fixture
def elsewhere(golden, cli):
    """Another home, with the receipt alone."""
    shutil.copy(golden.receipt, cli.cwd / "r.json")
    cli.fingerprint = json.loads(golden.receipt.read_bytes())["signer_fingerprint"]
    cli.jwks = golden.good("key", "publish").stdout
    cli.x = json.loads(cli.jwks)["keys"][0]["x"]
    return cli


def test_without_a_trusted_key_it_is_unsigned_and_the_step_is_named(elsewhere):
    found = elsewhere.json("bench", "verify", "r.json", code=1)
    assert (found["status"], found["assurance"]) == ("UNSIGNED", "none")
    assert found["pass_caret_k"] == 1.0
    assert "--signer-key or --jwks" in found["findings"][0]["detail"]


def test_the_published_jwks_is_enough(elsewhere):
    elsewhere.write("keys.json", elsewhere.jwks)
    found = elsewhere.json("bench", "verify", "r.json", "--jwks", "keys.json")
    assert (found["status"], found["signer_fingerprint"]) == ("MATCH", elsewhere.fingerprint)


def test_the_43_characters_of_the_key_are_enough_and_so_is_its_file(elsewhere, golden):
    assert len(elsewhere.x) == 43
    assert elsewhere.json("bench", "verify", "r.json", "--signer-key", elsewhere.x)["status"] == "MATCH"
    pem = golden.good("key", "show").stdout.split("\n", 2)[2]
    elsewhere.write("key.pem", pem)
    text = elsewhere.good("bench", "verify", "r.json", "--signer-key", "key.pem").stdout
    assert "trusted through --signer-key" in text


def test_another_key_is_not(elsewhere):
    kid = elsewhere.good("key", "generate").stdout.strip()
    other = json.loads(elsewhere.good("key", "show", kid, "--json").stdout)["x"]
    found = elsewhere.json("bench", "verify", "r.json", "--signer-key", other, code=1)
    assert [finding["code"] for finding in found["findings"]] == ["key_unknown"]


@pytest.mark.parametrize("verb", ["verify", "reliability-verify"])
def test_verification_writes_nothing_in_home_or_folder(elsewhere, verb):
    before = snapshot(elsewhere.home)
    elsewhere.good("bench", verb, "r.json", "--signer-key", elsewhere.x)
    elsewhere("bench", verb, "r.json")
    assert snapshot(elsewhere.home) == before
    assert not elsewhere.identity.exists()


def watched(elsewhere, *words, **env):
    return subprocess.run(
        [sys.executable, "-B", "-c", WATCHED, *words],
        cwd=elsewhere.cwd,
        env=elsewhere.environment(**env),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_verification_dials_starts_and_writes_nothing_at_all(elsewhere):
    done = watched(elsewhere, "bench", "verify", "r.json", "--signer-key", elsewhere.x)
    assert (done.returncode, done.stderr) == (0, "")
    control = watched(elsewhere, "bench", "verify", "r.json", CONTROL=str(elsewhere.cwd / "written"))
    assert control.returncode == 99
    assert "forbidden: open" in control.stderr


@pytest.fixture
def unprivileged(elsewhere):
    """Runs verify as a user who owns nothing, in a folder nobody can write to, with an empty HOME."""
    folder = Path(tempfile.mkdtemp(prefix="passfloor-test-"))
    (folder / "home").mkdir()
    for name in ("r.json", "secret.json"):
        shutil.copy(elsewhere.cwd / "r.json", folder / name)
    (folder / "secret.json").chmod(0)
    for path in (folder / "home", folder):
        path.chmod(0o555)

    def run(*words):
        command = [sys.executable, "-B", "-c", AS_NOBODY, *map(str, words)]
        env = elsewhere.environment(HOME=str(folder / "home"), PASSFLOOR_HOME="")
        return subprocess.run(
            command, cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False
        )

    yield run
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_an_empty_home_and_a_read_only_folder_are_enough(unprivileged, elsewhere):
    done = unprivileged("bench", "verify", "r.json", "--signer-key", elsewhere.x)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("overall: MATCH\n")
    assert unprivileged("bench", "verify", "r.json").returncode == 1


def test_a_file_that_cannot_be_opened_is_bad_input_and_not_a_verdict(unprivileged, elsewhere, expect_refusal):
    said = expect_refusal(unprivileged("bench", "verify", "secret.json"), 2)
    assert "Permission denied" in said
    assert "No such file" in expect_refusal(elsewhere("bench", "verify", "missing.json"), 2)
    expect_refusal(elsewhere("bench", "verify", "."), 2)
    expect_refusal(elsewhere("bench", "verify", "missing.json", "--json"), 2)


def test_home_unset_is_enough(elsewhere):
    env = elsewhere.environment()
    del env["HOME"], env["PASSFLOOR_HOME"]
    done = subprocess.run(
        elsewhere.command("bench", "verify", "r.json", "--signer-key", elsewhere.x),
        cwd=elsewhere.cwd,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_an_unknown_suite_is_named_with_suite_or_taken_from_the_receipt_and_said(cli, expect_refusal):
    suite = cli.suite("t")
    cli.good("bench", "run", suite, "--reliability", 1, "--agent", "echo yes")
    said = expect_refusal(cli("bench", "verify", "reliability.json"), 2)
    assert "--suite" in said
    assert "--use-embedded-suite" in said
    embedded = cli.good("bench", "verify", "reliability.json", "--use-embedded-suite").stdout
    assert "its signer chose it" in " ".join(embedded.split())
    cli.good("bench", "run", suite, "--reliability", 1, "--agent", "echo yes", "--force", "--no-embed-suite")
    expect_refusal(cli("bench", "verify", "reliability.json", "--use-embedded-suite"), 2)
    cli.good("bench", "verify", "reliability.json", "--suite", suite)


def test_an_easier_suite_under_the_same_name_is_refused(cli):
    cli.good("bench", "run", cli.suite("t"), "--reliability", 1, "--agent", "echo yes")
    easier = cli.suite("t", name="easier.json", assertions=[{"kind": "completed"}])
    assert cli.json("bench", "verify", "reliability.json", "--suite", easier, code=1)["status"] == (
        "HASH_MISMATCH"
    )


def test_a_stub_signature_is_test_grade_and_only_where_it_is_allowed(cli):
    run = ("bench", "run", "golden-v1", "--reliability", 3, "--adapter", "mock", "--stub-signer")
    done = cli.good(*run)
    assert "subject      : synthetic (mock): no agent was run" in done.stdout
    refused = cli.json("bench", "verify", "reliability.json", code=1)
    assert refused["findings"][0]["code"] == "stub_not_allowed"
    found = cli.json("bench", "verify", "reliability.json", "--allow-stub")
    assert (found["status"], found["assurance"]) == ("MATCH", "test")
    text = cli.good("bench", "verify", "reliability.json", "--allow-stub").stdout
    assert text.startswith("overall: MATCH (TEST-GRADE)\n")
    check = ("bench", "check", "reliability.json", "--all", "--allow-stub", "--adapter", "mock")
    assert cli.json(*check)["status"] == "PASS"
    assert cli.json(*check[:-1], "stochastic-mock", code=4)["status"] == "UNDECIDED"


def test_a_stub_beside_a_named_key_never_counts(cli, golden):
    x = json.loads(golden.good("key", "publish").stdout)["keys"][0]["x"]
    cli.good("bench", "run", "golden-v1", "--reliability", 1, "--stub-signer")
    found = cli.json(
        "bench", "verify", "reliability.json", "--allow-stub", "--signer-key", x, code=1
    )  # fmt: skip
    assert found["findings"][0]["code"] == "stub_not_allowed"


def test_a_synthetic_adapter_is_never_signed_with_a_key(cli, expect_refusal):
    said = expect_refusal(cli("bench", "run", "golden-v1", "--reliability", 1, "--adapter", "mock"), 2)
    assert "--stub-signer" in said
    assert not cli.identity.exists()
