"""What an agent of the same user finds of the key: a real agent looks at every process above it."""

import json
import os
import subprocess

import pytest

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="this system has no /proc")

CANARY = "canary-of-the-passphrase"
LOOKING = r"""
import os, pathlib

def parent_of(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("PPid:"):
            return int(line.split()[1])

found, pid = [], os.getpid()
while pid > 1:
    try:
        name = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        environ = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
        places = [f"environ:{word}" for word in NEEDLES if word.encode() in environ]
        for fd in os.listdir(f"/proc/{pid}/fd"):
            link = os.readlink(f"/proc/{pid}/fd/{fd}")
            if link.endswith(".pem") or "memfd" in link:
                places.append(f"descriptor:{link}")
    except OSError as error:
        places = []
    found.append(("passfloor" in name and "bench" in name and " run " in name, places))
    pid = parent_of(pid)
ours = [i for i, (mine, _) in enumerate(found) if mine]
print("levels", len(found), "ours", len(ours))
print("leaked", [places for mine, places in found[: max(ours, default=0) + 1]])
"""


def looked(cli, needles, env):
    """What the agent printed; NEEDLES are hidden from its own command line in a file."""
    agent = cli.write("look.py", f"NEEDLES = {[*needles]!r}\n{LOOKING}")
    cli.suite("t")
    words = ("bench", "run", "suite.json", "--reliability", 1, "--agent", f"python3 {agent}", "--force")
    cli.good(*words, env=env)
    receipt = json.loads((cli.cwd / "reliability.json").read_bytes())
    events = receipt["task_results"][0]["attempts"][0]["receipt"]["events"]
    [said] = [event["sample"]["stdout"] for event in events if event["kind"] == "model.output"]
    return said, receipt["signer_fingerprint"]


@pytest.fixture
def key(cli):
    """An encrypted key, its kid and the middle of its text."""
    made = {"PASSFLOOR_HOME": str(cli.home / "vault"), "PASSFLOOR_KEY_PASSWORD": CANARY}
    kid = cli.json("key", "generate", env=made)["kid"]
    pem = (cli.home / "vault" / "keys" / f"{kid}.pem").read_text()
    return kid, pem, pem.splitlines()[2]


def test_no_process_that_passfloor_started_shows_the_key_or_the_passphrase(cli, key):
    kid, pem, needle = key
    env = {"PASSFLOOR_SIGNING_KEY": pem, "PASSFLOOR_KEY_PASSWORD": CANARY}
    said, signer = looked(cli, [needle, CANARY], env)
    assert signer == kid
    levels, ours = (int(word) for word in said.split("\n")[0].split() if word.isdigit())
    assert levels >= 2
    assert ours >= 1
    assert said.split("\n")[1].startswith("leaked [[]")
    assert "environ:" not in said
    assert "descriptor:" not in said


def test_the_same_agent_finds_a_variable_that_nobody_hides(cli, key):
    said, _ = looked(cli, ["canary-in-the-open"], {"OPEN_VARIABLE": "canary-in-the-open"})
    assert "environ:canary-in-the-open" in said


def test_a_key_file_is_open_in_no_process_while_the_agent_runs(cli, key):
    kid, _, _ = key
    path = cli.home / "vault" / "keys" / f"{kid}.pem"
    env = {"PASSFLOOR_SIGNING_KEY_FILE": str(path), "PASSFLOOR_KEY_PASSWORD": CANARY}
    said, signer = looked(cli, [CANARY], env)
    assert signer == kid
    assert "environ:" not in said
    assert "descriptor:" not in said


def test_a_key_is_loaded_after_the_last_attempt(cli, key):
    """An agent that takes the key away while it runs finds a run that does not notice until it is to sign."""
    kid, _, _ = key
    path = cli.home / "vault" / "keys" / f"{kid}.pem"
    env = {"PASSFLOOR_SIGNING_KEY_FILE": str(path), "PASSFLOOR_KEY_PASSWORD": CANARY}
    agent = cli.write("take.sh", f"mv {path} {path}.taken 2> /dev/null; echo yes")
    cli.suite("t")
    words = ("bench", "run", "suite.json", "--reliability", 2, "--agent", f"sh {agent}")
    refused = cli(*words, env=env)
    assert refused.returncode == 2
    assert f"{path}: cannot be read" in refused.stderr
    assert "2 of 2 attempts are kept" in refused.stderr
    assert not (cli.cwd / "reliability.json").exists()
    os.rename(f"{path}.taken", path)
    cli.good(*words, "--resume", env=env)


def test_a_passphrase_reaches_no_child_of_a_command_at_all(cli):
    """Also not by way of what the shell of the test hands on: the variable ends at passfloor."""
    cli.suite("t")
    env = {"PASSFLOOR_KEY_PASSWORD": CANARY}
    words = ("bench", "run", "suite.json", "--reliability", 1, "--agent", "env", "--keep-going")
    ran = cli(*words, env=env)
    assert ran.returncode == 0, ran.stderr
    content = (cli.cwd / "reliability.json").read_bytes()
    assert b"PATH=" in content
    assert CANARY.encode() not in content
    assert subprocess.run(["grep", "-r", CANARY, cli.home], capture_output=True, check=False).returncode == 1
