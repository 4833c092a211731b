"""Graders with code, as real processes."""

import signal
import sys
import textwrap
import time
from pathlib import Path

import pytest

from passfloor.codegraders.graders import CodeGraders
from passfloor.grading import Attested, CannotJudge, CapturedFile, Evidence
from passfloor.models.suite import Task

PYTHON = sys.executable
LINUX = pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc to see processes")


def evidence(files=None, stdout="", *, cut=False, exit_code=0, tools=()):
    made = {
        path: data if isinstance(data, CapturedFile) else CapturedFile(data)
        for path, data in (files or {}).items()
    }
    return Evidence(stdout, cut, exit_code, made, tuple(tools), {})


def task(**assertion):
    return Task.model_validate(
        {"id": "t", "description": "", "assertions": [{"kind": "completed"}, assertion]}
    )


def command(*argv, **more):
    return task(kind="command", argv=list(argv), **more)


def script(text, **more):
    return task(kind="command", run=textwrap.dedent(text), **more)


def python(source, **more):
    return task(kind="python", grader="check:ok", files={"check.py": textwrap.dedent(source)}, **more)


@pytest.fixture
def ask(tmp_path):
    told = []

    def asked(of, seen=None):
        return CodeGraders(tmp_path, told.append)(of, 3, 1, seen or evidence())

    asked.told = told
    asked.root = tmp_path
    return asked


def gone(pid, seconds=20.0):
    """Whether the process ended, waiting for it; one that nobody has waited for yet has ended as well."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def refused(ask, of, seen=None):
    with pytest.raises(CannotJudge):
        ask(of, seen)
    (line,) = ask.told
    assert line.startswith("task 't', attempt 3, assertions[1]: the grader gave no answer to rely on: ")
    assert "\n" not in line
    return line.partition("rely on: ")[2]


@pytest.mark.parametrize(("status", "held"), [(0, True), (1, False), (2, False), (125, False)])
def test_the_exit_status_is_the_answer(ask, status, held):
    assert ask(script(f"exit {status}")) is held
    assert ask.told == []


@pytest.mark.parametrize("status", [126, 127, 130, 255])
def test_a_status_by_which_a_shell_says_that_nothing_ran_is_no_answer(ask, status):
    assert refused(ask, script(f"exit {status}")) == f"exit status {status} without an answer"


def test_what_a_grader_said_last_is_told(ask):
    assert "not found" in refused(ask, script("no-such-program-here"))


def test_a_program_that_cannot_start_is_no_answer(ask):
    assert "ended by signal 9: cannot start 'no-such-program-here'" in refused(
        ask, command("no-such-program-here")
    )


def test_a_signal_is_no_answer(ask):
    assert refused(ask, script("kill -TERM $$")) == f"ended by signal {int(signal.SIGTERM)}"


@LINUX
def test_a_grader_out_of_time_is_ended_with_what_it_started(ask):
    pids = ask.root / "pids"
    text = f"sleep 600 & echo $! >> {pids}; sleep 600"
    assert refused(ask, script(text, timeout_s=1)) == "not done after 1 s"
    assert all(map(gone, pids.read_text().split()))


@LINUX
def test_what_a_grader_leaves_running_is_ended(ask):
    pids = ask.root / "pids"
    of = script(f"setsid sleep 600 >/dev/null 2>&1 & sleep 600 & echo $! >> {pids}; exit 0")
    assert ask(of) is True
    assert all(map(gone, pids.read_text().split()))


def test_a_grader_finds_the_captured_files_and_nothing_else(ask):
    seen = evidence({"a.txt": b"1", "sub/b.bin": b"\xff"})
    assert ask(script('test "$(find . -type f | sort | tr "\\n" " ")" = "./a.txt ./sub/b.bin "'), seen)
    assert ask(script("find . -mindepth 1 | grep . && exit 1 || exit 0"))


def test_a_graders_own_files_stand_over_those_of_the_agent(ask):
    files = {"tests/t.sh": "exit 0\n"}
    for theirs in ("tests/t.sh", "TESTS/T.SH", "tests", "tests/t.sh/x"):
        assert ask(command("sh", "tests/t.sh", files=files), evidence({theirs: b"exit 1\n"}))
    assert ask(script("test -f tests/more", files=files), evidence({"tests/more": b""}))


def test_binary_files_of_a_grader_arrive_byte_for_byte(ask):
    of = command(
        PYTHON,
        "-c",
        "import sys; sys.exit(open('b','rb').read() != b'\\xff')",
        files={"b": {"base64": "/w=="}},
    )
    assert ask(of)


def test_the_answer_stands_where_the_assertion_says(ask):
    of = script('test "$(cat said.txt)" = hello', answer_file="said.txt")
    assert ask(of, evidence(stdout="hello"))
    assert refused(ask, of, evidence(stdout="hel", cut=True)) == "the agent's output was cut short"


def test_output_that_was_cut_does_not_matter_to_a_command_that_does_not_ask_for_it(ask):
    assert ask(script("exit 0"), evidence(stdout="hel", cut=True))


def test_a_cut_file_is_no_answer_unless_it_is_replaced(ask):
    seen = evidence({"t.sh": CapturedFile(b"exi", cut=True)})
    assert ask(command("sh", "t.sh", files={"t.sh": "exit 0"}), seen)
    assert refused(ask, script("exit 0"), seen) == "a captured file was cut short"


@pytest.mark.parametrize("path", ["../out", "/etc/x", "a/../../out", "a//b", "./a", "a/", "", "a\0b"])
def test_no_path_leads_out_of_the_folder(ask, path):
    before = sorted(ask.root.parent.rglob("*"))
    refused(ask, script("exit 0"), evidence({path: b"evil"}))
    assert sorted(ask.root.parent.rglob("*")) == before


def test_paths_that_are_one_file_and_one_folder_are_no_answer(ask):
    refused(ask, script("exit 0"), evidence({"a": b"", "a/b": b""}))


def test_a_path_that_is_none_on_this_disk_is_no_answer(ask):
    refused(ask, script("exit 0"), evidence({"x" * 300: b""}))


def test_more_than_a_grader_is_given_is_no_answer(ask, monkeypatch):
    big = CapturedFile(b"x" * 1024)
    monkeypatch.setattr("passfloor.codegraders.placing.MAX_BYTES", 1023)
    assert "bytes were captured" in refused(ask, script("exit 0"), evidence({"a": big}))


def test_a_grader_gets_no_secret_and_no_home_of_ours(ask, monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "hush-hush")
    monkeypatch.setenv("PASSFLOOR_SIGNING_KEY", "hush-hush")
    out = ask.root / "environment"
    assert ask(script(f"env >> {out}"))
    names = {line.partition("=")[0] for line in out.read_text().splitlines()}
    allowed = {"PATH", "LANG", "LC_ALL", "TZ", "HOME", "TMPDIR", "PASSFLOOR_ATTEMPT_ID"}
    shells = {"PWD", "OLDPWD", "SHLVL", "_", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "LC_CTYPE"}
    assert names <= allowed | shells
    assert "hush-hush" not in out.read_text()


def test_a_graders_input_is_empty(ask):
    assert ask(script("read line && exit 1; exit 0"))


def test_big_output_is_no_trouble(ask):
    assert ask(script("yes | head -c 50000000; exit 0"))
    assert ask(script("yes | head -c 5000000 >&2; exit 1")) is False


def test_a_file_past_the_limit_cannot_be_written(ask):
    text = f"{PYTHON} -c \"open('big','wb').truncate(10**12)\" 2>/dev/null && exit 1; exit 0"
    assert ask(script(text))


def test_a_grader_without_end_is_ended_by_its_processor_time_or_the_clock(ask):
    refused(ask, script("while :; do :; done", timeout_s=1))


def test_nothing_is_left_in_the_folder_for_folders(ask):
    assert ask(script("mkdir -p d; chmod 000 d; ln -s / link; exit 0"))
    assert list(ask.root.glob("pf-*")) == []


def test_a_folder_that_cannot_be_removed_is_told_and_the_answer_counts(ask):
    assert ask(script('here=$(dirname "$PWD"); mv "$here" "$here-moved"')) is True
    assert len(ask.told) == 2
    assert all("could not be removed" in line for line in ask.told)


@pytest.mark.parametrize("instead", ["os.mkdir", "os.mkfifo"])
def test_something_else_in_the_place_of_an_answer_is_none(ask, instead):
    source = f"""
        import os

        def ok(attempt):
            {instead}(attempt.folder.parent / "answer")
            os._exit(0)
    """
    with pytest.raises(CannotJudge, match="exit status 0 without an answer"):
        ask(python(source))


def test_a_grader_that_gives_two_answers_gives_none(ask):
    mark = ask.root / "mark"
    of = script(f"test -e {mark} && exit 1; touch {mark}; exit 0")
    assert refused(ask, of) == "asked twice, it gave two answers"


def test_every_grader_is_asked_twice_each_time_in_a_new_folder(ask):
    places = ask.root / "places"
    assert ask(script(f"pwd >> {places}; test ! -e mark; touch mark"))
    assert len(set(places.read_text().split())) == 2


@pytest.mark.parametrize(("answer", "held"), [("True", True), ("False", False)])
def test_a_function_of_the_suite_answers(ask, answer, held):
    assert ask(python(f"def ok(attempt): return {answer}")) is held


def test_a_function_sees_the_attempt(ask):
    of = python(
        """
        def ok(attempt):
            assert attempt.output == "caf\\u00e9\\n", attempt.output
            assert attempt.exit_code == 3
            assert attempt.files == ("a/b.txt", "c.txt")
            assert attempt.tools == ("search", "search")
            assert (attempt.folder / "a/b.txt").read_text() == "x"
            import os
            assert os.path.samefile(os.getcwd(), attempt.folder)
            return True
        """
    )
    seen = evidence({"c.txt": b"", "a/b.txt": b"x"}, "café\n", exit_code=3, tools=("search", "search"))
    assert ask(of, seen)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("def ok(attempt): return 1", "check:ok returned int: return True or False"),
        ("def ok(attempt): return None", "check:ok returned NoneType: return True or False"),
        ("def ok(attempt): raise ValueError('bad')", "ValueError: bad"),
        ("def other(attempt): return True", "exit status 1"),
        ("import no_such_module_here", "ModuleNotFoundError"),
        ("import os\ndef ok(attempt): os._exit(0)", "exit status 0 without an answer"),
        ("import os\ndef ok(attempt): os.kill(os.getpid(), 9)", "ended by signal 9"),
        ("def ok(", "SyntaxError"),
    ],
)
def test_a_function_that_gives_no_answer(ask, source, why):
    assert why in refused(ask, python(source))


def test_the_agents_files_cannot_stand_in_for_the_graders_module(ask):
    of = python("import helper\ndef ok(attempt): return helper.SAFE", timeout_s=60)
    refused(ask, of, evidence({"helper.py": b"SAFE = True", "check.py": b"def ok(attempt): return True"}))


def test_a_module_of_pythons_own_cannot_stand_in_for_the_suites(ask):
    of = task(kind="python", grader="json:loads", files={"json.py": "def loads(attempt): return True"})
    assert "json is another module here" in refused(ask, of)


def test_a_grader_can_be_a_module_in_a_folder_with_others(ask):
    files = {
        "checks/units.py": "from checks.more import WANTED\ndef ok(a): return a.output == WANTED",
        "checks/more.py": "WANTED = 'yes'",
    }
    assert ask(task(kind="python", grader="checks.units:ok", files=files), evidence(stdout="yes"))


def test_an_answer_that_is_a_link_is_none(ask):
    refused(
        ask,
        python(
            """
            import os, sys, json
            def ok(attempt):
                order = json.loads(sys.argv[1])
                os.symlink("/etc/hostname", order["answer"])
                os._exit(0)
            """
        ),
    )


def test_an_answer_that_somebody_else_wrote_over_is_none(ask):
    """As code of the agent's can, that the function started and that goes on when it has returned."""
    of = python(
        """
        import atexit, json, sys
        def ok(attempt):
            place = json.loads(sys.argv[1])["answer"]
            atexit.register(lambda: open(place, "w").write("true"))
            return False
        """
    )
    assert "exit status 3 without an answer" in refused(ask, of)


def test_cut_output_is_no_answer_of_a_function(ask):
    assert "cut short" in refused(ask, python("def ok(a): return True"), evidence(stdout="x", cut=True))


def test_an_assertion_that_is_no_code_is_none_of_its_business(tmp_path):
    with pytest.raises(Attested):
        CodeGraders(tmp_path).once(task(kind="completed"), 1, evidence())


def test_a_command_that_names_no_program_is_no_answer(ask):
    assert refused(ask, task(kind="command")) == "it names no program"


def test_a_command_line_past_what_a_process_takes_is_no_answer(ask):
    assert refused(ask, script("#" * 200_000)) == "its command line is too long"


def test_without_a_folder_of_its_own_the_systems_is_used():
    assert CodeGraders()(script("exit 0"), 0, 1, evidence())


def test_the_launcher_stands_alone():
    import ast

    source = Path(sys.modules["passfloor.codegraders.graders"].__file__).with_name("launcher.py").read_text()
    names = [
        name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        )
    ]
    assert all(name.partition(".")[0] in sys.stdlib_module_names for name in names)
