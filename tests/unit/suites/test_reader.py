from typing import Any

import pytest

from passfloor.canonical import canonical
from passfloor.errors import SuiteError
from passfloor.models.suite import Suite
from passfloor.suites.documents import parse_document
from passfloor.suites.reader import read_suite, require_assertions

HOLDS = {"kind": "output_contains", "text": "x"}


def task(**members: Any) -> dict[str, Any]:
    return {"id": "a", "description": "Do it.", "assertions": [HOLDS], **members}


def suite_of(*tasks: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {"version": "v1", "tasks": list(tasks), **members}


def read(document: object) -> Suite:
    return read_suite(document, folder=None, source="s.yaml")


def refusal(document: object) -> str:
    with pytest.raises(SuiteError) as caught:
        read(document)
    message = str(caught.value)
    assert message.startswith("s.yaml: ")
    assert "\n" not in message
    assert message.isascii()
    assert len(message) < 600
    return message


def test_a_suite_is_read() -> None:
    suite = read(
        suite_of(task(), task(id="b", tags=["t"], timeout_s=2.5, steps=[], category="c", cluster="d"))
    )
    assert [item.id for item in suite.tasks] == ["a", "b"]
    assert suite.tasks[1].timeout_s == 2.5


@pytest.mark.parametrize(
    "document", [None, suite_of(), {"version": "v1"}, {"version": "v1", "tasks": None}, {}]
)
def test_a_suite_without_tasks_is_refused(document: object) -> None:
    assert "has no tasks" in refusal(document)


@pytest.mark.parametrize("document", [[], "x", 5, [task()]])
def test_what_is_no_mapping_is_refused(document: object) -> None:
    assert "not a suite" in refusal(document)


def test_unknown_members_are_refused_with_the_nearest_name() -> None:
    assert 'no member "task" (did you mean "tasks"?)' in refusal({"version": "v1", "task": []})
    assert 'tasks[0]: a task has no member "assertion" (did you mean "assertions"?)' in refusal(
        suite_of(task(assertion=[]))
    )
    assert 'defaults: a task has no member "timeout" (did you mean "timeout_s"?)' in refusal(
        suite_of(task(), defaults={"timeout": 5})
    )


def test_an_unknown_member_with_no_near_name_lists_those_there_are() -> None:
    assert "(known: defaults, tasks, version)" in refusal({"version": "v1", "zzz": []})


@pytest.mark.parametrize("version", [1, 1.0, True, None, [], ""])
def test_a_version_is_a_text(version: object) -> None:
    assert "version" in refusal({"version": version, "tasks": [task()]})


def test_a_missing_version_is_refused() -> None:
    assert "'version' is missing" in refusal({"tasks": [task()]})


@pytest.mark.parametrize(("value", "spelt"), [(1, "1"), (1.5, "1.5"), (True, "true"), (False, "false")])
def test_an_unquoted_id_is_refused_with_the_way_to_quote_it(value: object, spelt: str) -> None:
    message = refusal(suite_of(task(id=value)))
    assert "tasks[0].id" in message
    assert f'quote it: "{spelt}"' in message


@pytest.mark.parametrize("value", [None, [], {}])
def test_an_id_of_another_type_is_refused(value: object) -> None:
    assert "is not a text" in refusal(suite_of(task(id=value)))


def test_a_missing_id_is_refused() -> None:
    assert "tasks[1]: the member 'id' is missing" in refusal(suite_of(task(), {"description": "x"}))


@pytest.mark.parametrize("value", ["", " a", "a ", "a\x1b[31m", "a\u202eb", "x" * 201, "cafe\u0301", "a\nb"])
def test_an_id_that_would_harm_a_screen_is_refused(value: str) -> None:
    assert "tasks[0].id: the id" in refusal(suite_of(task(id=value)))


@pytest.mark.parametrize(
    "value", ["../../x", "a/b", "c:d", "CON", "x.", "x" * 200, "\U0001f600", "café", "1"]
)
def test_an_id_that_would_harm_a_disk_is_fine(value: str) -> None:
    assert read(suite_of(task(id=value))).tasks[0].id == value


def test_a_duplicate_id_is_refused_naming_both_positions() -> None:
    message = refusal(suite_of(task(), task(id="b"), task()))
    assert 'tasks[2].id: the id "a" repeats the id "a" of tasks[0]' in message


def test_a_number_that_repeats_a_quoted_id_is_refused_naming_both_positions() -> None:
    message = refusal(suite_of(task(id=1), task(id="1")))
    assert "tasks[0].id" in message
    assert "tasks[1] has that id" in message


@pytest.mark.parametrize(("one", "two"), [("A", "a"), ("straße", "STRASSE"), ("É", "é")])
def test_ids_that_differ_by_letter_case_only_are_refused(one: str, two: str) -> None:
    message = refusal(suite_of(task(id=one), task(id=two)))
    assert "differs only by letter case" in message
    assert "tasks[0]" in message
    assert "tasks[1]" in message


def test_a_missing_description_is_refused() -> None:
    assert "tasks[0] (task \"a\"): the member 'description' is missing" in refusal(suite_of({"id": "a"}))


def test_descriptions_are_never_normalised() -> None:
    one, two = (read(suite_of(task(description=text))) for text in ("café", "cafe\u0301"))
    assert one.tasks[0].task_hash != two.tasks[0].task_hash
    assert two.tasks[0].description == "cafe\u0301"


@pytest.mark.parametrize(
    ("members", "place"),
    [
        ({"description": 5}, "tasks[0].description"),
        ({"steps": "x"}, "tasks[0].steps"),
        ({"steps": ["x", 5]}, "tasks[0].steps[1]"),
        ({"tags": [None]}, "tasks[0].tags[0]"),
        ({"timeout_s": 0}, "tasks[0].timeout_s"),
        ({"timeout_s": "5"}, "tasks[0].timeout_s"),
        ({"timeout_s": True}, "tasks[0].timeout_s"),
        ({"timeout_s": float("inf")}, "tasks[0].timeout_s"),
        ({"category": 5}, "tasks[0].category"),
        ({"files": []}, "tasks[0].files"),
        ({"assertions": {}}, "tasks[0].assertions"),
        ({"assertions": None}, "tasks[0].assertions"),
    ],
)
def test_a_member_of_the_wrong_type_is_refused_at_its_place(members: dict[str, Any], place: str) -> None:
    assert f'{place} (task "a"): ' in refusal(suite_of(task(**members)))


def test_a_number_of_the_wrong_type_is_asked_for_as_a_number() -> None:
    assert refusal(suite_of(task(timeout_s="5"))).endswith('"5" is not allowed here: write a number')


def test_values_in_messages_are_escaped_and_cut() -> None:
    message = refusal(suite_of(task(**{"\x1b[2J" + "z" * 10_000: 1})))
    assert "\\x1b[2J" in message
    assert len(message) < 400


def test_the_source_in_messages_is_escaped() -> None:
    with pytest.raises(SuiteError) as caught:
        read_suite(None, folder=None, source="a\nb\x1b[0m")
    assert str(caught.value).startswith("a\\nb\\x1b[0m: ")


def test_defaults_fill_in_what_a_task_does_not_say() -> None:
    shared = {"timeout_s": 5, "tags": ["t"], "assertions": [HOLDS]}
    merged = read(suite_of({"id": "a", "description": "d"}, task(id="b", tags=[]), defaults=shared))
    written = read(suite_of({"id": "a", "description": "d", **shared}, {**shared, **task(id="b", tags=[])}))
    assert merged.suite_hash == written.suite_hash
    assert merged.tasks[1].tags == []


def test_an_id_in_defaults_is_refused() -> None:
    assert "defaults.id: an id belongs to one task" in refusal(suite_of(task(), defaults={"id": "x"}))


@pytest.mark.parametrize("defaults", [None, [], "x"])
def test_defaults_are_a_mapping(defaults: object) -> None:
    assert "s.yaml: defaults: " in refusal(suite_of(task(), defaults=defaults))


def test_a_fault_that_comes_from_defaults_is_placed_there() -> None:
    assert "s.yaml: defaults.timeout_s: " in refusal(suite_of(task(), defaults={"timeout_s": "x"}))
    bare = {"id": "a", "description": "d"}
    assert "defaults.assertions[0]: " in refusal(suite_of(bare, defaults={"assertions": [{"kind": "no"}]}))
    assert "defaults.files: " in refusal(suite_of(bare, defaults={"files": {"/x": ""}}))


def test_defaults_that_multiply_past_the_limit_are_refused() -> None:
    tasks = [{"id": f"t{index}"} for index in range(1000)]
    assert "over 1,000 tasks" in refusal(suite_of(*tasks, defaults={"description": "x" * 100_000}))


def test_more_tasks_than_a_receipt_holds_are_refused() -> None:
    tasks = [{"id": f"t{index}", "description": ""} for index in range(10_001)]
    assert "10,001 tasks (at most 10,000)" in refusal(suite_of(*tasks))


def test_unset_members_stay_absent_and_an_explicit_empty_list_stays() -> None:
    bare = read(suite_of({"id": "a", "description": "d"}))
    explicit = read(suite_of({"id": "a", "description": "d", "steps": []}))
    assert bare.tasks[0].document() == {"id": "a", "description": "d"}
    assert explicit.tasks[0].document() == {"id": "a", "description": "d", "steps": []}
    assert bare.suite_hash != explicit.suite_hash


def test_the_order_of_members_does_not_matter_and_that_of_tasks_does() -> None:
    one, two = task(), task(id="b")
    suite = read(suite_of(one, two))
    assert read(suite_of(dict(reversed(one.items())), two)).suite_hash == suite.suite_hash
    assert read(suite_of(two, one)).suite_hash != suite.suite_hash
    assert read(suite_of(one)).suite_hash != suite.suite_hash


def test_a_value_without_a_canonical_form_is_refused_at_load() -> None:
    for value in (float("nan"), float("inf"), "\ud800"):
        message = refusal(suite_of(task(assertions=[{"kind": "json_equals", "expected": value}])))
        assert "no canonical form" in message


@pytest.mark.parametrize("value", [2**53, -(2**80), 2.0**53, 1e17, -1e20])
def test_a_number_that_could_not_be_read_back_from_a_receipt_is_refused_at_its_place(value: float) -> None:
    entry = {"kind": "json_equals", "expected": {"a": [value]}}
    message = refusal(suite_of(task(assertions=[entry])))
    assert 'tasks[0].assertions[0].expected.a[0] (task "a"): ' in message
    assert "past 2^53-1" in message


@pytest.mark.parametrize("value", [2**53 - 1, 1e21, -1e300, 0.1, 1e15])
def test_a_number_that_can_be_read_back_is_accepted(value: float) -> None:
    suite = read(suite_of(task(assertions=[{"kind": "number_close", "value": value}])))
    stored = parse_document(canonical(suite.document()), kind="json", source="s")
    assert read(stored).suite_hash == suite.suite_hash


def test_a_task_without_assertions_is_read_and_refused_where_they_are_required() -> None:
    suite = read(suite_of(task(), {"id": "b", "description": "d"}))
    with pytest.raises(SuiteError, match=r'tasks\[1\] \(task "b"\): has no assertions.*--completion-only'):
        require_assertions(suite)
    require_assertions(read(suite_of(task())))
