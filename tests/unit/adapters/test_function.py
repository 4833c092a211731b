"""A Python callable as the agent: what it is given, what counts, and what it cannot do to other attempts."""

import copy
import json
import os
import pickle
import random
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from passfloor.adapters.function import FunctionAdapter, Result
from passfloor.adapters.interface import AttemptSpec, is_attempt_adapter
from passfloor.digests import attempt_seed
from passfloor.errors import EnvironmentFault, UsageError
from passfloor.models.suite import Task
from passfloor.verification.steps import frame
from passfloor.workspaces.folder import folder_path

AGENT = """
import asyncio, json, os, random, signal, subprocess, sys, time
from pathlib import Path

from passfloor.adapters.function_values import Result

STATE = []
GENERATOR = random.Random()


def steady(task, attempt):
    return "yes"


def own_answer(task, attempt):
    # What stands in the description, in the place of the answer of its process.
    place = attempt.workspace.parent / "answer"
    if task.description == "folder":
        place.mkdir()
    else:
        place.write_bytes(task.description.encode().replace(b"DEEP", b"[" * 100_000))
    os._exit(0)


async def later(task, attempt):
    await asyncio.sleep(0)
    return Result("yes", events=[{"kind": "end"}])


def show(task, attempt):
    STATE.append(1)
    return json.dumps({
        "task": [task.id, task.description, list(task.steps), dict(task.files), hasattr(task, "assertions")],
        "cwd": os.getcwd() == str(attempt.workspace), "state": len(STATE), "index": attempt.index,
        "id": attempt.attempt_id, "seed": attempt.seed, "run_seed": attempt.run_seed,
        "files": sorted(os.listdir()), "home": os.listdir(os.environ["HOME"]), "env": dict(os.environ),
        "stdin": sys.stdin.read(),
    })


def seeded(task, attempt):
    return str(random.Random(attempt.seed).random())


def chance(task, attempt):
    return str([random.random(), GENERATOR.random()])


def counted(task, attempt):
    with open(os.environ["SIDE"], "a") as side:
        side.write(f"{task.id}/{attempt.index}\\n")
    if (task.id, attempt.index) == ("t3", 1):
        os.kill(os.getpid(), signal.SIGKILL)
    return "yes"


def leaves(task, attempt):
    Path("made").mkdir()
    Path("made/note.txt").write_text("hi")
    print("to stdout")
    print("to stderr", file=sys.stderr)
    os.system("echo of a child")
    attempt.emit("step", number=1, where=str(attempt.workspace / "x"), id=attempt.attempt_id)
    drawn = attempt.sample(lambda: "drawn")
    return drawn


def ours(task, attempt):
    attempt.emit("model.output", sample="forged")
    return "yes"


def raising(task, attempt):
    attempt.emit("step")
    raise ValueError("bad \\x1b[31m\\nline " + "x" * 5000)


def nothing(task, attempt):
    pass


def exits(task, attempt):
    sys.exit(3)


def vanishes(task, attempt):
    os._exit(0)


def kills_worker(task, attempt):
    away = subprocess.Popen(["sleep", "60"], start_new_session=True)
    Path(os.environ["SIDE"]).write_text(json.dumps([os.getpid(), away.pid]))
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)


def stubborn(task, attempt):
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)
    away = subprocess.Popen(["sleep", "60"], start_new_session=True, env={})
    near = subprocess.Popen(["sleep", "60"])
    forked = os.fork()
    if forked == 0:
        os.setsid()
        time.sleep(60)
        os._exit(0)
    Path(os.environ["SIDE"]).write_text(json.dumps([os.getpid(), away.pid, near.pid, forked]))
    while True:
        pass


def background(task, attempt):
    child = subprocess.Popen(["sleep", "60"], start_new_session=True, env={})
    Path(os.environ["SIDE"]).write_text(json.dumps([child.pid]))
    return "yes"


def half(task, attempt):
    return "a\\ud835b"


def long(task, attempt):
    return "x" + "\\u00e9" * (1024 * 1024)


def floods(task, attempt):
    for _ in range(300):
        print("x" * 10_000)
    print("the end", end="")
    return "yes"


def link(task, attempt):
    os.symlink("/etc", "link")
    return "yes"


not_callable = 7
"""


def task(task_id="t", description="say yes", **members):
    members.setdefault("assertions", [{"kind": "output_equals", "expected": "yes"}])
    return Task.model_validate({"id": task_id, "description": description, **members})


def spec(index=0, seed=7, of=None):
    of = of or task()
    unique = f"{index:02d}{of.task_hash[:30]}{os.urandom(16).hex()}"
    return AttemptSpec(index, unique, "", seed, attempt_seed(seed, of.task_hash, index))


@pytest.fixture
def place(tmp_path):
    (tmp_path / "start").mkdir()
    (tmp_path / "root").mkdir()
    (tmp_path / "start" / "acting.py").write_text(AGENT)
    return tmp_path


@pytest.fixture
def adapter_for(place):
    made = []

    def make(name, **options):
        environ = {**os.environ, "SIDE": str(place / "side"), "SECRET_WORD": "s3cret"}
        given = {"env": ["SIDE"], "start_folder": place / "start", "workspace_root": place / "root"}
        adapter = FunctionAdapter(f"acting:{name}", environ=environ, **{**given, **options})
        made.append(adapter)
        return adapter

    yield make
    for adapter in made:
        adapter.close()


@pytest.fixture
def run(adapter_for):
    def attempt(name, of=None, **options):
        return adapter_for(name, **options).run_attempt(of or task(), spec(of=of), {})["events"]

    return attempt


def said(events):
    (output,) = [event["sample"] for event in events if event["kind"] == "model.output"]
    return output


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    # A zombie that its adoptive parent has not waited for yet runs no more.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


def test_the_returned_text_is_the_answer_and_the_attempt_is_framed_as_a_process_is(run):
    of = task()
    events = run("steady", of)
    assert events == [
        {"seq": 0, "kind": "task.started", "task_hash": of.task_hash, "seed": 7},
        {"seq": 1, "kind": "model.output", "sample": {"stdout": "yes", "exit_code": None, "stderr_tail": ""}},
        {"seq": 2, "kind": "model.artifact", "sample": {}},
        {"seq": 3, "kind": "task.completed"},
    ]
    assert list(frame.problems(events, {})) == []


def test_a_coroutine_is_awaited_and_a_result_may_bring_journal_lines(adapter_for):
    adapter = adapter_for("later")
    for _ in range(2):
        events = adapter.run_attempt(task(), spec(), {})["events"]
        assert [event["kind"] for event in events] == [
            "task.started", "end", "model.output", "model.artifact", "task.completed",
        ]  # fmt: skip
        assert said(events)["stdout"] == "yes"


def test_the_callable_sees_its_task_without_assertions_and_an_attempt_of_its_own(run):
    of = task(steps=["one"], files={"a.txt": "A"}, assertions=[{"kind": "completed"}])
    seen = json.loads(said(run("show", of))["stdout"])
    assert seen["task"] == ["t", "say yes", ["one"], of.file_hashes, False]
    assert seen["cwd"] is True
    assert (seen["files"], seen["home"], seen["stdin"]) == (["a.txt"], [], "")
    assert (seen["index"], seen["run_seed"]) == (0, 7)
    assert seen["seed"] == attempt_seed(7, of.task_hash, 0)
    assert seen["env"]["PASSFLOOR_ATTEMPT_ID"] == seen["id"]
    assert seen["env"]["SIDE"]
    assert "SECRET_WORD" not in seen["env"]


def test_no_state_of_the_module_passes_from_one_attempt_to_the_next(adapter_for):
    adapter = adapter_for("show")
    states = [json.loads(said(adapter.run_task(task(), {})["events"])["stdout"]) for _ in range(3)]
    assert [seen["state"] for seen in states] == [1, 1, 1]
    assert len({seen["id"] for seen in states}) == 3


def test_what_is_left_to_chance_differs_between_attempts(adapter_for):
    adapter = adapter_for("chance")
    drawn = {said(adapter.run_task(task(), {})["events"])["stdout"] for _ in range(4)}
    first, second = zip(*map(json.loads, drawn), strict=True)
    assert len(set(first)) == len(set(second)) == 4


def test_the_seed_of_an_attempt_gives_the_same_value_whatever_runs_beside_it(adapter_for):
    adapter = adapter_for("seeded")
    wanted = [(of, index) for of in map(task, ("a", "b", "c", "d")) for index in range(4)]

    def value(which):
        of, index = which
        return said(adapter.run_attempt(of, spec(index, of=of), {})["events"])["stdout"]

    before = random.getstate()
    with ThreadPoolExecutor(8) as pool:
        beside = [list(pool.map(value, wanted)) for _ in range(2)]
    assert beside[0] == beside[1] == [value(which) for which in wanted]
    assert beside[0] == [str(random.Random(attempt_seed(7, of.task_hash, i)).random()) for of, i in wanted]
    assert len(set(beside[0])) == len(wanted)
    assert random.getstate() == before


def test_an_attempt_that_kills_itself_costs_that_attempt_and_nothing_is_run_again(adapter_for, place):
    adapter = adapter_for("counted")
    wanted = [(of, index) for of in map(task, ("t1", "t2", "t3", "t4", "t5", "t6")) for index in range(2)]
    with ThreadPoolExecutor(2) as pool:
        ends = list(
            pool.map(lambda w: adapter.run_attempt(w[0], spec(w[1], of=w[0]), {})["events"][-1], wanted)
        )
    lines = (place / "side").read_text().split()
    assert sorted(lines) == sorted(f"{of.id}/{index}" for of, index in wanted)
    errors = {
        f"{of.id}/{i}": end["error"] for (of, i), end in zip(wanted, ends, strict=True) if "error" in end
    }
    assert errors == {"t3/1": {"type": "worker", "detail": "worker died, signal 9"}}


def test_prints_are_no_answer_and_files_and_journal_are_kept_as_a_programs_are(run):
    events = run("leaves")
    assert events[1] == {
        "seq": 1, "kind": "step", "number": 1, "where": "${attempt}/work/x", "id": "${attempt_id}",
    }  # fmt: skip
    output, artifact = events[2]["sample"], events[3]["sample"]
    assert output["stdout"] == "drawn"
    assert sorted(output["stderr_tail"].splitlines()) == ["of a child", "to stderr", "to stdout"]
    assert list(artifact) == ["made/note.txt"]
    assert artifact["made/note.txt"]["text"] == "hi"


def test_a_flood_of_prints_keeps_its_end_and_blocks_nothing(run):
    output = said(run("floods"))
    assert output["stdout"] == "yes"
    assert output["stderr_tail"].endswith("x\nthe end")
    assert len(output["stderr_tail"]) == 4096


@pytest.mark.parametrize(
    ("name", "kind", "detail"),
    [
        ("nothing", "exit", "returned NoneType, expected a text or a Result"),
        ("exits", "exit", "raised SystemExit: 3"),
        ("vanishes", "worker", "worker ended without an answer, exit status 0"),
        ("kills_worker", "worker", "worker died, signal 9"),
        ("ours", "journal", "line 1: the kind 'model.output' is the harness's to write"),
        ("link", "capture", "'link' is a symbolic link"),
        ("absent", "exit", "it cannot be loaded: AttributeError: module 'acting' has no attribute 'absent'"),
    ],
)
def test_what_did_not_finish_is_errored_and_says_why(run, name, kind, detail):
    last = run(name)[-1]
    assert last["error"] == {"type": kind, "detail": detail}
    assert last["kind"] == "attempt.errored"
    assert last["exit_code"] is None


@pytest.mark.parametrize(
    "written",
    [
        "folder",
        "",
        "no line end",
        "DEEP\nyes",
        "[]\nyes",
        '{"status": 1}\nyes',
        '{"status": "returned"}\nyes',
        '{"status": "returned", "size": NaN}\nyes',
        '{"status": "returned", "size": 2}\nyes',
        '{"status": "returned", "size": 9007199254740993}\nyes',
        '{"status": "returned", "size": true}\ny',
    ],
)
def test_an_answer_that_the_agent_forged_is_none_and_stops_nothing(adapter_for, written):
    given = task(description=written)
    last = adapter_for("own_answer").run_attempt(given, spec(), {})["events"][-1]
    assert last["error"] == {"type": "worker", "detail": "worker ended without an answer, exit status 0"}


def test_an_exception_is_named_on_one_printable_line_of_bounded_length(run):
    events = run("raising")
    detail = events[-1]["error"]["detail"]
    assert detail.startswith(r"raised ValueError: bad \x1b[31m\nline xxx")
    assert detail.isprintable()
    assert len(detail) < 400
    assert [event["kind"] for event in events][1] == "step"
    assert "ValueError" in said(events)["stderr_tail"] or "xxx" in said(events)["stderr_tail"]


def test_a_worker_that_died_takes_its_attempt_along_and_is_replaced_for_the_next(adapter_for, place):
    adapter = adapter_for("kills_worker")
    for _ in range(2):
        end = adapter.run_attempt(task(), spec(), {})["events"][-1]
        assert end["error"]["detail"] == "worker died, signal 9"
        assert all(map(gone, json.loads((place / "side").read_text())))


def test_a_callable_that_ignores_signals_is_ended_in_time_with_all_it_started(run, place):
    end = run("stubborn", timeout_s=1.5)[-1]
    assert end["error"] == {"type": "timeout", "detail": "not finished after 1.5 s"}
    pids = json.loads((place / "side").read_text())
    assert len(pids) == 4
    assert all(map(gone, pids))
    assert list((place / "root").iterdir()) == []


def test_what_runs_on_after_the_return_is_ended_and_is_no_timeout(run, place):
    events = run("background")
    assert events[-1]["kind"] == "task.completed"
    assert all(map(gone, json.loads((place / "side").read_text())))


def test_the_tasks_own_time_wins(run, place):
    end = run("stubborn", task(timeout_s=1), timeout_s=300)[-1]
    assert end["error"]["detail"] == "not finished after 1 s"


def test_half_a_surrogate_pair_is_replaced_and_flagged_and_an_honest_answer_is_not(run):
    output = said(run("half"))
    assert output["stdout"] == "a\ufffdb"
    assert list(output["replaced"]) == ["stdout"]
    assert "replaced" not in said(run("steady"))


def test_a_long_answer_keeps_its_start_and_says_how_much_is_missing(run):
    output = said(run("long"))
    assert output["stdout"] == "x" + "é" * (512 * 1024 - 1)
    assert output["cut"] == 1024 * 1024 + 2
    assert "replaced" not in output


def test_folders_are_removed_or_kept_as_asked(adapter_for, place):
    adapter = adapter_for("steady", keep_workspaces="failed")
    wrong = task(assertions=[{"kind": "output_equals", "expected": "no"}])
    kept = spec(of=wrong)
    adapter.run_attempt(task(), spec(), {})
    adapter.run_attempt(wrong, kept, {})
    assert list((place / "root").iterdir()) == [folder_path(place / "root", kept.attempt_id)]
    with pytest.raises(EnvironmentFault, match="exists already"):
        adapter.run_attempt(wrong, kept, {})
    adapter.discard(kept.attempt_id)
    assert list((place / "root").iterdir()) == []


def test_an_interrupted_attempt_leaves_neither_process_nor_folder(adapter_for, place):
    adapter = adapter_for("stubborn")
    done = threading.Event()

    def interrupt():
        while not done.is_set() and not ((place / "side").exists() and (place / "side").read_text()):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    watching = threading.Thread(target=interrupt)
    watching.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            adapter.run_attempt(task(), spec(), {})
    finally:
        done.set()
        watching.join()
    assert all(map(gone, json.loads((place / "side").read_text())))
    assert list((place / "root").iterdir()) == []


def test_a_copy_and_an_unpickled_one_run_on_their_own(adapter_for):
    adapter = adapter_for("steady")
    adapter.run_attempt(task(), spec(), {})
    for other in (copy.deepcopy(adapter), pickle.loads(pickle.dumps(adapter))):
        assert is_attempt_adapter(other)
        assert other.identity() == adapter.identity()
        events = other.run_task(task(), {})["events"]
        assert other.score_task(task(), {"events": events}) == (
            True, 1.0, {"assertions": [{"kind": "output_equals", "passed": True}]},
        )  # fmt: skip
        other.close()


def test_a_fork_of_this_process_uses_no_worker_of_its_parent(adapter_for):
    adapter = adapter_for("steady")
    adapter.run_attempt(task(), spec(), {})
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if said(adapter.run_attempt(task(), spec(), {})["events"])["stdout"] == "yes" else 1
            adapter.close()
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert said(adapter.run_attempt(task(), spec(), {})["events"])["stdout"] == "yes"


def test_the_identity_changes_with_the_target_and_with_the_modules_file(adapter_for, place):
    before = adapter_for("steady").identity()
    assert before == {
        "adapter": "function", "target": "acting:steady", "module": before["module"], "env": ["SIDE"],
    }  # fmt: skip
    assert adapter_for("later").identity() != before
    (place / "start" / "acting.py").write_text(AGENT + "\n")
    assert adapter_for("steady").identity() != before


def test_checking_runs_nothing_of_the_agent_in_this_process(adapter_for, place):
    (place / "start" / "acting.py").write_text(AGENT + "\nTOP = open(os.environ['SIDE'], 'a').write('x')\n")
    adapter = adapter_for("steady")
    adapter.identity()
    assert not (place / "side").exists()
    adapter.check()
    assert (place / "side").read_text() == "x"
    assert "acting" not in sys.modules
    assert list((place / "root").iterdir()) == []


def test_a_package_is_found_by_its_dotted_name(place):
    package = place / "start" / "pack" / "inner"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("class Agent:\n    @staticmethod\n    def act(t, a): return 'yes'\n")
    adapter = FunctionAdapter(
        "pack.inner:Agent.act", start_folder=place / "start", workspace_root=place / "root"
    )
    adapter.check()
    assert said(adapter.run_task(task(), {})["events"])["stdout"] == "yes"
    adapter.close()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("absent", "has no attribute 'absent'"),
        ("not_callable", "it is of type int and cannot be called"),
    ],
)
def test_a_target_that_cannot_be_called_is_refused_before_any_attempt(adapter_for, name, says):
    with pytest.raises(UsageError, match=says):
        adapter_for(name).check()


def test_a_module_that_cannot_be_imported_is_refused_and_says_why(adapter_for, place):
    (place / "start" / "acting.py").write_text("import no_such_module_anywhere\n")
    with pytest.raises(UsageError, match="ModuleNotFoundError: No module named 'no_such_module_anywhere'"):
        adapter_for("steady").check()


def test_a_module_that_is_not_there_is_refused(place):
    adapter = FunctionAdapter("no_such.module:f", start_folder=place, workspace_root=place / "root")
    for ask in (adapter.check, adapter.identity):
        with pytest.raises(UsageError, match="cannot be found from"):
            ask()


@pytest.mark.parametrize("target", ["m", "m:", ":f", "m f:g", "../m:f", "m:f()", "m:f\n", "a-b:f"])
def test_what_is_no_target_is_refused(target):
    with pytest.raises(UsageError, match=r"package\.module:name"):
        FunctionAdapter(target)


def test_what_cannot_be_is_refused_with_its_name(adapter_for, place):
    with pytest.raises(UsageError, match="time-out is 0 s"):
        adapter_for("steady", timeout_s=0)
    with pytest.raises(UsageError, match="PASSFLOOR_SIGNING_KEY"):
        adapter_for("steady", env=["PASSFLOOR_SIGNING_KEY"])
    with pytest.raises(UsageError, match="NOT_SET_ANYWHERE"):
        adapter_for("steady", env=["NOT_SET_ANYWHERE"]).check()
    with pytest.raises(UsageError, match="--workspace-root"):
        adapter_for("steady", workspace_root=place / "none").check()


def test_a_result_is_an_answer_with_lines():
    assert Result("x").events == ()
