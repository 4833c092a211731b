"""Inspect logs: both forms, killed runs, missing samples, several scorers, folders, and broken files."""

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passfloor.errors import ImportRefused
from passfloor.grading.imported import read_record
from passfloor.importers.inspect import InspectImporter
from passfloor.importers.interface import Asked

IMPORTER = InspectImporter()


def header(ids=("a", "b"), epochs=2, **members):
    config = {"epochs": epochs} | members.pop("config", {})
    dataset = {"name": "d", "samples": len(ids), "sample_ids": list(ids)}
    made = {
        "version": 2,
        "status": "success",
        "eval": {
            "task": "quiz",
            "task_id": "T1",
            "run_id": "R1",
            "created": "2026-01-01T00:00:00+00:00",
            "model": "mock/model",
            "dataset": dataset,
            "config": config,
        }
        | members.pop("eval", {}),
    }
    return made | members


def summary(name, epoch, value="C", scorer="match", **members):
    scores = {} if value is None else {scorer: {"value": value}}
    return {"id": name, "epoch": epoch, "input": "?", "scores": scores, "completed": True} | members


ALL = [summary(name, epoch) for name in "ab" for epoch in (1, 2)]


def dump(value):
    return json.dumps(value).encode()


def eval_members(head=None, summaries=ALL, journal=None, samples=()):
    members = [("_journal/start.json", dump({"version": 2, "eval": (head or header())["eval"]}))]
    members += [(f"_journal/summaries/{number}.json", dump(each)) for number, each in journal or ()]
    members += [(name, dump(each)) for name, each in samples]
    if summaries is not None:
        members.append(("summaries.json", dump(summaries)))
    if head is not None:
        members.append(("header.json", dump(head)))
    return members


@pytest.fixture
def make_log(make_zip):
    def make(head=None, summaries=ALL, journal=None, samples=(), name="log.eval", **how):
        return make_zip(eval_members(head or header(), summaries, journal, samples), name, **how)

    return make


def outcomes(log):
    found = {}
    for record in log.records():
        key = (record.task, record.index)
        assert key not in found
        found[key] = read_record(log.importer, log.rule, record.text).outcome
    return found


def codes(log):
    return {note.code for note in log.notes}


@pytest.mark.parametrize("method", [0, 8, 93])
def test_summaries_suffice_whatever_they_are_packed_with(make_log, method):
    log = IMPORTER.read(make_log(method=method), Asked())
    assert outcomes(log) == {(name, index): "passed" for name in "ab" for index in (0, 1)}
    assert outcomes(log) == outcomes(log)
    assert (log.suite, log.subject.model, log.tasks, log.planned) == (
        "quiz",
        "mock/model",
        ("a", "b"),
        {"a": 2, "b": 2},
    )
    assert not log.notes


def test_samples_are_not_opened_where_summaries_suffice(make_zip):
    members = [*eval_members(header()), ("samples/a_epoch_1.json", b"this is no JSON")]
    assert len(outcomes(IMPORTER.read(make_zip(members), Asked()))) == 4


def test_a_json_log_is_read_without_its_transcripts(tmp_path):
    sample = {
        "id": "a",
        "epoch": 1,
        "messages": [{"content": "long " * 100}],
        "scores": {"match": {"value": "P"}},
        "error": {"message": "RuntimeError('x')", "traceback": "long " * 100},
        "error_retries": [{"message": "first"}, {"message": "second"}],
        "events": [],
    }
    path = tmp_path / "log.json"
    path.write_bytes(dump(header(("a",), 1) | {"samples": [sample], "reductions": [{"value": float("nan")}]}))
    log = IMPORTER.read(path, Asked())
    (record,) = log.records()
    assert json.loads(record.text) == {
        "id": "a",
        "epoch": 1,
        "scores": {"match": {"value": "P"}},
        "error": {"message": "RuntimeError('x')"},
        "retries": 2,
    }
    assert outcomes(log) == {("a", 0): "wrong"}
    assert codes(log) == {"retries"}


def test_samples_that_are_absent_stay_planned(make_log):
    ids = [f"s{number}" for number in range(790)]
    log = IMPORTER.read(make_log(header(ids, 1), [summary(name, 1) for name in ids[:15]]), Asked())
    assert len(log.tasks) == 790
    assert sum(log.planned.values()) == 790
    assert len(outcomes(log)) == 15


def test_a_killed_run_is_read_from_its_journal_in_numeric_order(make_zip):
    journal = [(number, [summary("a", 1, "I" if number < 10 else "C")]) for number in (1, 10, 2)]
    path = make_zip(eval_members(None, None, journal))
    log = IMPORTER.read(path, Asked())
    assert outcomes(log) == {("a", 0): "passed"}
    assert codes(log) == {"killed"}
    assert log.planned == {"a": 2, "b": 2}


def test_two_entries_in_the_summaries_are_left_for_the_user_to_settle(make_log):
    log = IMPORTER.read(make_log(summaries=[*ALL, summary("a", 1, "I")]), Asked())
    assert Counter((record.task, record.index) for record in log.records())["a", 0] == 2


@pytest.mark.parametrize("shape", ["samples/{}_epoch_{}.json", "samples/{}_epoch_{}/sample.json"])
def test_a_log_without_summaries_is_read_from_its_samples(make_log, shape):
    samples = [(shape.format(one["id"], one["epoch"]), one | {"events": [1]}) for one in ALL]
    samples.append(("samples/a_epoch_1/events/0.json", [1, 2]))
    log = IMPORTER.read(make_log(summaries=None, samples=samples), Asked())
    assert len(outcomes(log)) == 4


def test_the_ids_in_the_json_count_and_not_those_in_names(make_log):
    samples = [("samples/../../x/y_epoch_9.json", summary("x/y", 1))]
    log = IMPORTER.read(make_log(header(("x/y",), 1), None, samples=samples), Asked())
    assert outcomes(log) == {("x/y", 0): "passed"}


def test_three_and_the_text_three_are_two_samples(make_log):
    log = IMPORTER.read(make_log(header((3, "3"), 1), [summary(3, 1), summary("3", 1, "I")]), Asked())
    assert outcomes(log) == {(3, 0): "passed", ("3", 0): "wrong"}
    assert log.tasks == (3, "3")


def test_errors_stay_and_are_told_from_what_was_not_scored(make_log):
    summaries = [
        summary("a", 1),
        summary("a", 2, None, error="ValueError('x')"),
        summary("b", 1, None),
        summary("b", 2, "I", limit="token"),
    ]
    log = IMPORTER.read(make_log(summaries=summaries), Asked())
    assert Counter(outcomes(log).values()) == {"passed": 1, "errored": 2, "wrong": 1}
    (note,) = log.notes
    assert (note.code, note.text.split()[0]) == ("unscored", "1")


def test_a_bare_nan_is_an_unscored_sample(make_zip):
    members = eval_members(header(("a", "b"), 1), None)
    scored = b'{"id":"b","epoch":1,"scores":{"match":{"value":1}}}'
    members.append(
        ("summaries.json", b'[{"id":"a","epoch":1,"scores":{"match":{"value":NaN}}},' + scored + b"]")
    )
    log = IMPORTER.read(make_zip(members), Asked())
    assert outcomes(log) == {("a", 0): "errored", ("b", 0): "passed"}
    assert codes(log) == {"unscored"}


def test_several_scorers_have_to_be_chosen(make_log):
    both = [one | {"scores": {"match": {"value": "C"}, "judge": {"value": "I"}}} for one in ALL]
    path = make_log(summaries=both)
    with pytest.raises(ImportRefused, match=r"2 scores \(judge, match\): choose one with --scorer"):
        IMPORTER.read(path, Asked())
    with pytest.raises(ImportRefused, match="none of the log's scores"):
        IMPORTER.read(path, Asked(scorer="other"))
    assert set(outcomes(IMPORTER.read(path, Asked(scorer="judge"))).values()) == {"wrong"}


@pytest.mark.parametrize("name", ["match.right", "right"])
def test_a_part_of_a_score_is_chosen_by_its_name(make_log, name):
    parts = [one | {"scores": {"match": {"value": {"right": "C", "brief": "I"}}}} for one in ALL]
    path = make_log(summaries=parts)
    with pytest.raises(ImportRefused, match="choose one with --scorer"):
        IMPORTER.read(path, Asked())
    log = IMPORTER.read(path, Asked(scorer=name))
    assert log.rule == {"scorer": "match", "part": "right"}
    assert set(outcomes(log).values()) == {"passed"}


def test_the_threshold_and_the_values_that_pass_are_sealed_in_the_rule(make_log):
    path = make_log(summaries=[summary("a", 1, 0.65), summary("a", 2, 0.64)])
    log = IMPORTER.read(path, Asked(threshold=Fraction(13, 20)))
    assert log.rule == {"scorer": "match", "threshold": "0.65"}
    assert outcomes(log) == {("a", 0): "passed", ("a", 1): "wrong"}
    log = IMPORTER.read(path, Asked(pass_values=("0.64",)))
    assert log.rule["pass_values"] == ["0.64"]


def test_a_log_in_which_all_errored_takes_the_scorer_from_its_header(make_log):
    head = header(("a",), 1, eval={"scorers": [{"name": "match"}], "dataset": {"sample_ids": ["a"]}})
    log = IMPORTER.read(make_log(head, [summary("a", 1, None, error="x")]), Asked())
    assert log.rule == {"scorer": "match"}
    assert outcomes(log) == {("a", 0): "errored"}


def test_a_log_of_which_nothing_was_ever_scored_is_refused(make_log):
    with pytest.raises(ImportRefused, match="score it first"):
        IMPORTER.read(make_log(summaries=[summary("a", 1, None)]), Asked())


def test_what_went_wrong_with_the_run_is_said(make_log):
    for status in ("started", "cancelled", "error"):
        assert status in codes(IMPORTER.read(make_log(header(status=status)), Asked()))
    edited = [one | {"scores": {"match": {"value": "C", "history": [{"value": "I"}]}}} for one in ALL]
    assert codes(IMPORTER.read(make_log(summaries=edited), Asked())) == {"edited"}
    extra = IMPORTER.read(make_log(summaries=[*ALL, summary("c", 3)]), Asked())
    assert codes(extra) == {"unplanned"}
    assert extra.planned == {"a": 3, "b": 3, "c": 3}


def test_a_log_marked_as_invalidated_is_read_with_the_marks_of_its_samples(make_log):
    marked = {"author": "me", "reason": "leaked"}
    samples = [
        (f"samples/{one['id']}_epoch_{one['epoch']}.json", one | {"messages": [], "invalidation": marked})
        for one in ALL[:1]
    ]
    samples += [(f"samples/{one['id']}_epoch_{one['epoch']}/sample.json", one) for one in ALL[1:]]
    log = IMPORTER.read(make_log(header(invalidated=True), samples=samples), Asked())
    assert Counter(outcomes(log).values()) == {"errored": 1, "passed": 3}
    assert codes(log) == {"invalidated"}
    with pytest.raises(ImportRefused, match="marked as invalidated and holds no sample"):
        IMPORTER.read(make_log(header(invalidated=True)), Asked())


def test_figures_that_the_log_prints_are_taken_with_their_reducer(make_log):
    def score(reducer, value, name="match", metric="accuracy"):
        return {"name": name, "reducer": reducer, "metrics": {metric: {"value": value}}, "scored_samples": 2}

    scores = [
        score("mean", 0.5),
        score("pass_at_2", 0.75),
        score("pass_k_2", 0.25),
        score("at_least_1", 1),
        score("mean", 0.1, name="other"),
        score("mean", 7, metric="mean"),
    ]
    log = IMPORTER.read(make_log(header(results={"total_samples": 4, "scores": scores})), Asked())
    assert [(each.name, each.value) for each in log.published] == [
        ("mean score", Fraction(1, 2)),
        ("pass@2", Fraction(3, 4)),
        ("pass^2", Fraction(1, 4)),
        ("accuracy of at_least_1", 1),
    ]
    assert "reducer pass_at_2 over 2 samples" in log.published[1].where


def test_a_log_that_tells_only_how_many_samples_there_were_has_unnamed_ones(make_log):
    head = header(eval={"dataset": {"samples": 3}}, results={"total_samples": 6})
    log = IMPORTER.read(make_log(head), Asked())
    assert log.tasks == ("a", "b", "unnamed sample 3")
    assert log.planned["unnamed sample 3"] == 2


def folder(make_log, tmp_path, **logs):
    for name, (head, summaries) in logs.items():
        make_log(head, summaries, name=f"{name}.eval")
    return tmp_path


def test_logs_in_a_folder_are_runs_that_add_up(make_log, tmp_path):
    second = header(eval={"task_id": "T2", "created": "2026-01-02"})
    first = header(eval={"task_id": "T1", "created": "2026-01-01"})
    place = folder(make_log, tmp_path, a=(second, [summary("a", 1, "I")]), b=(first, ALL))
    log = IMPORTER.read(place, Asked())
    assert log.planned == {"a": 4, "b": 4}
    assert outcomes(log) == {
        ("a", 0): "passed",
        ("a", 1): "passed",
        ("b", 0): "passed",
        ("b", 1): "passed",
    } | {("a", 2): "wrong"}
    assert not log.published


def test_a_retried_run_counts_once(make_log, tmp_path):
    retry = header(eval={"created": "2026-01-02", "run_id": "R2"})
    place = folder(make_log, tmp_path, a=(header(status="error"), ALL[:1]), b=(retry, ALL))
    log = IMPORTER.read(place, Asked())
    assert log.planned == {"a": 2, "b": 2}
    assert codes(log) == {"retried_runs"}


def test_logs_of_two_models_have_to_be_told_apart(make_log, tmp_path):
    other = header(eval={"model": "mock/other", "task_id": "T2"})
    place = folder(make_log, tmp_path, a=(header(), ALL), b=(other, ALL))
    with pytest.raises(ImportRefused, match="2 models in one log"):
        IMPORTER.read(place, Asked())
    log = IMPORTER.read(place, Asked(agent="mock/other"))
    assert (log.subject.model, log.planned) == ("mock/other", {"a": 2, "b": 2})


def test_logs_of_two_tasks_are_refused(make_log, tmp_path):
    other = header(eval={"task": "exam", "task_id": "T2"})
    place = folder(make_log, tmp_path, a=(header(), ALL), b=(other, ALL))
    with pytest.raises(ImportRefused, match=r"2 tasks \(exam, quiz\)"):
        IMPORTER.read(place, Asked())


def test_a_folder_without_logs_is_refused(tmp_path):
    (tmp_path / "notes.json").write_text("{}")
    with pytest.raises(ImportRefused, match="holds no Inspect log"):
        IMPORTER.read(tmp_path, Asked())
    assert IMPORTER.recognise(tmp_path) is None


def test_logs_are_recognised_by_their_header(make_log, make_zip, tmp_path):
    assert IMPORTER.recognise(make_log()) == "the archive holds _journal/start.json"
    assert IMPORTER.recognise(make_zip([("a", b"b")], "other.zip")) is None
    path = tmp_path / "log.json"
    path.write_bytes(dump(header() | {"samples": []}))
    assert "header of an Inspect log" in IMPORTER.recognise(path)
    assert IMPORTER.recognise(tmp_path) == "the folder holds 2 Inspect logs"
    path.write_bytes(b'{"eval": {}}')
    assert IMPORTER.recognise(path) is None
    assert IMPORTER.recognise(tmp_path / "absent") is None
    path.write_bytes(make_log().read_bytes()[:200])
    assert IMPORTER.recognise(path) is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "in the middle"),
        (b"[1]", "expected '{'"),
        (b'{"version": 2}', "no member 'eval'"),
        (dump(header()), "header without samples"),
        (dump(header() | {"samples": None}), "header without samples"),
        (dump(header() | {"samples": []}), "holds a header and no sample"),
        (dump(header() | {"samples": [3]}), "expected '{'"),
        (dump(header() | {"samples": [{"epoch": 1}]}), "has no id"),
        (dump(header() | {"samples": [{"id": True, "epoch": 1}]}), "has no id"),
        (dump(header() | {"samples": [{"id": "a", "epoch": 0}]}), "has no epoch"),
        (dump(header(version=9)), "version 9, known are those up to 3"),
        (dump(header() | {"samples": ALL})[:-30], "cut short"),
    ],
)
def test_a_broken_json_log_is_refused_in_one_line(tmp_path, content, words):
    path = tmp_path / "log.json"
    path.write_bytes(content)
    with pytest.raises(ImportRefused, match=words) as caught:
        IMPORTER.read(path, Asked())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ([("a.json", b"{}")], "no Inspect log"),
        ([("header.json", b"{}")], "no member 'eval'"),
        ([("header.json", b"[" * 1000)], "deeper than"),
        (eval_members(header(), None), "holds a header and no sample"),
        (eval_members(None, None), "holds a header and no sample"),
        ([*eval_members(header(), None), ("summaries.json", b'{"a": 1}')], r"expected '\['"),
        ([*eval_members(header(), None), ("summaries.json", b"[1]")], "is no JSON object"),
        ([*eval_members(header(), None), ("summaries.json", b'[{"id": 1, "ep')], "cut short"),
        ([*eval_members(header()), ("summaries.json", b"[]")], "two members named"),
        (
            [*eval_members(header(), None), ("summaries.json", b'[{"id":' + b"[" * 9999)],
            "nested deeper|cut short",
        ),
        (
            [*eval_members(header(), None), ("summaries.json", b'[{"id":' + b"9" * 5000 + b"}]")],
            "1000 digits",
        ),
    ],
)
def test_a_broken_archive_is_refused_in_one_line(make_zip, members, words):
    with pytest.raises(ImportRefused, match=words) as caught:
        IMPORTER.read(make_zip(members), Asked())
    assert "\n" not in str(caught.value)


def test_a_plan_of_absurd_size_is_refused(make_log):
    with pytest.raises(ImportRefused, match="the limit is"):
        IMPORTER.read(make_log(header(("a", "b"), 1_000_000)), Asked())
    head = header(eval={"dataset": {}}, results={"total_samples": 10**11})
    with pytest.raises(ImportRefused, match="the limit is"):
        IMPORTER.read(make_log(head), Asked())


MEMBERS = [
    *("eval", "version", "status", "results", "scores", "dataset", "sample_ids", "config", "epochs"),
    *("id", "epoch", "match", "value"),
]

odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(MEMBERS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@settings(max_examples=150)
@given(head=odd, rest=odd, samples=st.lists(odd, max_size=2))
def test_a_log_of_any_shape_is_read_or_refused(tmp_path_factory, head, rest, samples):
    path = Path(tmp_path_factory.mktemp("odd")) / "log.json"
    start = {"eval": head} | (rest if isinstance(rest, dict) else {})
    path.write_text(
        json.dumps(start | {"samples": [*samples, {"id": 1, "epoch": 1, "scores": {"m": {"value": "C"}}}]})
    )
    words = ""
    try:
        for _ in IMPORTER.read(path, Asked()).records():
            pass
    except ImportRefused as error:
        words = str(error)
    assert "\n" not in words


def test_logs_of_several_commits_or_solvers_are_told_and_claim_none(make_log, tmp_path):
    def made(number, solver):
        revision = {"commit": f"c{number}"}
        return header(eval={"task_id": f"T{number}", "revision": revision, "solver": solver})

    log = IMPORTER.read(folder(make_log, tmp_path, a=(made(1, "x"), ALL), b=(made(2, "y"), ALL)), Asked())
    assert codes(log) == {"solvers", "versions"}
    assert (log.subject.name, log.subject.version) == ("mock/model", None)
    alone = IMPORTER.read(tmp_path / "a.eval", Asked())
    assert (alone.subject.name, alone.subject.version) == ("x", "c1")


def test_a_log_that_is_changed_while_it_is_read_is_refused(tmp_path):
    path = tmp_path / "log.json"
    path.write_bytes(dump(header() | {"samples": ALL}))
    log = IMPORTER.read(path, Asked())
    path.write_bytes(dump(header() | {"samples": [summary("z", 1)]}))
    with pytest.raises(ImportRefused, match="was the log changed"):
        list(log.records())
