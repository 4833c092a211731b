"""The hashes of a suite depend on what it says and on nothing else."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from passfloor.canonical import canonical
from passfloor.models.names import folded, id_problem
from passfloor.suites.documents import parse_document
from passfloor.suites.reader import read_suite

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
WORD = TEXT.filter(bool)
IDS = st.text(st.characters(categories=["Lu", "Ll", "Nd", "Po", "So"]), min_size=1, max_size=12).filter(
    lambda text: id_problem(text) is None
)
PATHS = st.from_regex(r"\A[a-z0-9_é]{1,5}(\.py|\.txt|/x)\Z")
NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False).filter(
    lambda number: not 2**53 - 1 < abs(number) < 1e21  # refused: see the unit tests
)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def kind(
    name: str, optional: dict[str, Any] | None = None, **members: Any
) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"kind": st.just(name), **members}, optional=optional or {})


ASSERTIONS = st.one_of(
    kind("completed"),
    kind("output_equals", {"exact": st.booleans()}, expected=TEXT),
    kind("output_contains", text=WORD),
    kind("number_close", {"abs_tol": st.floats(0, 9) | st.integers(0, 9)}, value=NUMBERS),
    kind("json_equals", expected=VALUES),
    kind("json_schema", schema=st.just({"type": "object"}) | st.booleans()),
    kind("content_eq", path=PATHS, expected=TEXT),
    kind("line_count_delta", path=PATHS, max_delta=st.integers(-9, 9)),
    kind("syntax_valid", {"path": PATHS | st.none()}),
    kind("call_count", {"max": st.integers(5, 9)}, tool=WORD, min=st.integers(0, 5)),
)
FILES = st.dictionaries(
    PATHS, TEXT | st.sampled_from([{"base64": ""}, {"base64": "/w=="}, {"base64": "aGk="}]), max_size=3
)
OPTIONAL = {
    "steps": st.lists(TEXT, max_size=2),
    "assertions": st.lists(ASSERTIONS, max_size=3),
    "category": TEXT | st.none(),
    "files": FILES,
    "timeout_s": st.integers(1, 99) | st.floats(0.5, 99),
    "tags": st.lists(TEXT, max_size=2),
    "cluster": TEXT,
}
TASKS = st.fixed_dictionaries({"id": IDS, "description": TEXT}, optional=OPTIONAL)
SUITES = st.fixed_dictionaries(
    {
        "version": IDS,
        "tasks": st.lists(TASKS, min_size=1, max_size=4, unique_by=lambda task: folded(task["id"])),
    },
    optional={"defaults": st.fixed_dictionaries({}, optional=OPTIONAL)},
)


def hashes(document: object) -> tuple[str, list[str]]:
    suite = read_suite(document, folder=None, source="s")
    return suite.suite_hash, [task.task_hash for task in suite.tasks]


@settings(max_examples=100, deadline=None)
@given(SUITES)
def test_a_suite_embedded_in_a_receipt_has_the_hashes_of_the_suite(document: dict[str, Any]) -> None:
    embedded = read_suite(document, folder=None, source="s").document()
    assert hashes(embedded) == hashes(document)
    stored = parse_document(canonical(embedded), kind="json", source="s")
    assert hashes(stored) == hashes(document)


@settings(max_examples=60, deadline=None)
@given(SUITES)
def test_yaml_and_json_and_the_order_of_members_do_not_matter(document: dict[str, Any]) -> None:
    text = json.dumps(document, indent=1).encode()
    backwards = json.dumps(document, sort_keys=True, ensure_ascii=True).encode()
    assert hashes(parse_document(text, kind="yaml", source="s")) == hashes(document)
    assert hashes(parse_document(backwards, kind="json", source="s")) == hashes(document)


@settings(max_examples=60, deadline=None)
@given(SUITES, st.data())
def test_a_changed_task_changes_its_hash_and_that_of_the_suite_alone(
    document: dict[str, Any], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(document["tasks"]) - 1))
    changed = [dict(task) for task in document["tasks"]]
    changed[at]["description"] += data.draw(WORD)
    before, after = hashes(document), hashes({**document, "tasks": changed})
    assert before[0] != after[0]
    assert [one != two for one, two in zip(before[1], after[1], strict=True)] == [
        index == at for index in range(len(changed))
    ]
