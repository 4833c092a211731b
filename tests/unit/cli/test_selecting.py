"""The flags that choose a part of a suite."""

import pytest

from passfloor.cli.selecting import SelectionFlags
from passfloor.errors import UsageError
from passfloor.models.suite import Suite, Task

SUITE = Suite(
    version="s-v1",
    tasks=[Task(id=name, description=name, tags=[name[0]]) for name in ("a1", "a2", "b1")],
)


def chosen(tmp_path, **flags):
    environ = {"PASSFLOOR_HOME": str(tmp_path / "identity")}
    part, selection = SelectionFlags(**flags).choose(SUITE, environ, allow_stub=False)
    return [task.id for task in part.tasks], selection


def test_without_flags_it_is_the_whole(tmp_path):
    assert chosen(tmp_path) == (["a1", "a2", "b1"], None)
    assert chosen(tmp_path, task=[], tag=[]) == (["a1", "a2", "b1"], None)


def test_ids_and_tags_choose(tmp_path):
    assert chosen(tmp_path, task=["b1"])[0] == ["b1"]
    ids, selection = chosen(tmp_path, tag=["a"])
    assert ids == selection.tasks == ["a1", "a2"]
    assert selection.of == SUITE.suite_hash


def test_only_and_of_need_each_other(tmp_path):
    with pytest.raises(UsageError, match="add --of RECEIPT"):
        chosen(tmp_path, only="flaky")
    with pytest.raises(UsageError, match="add --only flaky, never or always"):
        chosen(tmp_path, of="r.json")


def test_what_is_no_receipt_is_refused_by_its_status(tmp_path):
    path = tmp_path / "r.json"
    path.write_text("{}")
    with pytest.raises(UsageError, match="does not verify over this suite: MALFORMED_RECEIPT"):
        chosen(tmp_path, only="flaky", of=str(path))
