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
