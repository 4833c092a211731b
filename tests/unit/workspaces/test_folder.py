import os
import stat

import pytest

from passfloor.errors import EnvironmentFault, UsageError
from passfloor.workspaces.folder import attempt_folder, default_root, folder_path, remove_leftover

ATTEMPT = "0123456789abcdef" * 4


def test_the_folder_is_named_by_the_first_24_digits_of_the_attempt_id(tmp_path):
    folder = attempt_folder(tmp_path, ATTEMPT, {})
    assert folder.path == tmp_path / "pf-0123456789abcdef01234567"
    assert folder_path(tmp_path, ATTEMPT) == folder.path


def test_the_folder_is_closed_to_others_and_holds_work_home_tmp_and_an_empty_journal(tmp_path):
    folder = attempt_folder(tmp_path, ATTEMPT, {})
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert sorted(entry.name for entry in folder.path.iterdir()) == ["home", "journal.jsonl", "tmp", "work"]
    assert folder.journal.read_bytes() == b""


@pytest.mark.parametrize("attempt_id", ["", "../../../../../../etc/passwd", "A" * 64, "0" * 23])
def test_an_attempt_id_that_is_no_hex_names_no_folder(tmp_path, attempt_id):
    with pytest.raises(ValueError, match="hex digits"):
        folder_path(tmp_path, attempt_id)


def test_starting_files_are_written_byte_for_byte_with_their_folders(tmp_path):
    folder = attempt_folder(tmp_path, ATTEMPT, {"a/b/c.bin": b"\xff\r\n", "d": b""})
    assert (folder.work / "a/b/c.bin").read_bytes() == b"\xff\r\n"
    assert (folder.work / "d").read_bytes() == b""


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "a\0b", "."])
def test_a_starting_file_never_leaves_the_working_directory(tmp_path, path):
    root = tmp_path / "root"
    root.mkdir()
    with pytest.raises(UsageError, match="starting file"):
        attempt_folder(root, ATTEMPT, {path: b"x"})
    assert list(root.iterdir()) == []
    assert list(tmp_path.iterdir()) == [root]


@pytest.mark.parametrize("files", [{"a": b"", "a/b": b""}, {"a/b": b"", "a": b""}])
def test_starting_files_that_exclude_each_other_are_refused(tmp_path, files):
    with pytest.raises(UsageError, match="stands in the way"):
        attempt_folder(tmp_path, ATTEMPT, files)


def test_a_folder_that_exists_is_never_reused_and_the_message_names_it(tmp_path):
    first = attempt_folder(tmp_path, ATTEMPT, {})
    with pytest.raises(EnvironmentFault, match="exists already") as caught:
        attempt_folder(tmp_path, ATTEMPT, {})
    assert str(first.path) in str(caught.value)
    first.remove()
    attempt_folder(tmp_path, ATTEMPT, {})


def test_a_link_in_the_place_of_the_folder_is_not_followed(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder_path(tmp_path, ATTEMPT).symlink_to(elsewhere)
    with pytest.raises(EnvironmentFault):
        attempt_folder(tmp_path, ATTEMPT, {"a": b"x"})
    assert list(elsewhere.iterdir()) == []


def test_a_root_that_is_missing_is_the_machines_fault(tmp_path):
    with pytest.raises(EnvironmentFault, match="cannot be made"):
        attempt_folder(tmp_path / "missing", ATTEMPT, {})


def test_the_default_root_is_a_real_path():
    assert default_root() == default_root().resolve()
    assert default_root().is_dir()


def test_a_leftover_of_a_killed_run_is_removed_and_only_where_there_is_one(tmp_path):
    assert remove_leftover(tmp_path, ATTEMPT) is False
    folder = attempt_folder(tmp_path, ATTEMPT, {"a/b": b"x"})
    assert remove_leftover(tmp_path, ATTEMPT) is True
    assert not folder.path.exists()


def test_a_leftover_that_is_a_link_is_left_alone(tmp_path):
    target = tmp_path / "target"
    target.mkdir()
    (target / "kept").touch()
    folder_path(tmp_path, ATTEMPT).symlink_to(target)
    with pytest.raises(EnvironmentFault, match="not a folder of this user"):
        remove_leftover(tmp_path, ATTEMPT)
    assert (target / "kept").exists()


def test_what_cannot_be_removed_is_said_with_its_path(tmp_path):
    folder = attempt_folder(tmp_path, ATTEMPT, {})
    os.rename(folder.path, tmp_path / "moved")
    with pytest.raises(EnvironmentFault, match="could not be removed") as caught:
        folder.remove()
    assert str(folder.path) in str(caught.value)
