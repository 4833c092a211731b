"""Files of others: nothing but regular files is opened, and nothing is followed out of a folder."""

import os
from pathlib import Path

import pytest

from passfloor.errors import ImportRefused
from passfloor.importers import files


def test_a_regular_file_is_read_and_a_link_to_one_followed(tmp_path):
    (tmp_path / "log").write_bytes(b"words")
    (tmp_path / "link").symlink_to(tmp_path / "log")
    assert files.read(tmp_path / "link") == b"words"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: path.mkdir(), "is a folder"),
        (os.mkfifo, "no regular file"),
        (lambda path: path.symlink_to("/dev/zero"), "no regular file"),
        (lambda path: None, "No such file"),
    ],
)
def test_what_is_no_file_is_refused_without_waiting(tmp_path, make, words):
    make(tmp_path / "log")
    with pytest.raises(ImportRefused, match=words):
        files.read(tmp_path / "log")
    assert files.head(tmp_path / "log") == b""


def test_a_name_that_no_system_knows_is_refused():
    with pytest.raises(ImportRefused, match="no name of a file"):
        files.opened(Path("a\0b"))


def test_a_file_is_no_larger_than_allowed(tmp_path):
    (tmp_path / "log").write_bytes(b"x" * 11)
    with pytest.raises(ImportRefused, match="larger than 10 bytes"):
        files.read(tmp_path / "log", most=10)
    assert files.head(tmp_path / "log", 3) == b"xxx"


def test_a_walk_gives_files_in_order_and_follows_no_link(tmp_path):
    for name in ("b/2", "b/1", "a/x/y", "c"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "loose").symlink_to(tmp_path / "c")
    found = [str(path.relative_to(tmp_path)) for path in files.walk(tmp_path)]
    assert found == ["c", "a/x/y", "b/1", "b/2"]
    assert [str(path.relative_to(tmp_path)) for path in files.walk(tmp_path, depth=1)] == ["c", "b/1", "b/2"]


def test_a_walk_ends_at_so_many_entries(tmp_path):
    for number in range(5):
        (tmp_path / str(number)).write_text("")
    with pytest.raises(ImportRefused, match="more than 4 files"):
        list(files.walk(tmp_path, most=4))
    with pytest.raises(ImportRefused, match="cannot read"):
        list(files.walk(tmp_path / "none"))


def test_long_and_odd_names_are_shown_safely():
    assert files.shown("a\x1b[31m") == "'a\\x1b[31m'"
    assert len(files.shown("x" * 1000)) < 170
