"""What is looked for before the first attempt."""

import os
import shutil

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
