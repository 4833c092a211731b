"""What is looked for before the first attempt."""

import os
import shutil
import socket

import pytest

from passfloor.errors import EnvironmentFault, UsageError
from passfloor.running.preflight import check_disk, check_out


def test_a_free_name_in_a_folder_passes(tmp_path):
    check_out(tmp_path / "r.json", force=False)


def test_what_stands_there_is_refused_unless_forced(tmp_path):
    path = tmp_path / "r.json"
    path.write_text("x")
    with pytest.raises(UsageError, match="--force"):
        check_out(path, force=False)
    check_out(path, force=True)


def test_a_dangling_link_counts_as_standing_there(tmp_path):
    (tmp_path / "r.json").symlink_to(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="exists"):
        check_out(tmp_path / "r.json", force=False)


@pytest.mark.parametrize("force", [True, False])
def test_a_folder_and_a_missing_folder_are_refused(tmp_path, force):
    with pytest.raises(UsageError, match="is a folder"):
        check_out(tmp_path, force=force)
    with pytest.raises(UsageError, match="does not exist"):
        check_out(tmp_path / "no" / "r.json", force=force)


@pytest.mark.parametrize("force", [True, False])
@pytest.mark.parametrize("linked", [True, False])
def test_a_device_a_fifo_and_a_socket_are_refused(tmp_path, force, linked, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
    for position, name in enumerate(["/dev/null", "/dev/full", "fifo", "socket"]):
        place = tmp_path / name
        if linked:
            place = tmp_path / f"link{position}"
            place.symlink_to(tmp_path / name)
        with pytest.raises(UsageError, match=r"is not a regular file: name a file$"):
            check_out(place, force=force)


def test_a_link_to_a_file_passes_where_forced(tmp_path):
    link = tmp_path / "r.json"
    link.symlink_to(tmp_path / "real.json")
    check_out(link, force=True)
    (tmp_path / "real.json").write_text("x")
    check_out(link, force=True)
    with pytest.raises(UsageError, match="exists"):
        check_out(link, force=False)


def test_a_link_into_a_missing_folder_and_a_link_to_itself_are_refused(tmp_path):
    link, loop = tmp_path / "r.json", tmp_path / "loop"
    link.symlink_to(tmp_path / "no" / "r.json")
    loop.symlink_to(loop)
    with pytest.raises(UsageError, match="does not exist"):
        check_out(link, force=True)
    with pytest.raises(UsageError, match="name another file"):
        check_out(loop, force=True)


def test_a_name_that_is_too_long_is_refused(tmp_path):
    with pytest.raises(UsageError, match="too long"):
        check_out(tmp_path / ("x" * 300), force=False)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_closed_folder_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(UsageError, match="cannot be written to"):
        check_out(tmp_path / "r.json", force=False)
    tmp_path.chmod(0o700)


def test_room_for_the_attempts_is_looked_for(tmp_path, monkeypatch):
    check_disk(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: shutil._ntuple_diskusage(1, 1, 1000))
    with pytest.raises(EnvironmentFault, match="only 1000 bytes"):
        check_disk(tmp_path)
