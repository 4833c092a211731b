"""A part of a suite is run by name, and a selector that matches nothing is refused."""

import pytest

from passfloor.errors import UsageError
from passfloor.models.plan import Selection
from passfloor.models.suite import Suite, Task, hash_suite
from passfloor.running.selection import Pile, part, piles, select

TASKS = [
    Task(id="add-header", description="1", tags=["files", "fast"]),
    Task(id="fix-typo", description="2", tags=["files"]),
    Task(id="sum-column", description="3", tags=["numbers"]),
    Task(id="Ärger", description="4"),
]
SUITE = Suite(version="s-v1", tasks=TASKS)
KNOWN: dict[str, Pile] = {"add-header": "always", "fix-typo": "flaky", "sum-column": "flaky", "gone": "never"}


def ids(suite: Suite) -> list[str]:
    return [task.id for task in suite.tasks]


def test_without_a_filter_the_suite_is_whole() -> None:
    assert select(SUITE) == (SUITE, None)


def test_named_tasks_come_in_the_order_of_the_suite_each_once() -> None:
    chosen, selection = select(SUITE, tasks=["sum-column", "add-header", "sum-column"])
    assert ids(chosen) == ["add-header", "sum-column"]
    assert chosen.version == SUITE.version
    assert selection == Selection(of=SUITE.suite_hash, tasks=["add-header", "sum-column"])
    # What a verifier derives from the whole suite and the selection.
    assert chosen.suite_hash == hash_suite("s-v1", [TASKS[0].task_hash, TASKS[2].task_hash])


def test_any_of_the_tags_is_enough() -> None:
    chosen, _ = select(SUITE, tags=["numbers", "fast"])
    assert ids(chosen) == ["add-header", "sum-column"]


def test_a_pile_takes_the_tasks_that_the_receipt_puts_there() -> None:
    chosen, selection = select(SUITE, only=("flaky", KNOWN))
    assert ids(chosen) == ["fix-typo", "sum-column"]
    assert selection is not None
    assert selection.of == SUITE.suite_hash


def test_different_filters_narrow_one_another() -> None:
    chosen, _ = select(SUITE, tasks=["fix-typo", "add-header"], tags=["files"], only=("flaky", KNOWN))
    assert ids(chosen) == ["fix-typo"]


def test_a_filter_that_keeps_every_task_is_no_selection() -> None:
    assert select(SUITE, tasks=ids(SUITE)) == (SUITE, None)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tasks": ["fix-tpyo"]}, '--task: the suite has no task "fix-tpyo"; near: "fix-typo"'),
        ({"tasks": ["ÄRGER"]}, '--task: the suite has no task "\\xc4RGER"; near: "\\xc4rger"'),
        ({"tasks": ["fix-typo", ""]}, '--task: the suite has no task ""; it has "add-header", "fix-typo",'),
        ({"tags": ["file"]}, '--tag: the suite has no tag "file"; near: "files"'),
        ({"tags": ["zzz"]}, '--tag: the suite has no tag "zzz"; it has "files", "fast", "numbers"'),
        (
            {"tasks": ["fix-typo"], "tags": ["fast"]},
            "no task is both named by --task and tagged as --tag says",
        ),
        (
            {"only": ("never", KNOWN)},
            "--only never: no task of the receipt is in that pile (1 always, 2 flaky,",
        ),
        ({"only": ("flaky", {"other": "flaky"})}, "--only flaky: the receipt of --of holds no task of this"),
        (
            {"only": ("flaky", KNOWN), "tags": ["fast"]},
            "--only flaky: no task in that pile is also one that --tag",
        ),
        ({"tasks": ["a\n\x1b[31m"]}, '--task: the suite has no task "a\\n\\x1b[31m"; '),
    ],
)
def test_a_selector_that_matches_nothing_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        select(SUITE, **given)  # type: ignore[arg-type]
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


def test_a_suite_of_many_tasks_lists_the_first_and_counts_the_rest() -> None:
    suite = Suite(version="v", tasks=[Task(id=f"t{at}", description="d") for at in range(2000)])
    with pytest.raises(UsageError, match=r'it has "t0", "t1", "t2", "t3", "t4" and 1995 more$'):
        select(suite, tasks=["unlike"])
    with pytest.raises(UsageError, match="its tasks have no tags, leave --tag out"):
        select(suite, tags=["unlike"])


def test_piles_are_over_all_attempts() -> None:
    made = {
        "a": ["passed"] * 3,
        "b": ["passed", "wrong", "errored"],
        "c": ["errored", "wrong"],
        "d": [],
        "e": ["passed", "errored"],
    }
    assert piles(made.items()) == {"a": "always", "b": "flaky", "c": "never", "d": "never", "e": "flaky"}


def test_the_part_a_selection_names_is_the_one_that_was_selected() -> None:
    chosen, selection = select(SUITE, tags=["files"])
    assert part(SUITE, selection) == chosen
    assert part(SUITE, None) is SUITE
