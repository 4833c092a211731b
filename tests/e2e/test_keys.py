"""Keys over their life, as commands: replaced, revoked, published, trusted; and several at once."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

RUN = ("--reliability", 1, "--agent", "echo yes", "--force")
VERIFY = ("bench", "verify", "reliability.json", "--suite", "suite.json")


def signed(cli, **options):
    cli.good("bench", "run", cli.suite("t"), *RUN, **options)
    return json.loads((cli.cwd / "reliability.json").read_bytes())["signer_fingerprint"]


def codes(cli, *flags, code=1, env=None):
    found = cli.json(*VERIFY, *flags, code=code, env=env)
    return [finding["code"] for finding in found["findings"]]


def test_a_rotated_key_still_verifies_what_it_signed_and_signs_no_more(cli):
    old = signed(cli)
    (cli.cwd / "reliability.json").rename(cli.cwd / "old.json")
    rotated = cli.json("key", "rotate")
    assert rotated["replaces"] == old
    assert signed(cli) == rotated["kid"] != old
    cli.good(*VERIFY)
    cli.good("bench", "verify", "old.json", "--suite", "suite.json")
    cli.good("key", "publish", "--out", "keys.json")
    elsewhere = {"PASSFLOOR_HOME": str(cli.home / "elsewhere")}
    for receipt in ("old.json", "reliability.json"):
        words = ("bench", "verify", receipt, "--suite", "suite.json", "--jwks", "keys.json")
        assert cli.json(*words, env=elsewhere)["status"] == "MATCH"
    listed = {row["kid"]: row for row in cli.json("key", "list")["keys"]}
    assert listed[old]["not_after"] is not None
    assert (listed[old]["current"], listed[rotated["kid"]]["current"]) == (False, True)
    assert listed[rotated["kid"]]["not_before"] is not None


def test_what_a_rotated_key_signs_later_is_outside_its_window(cli):
    old = signed(cli)
    pem = (cli.identity / "keys" / f"{old}.pem").read_text()
    history = cli.identity / "keys" / "history.json"
    cli.good("key", "rotate")
    # The window was closed yesterday, and the old key is used by hand.
    closed = json.loads(history.read_text())
    closed["keys"][old]["not_after"] = "2020-01-01T00:00:00Z"
    history.write_text(json.dumps(closed))
    refused = cli("bench", "run", cli.suite("t"), *RUN, env={"PASSFLOOR_SIGNING_KEY": pem})
    assert refused.returncode == 2
    assert f"the key {old} signs until 2020-01-01T00:00:00Z" in refused.stderr
    elsewhere = {"PASSFLOOR_HOME": str(cli.home / "elsewhere"), "PASSFLOOR_SIGNING_KEY": pem}
    assert signed(cli, env=elsewhere) == old
    assert codes(cli) == ["key_outside_window"]


def test_a_revoked_key_verifies_nothing_and_signs_nothing(cli, expect_refusal):
    kid = signed(cli)
    cli.good(*VERIFY)
    done = cli.json("key", "revoke", kid, "--reason", "laptop stolen", "--since", "2026-01-31T09:30:00Z")
    assert (done["revoked_since"], done["reason"]) == ("2026-01-31T09:30:00Z", "laptop stolen")
    assert codes(cli) == ["key_revoked"]
    assert "laptop stolen" in cli(*VERIFY).stdout
    agent = ("--reliability", 1, "--agent", f"touch {cli.cwd}/ran", "--force")
    said = expect_refusal(cli("bench", "run", cli.suite("t"), *agent), 2)
    assert "was revoked" in said
    assert not (cli.cwd / "ran").exists()
    cli.good("key", "publish", "--out", "keys.json")
    elsewhere = {"PASSFLOOR_HOME": str(cli.home / "elsewhere")}
    assert codes(cli, "--jwks", "keys.json", env=elsewhere) == ["key_revoked"]
    cli.good("key", "rotate")
    assert signed(cli) != kid
    cli.good(*VERIFY)


def test_a_revocation_needs_a_key_a_time_that_has_been_and_a_line(cli, expect_refusal):
    kid = signed(cli)
    for words in (
        ("x" * 43,),
        ("nonsense",),
        (kid, "--since", "2999-01-01T00:00:00Z"),
        (kid, "--since", "yesterday"),
        (kid, "--reason", "two\nlines"),
        (kid, "--reason", "x" * 201),
    ):
        expect_refusal(cli("key", "revoke", *words), 2)
    cli.good(*VERIFY)
    cli.good("key", "revoke", kid, "--reason", "x" * 200)
    assert "revoked already" in expect_refusal(cli("key", "revoke", kid), 2)


def test_a_wrong_passphrase_is_one_line_and_a_right_one_signs(cli, expect_refusal):
    env = {"PASSFLOOR_KEY_PASSWORD": "correct horse"}
    kid = cli.json("key", "generate", env=env)["kid"]
    pem = cli.identity / "keys" / f"{kid}.pem"
    assert pem.read_bytes().startswith(b"-----BEGIN ENCRYPTED PRIVATE KEY-----")
    assert signed(cli, env=env) == kid
    for wrong in ({}, {"PASSFLOOR_KEY_PASSWORD": "battery"}, {"PASSFLOOR_KEY_PASSWORD": ""}):
        said = expect_refusal(cli("bench", "run", cli.suite("t"), *RUN, env=wrong), 2)
        assert "PASSFLOOR_KEY_PASSWORD" in said
        assert "battery" not in said
    cli.good(*VERIFY)


def test_a_passphrase_is_not_lost_by_a_rotation_unasked(cli, expect_refusal):
    env = {"PASSFLOOR_KEY_PASSWORD": "correct horse"}
    kid = cli.json("key", "generate", env=env)["kid"]
    said = expect_refusal(cli("key", "rotate"), 2)
    assert "--no-passphrase" in said
    assert cli.json("key", "list")["keys"] == [
        {"kid": kid, "current": True, "private": True, "not_before": None, "not_after": None}
        | {"revoked_since": None, "reason": None}
    ]
    renewed = cli.json("key", "rotate", env=env)["kid"]
    assert b"ENCRYPTED" in (cli.identity / "keys" / f"{renewed}.pem").read_bytes()
    bare = cli.json("key", "rotate", "--no-passphrase")["kid"]
    assert b"ENCRYPTED" not in (cli.identity / "keys" / f"{bare}.pem").read_bytes()
    expect_refusal(cli("key", "rotate", "--passphrase", "--no-passphrase"), 2)


def test_without_a_terminal_nothing_is_asked(cli, expect_refusal):
    said = expect_refusal(cli("key", "generate", "--passphrase"), 2)
    assert "set PASSFLOOR_KEY_PASSWORD" in said
    assert not cli.identity.exists()


def typed(cli, *lines):
    """``key generate --passphrase`` at a terminal at which these lines are typed; (exit code, its words)."""
    child, terminal = pty.fork()
    if child == 0:
        try:
            os.chdir(cli.cwd)
            os.execve(sys.executable, [sys.executable, "-m", "passfloor", *TYPED], cli.environment())
        finally:
            os._exit(127)
    said = b""
    waiting = list(lines)
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        said += piece
        if waiting and said.rstrip().endswith(b":"):
            os.write(terminal, waiting.pop(0).encode() + b"\n")
            said += b"|"
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said.decode()


TYPED = ("key", "generate", "--passphrase")


def test_a_passphrase_is_asked_for_twice_and_not_shown(cli):
    code, said = typed(cli, "correct horse", "correct horse")
    assert code == 0, said
    assert "correct horse" not in said
    [private] = [path for path in (cli.identity / "keys").glob("*.pem") if ".pub" not in path.name]
    assert private.read_bytes().startswith(b"-----BEGIN ENCRYPTED PRIVATE KEY-----")
    assert signed(cli, env={"PASSFLOOR_KEY_PASSWORD": "correct horse"}) == private.stem


@pytest.mark.parametrize("lines", [("correct horse", "correct horsf"), ("",)])
def test_two_passphrases_or_none_make_no_key(cli, lines):
    code, said = typed(cli, *lines)
    assert code == 2
    assert "no key was made" in said or "nothing was typed" in said
    assert not cli.identity.exists()


def test_an_owner_of_an_open_key_is_told_once_who_can_reach_it(cli):
    made = cli("key", "generate")
    assert "agents run as its owner and could read it: bench run --no-seal" in made.stderr
    ran = cli.good("bench", "run", cli.suite("t"), *RUN)
    assert "could read it" not in ran.stderr
    closed = cli("key", "generate", env={"PASSFLOOR_KEY_PASSWORD": "x"})
    assert "could read it" not in closed.stderr
    fresh = {"PASSFLOOR_HOME": str(cli.home / "fresh")}
    assert "could read it" in cli.good("bench", "run", cli.suite("t"), *RUN, env=fresh).stderr
    assert "could read it" not in cli.good("bench", "run", cli.suite("t"), *RUN, env=fresh).stderr


@pytest.mark.slow
def test_many_rotations_at_once_leave_one_line_of_keys(cli):
    first = cli.json("key", "generate")["kid"]
    racing = [
        subprocess.Popen(
            cli.command("key", "rotate", "--json"),
            cwd=cli.cwd,
            env=cli.environment(),
            stdout=subprocess.PIPE,
        )
        for _ in range(6)
    ]
    told = [json.loads(each.communicate(timeout=300)[0]) for each in racing]
    assert [each.returncode for each in racing] == [0] * 6
    rows = cli.json("key", "list")["keys"]
    assert {row["kid"] for row in rows} == {first, *(each["kid"] for each in told)}
    [current] = [row["kid"] for row in rows if row["current"]]
    following = {each["replaces"]: each["kid"] for each in told}
    assert len(following) == 6
    line = [first]
    while line[-1] in following:
        line.append(following[line[-1]])
    assert len(line) == 7
    assert line[-1] == current
    assert all((row["not_after"] is None) == (row["kid"] == current) for row in rows)
    assert signed(cli) == current


KILLED = """
import os, sys
from passfloor.keys import files
from passfloor.keys.keystore import KeyStore
from pathlib import Path

step, left = int(sys.argv[2]), [int(sys.argv[2])]
real = os.replace


class Killing(type(Path())):
    def replace(self, target):
        if left[0] == 0:
            os.kill(os.getpid(), 9)
        left[0] -= 1
        return super().replace(target)


store = KeyStore(Killing(sys.argv[1]))
store.rotate(at=1000.0)
"""


@pytest.mark.parametrize("step", range(4))
def test_a_rotation_killed_between_two_writes_leaves_an_identity_that_signs(cli, step):
    """Four files are put in their places; the process is killed before each of them in turn."""
    first = cli.json("key", "generate")["kid"]
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, cli.identity, str(step)], env=cli.environment(), check=False
    )
    assert killed.returncode == -9
    rows = cli.json("key", "list")["keys"]
    [current] = [row["kid"] for row in rows if row["current"]]
    # The third file is the history: until it is there the old key signs, and from then on the new one.
    assert (current == first) is (step < 3)
    assert signed(cli) == current
    cli.good(*VERIFY)
    again = cli.json("key", "rotate")
    assert again["replaces"] == current
    assert signed(cli) == again["kid"]
    # What a killed write had begun is no key, and is in nobody's way.
    assert {row["kid"] for row in cli.json("key", "list")["keys"]} >= {first, current, again["kid"]}


def test_a_trusted_key_counts_and_says_which_entry_it_was(cli, expect_refusal):
    kid = signed(cli)
    cli.good("key", "publish", "--out", "keys.json")
    buyer = {"PASSFLOOR_HOME": str(cli.home / "buyer")}
    assert codes(cli, env=buyer) == ["key_unknown"]
    added = cli.json("trust", "add", "keys.json", "--name", "acme", env=buyer)["keys"]
    assert [(entry["kid"], entry["name"]) for entry in added] == [(kid, "acme")]
    assert "trusted through trust.json (as 'acme')" in cli.good(*VERIFY, env=buyer).stdout
    assert cli.json("trust", "list", env=buyer)["keys"] == added
    assert f"{kid}  acme" in cli.good("trust", "list", env=buyer).stdout
    # A key that is named is the only one.
    stranger = cli.json("key", "generate", env={"PASSFLOOR_HOME": str(cli.home / "stranger")})["x"]
    assert codes(cli, "--signer-key", stranger, env=buyer) == ["key_unknown"]
    expect_refusal(cli("trust", "remove", "nobody", env=buyer), 2)
    assert cli.json("trust", "remove", "acme", env=buyer)["removed"]["kid"] == kid
    assert codes(cli, env=buyer) == ["key_unknown"]
    assert "nobody is trusted yet" in cli.good("trust", "list", env=buyer).stderr


@pytest.mark.parametrize(
    ("policy", "code"),
    [
        (("--min-k", 2), "k"),
        (("--subject", "other"), "subject"),
        (("--min-k", 1, "--recorded", "--subject", "mine"), None),
    ],
)
def test_an_entry_demands_what_it_was_told_to(cli, policy, code):
    words = ("--reliability", 1, "--agent", "echo yes", "--agent-name", "mine")
    cli.good("bench", "run", cli.suite("t"), *words)
    cli.good("key", "publish", "--out", "keys.json")
    buyer = {"PASSFLOOR_HOME": str(cli.home / "buyer")}
    cli.good("trust", "add", "keys.json", *policy, env=buyer)
    assert codes(cli, code=3 if code else 0, env=buyer) == ([code] if code else [])
    # Who names the key for this very check asks for nothing more.
    assert codes(cli, "--jwks", "keys.json", code=0, env=buyer) == []


def test_an_entry_has_a_window(cli):
    signed(cli)
    x = cli.json("key", "show")["x"]
    buyer = {"PASSFLOOR_HOME": str(cli.home / "buyer")}
    cli.good("trust", "add", x, "--not-after", "2020-01-01T00:00:00Z", env=buyer)
    assert codes(cli, env=buyer) == ["key_outside_window"]
    cli.good("trust", "add", x, "--not-before", "2020-01-01T00:00:00Z", "--force", env=buyer)
    assert codes(cli, code=0, env=buyer) == []


def test_a_set_that_is_added_again_brings_its_revocations(cli):
    kid = signed(cli)
    cli.good("key", "publish", "--out", "keys.json")
    buyer = {"PASSFLOOR_HOME": str(cli.home / "buyer")}
    cli.good("trust", "add", "keys.json", "--name", "acme", env=buyer)
    cli.good("key", "revoke", kid)
    cli.good("key", "rotate")
    cli.good("key", "publish", "--out", "keys.json", "--force")
    assert codes(cli, code=0, env=buyer) == []
    cli.good("trust", "add", "keys.json", "--name", "acme", "--force", env=buyer)
    assert codes(cli, env=buyer) == ["key_revoked"]
    signed(cli)
    assert codes(cli, code=0, env=buyer) == []


def test_what_must_not_be_trusted_is_refused(cli, expect_refusal):
    cli.json("key", "generate")
    x = cli.json("key", "show")["x"]
    rfc_8037 = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
    for words in (
        ("AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",),
        (rfc_8037,),
        ("missing.json",),
        (x, "--name", ""),
        (x, "--name", " blank"),
        (x, "--name", "\x1b[31m"),
        (x, "--subject", ""),
        (x, "--min-k", 0),
        (x, "--not-after", "soon"),
        (x, "--not-before", "2026-01-02T00:00:00Z", "--not-after", "2026-01-01T00:00:00Z"),
    ):
        expect_refusal(cli("trust", "add", *words), 2)
    assert not (cli.identity / "trust.json").exists()
    (cli.cwd / "odd.json").write_text(
        json.dumps({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": x, "exp": 1e300}]})
    )
    assert "no calendar has" in expect_refusal(cli("trust", "add", "odd.json"), 2)
    cli.good("trust", "add", x)
    assert "trusted already" in expect_refusal(cli("trust", "add", x), 2)


@pytest.mark.parametrize("damage", ["malformed", "writable", "foreign"])
def test_a_trust_file_that_cannot_be_relied_on_is_exit_2_and_never_an_empty_one(cli, expect_refusal, damage):
    signed(cli)
    x = cli.json("key", "show")["x"]
    cli.good("trust", "add", x)
    cli.good(*VERIFY)
    path = cli.identity / "trust.json"
    if damage == "malformed":
        path.write_text("{}")
    elif damage == "writable":
        path.chmod(0o666)
    elif os.geteuid() == 0:
        os.chown(path, 12345, -1)
    else:
        pytest.skip("only root gives files away")
    for words in (VERIFY, ("trust", "add", x, "--force")):
        assert "trust.json" in expect_refusal(cli(*words), 2)
    # A key that is named needs no such file.
    cli.good(*VERIFY, "--signer-key", x)


def test_a_published_test_key_does_not_sign_and_is_warned_of_where_it_is_named(cli, expect_refusal):
    jwk = {
        "kty": "OKP",
        "crv": "Ed25519",
        "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
        "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    }
    env = {"PASSFLOOR_SIGNING_KEY": json.dumps(jwk)}
    said = expect_refusal(cli("bench", "run", cli.suite("t"), *RUN, env=env), 2)
    assert "a published test key" in said
    signed(cli)
    named = cli(*VERIFY, "--signer-key", jwk["x"])
    assert named.returncode == 1
    assert "is a published test key, and anybody can sign with it" in named.stderr


@pytest.mark.parametrize("place", ["key", "folder", "link"])
def test_a_key_that_others_can_get_at_does_not_sign(cli, expect_refusal, place):
    kid = signed(cli)
    keys = cli.identity / "keys"
    pem = keys / f"{kid}.pem"
    if place == "key":
        pem.chmod(0o644)
    elif place == "folder":
        keys.chmod(0o755)
    else:
        pem.rename(cli.home / "elsewhere.pem")
        pem.symlink_to(cli.home / "elsewhere.pem")
    said = expect_refusal(cli("bench", "run", cli.suite("t"), *RUN), 2)
    assert {"key": "chmod 600", "folder": "chmod 700", "link": "symbolic link"}[place] in said
    assert Path(cli.cwd / "reliability.json").exists()
    if place == "folder":
        cli.good(*VERIFY)
