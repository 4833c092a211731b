"""The key that signs: where it is made, who is told, and where it must never be."""

import json
import stat
import subprocess

import pytest

LEDGER = ["ledger.jsonl", "ledger.jsonl.lock"]
RUN = ("--reliability", 1, "--agent", "echo yes", "--force")


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_it_is_made_at_the_first_signing_said_once_and_private(cli):
    suite = cli.suite("t")
    first = cli.good("bench", "run", suite, *RUN, "--json")
    kid = json.loads((cli.cwd / "reliability.json").read_bytes())["signer_fingerprint"]
    assert json.loads(first.stdout)["identity_created"] is True
    assert f"new identity {kid}, publish it with: passfloor key publish" in first.stderr
    assert "CI" not in first.stderr
    second = cli.good("bench", "run", suite, *RUN, "--json")
    assert json.loads(second.stdout)["identity_created"] is False
    assert "identity" not in second.stderr
    assert mode(cli.identity / "keys") == 0o700
    assert mode(cli.identity / "keys" / f"{kid}.pem") == 0o600
    assert (cli.identity / "keys" / "current").read_text().strip() == kid


def test_a_job_of_ci_without_a_key_is_warned_and_one_with_a_key_is_not(cli):
    suite = cli.suite("t")
    said = cli.good("bench", "run", suite, *RUN, env={"CI": "true"}).stderr
    assert "this key dies with the job; give one in PASSFLOOR_SIGNING_KEY" in said
    pem = next(path for path in (cli.identity / "keys").glob("*.pem") if not path.name.endswith(".pub.pem"))
    for env in (
        {"PASSFLOOR_SIGNING_KEY": pem.read_text()},
        {"PASSFLOOR_SIGNING_KEY_FILE": str(pem)},
    ):
        fresh = {"CI": "true", "PASSFLOOR_HOME": str(cli.home / "none"), **env}
        assert "CI" not in cli.good("bench", "run", suite, *RUN, env=fresh).stderr
        assert sorted(path.name for path in (cli.home / "none").iterdir()) == LEDGER
        sealed = json.loads((cli.cwd / "reliability.json").read_bytes())
        assert sealed["signer_fingerprint"] == pem.stem


@pytest.mark.parametrize("name", ["PASSFLOOR_SIGNING_KEY", "PASSFLOOR_SIGNING_KEY_FILE"])
@pytest.mark.parametrize("value", ["", "no key"])
def test_a_key_that_cannot_be_used_is_refused_before_any_attempt(cli, expect_refusal, name, value):
    agent = ("--agent", f"touch {cli.cwd}/ran")
    expect_refusal(cli("bench", "run", cli.suite("t"), "--reliability", 1, *agent, env={name: value}), 2)
    assert not (cli.cwd / "ran").exists()
    assert not cli.identity.exists()


def test_it_is_refused_inside_the_git_work_tree_it_was_started_in(cli, expect_refusal):
    subprocess.run(["git", "init", "-q", cli.cwd], check=True, capture_output=True)
    below = cli.cwd / "sub"
    below.mkdir()
    env = {"PASSFLOOR_HOME": str(cli.cwd / ".passfloor-home")}
    for folder in (cli.cwd, below):
        said = expect_refusal(
            cli(
                "bench", "run", cli.suite("t"), "--reliability", 1, "--agent", "echo yes", env=env, cwd=folder
            ),
            2,
        )
        assert "git work tree" in said
        assert "PASSFLOOR_HOME" in said
    assert not (cli.cwd / ".passfloor-home").exists()
    cli.good("bench", "run", cli.suite("t"), *RUN, env=env, cwd=cli.home)


def test_it_is_never_made_in_the_folder_of_an_attempt(cli):
    """An agent that runs passfloor has a HOME that is thrown away, and a key there would be handed out."""
    suite = cli.suite("t")
    inner = " ".join(cli.command("bench", "run", suite, "--reliability", 1, "--agent", "'echo yes'"))
    cli.write("agent.sh", f"unset PASSFLOOR_HOME; {inner} 2>&1; echo exit $?; find $HOME -name '*.pem'")
    done = cli("bench", "run", suite, "--reliability", 1, "--agent", "sh agent.sh", "--keep-going")
    assert done.returncode == 0
    attempt = json.loads((cli.cwd / "reliability.json").read_bytes())["task_results"][0]["attempts"][0]
    said = attempt["receipt"]["events"][-3]["sample"]["stdout"]
    assert "which agents write to" in said
    assert "exit 2" in said
    assert "pem" not in said.partition("exit 2")[2]


def test_a_stub_needs_no_key_and_makes_none(cli):
    ran = cli.json("bench", "run", cli.suite("t"), *RUN, "--stub-signer")
    assert ran["identity_created"] is False
    assert not cli.identity.exists()
