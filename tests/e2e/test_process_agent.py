"""Real programs under the process agent's contract."""

import copy
import json
import os
import pickle
import secrets
import signal
import subprocess
import sys
import threading
import time
from hashlib import sha256
from pathlib import Path

import pytest

from passfloor.adapters.interface import AttemptSpec
from passfloor.adapters.process import ProcessAdapter
from passfloor.adapters.registry import adapter_for_command
from passfloor.errors import EnvironmentFault, UsageError
from passfloor.models.suite import Task
from passfloor.workspaces.folder import attempt_folder, folder_path

SYSTEM = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def start(tmp_path):
    folder = tmp_path / "start"
    folder.mkdir()
    return folder


@pytest.fixture
def agent(root, start):
    """Makes an adapter whose folders are made below ``root`` and whose words are seen from ``start``."""

    def make(*argv, environ=SYSTEM, **options):
        return ProcessAdapter(argv, workspace_root=root, start_folder=start, environ=environ, **options)

    return make


@pytest.fixture
def run(agent, root):
    """Runs a shell script as one attempt and checks that nothing of it is left."""

    def attempt(script, the_task=None, **options):
        receipt = run_attempt(agent("sh", "-c", script, **options), the_task)
        assert list(root.iterdir()) == []
        return receipt["events"]

    return attempt


def task(**members):
    return Task.model_validate(
        {"id": "t", "description": "the prompt", "assertions": [{"kind": "completed"}], **members}
    )


def spec(index=0, attempt_id=None):
    return AttemptSpec(index, attempt_id or secrets.token_hex(32), f"run/0/{index}", 7, 99)


def run_attempt(adapter, the_task=None, the_spec=None):
    return adapter.run_attempt(the_task or task(), the_spec or spec(), {})


def output(events):
    return next(event["sample"] for event in events if event["kind"] == "model.output")


def files(events):
    return next(event["sample"] for event in events if event["kind"] == "model.artifact")


def error(events):
    return events[-1].get("error")


def is_gone(pid):
    """Whether a process is gone, or dead and unreaped, within five seconds."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


# What an agent finds


def test_the_prompt_is_on_standard_input_byte_for_byte_and_then_ends(run):
    prompt = "  café\r\nline\n\n"
    assert output(run("cat", task(description=prompt)))["stdout"] == prompt


def test_an_agent_that_reads_to_the_end_of_its_input_is_not_kept_waiting(run):
    events = run("cat >/dev/null; echo ok", task(description=""), timeout_s=20)
    assert (output(events)["stdout"], error(events)) == ("ok\n", None)


def test_a_prompt_larger_than_any_pipe_need_not_be_read(run):
    assert error(run("echo ok", task(description="x" * 1_000_000))) is None


def test_the_working_directory_holds_the_files_of_the_task_and_nothing_else(run):
    events = run("find . | sort; cat a/b.txt", task(files={"a/b.txt": "content\n"}))
    assert output(events)["stdout"] == ".\n./a\n./a/b.txt\ncontent\n"


def test_home_and_tmpdir_are_fresh_empty_and_beside_the_working_directory(run):
    script = """
        ls -A "$HOME"; ls -A "$TMPDIR"
        for d in "$HOME" "$TMPDIR"; do test -w "$d" && basename "$d"; done
        test "$(dirname "$HOME")" = "$(dirname "$PWD")" && echo beside
    """
    assert output(run(script))["stdout"].split() == ["home", "tmp", "beside"]


def test_the_environment_is_the_inherited_names_the_named_ones_and_ours(run):
    environ = {**SYSTEM, "TZ": "UTC", "LANG": "C", "KEY": "k", "OTHER": "x", "PASSFLOOR_SIGNING_KEY": "s"}
    shown = run("env", env=["KEY"], environ=environ)
    names = {line.partition("=")[0] for line in output(shown)["stdout"].splitlines()}
    shells_own = {"PWD", "OLDPWD", "SHLVL", "_"}
    assert names - shells_own == {
        *("PATH", "LANG", "LC_ALL", "TZ", "HOME", "TMPDIR", "KEY"),
        *("PASSFLOOR_TASK", "PASSFLOOR_TASK_ID", "PASSFLOOR_ATTEMPT_ID", "PASSFLOOR_SEED"),
        *("PASSFLOOR_ATTEMPT_SEED", "PASSFLOOR_JOURNAL"),
    }


def test_ids_and_seeds_are_told_by_the_environment(agent):
    adapter = agent(
        "sh", "-c", 'echo "$PASSFLOOR_TASK_ID $PASSFLOOR_SEED $PASSFLOOR_ATTEMPT_SEED $PASSFLOOR_ATTEMPT_ID"'
    )
    told = run_attempt(adapter, task(id="a b"), spec(attempt_id="ab" * 32))
    assert output(told["events"])["stdout"] == f"a b 7 99 {'ab' * 32}\n"


def test_the_task_file_is_the_task_without_its_assertions(run):
    the_task = task(
        steps=["s"],
        files={"a.txt": "secret-free\n"},
        assertions=[{"kind": "output_contains", "text": "the-answer"}],
    )
    events = run('cat "$PASSFLOOR_TASK"', the_task)
    assert "the-answer" not in output(events)["stdout"]
    assert json.loads(output(events)["stdout"]) == {
        "id": "t",
        "description": "the prompt",
        "steps": ["s"],
        "files": {"a.txt": sha256(b"secret-free\n").hexdigest()},
    }


def test_words_are_passed_as_they_are_without_a_shell(agent):
    adapter = agent("printf", "%s.", "a b", "$HOME", "*", "'")
    assert output(run_attempt(adapter)["events"])["stdout"] == "a b.$HOME.*.'."


def test_a_script_named_from_the_start_folder_is_found_from_the_workspace(agent, start):
    (start / "agent.py").write_text("import os, sys; print(sys.argv[1:], os.path.exists('agent.py'))")
    (start / "data").mkdir()
    adapter = agent(sys.executable, "agent.py", "data", "nothing")
    assert adapter.notes == [
        f"agent.py is passed as {start}/agent.py",
        f"data is passed as {start}/data",
    ]
    assert output(run_attempt(adapter)["events"])["stdout"] == f"['{start}/data', 'nothing'] False\n"


# What is kept


def test_output_files_and_exit_status_are_sealed_in_the_closing_events(run):
    events = run("echo out; echo err >&2; echo new > new.txt", task(files={"old.txt": "old"}))
    assert [event["kind"] for event in events] == [
        "task.started",
        "model.output",
        "model.artifact",
        "task.completed",
    ]
    assert [event["seq"] for event in events] == [0, 1, 2, 3]
    assert events[0] == {"seq": 0, "kind": "task.started", "task_hash": events[0]["task_hash"], "seed": 7}
    assert output(events) == {"stdout": "out\n", "exit_code": 0, "stderr_tail": "err\n"}
    assert {path: entry["text"] for path, entry in files(events).items()} == {
        "new.txt": "new\n",
        "old.txt": "old",
    }


def test_output_that_is_not_utf8_is_replaced_flagged_and_graded(agent):
    adapter = agent("sh", "-c", r"printf 'PASS \377\376\n'; printf '\200' >&2")
    the_task = task(assertions=[{"kind": "output_contains", "text": "PASS"}])
    receipt = run_attempt(adapter, the_task)
    assert output(receipt["events"]) == {
        "stdout": "PASS ��\n",
        "exit_code": 0,
        "stderr_tail": "�",
        "replaced": {
            "stdout": sha256(b"PASS \xff\xfe\n").hexdigest(),
            "stderr": sha256(b"\x80").hexdigest(),
        },
    }
    assert adapter.score_task(the_task, receipt) == (
        True,
        1.0,
        {"assertions": [{"kind": "output_contains", "passed": True}]},
    )


def test_output_past_its_caps_is_cut_and_said(run):
    events = run("head -c 1048580 /dev/zero | tr '\\0' x; head -c 5000 /dev/zero | tr '\\0' y >&2")
    assert error(events) is None
    assert len(output(events)["stdout"]) == 1_048_576
    assert output(events)["cut"] == 4
    assert output(events)["stderr_tail"] == "y" * 4096


def test_a_link_makes_the_attempt_errored_and_names_it(run):
    events = run("ln -s /etc/passwd stolen; echo x > honest")
    assert error(events) == {"type": "capture", "detail": "'stolen' is a symbolic link"}
    assert list(files(events)) == ["honest"]
    assert events[-1]["exit_code"] == 0


def test_an_agent_that_removes_its_working_directory_is_errored(run):
    assert error(run('rm -r "$PWD"'))["type"] == "capture"
    assert error(run('rm -r "$PWD"; ln -s / "$PWD"'))["type"] == "capture"


# How it ends


def test_an_exit_status_other_than_zero_is_errored(run):
    events = run("echo half; exit 3")
    assert events[-1] == {
        "seq": 3,
        "kind": "attempt.errored",
        "error": {"type": "exit", "detail": "exit status 3"},
        "exit_code": 3,
    }
    assert output(events)["stdout"] == "half\n"


def test_an_exit_status_is_judged_where_the_task_asserts_one(agent):
    the_task = task(assertions=[{"kind": "exit_code", "expected": 3}])
    adapter = agent("sh", "-c", "exit 3")
    receipt = run_attempt(adapter, the_task)
    assert receipt["events"][-1]["kind"] == "task.completed"
    assert adapter.score_task(the_task, receipt)[0] is True


def test_a_signal_is_errored_with_its_number_and_no_exit_status(run):
    events = run("kill -9 $$")
    assert error(events) == {"type": "signal", "detail": "signal 9"}
    assert (output(events)["exit_code"], events[-1]["exit_code"]) == (None, None)


@pytest.mark.parametrize(
    "script", ["sleep 60 & echo $! > %s; wait", "trap '' TERM; echo $$ > %s; while :; do sleep 60; done"]
)
def test_a_timed_out_agent_is_ended_with_all_its_descendants(run, tmp_path, script):
    pid = tmp_path / "pid"
    events = run(script % pid, timeout_s=1)
    assert error(events) == {"type": "timeout", "detail": "not finished after 1 s"}
    assert (output(events)["exit_code"], events[-1]["exit_code"]) == (None, None)
    assert is_gone(int(pid.read_text()))


def test_the_time_out_of_the_task_wins(run):
    assert error(run("sleep 60", task(timeout_s=0.5), timeout_s=300))["detail"] == "not finished after 0.5 s"
    assert error(run("sleep 0.5", task(timeout_s=60), timeout_s=0.1)) is None


def test_a_child_left_in_the_background_is_ended_and_the_attempt_is_completed(run, tmp_path):
    pid = tmp_path / "pid"
    events = run(f"sleep 60 & echo $! > {pid}; echo ok")
    assert (events[-1]["kind"], output(events)["stdout"]) == ("task.completed", "ok\n")
    assert is_gone(int(pid.read_text()))


def test_what_a_child_would_have_written_later_reaches_no_evidence(run):
    script = "(until test -e go; do sleep 0.01; done; sleep 0.3; echo late; echo late > late) & touch go"
    events = run(script)
    assert output(events)["stdout"] == ""
    assert list(files(events)) == ["go"]


def test_a_program_that_vanished_since_the_check_is_errored_spawn(agent, start, root):
    program = start / "tool"
    program.write_text("#!/bin/sh\necho x\n")
    program.chmod(0o755)
    adapter = agent("./tool")
    adapter.check()
    program.unlink()
    events = run_attempt(adapter, task(files={"a": "x"}))["events"]
    assert error(events) == {"type": "spawn", "detail": "tool cannot be started: No such file or directory"}
    assert output(events) == {"stdout": "", "exit_code": None, "stderr_tail": ""}
    assert list(files(events)) == ["a"]
    assert list(root.iterdir()) == []


def test_a_program_that_is_no_executable_format_is_errored_spawn(agent, start):
    (start / "tool").write_text("no interpreter line")
    (start / "tool").chmod(0o755)
    assert error(run_attempt(agent("./tool"))["events"])["type"] == "spawn"


INTERRUPTED = """
import sys
from pathlib import Path
from passfloor.adapters.interface import AttemptSpec
from passfloor.adapters.process import ProcessAdapter
from passfloor.models.suite import Task
task = Task.model_validate({"id": "t", "description": "d"})
script = f"echo $$ > {sys.argv[1]}.new; mv {sys.argv[1]}.new {sys.argv[1]}; sleep 60"
adapter = ProcessAdapter(["sh", "-c", script], workspace_root=Path(sys.argv[2]))
adapter.run_attempt(task, AttemptSpec(0, "ab" * 32, "r", 0, 0), {})
"""


def test_an_interrupted_run_leaves_neither_processes_nor_folders(tmp_path, root):
    pid = tmp_path / "pid"
    bench = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(pid), str(root)], stderr=subprocess.PIPE, text=True
    )
    try:
        until = time.monotonic() + 30
        while not pid.exists() and time.monotonic() < until:
            time.sleep(0.01)
        bench.send_signal(signal.SIGINT)
        _, said = bench.communicate(timeout=30)
    finally:
        bench.kill()
        bench.wait()
    assert "KeyboardInterrupt" in said
    assert is_gone(int(pid.read_text()))
    assert list(root.iterdir()) == []


# The journal


def journal(*lines):
    return "".join(f"printf '%s\\n' '{line}' >> \"$PASSFLOOR_JOURNAL\"; " for line in lines)


def test_journal_lines_stand_before_the_closing_events_with_the_folder_and_the_id_by_name(run):
    script = (
        'printf \'{"kind":"tool.call","tool":"ls","cwd":"%s","id":"x-%s"}\\n\' "$PWD" "$PASSFLOOR_ATTEMPT_ID"'
    )
    events = run(f'{script} >> "$PASSFLOOR_JOURNAL"')
    assert events[1] == {
        "seq": 1,
        "kind": "tool.call",
        "tool": "ls",
        "cwd": "${attempt}/work",
        "id": "x-${attempt_id}",
    }
    assert [event["kind"] for event in events[2:]] == ["model.output", "model.artifact", "task.completed"]


def test_two_attempts_in_folders_of_their_own_have_the_same_coordination(run):
    script = 'printf \'{"kind":"plan","at":"%s"}\' "$PWD" >> "$PASSFLOOR_JOURNAL"; echo $$'
    first, second = run(script), run(script)
    assert output(first) != output(second)
    for events in (first, second):
        for event in events:
            event.pop("sample", None)
    assert first == second


def test_a_bad_line_is_errored_and_named_and_the_lines_before_it_are_kept(run):
    events = run(journal('{"kind":"a"}', '{"kind":"task.completed"}', '{"kind":"b"}'))
    assert [event["kind"] for event in events[1:-3]] == ["a"]
    assert error(events) == {
        "type": "journal",
        "detail": "line 2: the kind 'task.completed' is the harness's to write",
    }


def test_a_torn_line_is_errored_where_the_agent_finished(run):
    events = run(journal('{"kind":"a"}') + 'printf \'{"kind":"b\' >> "$PASSFLOOR_JOURNAL"')
    assert error(events)["type"] == "journal"
    assert error(events)["detail"].startswith("line 2: ")


def test_a_torn_line_is_left_out_where_the_agent_failed_anyway(run):
    events = run(journal('{"kind":"a"}') + 'printf \'{"kind":"b\' >> "$PASSFLOOR_JOURNAL"; exit 4')
    assert [event["kind"] for event in events[1:-3]] == ["a"]
    assert error(events) == {"type": "exit", "detail": "exit status 4"}


# Isolation


def test_no_attempt_finds_what_another_one_left(agent):
    places = ('"$HOME/done"', '"$TMPDIR/done"', "done.txt")
    script = "".join(f"if test -e {place}; then echo PASS; else touch {place}; fi; " for place in places)
    adapter = agent("sh", "-c", script + "echo FAIL")
    alone = [output(run_attempt(adapter, None, spec(i))["events"])["stdout"] for i in range(3)]
    assert alone == ["FAIL\n"] * 3
    together = []
    threads = [
        threading.Thread(target=lambda: together.append(output(run_attempt(adapter)["events"])["stdout"]))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == ["FAIL\n"] * 6


def test_every_attempt_really_happens(agent, tmp_path):
    adapter = agent("sh", "-c", f"echo x >> {tmp_path}/calls; wc -l < {tmp_path}/calls")
    outputs = [int(output(run_attempt(adapter, None, spec(i))["events"])["stdout"]) for i in range(5)]
    assert outputs == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("name", ["../../x", "a/b", "c:d", "CON", "x.", "🙂", "$(touch x)"])
def test_no_id_reaches_a_path(agent, root, tmp_path, name):
    before = sorted(entry.name for entry in tmp_path.iterdir())
    adapter = agent("sh", "-c", 'printf %s "$PASSFLOOR_TASK_ID"', keep_workspaces="all")
    events = run_attempt(adapter, task(id=name), spec(attempt_id="cd" * 32))["events"]
    assert output(events)["stdout"] == name
    assert [entry.name for entry in root.iterdir()] == ["pf-" + "cd" * 12]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == before


def test_the_same_attempt_has_the_same_paths_again(agent):
    adapter = agent("sh", "-c", 'echo "$PWD $HOME $TMPDIR $PASSFLOOR_TASK $PASSFLOOR_JOURNAL"')
    first, second = (run_attempt(adapter, None, spec(attempt_id="ef" * 32)) for _ in range(2))
    assert first == second


def test_a_folder_that_stands_in_the_way_stops_and_can_be_discarded(agent, root):
    attempt_folder(root, "ab" * 32, {"left": b"x"})
    adapter = agent("ls")
    with pytest.raises(EnvironmentFault, match="exists already"):
        run_attempt(adapter, None, spec(attempt_id="ab" * 32))
    adapter.discard("ab" * 32)
    assert output(run_attempt(adapter, None, spec(attempt_id="ab" * 32))["events"])["stdout"] == ""


def test_an_agent_that_takes_its_permissions_away_is_removed_all_the_same(run):
    run('mkdir -p a/b; touch a/b/c; chmod 0 a/b a; chmod 0 "$HOME"; ln -s / "$TMPDIR/root"')


# Folders kept


@pytest.mark.parametrize(
    ("keep", "script", "kept"),
    [
        (None, "exit 1", False),
        ("failed", "echo right", False),
        ("failed", "echo wrong", True),
        ("failed", "exit 1", True),
        ("all", "echo right", True),
    ],
)
def test_folders_are_kept_as_asked_and_said(agent, root, keep, script, kept):
    the_task = task(assertions=[{"kind": "output_equals", "expected": "right"}])
    adapter = agent("sh", "-c", f"echo x > made; {script}", keep_workspaces=keep)
    attempt = spec()
    run_attempt(adapter, the_task, attempt)
    folder = folder_path(root, attempt.attempt_id)
    assert folder.exists() == kept
    assert (folder / "work" / "made").exists() == kept
    assert adapter.notes == ([f"{folder} was kept"] if kept else [])


# Before the first attempt


@pytest.mark.parametrize(
    ("argv", "hint"),
    [
        (["no-such-program"], "'no-such-program' cannot be found"),
        (["cd", "x", "&&", "run"], "sh -c 'cd x && run'"),
        (["./agent.py"], "chmod"),
    ],
)
def test_a_program_that_cannot_be_found_is_refused_with_a_hint(agent, start, argv, hint):
    (start / "agent.py").write_text("print()")
    # "cd" is a program on some systems.
    adapter = agent(*argv, environ={"PATH": str(start)})
    with pytest.raises(UsageError, match=hint.replace("(", r"\(")):
        adapter.check()


def test_a_named_variable_that_is_not_set_is_refused(agent):
    with pytest.raises(UsageError, match="API_KEY is not set"):
        agent("true", env=["API_KEY"]).check()
    agent("true", env=["API_KEY"], environ={**SYSTEM, "API_KEY": ""}).check()


@pytest.mark.parametrize(
    "name", ["PASSFLOOR_SIGNING_KEY", "PASSFLOOR_SIGNING_KEY_FILE", "PASSFLOOR_KEY_PASSWORD"]
)
def test_the_signing_key_is_never_let_through(agent, name):
    with pytest.raises(UsageError, match="never let through"):
        agent("true", env=[name], environ={**SYSTEM, name: "secret"})


@pytest.mark.parametrize("timeout_s", [0, -1, float("nan"), float("inf"), 2_592_001, 1e300])
def test_a_time_out_that_is_no_time_is_refused(agent, timeout_s):
    with pytest.raises(UsageError, match="time-out"):
        agent("true", timeout_s=timeout_s)


def test_a_root_that_is_no_folder_is_refused(tmp_path):
    with pytest.raises(UsageError, match="workspace-root"):
        ProcessAdapter(["true"], workspace_root=tmp_path / "none").check()


# The adapter as an object


def test_the_identity_is_the_words_with_files_by_digest_and_the_names_let_through(agent, start):
    (start / "agent.py").write_text("print()")
    adapter = agent("sh", "agent.py", "-x", env=["B", "A"], environ={**SYSTEM, "A": "1", "B": "2"})
    identity = adapter.identity()
    assert identity["adapter"] == "process"
    assert identity["argv"][0]["file"] == "sh"
    assert identity["argv"][1:] == [{"file": "agent.py", "sha256": sha256(b"print()").hexdigest()}, "-x"]
    assert identity["env"] == ["A", "B"]
    assert adapter.options() == {"timeout_s": 300.0}


def test_copies_run_as_the_original_does(agent):
    adapter = agent("sh", "-c", "cat; echo $KEY", env=["KEY"], environ={**SYSTEM, "KEY": "k"})
    for twin in (copy.deepcopy(adapter), pickle.loads(pickle.dumps(adapter))):
        assert twin.identity() == adapter.identity()
        assert output(run_attempt(twin)["events"])["stdout"] == "the promptk\n"


def test_values_let_through_are_shown_by_no_representation(agent):
    adapter = agent("true", env=["KEY"], environ={**SYSTEM, "KEY": "canary-1234"})
    assert "canary" not in repr(adapter) + str(adapter) + str(adapter.identity()) + str(adapter.options())


def test_as_a_replay_adapter_call_i_is_attempt_i(agent, root):
    adapter = agent("sh", "-c", 'echo "$PASSFLOOR_ATTEMPT_SEED"')
    twin = copy.deepcopy(adapter)
    seeds = [output(adapter.run_task(task(), {})["events"])["stdout"] for _ in range(2)]
    assert seeds[0] != seeds[1]
    assert [output(twin.run_task(task(), {})["events"])["stdout"] for _ in range(2)] == seeds
    assert list(root.iterdir()) == []


def test_the_packaged_agent_runs_as_a_process(root):
    adapter = adapter_for_command("passfloor-reference", workspace_root=root)
    adapter.check()
    the_task = task(
        description="Read `in.txt`.\nSort the lines.\nWrite the result to `out.txt`.\n",
        files={"in.txt": "b\na\n"},
    )
    events = run_attempt(adapter, the_task)["events"]
    assert error(events) is None, output(events)
    assert files(events)["out.txt"]["text"] == "a\nb\n"
    assert list(root.iterdir()) == []
