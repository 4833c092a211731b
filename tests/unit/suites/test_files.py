import base64
import os
from pathlib import Path
from typing import Any

import pytest

from passfloor.errors import SuiteError
from passfloor.models.content import BinaryFile
from passfloor.suites.files import MAX_FILE_BYTES, read_files
from passfloor.suites.places import Place

PLACE = Place("s.yaml", "tasks[0].files", "a")


def refusal(entries: object, folder: Path | None = None) -> str:
    with pytest.raises(SuiteError) as caught:
        read_files(entries, folder, PLACE)
    message = str(caught.value)
    assert message.startswith("s.yaml: tasks[0].files")
    assert "\n" not in message
    return message


def test_a_text_stands_as_it_is() -> None:
    assert read_files({"a/b.txt": "x\r\n\ufeffé"}, None, PLACE) == {"a/b.txt": "x\r\n\ufeffé"}


def test_base64_stands_as_it_is() -> None:
    assert read_files({"a": {"base64": "/w=="}}, None, PLACE) == {"a": BinaryFile(base64="/w==")}


@pytest.mark.parametrize("value", ["/w", "/x==", "_w==", "/w==\n", "a", "é", " /w=="])
def test_base64_has_one_spelling(value: str) -> None:
    assert "RFC 4648" in refusal({"a": {"base64": value}})


@pytest.mark.parametrize(
    "data", [b"", b"plain\n", b"a\r\nb\r\n", "\ufeffbom é\0".encode(), b"\r", "e\u0301".encode()]
)
def test_a_text_file_beside_the_suite_comes_in_byte_for_byte(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "f").write_bytes(data)
    content = read_files({"x": {"from": "f"}}, tmp_path, PLACE)["x"]
    assert isinstance(content, str)
    assert content.encode() == data


@pytest.mark.parametrize("data", [b"\xff", b"a\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"])
def test_a_file_that_is_no_text_comes_in_as_base64(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "f").write_bytes(data)
    content = read_files({"x": {"from": "f"}}, tmp_path, PLACE)["x"]
    assert isinstance(content, BinaryFile)
    assert base64.b64decode(content.base64) == data


def test_a_file_in_a_folder_beside_the_suite_is_read(tmp_path: Path) -> None:
    (tmp_path / "d" / "e").mkdir(parents=True)
    (tmp_path / "d" / "e" / "f").write_text("x", encoding="utf-8")
    assert read_files({"y": {"from": "d/e/f"}}, tmp_path, PLACE) == {"y": "x"}


@pytest.mark.parametrize(
    "path", ["../f", "d/../../f", "/etc/hostname", "", ".", "./f", "d//f", "c:\\f", "a\0b"]
)
def test_a_path_out_of_the_suite_is_refused(tmp_path: Path, path: str) -> None:
    suite = tmp_path / "suite"
    suite.mkdir()
    (tmp_path / "f").write_text("secret", encoding="utf-8")
    assert "the path" in refusal({"x": {"from": path}}, suite)


def test_a_link_anywhere_on_the_way_is_refused(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    (suite / "real").mkdir(parents=True)
    (suite / "real" / "f").write_text("x", encoding="utf-8")
    (suite / "folder_link").symlink_to("real")
    (suite / "file_link").symlink_to("real/f")
    (suite / "dangling").symlink_to("nothing")
    for path in ("folder_link/f", "file_link", "dangling"):
        assert "link" in refusal({"x": {"from": path}}, suite)
    assert read_files({"x": {"from": "real/f"}}, suite, PLACE) == {"x": "x"}


def test_the_folder_of_the_suite_may_itself_be_reached_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "f").write_text("x", encoding="utf-8")
    (tmp_path / "link").symlink_to("real")
    assert read_files({"x": {"from": "f"}}, tmp_path / "link", PLACE) == {"x": "x"}


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in refusal({"x": {"from": "d"}}, tmp_path)
    assert "not a regular file" in refusal({"x": {"from": "pipe"}}, tmp_path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert "no such file" in refusal({"x": {"from": "f"}}, tmp_path)
    (tmp_path / "f").write_text("x", encoding="utf-8")
    assert "not a directory" in refusal({"x": {"from": "f/g"}}, tmp_path)


def test_a_suite_without_a_folder_takes_no_files_from_beside_it() -> None:
    assert "without a folder" in refusal({"x": {"from": "f"}})


def test_a_file_at_the_limit_is_read_and_one_byte_more_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * MAX_FILE_BYTES)
    (tmp_path / "g").write_bytes(b"x" * (MAX_FILE_BYTES + 1))
    assert len(str(read_files({"x": {"from": "f"}}, tmp_path, PLACE)["x"])) == MAX_FILE_BYTES
    for entry in ({"from": "g"}, "x" * (MAX_FILE_BYTES + 1), "é" * (MAX_FILE_BYTES // 2 + 1)):
        assert "larger than 1,048,576 bytes" in refusal({"x": entry}, tmp_path)
    encoded = base64.b64encode(b"x" * (MAX_FILE_BYTES + 1)).decode()
    assert "larger than 1,048,576 bytes" in refusal({"x": {"base64": encoded}})


def test_the_files_of_a_task_have_a_limit_together() -> None:
    files: dict[str, Any] = {f"f{index}": "x" * MAX_FILE_BYTES for index in range(8)}
    assert len(read_files(files, None, PLACE)) == 8
    assert "more than 8,388,608 bytes" in refusal({**files, "last": "x"})


@pytest.mark.parametrize("entry", [None, 5, [], True])
def test_a_content_of_another_type_is_refused(entry: object) -> None:
    assert "write a text" in refusal({"x": entry})


def test_a_content_has_exactly_one_known_member(tmp_path: Path) -> None:
    assert "exactly one" in refusal({"x": {}})
    assert "exactly one" in refusal({"x": {"from": "f", "base64": ""}})
    assert 'unknown member "form" (did you mean "from"?)' in refusal({"x": {"form": "f"}})
    assert "write a text" in refusal({"x": {"from": 5}}, tmp_path)


@pytest.mark.parametrize("path", ["", "/a", "../a", "a/../b", "./a", "a/", "a\\b", "c:a", "a\nb"])
def test_a_path_that_leaves_the_working_directory_is_refused(path: str) -> None:
    assert "the path" in refusal({path: "x"})


@pytest.mark.parametrize(("one", "two"), [("a", "A"), ("é", "e\u0301"), ("d/x", "D/X")])
def test_two_paths_that_are_one_file_on_some_disk_are_refused(one: str, two: str) -> None:
    assert "one file on some disks" in refusal({one: "", two: ""})


@pytest.mark.parametrize(("one", "two"), [("a", "a/b"), ("a/b/c", "a"), ("A", "a/b"), ("x/y", "x/y/z/w")])
def test_a_file_that_is_the_folder_of_another_is_refused(one: str, two: str) -> None:
    assert "also the folder of" in refusal({one: "", two: ""})


def test_paths_that_merely_begin_alike_are_fine() -> None:
    assert list(read_files({"a": "", "ab/c": "", "a.b": ""}, None, PLACE)) == ["a", "ab/c", "a.b"]
