"""Job folders as Harbor writes them, made small here."""

import json
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from passfloor.errors import ImportRefused
from passfloor.importers.harbor import HarborImporter
from passfloor.importers.interface import Asked, Log


def trial(job: Path, name: str, reward: Any = 1, **members: Any) -> Path:
    folder = job / name
    folder.mkdir(parents=True)
    task = name.partition("__")[0]
    record = {
        "id": f"id of {job.name}/{name}",
        "task_name": task,
        "trial_name": name,
        "source": "set",
        "task_checksum": f"content of {task}",
        "agent_info": {"name": "coder", "version": "1", "model_info": {"name": "m1", "provider": "p"}},
        "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
        "started_at": f"2026-01-01T00:00:{len(list(job.iterdir())):02d}Z",
        "reward_valid": reward is not None,
        **members,
    }
    (folder / "result.json").write_text(json.dumps(record))
    return folder


def settle(job: Path, attempts: int | None = 2, **result: Any) -> Path:
    if attempts is not None:
        (job / "config.json").write_text(json.dumps({"job_name": job.name, "n_attempts": attempts}))
    total = sum(1 for each in job.iterdir() if each.is_dir())
    stats = {"n_retries": 0, "evals": {}} | result.pop("stats", {})
    whole = {"n_total_trials": total, "finished_at": "2026-01-02", "stats": stats} | result
    (job / "result.json").write_text(json.dumps(whole))
    return job


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """Two tasks of two attempts: a passes and fails, b passes twice."""
    folder = tmp_path / "nightly"
    for name, reward in (("a__1", 1), ("a__2", 0), ("b__1", 1), ("b__2", 1)):
        trial(folder, name, reward)
    return settle(folder)


def opened(path: Path, **asked: Any) -> Log:
    return HarborImporter().read(path, Asked(**asked))


def test_trials_are_attempts_of_their_task_in_order_of_their_start(
    job: Path, counts: Any, codes: Any
) -> None:
    log = opened(job)
    assert counts(log) == {"a": (2, 1), "b": (2, 2)}
    assert codes(log) == set()
    assert (log.suite, log.subject.name, log.subject.version, log.subject.model) == (
        "set",
        "coder",
        "1",
        "m1",
    )
    assert HarborImporter().recognise(job)
    assert [record.where for record in log.records()][:1] == ["a__1/result.json"]


def test_a_trial_that_left_no_result_is_missing(job: Path, counts: Any, codes: Any) -> None:
    (job / "a__1" / "result.json").unlink()
    (job / "a__1" / "trial.log").write_text("started")
    log = opened(job)
    assert counts(log) == {"a": (2, 0), "b": (2, 2)}
    assert codes(log) == {"unfinished"}


def test_a_task_none_of_whose_trials_ended_stays_in_the_suite(job: Path, counts: Any) -> None:
    for position in range(2):
        folder = job / f"c__{position}"
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps({"task": {"path": "/x/tasks/c"}}))
    assert counts(opened(settle(job))) == {"a": (2, 1), "b": (2, 2), "c": (2, 0)}


def test_tasks_of_the_lock_file_are_planned(job: Path, counts: Any) -> None:
    lock = {"trials": [{"task": {"name": name}} for name in ("a", "b", "z", "z")]}
    (job / "lock.json").write_text(json.dumps(lock))
    assert counts(opened(job)) == {"a": (2, 1), "b": (2, 2), "z": (2, 0)}


def test_a_lock_file_that_names_tasks_in_another_way_says_nothing(job: Path, counts: Any) -> None:
    (job / "lock.json").write_text(json.dumps({"trials": [{"task": {"name": "org/a"}}, {"task": 3}, 4]}))
    assert counts(opened(job)) == {"a": (2, 1), "b": (2, 2)}


def test_tasks_that_left_no_trace_stay_in_the_denominator(job: Path, counts: Any, codes: Any) -> None:
    log = opened(settle(job, n_total_trials=8))
    assert sorted(counts(log).values()) == [(2, 0), (2, 0), (2, 1), (2, 2)]
    assert codes(log) == {"missing_tasks"}


def test_a_job_that_did_not_finish_is_said(job: Path, codes: Any) -> None:
    assert codes(opened(settle(job, stats={"n_pending_trials": 1}))) == {"killed"}
    assert codes(opened(settle(job, finished_at=None))) == {"killed"}
    (job / "result.json").unlink()
    assert codes(opened(job)) == {"killed"}


def test_without_a_configuration_the_most_trials_of_a_task_are_the_plan(
    job: Path, counts: Any, codes: Any
) -> None:
    trial(job, "a__3")
    (job / "config.json").unlink()
    log = opened(settle(job, None))
    assert counts(log) == {"a": (3, 2), "b": (3, 2)}
    assert codes(log) == {"attempts_unknown"}


def test_more_trials_than_planned_all_count(job: Path, counted: Any) -> None:
    trial(job, "a__3", 0)
    found = counted(opened(settle(job)))
    assert {task.name: task.n for task in found.tasks} == {"a": 3, "b": 2}
    assert "unplanned" in {note.code for note in found.notes}


def test_several_agents_are_never_mixed(job: Path, counts: Any) -> None:
    other = {"agent_info": {"name": "coder", "version": "1", "model_info": {"name": "m2"}}}
    for name in ("a__5", "a__6", "b__5", "b__6"):
        trial(job, name, 0, **other)
    settle(job)
    with pytest.raises(ImportRefused, match=r"2 agents in one log \(coder/m1, coder/m2\): .*--agent"):
        opened(job)
    assert counts(opened(job, agent="coder/m2")) == {"a": (2, 0), "b": (2, 0)}
    assert counts(opened(job, agent="m1")) == {"a": (2, 1), "b": (2, 2)}
    with pytest.raises(ImportRefused, match="is 2 of the agents"):
        opened(job, agent="coder")
    with pytest.raises(ImportRefused, match="is none of the agents"):
        opened(job, agent="m3")


def test_retries_are_said_and_add_no_attempt(job: Path, counts: Any, codes: Any) -> None:
    log = opened(settle(job, stats={"n_retries": 3}))
    assert codes(log) == {"retries"}
    assert counts(log) == {"a": (2, 1), "b": (2, 2)}


def test_several_rewards_must_be_chosen(job: Path) -> None:
    trial(job, "a__3", verifier_result={"rewards": {"reward": 1, "style": 0}})
    with pytest.raises(
        ImportRefused, match=r"'a__3' has 2 rewards \(reward, style\): choose one with --scorer"
    ):
        opened(job)
    with pytest.raises(ImportRefused, match="no reward is called 'taste'"):
        opened(job, scorer="taste")
    assert opened(job, scorer="reward").rule == {"scorer": "reward"}


def test_a_fraction_needs_a_threshold(job: Path, counted: Any, counts: Any) -> None:
    trial(job, "a__3", 0.65)
    with pytest.raises(ImportRefused, match=r"a__3/result.json: .*0\.65 is no verdict"):
        counted(opened(settle(job, 3)))
    assert counts(opened(job, threshold=Fraction(13, 20))) == {"a": (3, 2), "b": (3, 2)}


def test_an_errored_trial_is_dropped_by_the_tool_and_kept_here(job: Path, counted: Any) -> None:
    info = {"exception_type": "ApiError", "exception_message": "503"}
    trial(job, "c__1", None, exception_info=info)
    trial(job, "c__2", None, exception_info={"exception_type": "CancelledError"})
    log = opened(settle(job))
    assert log.convention.errors == "dropped"
    found = counted(log)
    assert (found.count("errored"), found.count("cancelled"), len(found.tasks)) == (1, 1, 3)


def test_the_figures_of_the_agent_alone_are_published(job: Path) -> None:
    evals = {
        "coder__m1__set": {
            "pass_at_k": {"2": 1.0, "x": 1, "4": "NaN", "5": 7},
            "metrics": [{"mean": 0.75}, 3],
        },
        "coder__m2__set": {"pass_at_k": {"2": 0.25}},
    }
    log = opened(settle(job, stats={"evals": evals}))
    assert [(each.name, each.value) for each in log.published] == [
        ("pass@2", Fraction(1)),
        ("mean reward", Fraction(3, 4)),
    ]


def test_jobs_in_one_folder_are_more_attempts_of_the_same_tasks(job: Path, counts: Any) -> None:
    second = job.parent / "again"
    trial(second, "a__8", 1)
    trial(second, "b__8", 0)
    settle(second, 1)
    log = opened(job.parent)
    assert counts(log) == {"a": (3, 2), "b": (3, 2)}
    assert HarborImporter().recognise(job.parent)


def test_a_trial_that_was_copied_counts_once(job: Path, counts: Any, codes: Any) -> None:
    text = (job / "a__1" / "result.json").read_text()
    copy = job / "a__copy"
    copy.mkdir()
    (copy / "result.json").write_text(text)
    log = opened(settle(job))
    assert counts(log)["a"] == (2, 1)
    assert "twice" in codes(log)


def test_two_unlike_trials_under_one_id_are_refused_with_both_places(job: Path, counts: Any) -> None:
    record = json.loads((job / "a__1" / "result.json").read_text())
    trial(job, "a__9", 0, id=record["id"])
    settle(job)
    with pytest.raises(ImportRefused, match=r"a__1.*a__9.*--keep first or --keep last"):
        opened(job)
    assert counts(opened(job, keep="first"))["a"] == (2, 1)
    assert counts(opened(job, keep="last"))["a"] == (2, 0)


def test_one_name_in_two_data_sets_or_versions_is_two_tasks(job: Path, counts: Any, codes: Any) -> None:
    trial(job, "a__7", source="other")
    trial(job, "b__7", task_checksum="0123456789abcdef")
    log = opened(settle(job))
    assert set(counts(log)) == {"set/a", "other/a", "b@content of b", "b@0123456789ab"}
    assert "changed_tasks" in codes(log)


def test_a_cut_result_is_missing_and_said(job: Path, counts: Any, codes: Any) -> None:
    path = job / "a__1" / "result.json"
    path.write_text(path.read_text()[:60])
    log = opened(job)
    assert counts(log)["a"] == (2, 0)
    assert codes(log) == {"unfinished", "cut"}


def test_links_are_not_followed(job: Path, tmp_path: Path, counts: Any) -> None:
    (job / "d__1").symlink_to("/")
    (job / "d__2").symlink_to(job / "a__1")
    assert counts(opened(job)) == {"a": (2, 1), "b": (2, 2)}
    secret = tmp_path / "secret.json"
    secret.write_text("{}")
    (job / "a__1" / "result.json").unlink()
    (job / "a__1" / "result.json").symlink_to(secret)
    with pytest.raises(ImportRefused, match="is a link"):
        opened(job)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFO")
def test_a_fifo_in_place_of_a_result_is_refused_without_waiting(job: Path) -> None:
    (job / "a__1" / "result.json").unlink()
    os.mkfifo(job / "a__1" / "result.json")
    with pytest.raises(ImportRefused, match="no regular file"):
        opened(job)
    assert HarborImporter().recognise(job)


def test_folders_beside_the_trials_are_passed_over(job: Path, counts: Any) -> None:
    (job / "logs").mkdir()
    (job / "other").mkdir()
    (job / "other" / "result.json").write_text('{"kind": "something else"}')
    assert counts(opened(job)) == {"a": (2, 1), "b": (2, 2)}


def test_trials_alone_are_a_job_that_was_killed(tmp_path: Path, counts: Any, codes: Any) -> None:
    trial(tmp_path / "j", "a__1")
    log = opened(tmp_path / "j")
    assert codes(log) == {"killed", "attempts_unknown"}
    assert counts(log) == {"a": (1, 1)}


def test_what_is_no_job_is_refused(tmp_path: Path, job: Path) -> None:
    with pytest.raises(ImportRefused, match="no folder"):
        opened(job / "result.json")
    with pytest.raises(ImportRefused, match="is one trial"):
        opened(job / "a__1")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ImportRefused, match="is no Harbor job"):
        opened(tmp_path / "empty")
    (tmp_path / "only").mkdir()
    with pytest.raises(ImportRefused, match="no trial that ended"):
        opened(settle(tmp_path / "only"))
    with pytest.raises(ImportRefused, match="--pass-values means nothing for Harbor"):
        opened(job, pass_values=("C",))
    for path in (job / "result.json", tmp_path / "empty", tmp_path / "absent"):
        assert HarborImporter().recognise(path) is None


def test_tasks_of_the_universe_that_are_not_there_are_missing(job: Path, tmp_path: Path, counts: Any) -> None:
    names = tmp_path / "all.txt"
    names.write_text("a\nb\nq\n")
    assert counts(opened(job), Asked(universe=names)) == {"a": (2, 1), "b": (2, 2), "q": (2, 0)}


def test_settings_of_a_trial_that_cannot_be_read_leave_its_task_untold(
    job: Path, counts: Any, codes: Any
) -> None:
    (job / "a__1" / "result.json").unlink()
    (job / "a__1" / "config.json").write_text("{")
    log = opened(job)
    assert counts(log) == {"a": (2, 0), "b": (2, 2)}
    assert codes(log) == {"unfinished"}


def test_a_job_whose_files_are_links_is_not_recognised(job: Path) -> None:
    (job / "result.json").unlink()
    (job / "result.json").symlink_to("/etc/hostname")
    assert HarborImporter().recognise(job) is None
    with pytest.raises(ImportRefused, match="is a link"):
        opened(job)
