"""All importers by name: each keeps to the interface, and no odd file makes any of them raise."""

import os

import pytest

from passfloor.errors import ImportRefused
from passfloor.importers import registry
from passfloor.importers.collate import collate
from passfloor.importers.interface import Asked
from passfloor.importers.spool import RecordSpool

ODD = {
    "empty": b"",
    "nul": b"\0" * 5000,
    "words": b"just words",
    "bracket": b"[" * 100_000,
    "brace": b'{"a":' * 50_000,
    "utf16": "[{}]".encode("utf-16"),
    "zip": b"PK\x03\x04" + b"\xff" * 100,
    "xml": b"<testsuites>",
    "number": b"1" * 10_000,
    "nan": b"NaN",
    "list": b"[1, null, [], {}]",
    "object": b"{}",
    "cut": b'[{"task_id": 0, "reward": 1.0, "tra',
}


@pytest.mark.parametrize("name", registry.names())
def test_every_importer_keeps_to_the_interface(name):
    found = registry.importer(name)
    assert found.name == name
    assert found.title
    assert "\n" not in found.reads


@pytest.mark.parametrize("name", registry.names())
@pytest.mark.parametrize("odd", ODD)
def test_an_odd_file_is_not_taken_for_a_log_and_refused_in_one_line(tmp_path, name, odd):
    path = tmp_path / odd
    path.write_bytes(ODD[odd])
    found = registry.importer(name)
    found.recognise(path)
    with pytest.raises(ImportRefused) as caught:
        _collated(found, path)
    assert "\n" not in str(caught.value)


def _collated(found, path):
    with RecordSpool() as spool:
        return collate(found.read(path, Asked()), Asked(), spool)


@pytest.mark.parametrize("name", registry.names())
def test_pipes_devices_empty_folders_and_nothing_are_refused_without_waiting(tmp_path, name):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "zero").symlink_to("/dev/zero")
    found = registry.importer(name)
    for what in ("pipe", "folder", "zero", "none"):
        assert found.recognise(tmp_path / what) is None
        with pytest.raises(ImportRefused):
            list(found.read(tmp_path / what, Asked()).records())


def test_a_name_that_is_none_is_answered_with_the_nearest():
    with pytest.raises(ImportRefused, match="did you mean tau-bench"):
        registry.importer("tau_bench")
    with pytest.raises(ImportRefused, match="--list shows all"):
        registry.importer("xyzzy")


def test_rows_are_taken_only_where_no_format_of_its_own_is(tmp_path):
    (tmp_path / "x").write_text('{"task": "a", "outcome": "passed"}\n')
    assert [each.name for each, _ in registry.recognise(tmp_path / "x")] == ["rows"]
    (tmp_path / "y").write_text('{"task_id": "a", "completion": "x", "passed": true}\n')
    assert [each.name for each, _ in registry.recognise(tmp_path / "y")] == ["human-eval"]
