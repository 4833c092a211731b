"""Whatever rows hold: a refusal in one line, or counts that add up and a receipt that says the same."""

import io
import json
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from passfloor.errors import ImportRefused
from passfloor.grading.imported import Unreadable, read_record
from passfloor.importers.collate import collate
from passfloor.importers.collated import OUTCOMES
from passfloor.importers.interface import Asked
from passfloor.importers.rows import RowsImporter
from passfloor.importers.spool import RecordSpool
from passfloor.importers.streams import Cursor
from passfloor.report.envelope import read_rows

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.floats(),
    st.sampled_from(["passed", "wrong", "x", "", "1"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)
NAMES = st.one_of(st.sampled_from(["a", "A", "b", " c", "", "3"]), st.integers(0, 4), st.text(max_size=5))
OUTCOME = st.sampled_from(["passed", "wrong", "errored", "cancelled", True, False, 1, 0, None])
HONEST = st.lists(
    st.tuples(NAMES, st.integers(0, 5), OUTCOME),
    min_size=1,
    max_size=25,
    unique_by=lambda r: (str(r[0]), type(r[0]).__name__, r[1]),
)


@settings(max_examples=100)
@given(HONEST)
def test_every_attempt_counts_once_and_none_is_lost(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("rows") / "log.jsonl"
    path.write_text(
        "".join(json.dumps({"task": task, "attempt": at, "outcome": said}) + "\n" for task, at, said in rows)
    )
    try:
        log = RowsImporter().read(path, Asked())
        with RecordSpool() as spool:
            found = collate(log, Asked(), spool)
    except ImportRefused as error:
        assert "\n" not in str(error)  # noqa: PT017  # it may or may not be raised
        return
    assert {task.name for task in found.tasks} == {task for task, _, _ in rows}
    told = Counter(OUTCOMES[code] for task in found.tasks for code in task.codes)
    assert sum(told.values()) == sum(task.n for task in found.tasks)
    assert told.total() - told["missing"] == len(rows)
    assert told["passed"] == sum(
        said in {"passed"} or said is True or said == 1 for _, _, said in rows if said is not None
    )
    assert len({task.n for task in found.tasks}) == 1
    for task in found.tasks:
        assert task.counted.n == task.n
        assert task.counted.passed + task.counted.errored <= task.n


WHOLE = st.integers(1, 4).flatmap(
    lambda n: st.dictionaries(
        st.sampled_from("abcdef"),
        st.lists(st.sampled_from(["passed", "wrong", "errored"]), min_size=n, max_size=n),
        min_size=1,
    )
)


@settings(max_examples=50)
@given(WHOLE)
def test_bare_rows_of_a_report_are_counted_as_an_import_counts_them(tmp_path_factory, told):
    path = tmp_path_factory.mktemp("rows") / "log.jsonl"
    rows = [
        {"task": task, "attempt": at, "outcome": said}
        for task, outcomes in told.items()
        for at, said in enumerate(outcomes)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with RecordSpool() as spool:
        found = collate(RowsImporter().read(path, Asked()), Asked(), spool)
    imported = {task.id: [OUTCOMES[code] for code in task.codes] for task in found.tasks}
    reported = read_rows(path.read_bytes().split(b"\n"))
    assert imported == {task.task_id: [each.outcome for each in task.attempts] for task in reported} == told


@settings(max_examples=100)
@given(
    st.binary(max_size=200)
    | st.lists(VALUES, max_size=5).map(lambda rows: "\n".join(map(json.dumps, rows)).encode())
)
def test_no_bytes_make_anything_but_a_refusal_or_a_count(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("rows") / "log"
    path.write_bytes(data)
    importer = RowsImporter()
    importer.recognise(path)
    try:
        log = importer.read(path, Asked())
        with RecordSpool() as spool:
            collate(log, Asked(), spool)
    except ImportRefused as error:
        assert "\n" not in str(error)  # noqa: PT017  # it may or may not be raised


@settings(max_examples=100)
@given(
    VALUES,
    st.dictionaries(st.sampled_from(["outcome", "score", "error", "threshold", "pass_values"]), VALUES),
)
def test_any_record_under_any_rule_is_a_reading_or_unreadable(record, rule):
    for importer in ("rows", "junit"):
        try:
            assert read_record(importer, rule, json.dumps(record)).outcome in OUTCOMES
        except Unreadable as error:
            assert "\n" not in str(error)  # noqa: PT017  # it may or may not be raised


@settings(max_examples=100)
@given(st.lists(VALUES, max_size=6), st.integers(1, 40), st.integers(0, 4))
def test_elements_are_the_same_whatever_the_chunks(rows, size, indent):
    text = json.dumps({"x": {"y": rows}, "z": 0}, indent=indent)

    class Trickle(io.BytesIO):
        def read(self, _size=-1):
            return super().read(size)

    cursor = Cursor(Trickle(text.encode()), "x")
    assert cursor.enter("x", "y")
    assert [cursor.value() for _ in cursor.elements()] == _texts(text)


def _texts(text):
    """The elements' texts, found by the standard library alone."""
    decoder, at, found = json.JSONDecoder(), text.index("[", text.index('"y"')) + 1, []
    while True:
        while text[at] in " \n,":
            at += 1
        if text[at] == "]":
            return found
        _, end = decoder.raw_decode(text, at)
        found.append(text[at:end])
        at = end
