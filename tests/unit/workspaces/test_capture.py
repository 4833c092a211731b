import base64
import os
import socket
from hashlib import sha256

import pytest

from passfloor.workspaces.capture import ATTEMPT_CAP, FILE_CAP, capture_files


def test_every_regular_file_is_captured_with_its_digest_and_size(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.txt").write_text("é\n")
    (tmp_path / "empty").touch()
    (tmp_path / "hollow").mkdir()
    found = capture_files(tmp_path)
    assert found.fault is None
    assert found.entries == {
        "empty": {"sha256": sha256(b"").hexdigest(), "size": 0, "text": ""},
        "sub/b.txt": {"sha256": sha256("é\n".encode()).hexdigest(), "size": 3, "text": "é\n"},
    }


def test_what_is_not_utf8_is_base64(tmp_path):
    (tmp_path / "x").write_bytes(b"\xff\0")
    entry = capture_files(tmp_path).entries["x"]
    assert base64.b64decode(entry["base64"]) == b"\xff\0"
    assert "text" not in entry
    assert entry["sha256"] == sha256(b"\xff\0").hexdigest()


def test_paths_come_in_ascending_order_of_the_whole_path(tmp_path):
    (tmp_path / "a").mkdir()
    for path in ("a/z", "a-b", "a.b", "b", "B"):
        (tmp_path / path).touch()
    paths = list(capture_files(tmp_path).entries)
    assert paths == sorted(paths)
    assert len(paths) == 5


def test_a_file_past_its_cap_is_cut_and_digest_and_size_are_of_what_is_kept(tmp_path):
    (tmp_path / "big").write_bytes(b"x" * (FILE_CAP + 7))
    (tmp_path / "full").write_bytes(b"x" * FILE_CAP)
    entries = capture_files(tmp_path).entries
    assert entries["big"]["cut"] == 7
    assert entries["big"]["size"] == FILE_CAP
    assert entries["big"]["sha256"] == sha256(b"x" * FILE_CAP).hexdigest()
    assert "cut" not in entries["full"]


def test_a_cut_never_makes_text_binary(tmp_path):
    (tmp_path / "big").write_bytes(b"x" * (FILE_CAP - 1) + "€uro".encode())
    entry = capture_files(tmp_path).entries["big"]
    assert entry["text"] == "x" * (FILE_CAP - 1)
    assert entry["cut"] == 6


def test_files_past_the_cap_of_the_attempt_are_kept_with_no_bytes(tmp_path):
    count = ATTEMPT_CAP // FILE_CAP
    for number in range(count + 1):
        (tmp_path / f"{number:02}").write_bytes(b"x" * FILE_CAP)
    (tmp_path / "zero").touch()
    entries = capture_files(tmp_path).entries
    assert sum(entry["size"] for entry in entries.values()) == ATTEMPT_CAP
    assert entries[f"{count:02}"] == {
        "sha256": sha256(b"").hexdigest(),
        "size": 0,
        "text": "",
        "cut": FILE_CAP,
    }
    assert "cut" not in entries["zero"]


def test_a_sparse_file_of_a_terabyte_is_read_no_further_than_the_cap(tmp_path):
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(2**40)
    assert capture_files(tmp_path).entries["sparse"]["cut"] == 2**40 - FILE_CAP


def test_a_link_is_not_followed_and_is_named(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    work = tmp_path / "work"
    work.mkdir()
    (work / "honest").write_text("x")
    (work / "link").symlink_to(secret)
    found = capture_files(work)
    assert list(found.entries) == ["honest"]
    assert found.fault == "'link' is a symbolic link"


def test_a_link_to_a_folder_is_not_followed(tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "up").symlink_to("..")
    found = capture_files(tmp_path / "work")
    assert (found.entries, found.fault) == ({}, "'up' is a symbolic link")


def test_a_pipe_without_a_writer_is_named_and_not_waited_for(tmp_path):
    (tmp_path / "sub").mkdir()
    os.mkfifo(tmp_path / "sub" / "pipe")
    assert capture_files(tmp_path).fault == "'sub/pipe' is a special file"


def test_a_socket_is_a_special_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a socket's path is short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s")
        assert capture_files(tmp_path).fault == "'s' is a special file"


def test_a_name_that_is_not_utf8_is_named_in_escapes(tmp_path):
    os.close(os.open(os.fsencode(tmp_path) + b"/a\xff\n", os.O_CREAT | os.O_WRONLY))
    found = capture_files(tmp_path)
    assert found.entries == {}
    assert found.fault == "'a\\udcff\\n' has a name that is not UTF-8"


def test_the_first_fault_by_path_is_the_one_that_is_told(tmp_path):
    for name in ("c", "a", "b"):
        (tmp_path / name).symlink_to("nowhere")
    assert capture_files(tmp_path).fault == "'a' is a symbolic link"


@pytest.mark.parametrize("replace", ["removed", "link", "file"])
def test_a_working_directory_that_is_gone_is_a_fault(tmp_path, replace):
    work = tmp_path / "work"
    if replace == "link":
        work.symlink_to(tmp_path)
    elif replace == "file":
        work.touch()
    assert capture_files(work).fault == "the working directory was removed or replaced"


def test_names_with_control_characters_keep_their_name_as_data(tmp_path):
    (tmp_path / "a\nb").touch()
    (tmp_path / "$(x)").touch()
    assert set(capture_files(tmp_path).entries) == {"a\nb", "$(x)"}


def test_folders_too_deep_are_a_fault(tmp_path):
    deepest = tmp_path.joinpath(*["d"] * 64)
    deepest.mkdir(parents=True)
    (deepest / "last").touch()
    assert capture_files(tmp_path).fault is None
    assert len(capture_files(tmp_path).entries) == 1
    (deepest / "d").mkdir()
    assert "lies deeper than 64 folders" in capture_files(tmp_path).fault


def test_too_many_files_are_a_fault(tmp_path):
    for name in "abc":
        (tmp_path / name).touch()
    assert capture_files(tmp_path, max_files=3).fault is None
    found = capture_files(tmp_path, max_files=2)
    assert list(found.entries) == ["a", "b"]
    assert found.fault == "'c' is one file too many (at most 2 are kept)"
