"""The file that names all tasks, in each of its forms."""

import pytest

from passfloor.errors import ImportRefused
from passfloor.importers import universe


@pytest.mark.parametrize(
    "content",
    [
        "a\n\n b \n3\n",
        '["a", "b", 3]',
        '[{"instance_id": "a"}, {"task_id": "b"}, {"id": 3}]',
        '{"instance_id": "a", "patch": ""}\n{"instance_id": "b"}\n{"instance_id": "3"}',
        "\ufeffa\r\nb\r\n3",
    ],
)
def test_every_form_names_the_same_tasks(tmp_path, content):
    path = tmp_path / "universe"
    path.write_bytes(content.encode())
    assert universe.read(path) == ("a", "b", "3")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "names 0 tasks"),
        (b"[]", "names 0 tasks"),
        (b"a\na\n", "names 'a' twice"),
        (b"[null]", "is no task id"),
        (b"[true]", "is no task id"),
        (b'{"x": 1}', "is no task id"),
        (b'["a"', "not JSON"),
        (b"\xff\xfe\x00", "UTF-16"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_any_other_file_is_refused(tmp_path, content, words):
    path = tmp_path / "universe"
    path.write_bytes(content)
    with pytest.raises(ImportRefused, match=words):
        universe.read(path)


def test_an_id_may_hold_what_other_programs_take_for_the_end_of_a_line(tmp_path):
    path = tmp_path / "universe"
    path.write_text("a\u2028b\nc\n", encoding="utf-8")
    assert universe.read(path) == ("a\u2028b", "c")


def test_only_what_the_log_lacks_is_unlogged(tmp_path):
    path = tmp_path / "universe"
    path.write_text("a\n3\nb\n")
    assert universe.unlogged(path, ["b", 3]) == ["a"]
    assert universe.unlogged(None, ["b"]) == []
