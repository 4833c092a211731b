"""stdout is data, stderr is talk; neither depends on who listens, nor on the locale."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

LEGACY = [
    {"PYTHONIOENCODING": "cp1252"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"},
]
FULL = Path("/dev/full")


def into(cli, target, *words, **env):
    """Run with stdout going to the descriptor ``target``; returns exit code and stderr."""
    done = subprocess.run(
        cli.command(*words),
        cwd=cli.cwd,
        env=cli.environment(**env),
        stdout=target,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.fixture
def nobody_reads():
    """The writing end of a pipe whose reader is gone."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


@pytest.mark.parametrize("unbuffered", [{}, {"PYTHONUNBUFFERED": "1"}], ids=["buffered", "unbuffered"])
def test_a_reader_that_went_away_ends_it_quietly(golden, nobody_reads, unbuffered):
    for words in (
        ["bench", "verify", golden.receipt],
        ["bench", "verify", golden.receipt, "--json"],
        ["bench", "check", golden.receipt],
        ["bench", "run", "--help"],
        ["--help"],
        ["--version"],
        ["suite", "show", "golden-v1"],
    ):
        assert into(golden, nobody_reads, *words, **unbuffered) == (141, ""), words


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
def test_a_full_disk_is_an_error_of_one_line(golden):
    for words in (
        ["bench", "verify", golden.receipt],
        ["bench", "verify", golden.receipt, "--json"],
        ["--help"],
        ["--version"],
    ):
        with FULL.open("w") as full:
            code, said = into(golden, full, *words)
        assert code == 4, words
        assert said.startswith("passfloor: ")
        assert said.count("\n") == 1
        assert "No space left" in said


def test_a_closed_stdout_is_an_error_of_one_line_and_touches_no_file(golden):
    before = golden.receipt.read_bytes()
    done = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *golden.command("bench", "verify", golden.receipt)],
        cwd=golden.cwd,
        env=golden.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4
    assert done.stderr.startswith("passfloor: cannot write the output: standard output is closed")
    assert done.stderr.count("\n") == 1
    assert golden.receipt.read_bytes() == before


def test_talk_that_nobody_hears_does_not_end_a_run(cli):
    done = subprocess.run(
        [
            "sh", "-c", '"$@" 2>&-', "sh",
            *cli.command("bench", "run", cli.suite("t"), "--reliability", 1, "--agent", "echo yes"),
        ],
        cwd=cli.cwd, env=cli.environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert "pass^1 floor : 100.0%" in done.stdout


@pytest.mark.parametrize("env", LEGACY, ids=["cp1252", "C", "ascii"])
def test_an_encoding_without_the_characters_changes_no_exit_code(cli, env):
    suite = cli.suite("\N{PACKAGE}-täsk")
    agent = ("--agent", "sh -c 'echo yes; printf \"\\360\\237\\223\\246\" > f.txt'")
    reading = ("--suite", suite)
    run = cli("bench", "run", suite, "--reliability", 2, *agent, env=env)
    assert run.returncode == 0, run.stderr
    assert "U0001f4e6" in run.stderr
    assert cli("bench", "verify", "reliability.json", *reading, env=env).returncode == 0
    assert cli("bench", "check", "reliability.json", *reading, *agent, "--all", env=env).returncode == 0
    shown = cli("suite", "show", suite, env=env)
    assert shown.returncode == 0
    same = cli("bench", "verify", "reliability.json", *reading)
    assert same.returncode == 0
    document = json.loads((cli.cwd / "reliability.json").read_bytes())
    assert document["task_results"][0]["task_id"] == "\N{PACKAGE}-täsk"
    other = cli("bench", "verify", "reliability.json", *reading, "--task", "x", env=env)
    assert other.returncode == 2


def test_forced_colour_draws_nothing_off_a_terminal(cli):
    env = {"FORCE_COLOR": "1", "TTY_COMPATIBLE": "1", "TERM": "xterm-256color", "CLICOLOR_FORCE": "1"}
    suite = cli.suite("t")
    for words in (
        ["bench", "run", suite, "--reliability", 2, "--agent", "echo yes"],
        ["bench", "verify", "reliability.json", "--suite", suite],
        ["bench", "run", "--help"],
        ["bench", "run", suite],
        ["bench", "run", suite, "--no-such-flag"],
    ):
        done = cli(*words, env=env)
        assert not re.search(r"[\x1b\r\x9b]", done.stdout + done.stderr), words
    run = cli("bench", "run", suite, "--reliability", 2, "--agent", "echo yes", "--force", env=env)
    assert sum(line.startswith("[") for line in run.stderr.splitlines()) == 2


def test_json_is_the_whole_of_stdout_and_the_talk_is_on_stderr(cli):
    suite = cli.suite("t" * 150)
    done = cli.good("bench", "run", suite, "--reliability", 2, "--agent", "echo yes", "--json")
    assert json.loads(done.stdout)["k"] == 2
    assert "[2/2] " in done.stderr
    assert "new identity" in done.stderr
    quiet = cli.good(
        "bench", "run", suite, "--reliability", 2, "--agent", "echo yes", "--json", "--force", "--quiet"
    )
    assert json.loads(quiet.stdout)["k"] == 2
    assert "[2/2]" not in quiet.stderr


def test_ids_that_look_like_markup_or_paths_are_shown_as_they_are(cli):
    suite = cli.suite("[/etc/passwd]", "[red]x[/red]", "../../x", "a/b", "c:d", "CON", "x.")
    done = cli.good("bench", "run", suite, "--reliability", 1, "--agent", "sh -c 'echo no; exit 0'")
    for task_id in ("[/etc/passwd]", "[red]x[/red]", "../../x"):
        assert f"{task_id} attempt 0: wrong" in done.stderr
        assert f"{task_id}  0 of 1 passed" in done.stdout
    assert sorted(path.name for path in cli.home.iterdir()) == ["identity", "tmp", "work"]
    assert os.listdir(cli.tmp) == []


def test_what_an_agent_says_reaches_no_terminal_raw(cli):
    """A journal value, an answer and an error text with escape sequences, seen by run, verify and check."""
    suite = cli.suite("t")
    agent = (
        "import os,random;"
        "j=open(os.environ['PASSFLOOR_JOURNAL'],'a');"
        "v='\\\\u001b[31m\\\\u202e[red]\\\\u009b'+str(random.random());"
        'j.write(\'{"kind":"n","v":"\'+v+\'"}\\n\');j.close();'
        "print('\\x1b]8;;http://x\\x07')"
    )
    cli.write("agent.py", agent)
    flags = ("--agent", "python agent.py")
    for words, code in (
        (["bench", "run", suite, "--reliability", 2, *flags], 1),
        (["bench", "verify", "reliability.json", "--suite", suite], 1),
        (["bench", "check", "reliability.json", "--suite", suite, *flags], 1),
    ):
        done = cli(*words)
        assert done.returncode == code, done.stderr
        text = done.stdout + done.stderr
        assert not re.search(r"[\x1b\x07\x9b\u202e\r]", text)
        assert "events[1].v" in text


def test_refusals_are_one_line_on_stderr_and_leave_stdout_empty(cli, golden, expect_refusal):
    suite = cli.suite("t")
    run = ("bench", "run", suite, "--agent", "echo yes")
    weak = cli.write("weak.jwk", json.dumps({"kty": "OKP", "crv": "Ed25519", "x": "A" * 43}))
    for words, hint in (
        ([*run], "--reliability 5 asks whether each task passes five times out of five"),
        ([*run, "--reliability", 0], "at least 1"),
        ([*run, "--reliability", 3, "--attempts", 2], "raise --attempts to 3"),
        ([*run, "--reliability", "five"], "see passfloor bench run --help"),
        ([*run, "--reliability", 10_001], "at most 10000"),
        ([*run, "--reliability", 1, "--timeout", 0], "give more than 0"),
        ([*run, "--reliability", 1, "--timeout", "nan"], "give more than 0"),
        ([*run, "--reliability", 1, "--keep-workspaces", "x"], "'failed' or 'all'"),
        ([*run, "--reliability", 1, "--adapter", "mock"], "give one of them"),
        ([*run, "--reliability", 1, "--seed", -1], "--help"),
        ([*run, "--reliability", 1, "--env", "HOME"], "fresh in every attempt"),
        ([*run, "--reliability", 1, "--env", "PASSFLOOR_SIGNING_KEY"], "never let through"),
        ([*run, "--reliability", 1, "--env", "NOT_SET_HERE"], "is not set"),
        ([*run, "--reliability", 1, "--relability", 1], "--reliability"),
        (["bench", "run", suite, "--reliability", 1], "--agent CMD"),
        (["bench", "run", "golden-v2", "--reliability", 1], 'did you mean "golden-v1"?'),
        (["bench", "run", "golden-v1", "--reliability", 1, "--adapter", "mok"], "did you mean 'mock'?"),
        (["bench", "verfy", golden.receipt], "passfloor bench --help"),
        (["bench", "verify"], "passfloor bench verify --help"),
        (["bench", "verify", golden.receipt, "--at", "yesterday"], "RFC 3339"),
        (["bench", "verify", golden.receipt, "--at", "2026-01-01T00:00:00"], "offset"),
        (["bench", "verify", golden.receipt, "--signer-key", "nope"], "is no file"),
        (["bench", "verify", golden.receipt, "--signer-key", suite], "key"),
        (["bench", "verify", golden.receipt, "--signer-key", weak], "weak"),
        (["bench", "verify", golden.receipt, "--jwks", "missing.json"], "No such file"),
        (["bench", "verify", golden.receipt, "--suite", "a", "--use-embedded-suite"], "give one of them"),
    ):
        said = expect_refusal(cli(*words, "--json"), 2)
        assert hint in said, (words, said)
    assert not cli.identity.exists()
