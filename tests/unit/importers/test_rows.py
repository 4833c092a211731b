"""Plain rows of any tool: which member says what, how attempts are numbered, what is refused."""

import csv
import json
import os

import pytest

from passfloor.errors import ImportRefused
from passfloor.importers import rows as rows_module
from passfloor.importers.collate import collate
from passfloor.importers.collated import OUTCOMES
from passfloor.importers.interface import Asked
from passfloor.importers.rows import RowsImporter
from passfloor.importers.spool import RecordSpool

ROWS = [
    {"task": task, "attempt": attempt, "outcome": outcome}
    for task, outcomes in {"a": ["passed", "wrong"], "b": ["passed", "passed"]}.items()
    for attempt, outcome in enumerate(outcomes)
]


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
def load(tmp_path):
    """Reads bytes or rows as a log; gives what every attempt came to, and the notes' codes."""

    def call(data, name="log.jsonl", **asked):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else lines(data))
        wanted = Asked(**asked)
        with RecordSpool() as spool:
            log = RowsImporter().read(path, wanted)
            found = collate(log, wanted, spool)
            return {t.id: [OUTCOMES[code] for code in t.codes] for t in found.tasks}, [
                note.code for note in found.notes
            ]

    return call


SAID = {"a": ["passed", "wrong"], "b": ["passed", "passed"]}


def table(rows, delimiter):
    text = [delimiter.join(rows[0])] + [delimiter.join(str(value) for value in row.values()) for row in rows]
    return "\r\n".join([*text, ""]).encode()


@pytest.mark.parametrize(
    "data",
    [
        lines(ROWS),
        lines(ROWS).replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + lines(ROWS),
        b"\n\n" + lines(ROWS).replace(b"\n", b"\n\n"),
        json.dumps(ROWS, indent=2).encode(),
        table(ROWS, ","),
        table(ROWS, "\t"),
        table(ROWS, ";"),
        b"\xef\xbb\xbf" + table(ROWS, ","),
    ],
)
def test_every_form_of_file_gives_the_same_attempts(load, data):
    assert load(data)[0] == SAID


def test_a_cell_may_hold_line_breaks_and_delimiters(load):
    data = b'task,attempt,outcome,words\n"a,1",0,passed,"x\ny, ""z"""\n"a,1",1,wrong,\n'
    assert load(data)[0] == {"a,1": ["passed", "wrong"]}


def test_members_of_other_names_are_found_and_said(load):
    rows = [{"case_id": r["task"], "trial": r["attempt"], "passed": r["outcome"] == "passed"} for r in ROWS]
    said, notes = load(rows)
    assert said == SAID
    assert "columns" in notes


def test_members_may_be_named(load):
    rows = [{"x": r["task"], "y": r["attempt"], "z": {"w": r["outcome"]}} for r in ROWS]
    assert load(rows, columns={"task": "x", "attempt": "y", "outcome": "z.w"})[0] == SAID


def test_two_members_may_name_the_task_together(load):
    rows = [{**r, "suite": "s"} for r in ROWS]
    assert list(load(rows, columns={"task": "suite,task"})[0]) == ["s/a", "s/b"]


def test_attempts_may_stand_inside_the_row_of_their_task(load):
    rows = [
        {"id": "a", "score": 9, "trials": [{"trialNum": 1, "pass": True}, {"trialNum": 2, "pass": False}]},
        {"id": "b", "score": 9, "trials": [{"trialNum": 1, "pass": True}, {"trialNum": 2, "pass": True}]},
    ]
    assert load(rows)[0] == SAID


def test_attempts_that_count_from_one_are_the_same_attempts(load):
    assert load([{**r, "attempt": r["attempt"] + 1} for r in ROWS])[0] == SAID


def test_numbers_that_run_through_the_file_are_recognised(load):
    rows = [{"task": task, "attempt": 10 * task + at, "outcome": at} for task in range(1, 4) for at in (1, 0)]
    said, notes = load(rows)
    assert said == {name: ["wrong", "passed"] for name in ("1", "2", "3")}
    assert "restarted" in notes


def test_numbers_that_are_none_leave_the_order_of_the_rows(load):
    said, notes = load([{**r, "attempt": f"x{r['attempt']}"} for r in ROWS])
    assert said == SAID
    assert "unnumbered" in notes


def test_numbers_that_restart_are_refused_with_both_places_unless_they_are_left_aside(load):
    with pytest.raises(
        ImportRefused, match=r"there is twice: log.jsonl: line 1, and log.jsonl: line 5|twice"
    ):
        load(ROWS + ROWS)
    assert load(ROWS + ROWS, columns={"attempt": ""})[0] == {name: 2 * said for name, said in SAID.items()}


def test_a_score_needs_a_threshold(load):
    rows = [{"task": "a", "attempt": at, "score": score} for at, score in enumerate([0.65, 0.64, None])]
    with pytest.raises(ImportRefused, match=r"log.jsonl: line 1: 0.65 is a score.*--threshold"):
        load(rows)
    assert load(rows, threshold=pytest.importorskip("fractions").Fraction(13, 20))[0] == {
        "a": ["passed", "wrong", "errored"]
    }


def test_a_category_needs_values_that_pass(load):
    rows = [{"task": "a", "attempt": at, "outcome": said} for at, said in enumerate("CPIN")]
    with pytest.raises(ImportRefused, match="--pass-values"):
        load(rows)
    assert load(rows, pass_values=("C",))[0] == {"a": ["passed", "wrong", "wrong", "wrong"]}


def test_one_of_several_scorers_must_be_chosen(load):
    rows = [{"task": "a", "attempt": at, "scores": {"x": at, "y": 1}} for at in range(2)]
    with pytest.raises(ImportRefused, match=r"several scores \(x, y\): choose one with --scorer"):
        load(rows)
    assert load(rows, scorer="x")[0] == {"a": ["wrong", "passed"]}
    with pytest.raises(ImportRefused, match="--scorer 'z': there is no such score"):
        load(rows, scorer="z")


def test_one_of_several_agents_must_be_chosen(load):
    rows = [{**r, "model": model} for model in ("m1", "m2") for r in ROWS]
    with pytest.raises(ImportRefused, match=r"2 values of 'model' in one log \(m1, m2\): choose one"):
        load(rows)
    assert load(rows, agent="m2")[0] == SAID
    with pytest.raises(ImportRefused, match="'m3' is none of the values of 'model'"):
        load(rows, agent="m3")
    with pytest.raises(ImportRefused, match="no member of the rows is agent"):
        load(ROWS, agent="m1")


def test_rows_from_a_cache_are_flagged(load):
    assert "cached" in load([{**r, "cached": True} for r in ROWS])[1]
    assert "cached" in load(table([{**r, "cached": True} for r in ROWS], ","))[1]
    assert "cached" not in load(table([{**r, "cached": False} for r in ROWS], ","))[1]


def test_a_last_line_that_was_cut_is_lost_and_told(load):
    said, notes = load(lines(ROWS)[:-10])
    assert said == {"a": ["passed", "wrong"], "b": ["passed", "missing"]}
    assert "cut" in notes
    assert "missing" in notes


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b" \n ", "is empty"),
        (lines(ROWS)[:-10] + b"\n", "line 4: not JSON"),
        (b'{"task": "a"\n' + lines(ROWS), "line 1: not JSON"),
        (lines(ROWS).decode().encode("utf-16"), "is UTF-16"),
        (lines(ROWS) + b"\xff\n", "line 5 is not UTF-8"),
        (lines([[1], [2]]), "joined|no JSON object"),
        (lines([*ROWS, {"task": None, "outcome": True}]), "line 5: 'task' names no task: it is 'null'"),
        (lines([{"task": True, "outcome": True}]), "names no task"),
        (lines([{"outcome": True}]), "--task-column"),
        (lines([{"task": "a"}]), "--outcome-column"),
        (b"[" * 100_000, "nested deeper"),
        (b'{"task": ' + b"[" * 100_000, "deeper"),
        (b"\0" * 1000, "neither JSON lines"),
        (b"just words\n", "neither JSON lines"),
        (b"task,attempt,outcome\na,0\n", "line 2 has 2 cells, the header 3"),
        (b"task,task,outcome\na,0,1\n", "names a column twice"),
        (b'task,attempt,outcome\na,0,"pass\n', "unexpected end"),
        (json.dumps(ROWS).encode()[:-5], "cut short"),
        (json.dumps(ROWS).encode() + b"[]", "two files joined"),
        (lines([{**ROWS[0], "outcome": float("nan")}]), "'NaN' is no verdict"),
        (lines([{**ROWS[0], "attempt": 10**9}]), "is not from 0 to 9999"),
        (lines([ROWS[0], {"task": "a", "outcome": "passed"}]), None),
    ],
)
def test_what_is_broken_is_refused_in_one_line_or_its_loss_told(load, data, words):
    if words is None:
        assert "unnumbered" in load(data)[1]
        return
    with pytest.raises(ImportRefused, match=words) as caught:
        load(data)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"columns": {"task": "nope"}}, "--task-column 'nope': the rows have no such member"),
        ({"columns": {"attempt": "nope"}}, "--attempt-column 'nope'"),
        ({"columns": {"outcome": "nope"}}, "--outcome-column 'nope'"),
        ({"columns": {"score": "nope"}}, "--score-column 'nope'"),
        ({"pass_values": ("x",), "threshold": 1}, "give one of them"),
        ({"threshold": 1}, "--threshold needs a score"),
    ],
)
def test_what_is_asked_for_and_not_there_is_refused(load, asked, words):
    with pytest.raises(ImportRefused, match=words):
        load(ROWS, **asked)


def test_folders_pipes_and_devices_are_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "zero", tmp_path / "none"):
        with pytest.raises(ImportRefused):
            RowsImporter().read(path, Asked())
        assert RowsImporter().recognise(path) is None


@pytest.mark.parametrize(
    "data", [b"", b"\0\0", b"words", b"[1]", b"{", b'{"x": 1}\n', b"\xff\xfe{}", b"[" * 5000]
)
def test_what_is_not_recognised_raises_nothing(tmp_path, data):
    (tmp_path / "x").write_bytes(data)
    assert RowsImporter().recognise(tmp_path / "x") is None


def test_rows_are_recognised_with_the_reason(tmp_path):
    (tmp_path / "x").write_bytes(lines(ROWS))
    assert "members 'task' and 'outcome'" in RowsImporter().recognise(tmp_path / "x")


def test_a_threshold_is_sealed_as_decimal_text(tmp_path):
    from fractions import Fraction

    (tmp_path / "x").write_bytes(lines([{"task": "a", "score": 0.5}]))
    for value, text in ((Fraction(13, 20), "0.65"), (Fraction(1), "1"), (Fraction(-1, 8), "-0.125")):
        assert RowsImporter().read(tmp_path / "x", Asked(threshold=value)).rule["threshold"] == text


def test_csv_fields_past_the_modules_own_limit_are_read(load):
    wide = "x" * 200_000
    assert csv.field_size_limit() > 0
    assert load(f"task,attempt,outcome,words\na,0,passed,{wide}\n".encode())[0] == {"a": ["passed"]}


def test_a_task_whose_attempts_are_an_empty_array_is_a_task_all_the_same(load):
    text = '[{"task": "a", "trials": [{"passed": true}]}, {"task": "b", "trials": []}]'
    said, _ = load(text.encode(), "x.json")
    assert said == {"a": ["passed"], "b": ["missing"]}


def test_rows_whose_scorers_stand_in_a_member_of_their_own_are_recognised(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(lines([{"task": "a", "scores": {"x": 1, "y": 0}}]))
    assert "'scores.x'" in (RowsImporter().recognise(path) or "")


def test_values_that_nothing_has_are_told(load):
    rows = [{"task": "a", "grade": "C"}]
    assert "pass_values" in load(rows, pass_values=("c",), columns={"outcome": "grade"})[1]
    assert "pass_values" not in load(rows, pass_values=("C",), columns={"outcome": "grade"})[1]


def test_rows_of_too_many_agents_are_refused(load, monkeypatch):
    monkeypatch.setattr(rows_module, "_MOST_AGENTS", 3)
    rows = [{"task": "a", "attempt": at, "outcome": "passed", "model": f"m{at}"} for at in range(4)]
    assert load(rows[:3], agent="m1")[0] == {"a": ["passed"]}
    with pytest.raises(ImportRefused, match="more than 3 values of 'model'"):
        load(rows, agent="m1")


def test_rows_without_an_agent_beside_those_of_one_are_its(load):
    rows = [{**ROWS[0], "model": None}, *({**r, "model": "m"} for r in ROWS[1:])]
    assert load(rows)[0] == SAID


def test_numbers_that_stop_being_some_leave_nothing_unread(load):
    data = lines([{**ROWS[0], "attempt": "x"}, *ROWS[1:]]) + b'{"task": "b", "att'
    assert "cut" in load(data)[1]
