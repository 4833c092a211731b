"""A receipt in its place: whole or not at all, and nobody's file lost."""

import errno
import json
import os
import resource
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from passfloor.errors import EnvironmentFault, JsonError
from passfloor.receipts import write
from passfloor.running.saving import save

DOCUMENT = {
    "tool": {"version": "0", "name": "passfloor"},
    "blobs": {},
    "text": "line\nbreak",
    "task_results": [{"task_id": "b", "attempts": [{"score": 0.5}]}, {"task_id": "a", "attempts": []}],
}
WRITTEN = b"".join(write(DOCUMENT))
RUN = "20260101T000000Z-abcdef"
OTHER_RUN = "20260101T000000Z-fedcba"


class TestSaving:
    def test_the_file_is_there_and_nothing_beside_it(self, tmp_path):
        path = tmp_path / "receipt.json"
        assert save(DOCUMENT, path, replace=True, run=RUN) == path
        assert path.read_bytes() == WRITTEN
        assert list(tmp_path.iterdir()) == [path]

    def test_an_older_file_is_replaced(self, tmp_path):
        path = tmp_path / "receipt.json"
        path.write_text("old" * 10_000)
        save(DOCUMENT, path, replace=True, run=RUN)
        assert path.read_bytes() == WRITTEN

    def test_a_document_without_canonical_form_leaves_the_older_file_alone(self, tmp_path):
        path = tmp_path / "receipt.json"
        path.write_text("old")
        with pytest.raises(JsonError):
            save({"z": float("nan"), **DOCUMENT}, path, replace=True, run=RUN)
        assert path.read_text() == "old"
        assert list(tmp_path.iterdir()) == [path]

    def test_a_folder_that_is_not_there_is_a_fault_of_the_machine_in_one_line(self, tmp_path):
        with pytest.raises(EnvironmentFault, match=r"^cannot write .*No such file.*--out$") as caught:
            save(DOCUMENT, tmp_path / "missing" / "receipt.json", replace=False, run=RUN)
        assert "\n" not in str(caught.value)
        assert list(tmp_path.iterdir()) == []

    def test_a_disk_that_fills_up_leaves_the_older_file_and_nothing_else(self, tmp_path):
        path = tmp_path / "receipt.json"
        path.write_text("old")
        program = (
            "import pathlib, sys; from passfloor.running.saving import save\n"
            "save({'a': 'x' * 100_000, 'task_results': []}, pathlib.Path(sys.argv[1]),"
            " replace=True, run='r')"
        )
        ended = subprocess.run(
            [sys.executable, "-c", program, str(path)],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
            capture_output=True,
            text=True,
        )
        assert "EnvironmentFault: cannot write" in ended.stderr
        assert path.read_text() == "old"
        assert list(tmp_path.iterdir()) == [path]

    def test_a_folder_in_the_way_is_a_fault_of_the_machine(self, tmp_path):
        path = tmp_path / "receipt.json"
        path.mkdir()
        with pytest.raises(EnvironmentFault):
            save(DOCUMENT, path, replace=True, run=RUN)
        assert list(tmp_path.iterdir()) == [path]

    def test_a_new_file_is_made_and_nothing_beside_it(self, tmp_path):
        path = tmp_path / "receipt.json"
        assert save(DOCUMENT, path, replace=False, run=RUN) == path
        assert path.read_bytes() == WRITTEN
        assert list(tmp_path.iterdir()) == [path]

    @pytest.mark.parametrize("links", [True, False])
    def test_a_file_that_was_made_meanwhile_stays_and_the_receipt_stands_beside_it(
        self, tmp_path, monkeypatch, links
    ):
        if not links:
            monkeypatch.setattr(os, "link", _no_links)
        path = tmp_path / "receipt.json"
        path.write_text("somebody else's")
        beside = save(DOCUMENT, path, replace=False, run=RUN)
        assert beside == tmp_path / f"receipt-{RUN}.json"
        assert path.read_text() == "somebody else's"
        assert beside.read_bytes() == WRITTEN
        assert sorted(tmp_path.iterdir()) == sorted([path, beside])

    def test_a_link_that_was_made_meanwhile_is_not_followed(self, tmp_path):
        path = tmp_path / "receipt.json"
        path.symlink_to(tmp_path / "elsewhere.json")
        assert save(DOCUMENT, path, replace=False, run=RUN).name == f"receipt-{RUN}.json"
        assert path.is_symlink()
        assert not path.exists()

    def test_two_runs_at_once_with_one_name_keep_both_receipts(self, tmp_path):
        path, together = tmp_path / "receipt.json", threading.Barrier(2)

        def one(run):
            together.wait()
            return save({**DOCUMENT, "text": run}, path, replace=False, run=run)

        with ThreadPoolExecutor(2) as pool:
            places = dict(zip((RUN, OTHER_RUN), pool.map(one, (RUN, OTHER_RUN)), strict=True))
        assert len(set(places.values())) == 2
        assert path in places.values()
        assert {run: json.loads(place.read_bytes())["text"] for run, place in places.items()} == {
            RUN: RUN,
            OTHER_RUN: OTHER_RUN,
        }
        assert sorted(tmp_path.iterdir()) == sorted(places.values())

    def test_where_both_names_are_taken_nothing_is_replaced(self, tmp_path):
        path, beside = tmp_path / "receipt.json", tmp_path / f"receipt-{RUN}.json"
        for each in (path, beside):
            each.write_text("old")
        with pytest.raises(EnvironmentFault, match="File exists"):
            save(DOCUMENT, path, replace=False, run=RUN)
        assert path.read_text() == beside.read_text() == "old"
        assert sorted(tmp_path.iterdir()) == sorted([path, beside])

    def test_a_file_system_without_hard_links_takes_a_receipt(self, tmp_path, monkeypatch):
        monkeypatch.setattr(os, "link", _no_links)
        path = tmp_path / "receipt.json"
        assert save(DOCUMENT, path, replace=False, run=RUN) == path
        assert path.read_bytes() == WRITTEN
        assert list(tmp_path.iterdir()) == [path]

    def test_a_copy_that_fails_leaves_nothing(self, tmp_path, monkeypatch):
        def full(*_):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "link", _no_links)
        monkeypatch.setattr(shutil, "copyfileobj", full)
        with pytest.raises(EnvironmentFault, match="No space left"):
            save(DOCUMENT, tmp_path / "receipt.json", replace=False, run=RUN)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("there", [True, False])
    def test_a_link_is_followed_and_stays(self, tmp_path, there):
        (tmp_path / "kept").mkdir()
        link, target = tmp_path / "receipt.json", tmp_path / "kept" / "real.json"
        link.symlink_to(target)
        if there:
            target.write_text("old")
        assert save(DOCUMENT, link, replace=True, run=RUN) == link
        assert link.is_symlink()
        assert target.read_bytes() == WRITTEN
        assert list(target.parent.iterdir()) == [target]

    @pytest.mark.parametrize("linked", [True, False])
    def test_what_is_no_regular_file_is_never_replaced(self, tmp_path, linked):
        fifo, link = tmp_path / "fifo", tmp_path / "link"
        os.mkfifo(fifo)
        link.symlink_to(fifo)
        with pytest.raises(EnvironmentFault, match="not a regular file"):
            save(DOCUMENT, link if linked else fifo, replace=True, run=RUN)
        assert fifo.is_fifo()
        assert sorted(tmp_path.iterdir()) == [fifo, link]

    def test_a_name_as_long_as_names_may_be_is_written(self, tmp_path):
        path = tmp_path / ("r" * 255)
        assert save(DOCUMENT, path, replace=False, run=RUN).read_bytes() == WRITTEN


def _no_links(*_):
    raise PermissionError(errno.EPERM, "Operation not permitted")
