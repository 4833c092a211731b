import ctypes
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from passfloor.workspaces.removal import remove_tree

NOBODY = 65534
PR_SET_DUMPABLE = 4


def test_a_folder_with_files_and_folders_is_removed(tmp_path):
    top = tmp_path / "top"
    for path in ("a/b/c", "a/d", "e"):
        (top / path).mkdir(parents=True)
        (top / path / "file").write_text("x")
    remove_tree(top)
    assert list(tmp_path.iterdir()) == []


def test_links_are_removed_and_what_they_lead_to_stays(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    top = tmp_path / "top"
    (top / "inner").mkdir(parents=True)
    (top / "link").symlink_to(outside)
    (top / "inner" / "link").symlink_to(outside / "kept")
    (top / "inner" / "dangling").symlink_to("nowhere")
    remove_tree(top)
    assert [entry.name for entry in tmp_path.iterdir()] == ["outside"]
    assert (outside / "kept").read_text() == "x"


def test_a_link_is_no_folder_to_remove(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    (tmp_path / "top").symlink_to(outside)
    with pytest.raises(OSError):  # noqa: PT011  # which one depends on the system
        remove_tree(tmp_path / "top")
    assert (outside / "kept").exists()


def test_a_pipe_and_a_name_that_is_no_utf8_are_removed(tmp_path):
    top = tmp_path / "top"
    top.mkdir()
    os.mkfifo(top / "pipe")
    os.close(os.open(os.fsencode(top) + b"/\xff", os.O_CREAT | os.O_WRONLY))
    remove_tree(top)
    assert not top.exists()


def test_folders_nested_past_every_path_limit_are_removed(tmp_path):
    top = tmp_path / "top"
    top.mkdir()
    here = os.open(top, os.O_RDONLY)
    for _ in range(600):
        os.mkdir("a-rather-long-name", dir_fd=here)
        inner = os.open("a-rather-long-name", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    remove_tree(top)
    assert not top.exists()


@pytest.mark.parametrize("mode", [0o500, 0o300, 0o000])
def test_folders_without_permissions_are_opened_up_and_removed(mode):
    root = Path(tempfile.mkdtemp())  # unlike tmp_path, where another user can reach it
    top = root / "top"
    inner = top / "one" / "two" / "three"
    inner.mkdir(parents=True)
    (inner / "file").touch()
    for folder in (inner, inner.parent, inner.parent.parent):
        folder.chmod(mode)
    try:
        if os.geteuid() == 0:
            _remove_as_nobody(root, top)
        else:
            remove_tree(top)
        assert not top.exists()
    finally:
        shutil.rmtree(root)


def _remove_as_nobody(root, top):
    """Root may do anything anywhere, so that only another user shows what permissions do."""
    for path in (root, *root.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            # A process that changed its user does not own its entries in /proc; one that was started does.
            ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
            remove_tree(top)
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
