"""What is looked for before the first attempt."""

import json
import os
import shutil
import socket

import pytest

from passfloor import receipts
from passfloor.errors import EnvironmentFault, UsageError
from passfloor.running.preflight import check_disk, check_out, holds


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
    with pytest.raises(EnvironmentFault, match=r"only 1000 bytes.*--workspace-root"):
        check_disk(tmp_path)
    with pytest.raises(EnvironmentFault, match=r"only 1000 bytes.*--runs-dir"):
        check_disk(tmp_path / "not" / "made", "--runs-dir")


def test_room_is_looked_for_where_a_folder_will_be_made(tmp_path):
    check_disk(tmp_path / "not" / "made", "--runs-dir")
    assert list(tmp_path.iterdir()) == []


DOCUMENT = {"a": 1, "task_results": [{"task_id": "a", "x": 1e17}, {"task_id": "b"}], "tool": {}}


class TestHolding:
    """Whether a place holds the receipt of a hash."""

    @pytest.fixture
    def place(self, tmp_path):
        self.hash = receipts.receipt_hash(DOCUMENT)
        self.sealed = {**DOCUMENT, "receipt_hash": self.hash, "signature": "s"}
        return tmp_path / "r.json"

    def test_it_does_as_it_was_written_and_in_any_other_layout(self, place):
        place.write_bytes(b"".join(receipts.write(self.sealed)))
        assert holds(place, self.hash)
        place.write_text(json.dumps(self.sealed, indent=1))
        assert holds(place, self.hash)

    def test_it_does_not_where_a_byte_was_changed_or_another_stands_there(self, place):
        written = b"".join(receipts.write(self.sealed))
        place.write_bytes(written)
        assert not holds(place, "0" * 64)
        for layout in (written, json.dumps(self.sealed).encode()):
            place.write_bytes(layout.replace(b'"b"', b'"c"'))
            assert not holds(place, self.hash)

    def test_it_does_not_where_there_is_none(self, place):
        assert not holds(place, self.hash)
        for content in (b"", b"{}", b"[1", b'{\n"a":1,\n"task_results":[\n]}\n'):
            place.write_bytes(content)
            assert not holds(place, self.hash)
