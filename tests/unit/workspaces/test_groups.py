import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from passfloor.workspaces.groups import end_all, run_group
from passfloor.workspaces.strays import end_strays

LINUX = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")


def sh(script, tmp_path, *, stdin=b"", timeout_s=30.0, attempt_id=None, **options):
    attempt_id = attempt_id or secrets.token_hex(32)
    env = {"PATH": os.environ["PATH"], "PASSFLOOR_ATTEMPT_ID": attempt_id}
    return run_group(
        ["sh", "-c", script],
        cwd=tmp_path,
        env=env,
        stdin=stdin,
        timeout_s=timeout_s,
        attempt_id=attempt_id,
        **options,
    )


def runs(pid):
    """Whether a process exists and is no zombie."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pid, seconds=5.0):
    """Whether a process is gone, or dead and unreaped, within some seconds."""
    until = time.monotonic() + seconds
    while runs(pid):
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def pid_in(path):
    return int(path.read_text())


def test_output_error_and_exit_status_are_told_apart(tmp_path):
    ended = sh("echo out; echo err >&2; exit 7", tmp_path)
    assert (ended.stdout.text, ended.stderr.text) == ("out\n", "err\n")
    assert (ended.exit_code, ended.signal, ended.timed_out) == (7, None, False)


def test_a_signal_is_no_exit_status(tmp_path):
    ended = sh("kill -SEGV $$", tmp_path)
    assert (ended.exit_code, ended.signal, ended.timed_out) == (None, signal.SIGSEGV, False)


def test_the_program_reads_its_input_and_then_the_end_of_file(tmp_path):
    assert sh("cat; echo .", tmp_path, stdin=b"prompt").stdout.text == "prompt.\n"
    assert sh("cat; echo .", tmp_path).stdout.text == ".\n"


def test_input_larger_than_a_pipe_arrives_whole_while_output_is_read(tmp_path):
    data = b"0123456789abcdef" * 20_000
    assert sh("cat", tmp_path, stdin=data).stdout.text == data.decode()


def test_a_program_that_never_reads_its_input_is_not_disturbed(tmp_path):
    assert sh("echo ok", tmp_path, stdin=b"x" * 1_000_000).exit_code == 0
    assert sh("exec 0<&-; echo ok", tmp_path, stdin=b"x" * 1_000_000).stdout.text == "ok\n"


def test_output_past_the_cap_is_read_and_counted_so_that_the_program_can_end(tmp_path):
    ended = sh("head -c 3000000 /dev/zero; head -c 9000 /dev/zero >&2; echo end >&2", tmp_path)
    assert ended.exit_code == 0
    assert ended.stdout.cut == 3_000_000 - 1_048_576
    assert ended.stderr.text.endswith("\0end\n")
    assert len(ended.stderr.text) == 4096


def test_a_program_that_cannot_be_started_raises_and_leaves_no_descriptor(tmp_path):
    before = len(os.listdir("/dev/fd"))
    with pytest.raises(FileNotFoundError):
        run_group(["./none"], cwd=tmp_path, env={}, stdin=b"", timeout_s=1, attempt_id="0" * 64)
    assert len(os.listdir("/dev/fd")) == before


def test_a_run_leaves_no_descriptor_open(tmp_path):
    sh("true", tmp_path)
    before = len(os.listdir("/dev/fd"))
    sh("echo x; sleep 60 & echo y", tmp_path, stdin=b"x" * 200_000)
    assert len(os.listdir("/dev/fd")) == before


def test_a_child_that_waits_is_ended_with_its_parent_when_time_is_up(tmp_path):
    ended = sh("sleep 60 & echo $! > pid; wait", tmp_path, timeout_s=1.0)
    assert (ended.timed_out, ended.exit_code, ended.signal) == (True, None, None)
    assert gone(pid_in(tmp_path / "pid"))


def test_a_child_left_in_the_background_is_ended_and_is_no_timeout(tmp_path):
    ended = sh("sleep 60 & echo $! > pid; echo ok", tmp_path)
    assert (ended.stdout.text, ended.exit_code, ended.timed_out) == ("ok\n", 0, False)
    assert gone(pid_in(tmp_path / "pid"))


def test_a_program_that_ignores_term_gets_kill_after_it(tmp_path):
    script = "trap 'echo term' TERM; echo $$ > pid; while :; do sleep 0.05; done"
    ended = sh(script, tmp_path, timeout_s=1.0)
    assert (ended.timed_out, ended.stdout.text) == (True, "term\n")
    assert gone(pid_in(tmp_path / "pid"))
    assert sh("trap '' TERM; while :; do sleep 60; done", tmp_path, timeout_s=0.2, grace_s=0.2).timed_out


def test_a_child_that_ignores_term_is_killed_though_its_parent_obeyed(tmp_path):
    script = "(trap '' TERM; while :; do sleep 60; done) & echo $! > pid; wait"
    assert sh(script, tmp_path, timeout_s=1.0).timed_out
    assert gone(pid_in(tmp_path / "pid"))


def test_a_program_can_clean_up_when_term_comes_and_is_timed_out_all_the_same(tmp_path):
    script = "trap 'echo bye; exit 0' TERM; while :; do sleep 0.05; done"
    ended = sh(script, tmp_path, timeout_s=1.0, grace_s=20.0)
    assert (ended.timed_out, ended.exit_code, ended.stdout.text) == (True, None, "bye\n")


def test_a_program_that_closes_its_streams_is_still_timed(tmp_path):
    assert sh("exec >&- 2>&-; sleep 60", tmp_path, timeout_s=0.5).timed_out
    assert sh("exec >&- 2>&-; sleep 0.1; exit 4", tmp_path).exit_code == 4


SESSION = """
import os, time
os.setsid()
with open("pid.new", "w") as file:
    file.write(str(os.getpid()))
os.rename("pid.new", "pid")
time.sleep(60)
"""


def leave_behind(tmp_path, command, streams=""):
    """A script that ends once a child in a session of its own has written its number to ``pid``."""
    (tmp_path / "session.py").write_text(SESSION)
    return f"{command} session.py {streams} & until test -e pid; do sleep 0.01; done; echo ok"


@LINUX
@pytest.mark.parametrize("streams", ["", "</dev/null >/dev/null 2>&1"])
def test_a_child_in_a_session_of_its_own_is_ended_too(tmp_path, streams):
    ended = sh(leave_behind(tmp_path, sys.executable, streams), tmp_path)
    assert (ended.exit_code, ended.stdout.text) == (0, "ok\n")
    assert gone(pid_in(tmp_path / "pid"), seconds=10)


@LINUX
def test_a_child_out_of_reach_that_holds_the_output_does_not_hang_the_reader(tmp_path):
    ended = sh(leave_behind(tmp_path, f"env -i {sys.executable}"), tmp_path)
    holder = pid_in(tmp_path / "pid")
    try:
        assert (ended.exit_code, ended.stdout.text) == (0, "ok\n")
        assert runs(holder)
    finally:
        os.kill(holder, signal.SIGKILL)


@LINUX
def test_strays_of_another_attempt_are_left_alone(tmp_path):
    mine, other = secrets.token_hex(32), secrets.token_hex(32)
    env = {"PATH": os.environ["PATH"], "PASSFLOOR_ATTEMPT_ID": other}
    stranger = subprocess.Popen(["sleep", "60"], env=env, start_new_session=True)
    try:
        assert end_strays(mine)
        assert end_strays(other[:-1])
        assert stranger.poll() is None
        assert end_strays(other)
        assert stranger.wait(5) == -signal.SIGKILL
    finally:
        stranger.kill()
        stranger.wait()


@LINUX
def test_whoever_searches_never_ends_itself():
    attempt_id = secrets.token_hex(32)
    source = f"import sys; sys.path[:0] = {sys.path!r}\n"
    source += f"from passfloor.workspaces.strays import end_strays; print(end_strays('{attempt_id}'))"
    env = {"PATH": os.environ["PATH"], "PASSFLOOR_ATTEMPT_ID": attempt_id}
    done = subprocess.run(
        [sys.executable, "-c", source], env=env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "True\n")


@LINUX
@pytest.mark.parametrize("offset", [0, 1])
def test_a_short_search_finds_what_is_newer_than_the_process_named(offset):
    attempt_id = secrets.token_hex(32)
    env = {"PATH": os.environ["PATH"], "PASSFLOOR_ATTEMPT_ID": attempt_id}
    stray = subprocess.Popen(["sleep", "60"], env=env, start_new_session=True)
    try:
        end_strays(attempt_id, after=stray.pid - 1 + offset)
        if offset:
            assert stray.poll() is None
        else:
            assert stray.wait(5) == -signal.SIGKILL
    finally:
        stray.kill()
        stray.wait()


def test_every_group_that_runs_can_be_ended_from_another_thread(tmp_path):
    ended = []
    thread = threading.Thread(target=lambda: ended.append(sh("echo > up; sleep 60", tmp_path)))
    thread.start()
    until = time.monotonic() + 20
    while not (tmp_path / "up").exists() and time.monotonic() < until:
        time.sleep(0.01)
    assert end_all() == 1
    thread.join(20)
    assert [run.signal for run in ended] == [signal.SIGKILL]
    assert end_all() == 0


def test_several_threads_run_groups_side_by_side(tmp_path):
    results = {}

    def work(number):
        results[number] = sh(f"cat; sleep 0.05; exit {number}", tmp_path, stdin=str(number).encode())

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: (end.exit_code, end.stdout.text) for number, end in results.items()} == {
        number: (number, str(number)) for number in range(8)
    }


@LINUX
def test_what_was_left_unread_and_running_is_told_where_somebody_watches(tmp_path):
    tidy = sh("cat; sleep 0 & wait", tmp_path, stdin=b"all of it", watch=True)
    assert (tidy.unread, tidy.left_behind, tidy.stdout.text) == (0, 0, "all of it")
    untidy = sh("sleep 60 & echo done", tmp_path, stdin=b"not read", watch=True)
    assert (untidy.unread, untidy.left_behind, untidy.exit_code) == (8, 1, 0)


@LINUX
def test_a_prompt_larger_than_any_pipe_is_counted_too(tmp_path):
    ended = sh("head -c 1000 >/dev/null; true", tmp_path, stdin=b"x" * 500_000, watch=True)
    assert 0 < ended.unread < 500_000
    assert sh("wc -c", tmp_path, stdin=b"x" * 500_000, watch=True).unread == 0


@LINUX
def test_a_process_that_left_the_group_is_counted_as_left_behind(tmp_path):
    assert sh("setsid sleep 60 & sleep 0.2", tmp_path, watch=True).left_behind == 1


def test_nobody_watches_unless_asked_and_a_timeout_leaves_nothing_to_count(tmp_path):
    ended = sh("true", tmp_path, stdin=b"x")
    assert (ended.unread, ended.left_behind) == (None, None)
    assert sh("sleep 60", tmp_path, timeout_s=0.2, watch=True).left_behind is None


STOPPED_MEANWHILE = """
import os, signal, sys, time
from pathlib import Path
from passfloor.workspaces.groups import run_group
script = "kill -STOP $PPID; echo yes; " + sys.argv[1]
name = "ab" * 32
env = {"PATH": os.environ["PATH"], "PASSFLOOR_ATTEMPT_ID": name}
words = ["sh", "-c", script]
ended = run_group(words, cwd=Path.cwd(), env=env, stdin=b"", timeout_s=0.5, attempt_id=name)
print(ended.timed_out, ended.stdout.text.strip(), ended.exit_code)
"""


@LINUX
@pytest.mark.parametrize(("then", "told"), [("true", "False yes 0"), ("sleep 60", "True yes None")])
def test_who_was_stopped_past_the_time_limit_looks_once_more_before_it_calls_it_one(tmp_path, then, told):
    """A program goes on while its harness is stopped; what it finished then is finished."""
    words = [sys.executable, "-c", STOPPED_MEANWHILE, then]
    harness = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    stat = Path(f"/proc/{harness.pid}/stat")
    while stat.read_text().rpartition(")")[2].split()[0] != "T":
        assert harness.poll() is None
        time.sleep(0.01)
    time.sleep(1)  # longer than the time limit
    harness.send_signal(signal.SIGCONT)
    assert harness.communicate(timeout=60)[0].strip() == told
