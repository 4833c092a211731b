"""tau2-bench results of both layouts."""

import json

import pytest

from passfloor.errors import ImportRefused
from passfloor.grading.imported import read_record
from passfloor.importers.interface import Asked
from passfloor.importers.tau2 import Tau2Importer

IMPORTER = Tau2Importer()
INFO = {
    "git_commit": "0" * 40,
    "num_trials": 2,
    "agent_info": {"implementation": "llm_agent", "llm": "mock"},
    "environment_info": {"domain_name": "airline"},
}


def simulation(task, trial, reward=1.0, ending="user_stop", **members):
    return {
        "id": f"sim-{task}-{trial}",
        "task_id": task,
        "trial": trial,
        "start_time": f"2026-01-01T00:00:0{trial or 0}",
        "termination_reason": ending,
        "reward_info": None if reward is None else {"reward": reward},
        "messages": [],
    } | members


def entry(one):
    rewards = one["reward_info"]
    return {name: one[name] for name in ("id", "task_id", "trial", "termination_reason")} | {
        "reward": rewards and rewards["reward"]
    }


ALL = [simulation(task, trial) for task in ("0", "1") for trial in (0, 1)]


def results(**members):
    return {"timestamp": "t", "info": INFO, "tasks": [{"id": "0"}, {"id": "1"}]} | members


@pytest.fixture
def make(tmp_path):
    def write(simulations=ALL, index=None, beside=True, **members):
        if beside:
            (tmp_path / "simulations").mkdir(exist_ok=True)
            for position, each in enumerate(simulations):
                (tmp_path / "simulations" / f"{position}.json").write_text(json.dumps(each))
            members["simulation_index"] = index
        else:
            members["simulations"] = simulations
        (tmp_path / "results.json").write_text(json.dumps(results(**members)))
        return tmp_path

    return write


def outcomes(log):
    return {
        (record.task, record.index): read_record(log.importer, log.rule, record.text).outcome
        for record in log.records()
    }


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("named", [".", "results.json"])
def test_both_layouts_give_the_same(make, beside, named):
    path = make(beside=beside, index=[entry(each) for each in ALL]) / named
    log = IMPORTER.read(path, Asked())
    assert outcomes(log) == {(task, trial): "passed" for task in "01" for trial in (0, 1)}
    assert (log.suite, log.planned, log.tasks) == ("airline", 2, ("0", "1"))
    assert (log.subject.name, log.subject.model) == ("llm_agent", "mock")
    assert not log.notes
    assert IMPORTER.recognise(path) is not None


def test_planned_simulations_that_are_absent_are_missing(make):
    log = IMPORTER.read(make(ALL[:1], beside=False), Asked())
    assert (log.tasks, log.planned) == (("0", "1"), 2)
    assert len(outcomes(log)) == 1


def test_what_broke_down_is_errored_and_what_merely_ended_is_not(make):
    simulations = [
        simulation("0", 0, None, "infrastructure_error", info={"error": "no network"}),
        simulation("0", 1, 0.0, "max_steps"),
        simulation("1", 0, 0.0, hallucination_retries_used=2),
        simulation("1", 1),
    ]
    log = IMPORTER.read(make(simulations, beside=False), Asked())
    assert list(outcomes(log).values()) == ["errored", "wrong", "wrong", "passed"]
    assert [note.code for note in log.notes] == ["retries"]


def test_simulations_without_a_trial_are_put_in_order_of_their_start(make):
    log = IMPORTER.read(make([simulation("0", None), simulation("0", None)], beside=False), Asked())
    assert [(record.index, record.order[0]) for record in log.records()] == [
        (None, "2026-01-01T00:00:00")
    ] * 2


def test_a_folder_without_an_index_is_read_and_that_is_said(make):
    log = IMPORTER.read(make(), Asked())
    assert len(outcomes(log)) == 4
    assert [note.code for note in log.notes] == ["no_index"]


@pytest.mark.parametrize(
    ("index", "words"),
    [
        ([entry(each) for each in ALL[:3]], "is not in the simulation_index"),
        (
            [*map(entry, ALL), entry(simulation("2", 0))],
            "lists 1 simulation not there, such as 'sim-2-0'",
        ),
        ([entry(ALL[0]) | {"reward": 0.0}, *map(entry, ALL[1:])], "differ in reward"),
        ([entry(ALL[0]) | {"trial": 1}, *map(entry, ALL[1:])], "differ in trial"),
        ([entry(ALL[0]) | {"termination_reason": "x"}, *map(entry, ALL[1:])], "differ in termination_reason"),
        ([*map(entry, ALL), entry(ALL[0])], "has no id of its own"),
        ([{}], "has no id of its own"),
    ],
)
def test_an_index_that_does_not_agree_with_its_files_is_refused(make, index, words):
    with pytest.raises(ImportRefused, match=words):
        IMPORTER.read(make(index=index), Asked())


def test_an_index_with_whole_numbers_for_tasks_agrees(make):
    index = [entry(each) | {"task_id": int(each["task_id"])} for each in ALL]
    assert len(outcomes(IMPORTER.read(make(index=index), Asked()))) == 4


def test_simulations_in_both_places_are_refused(make, tmp_path):
    place = make()
    (place / "results.json").write_text(json.dumps(results(simulations=ALL[:1])))
    with pytest.raises(ImportRefused, match="move one of the two away"):
        IMPORTER.read(place, Asked())


def test_links_among_the_simulations_are_not_followed(make, tmp_path):
    outside = tmp_path / "outside.json"
    outside.write_text(json.dumps(simulation("9", 0)))
    place = make()
    (place / "simulations" / "link.json").symlink_to(outside)
    assert len(outcomes(IMPORTER.read(place, Asked()))) == 4


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "in the middle"),
        ("[]", "expected '{'"),
        ("{}", "no 'info' and no 'tasks'"),
        (json.dumps(results()), "holds no simulation"),
        (json.dumps(results(simulations=[1])), "is no JSON object"),
        (json.dumps(results(simulations=[{}])), "has no task_id"),
        (json.dumps(results(info={"num_trials": 10**9})), "the limit is"),
        (json.dumps(results(simulations=ALL))[:-9], "cut short"),
        (json.dumps(results(tasks=[{}])), "has no task_id"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(tmp_path, content, words):
    path = tmp_path / "run.json"
    path.write_text(content)
    with pytest.raises(ImportRefused, match=words) as caught:
        IMPORTER.read(path, Asked())
    assert "\n" not in str(caught.value)


def test_a_simulation_that_is_not_utf8_is_refused(make):
    place = make()
    (place / "simulations" / "0.json").write_bytes(b'{"id": "\xff"}')
    with pytest.raises(ImportRefused, match="not UTF-8"):
        IMPORTER.read(place, Asked())


def test_other_files_are_not_recognised(tmp_path):
    assert IMPORTER.recognise(tmp_path) is None
    (tmp_path / "results.json").write_text('{"info": {"num_trials": 2}}')
    assert IMPORTER.recognise(tmp_path) is None
    assert IMPORTER.recognise(tmp_path / "\0") is None
