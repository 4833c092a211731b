"""Zip members read from where they lie: by every method, within bounds, and checked to their end."""

import io
import os
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passfloor.errors import ImportRefused
from passfloor.importers import archives

TEXT = b'{"a": 1}' * 5000


def content(path: Path, name: str = "a.json") -> bytes:
    return archives.read(path, archives.members(path, lambda _: True)[name])


@pytest.mark.parametrize("method", [0, 8, 93])
@pytest.mark.parametrize("zip64", [False, True])
def test_a_member_is_read_by_every_method_that_logs_use(make_zip, method, zip64):
    path = make_zip([("a.json", TEXT), ("b.json", b"")], method=method, zip64=zip64)
    assert content(path) == TEXT
    assert content(path, "b.json") == b""


def test_what_the_standard_library_writes_is_read(tmp_path):
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.json", TEXT)
        archive.writestr("samples/ü/../x.json", b"[]")
        archive.comment = b"written by another"
    assert content(path) == TEXT
    assert content(path, "samples/ü/../x.json") == b"[]"


def test_only_wanted_members_are_kept(make_zip):
    path = make_zip([(f"samples/{number}.json", b"{}") for number in range(50)] + [("header.json", b"{}")])
    assert list(archives.members(path, lambda name: name == "header.json")) == ["header.json"]


def test_a_name_that_climbs_out_of_the_folder_writes_nothing(make_zip, tmp_path):
    path = make_zip([("../../evil.json", b"{}"), ("/etc/evil", b"{}")])
    before = sorted(tmp_path.parent.rglob("*"))
    assert content(path, "../../evil.json") == b"{}"
    assert sorted(tmp_path.parent.rglob("*")) == before


def test_two_members_of_one_name_are_refused_where_they_matter(make_zip):
    path = make_zip([("a.json", b"1"), ("a.json", b"2"), ("b.json", b"3")])
    assert content(make_zip([("a.json", b"1"), ("b.json", b"3")], "twin.eval")) == b"1"
    with pytest.raises(ImportRefused, match=r"two members named 'a\.json'"):
        archives.members(path, lambda _: True)
    assert list(archives.members(path, lambda name: name == "b.json")) == ["b.json"]


def test_an_archive_that_was_cut_is_refused(make_zip):
    path = make_zip([("a.json", TEXT), ("b.json", TEXT)])
    whole = path.read_bytes()
    for length in (4, 30, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(ImportRefused, match="it was cut"):
            archives.members(path, lambda _: True)
    path.write_bytes(whole[10:])
    with pytest.raises(ImportRefused, match="damaged"):
        archives.members(path, lambda _: True)


@pytest.mark.parametrize(
    "lies",
    [
        {"crc": 1},
        {"size": len(TEXT) - 1},
        {"size": len(TEXT) + 1},
        {"local_name": "b.json"},
    ],
)
@pytest.mark.parametrize("method", [0, 8, 93])
def test_a_member_that_is_not_what_the_table_says_is_damaged(make_zip, lies, method):
    with pytest.raises(ImportRefused, match="damaged"):
        content(make_zip([("a.json", TEXT)], method=method, **lies))


@pytest.mark.parametrize("method", [8, 93])
def test_bytes_that_do_not_unpack_are_damaged(make_zip, method):
    path = make_zip([("a.json", os.urandom(2000))], method=method)
    whole = bytearray(path.read_bytes())
    whole[45:60] = b"\xff" * 15
    path.write_bytes(whole)
    with pytest.raises(ImportRefused, match="damaged"):
        content(path)


def test_an_encrypted_member_is_refused(make_zip):
    with pytest.raises(ImportRefused, match="encrypted"):
        content(make_zip([("a.json", TEXT)], flags=1))


def test_an_unknown_method_is_named(make_zip):
    with pytest.raises(ImportRefused, match="packed by method 12"):
        content(make_zip([("a.json", TEXT)], method=12))


@pytest.mark.parametrize(
    ("size", "words"),
    [(archives.MAX_MEMBER, "more than 1000 times its size"), (archives.MAX_MEMBER + 1, "claims")],
)
def test_a_bomb_is_refused_before_it_goes_off(make_zip, size, words):
    path = make_zip([("a.json", b"0" * 100)], size=size, zip64=True)
    member = archives.members(path, lambda _: True)["a.json"]
    with pytest.raises(ImportRefused, match=words), archives.opened(path, member):
        pass


def test_a_bomb_that_claims_to_be_small_stops_at_what_it_claims(make_zip):
    path = make_zip([("a.json", b"0" * 3_000_000)], size=1000)
    member = archives.members(path, lambda _: True)["a.json"]
    taken: list[bytes] = []
    with archives.opened(path, member) as stream, pytest.raises(ImportRefused, match="damaged"):
        taken.extend(iter(lambda: stream.read(100), b""))
    assert sum(map(len, taken)) <= 1000


def test_a_member_read_whole_has_a_bound(make_zip):
    path = make_zip([("a.json", TEXT)])
    member = archives.members(path, lambda _: True)["a.json"]
    with pytest.raises(ImportRefused, match="the limit is 10"):
        archives.read(path, member, most=10)


def test_a_million_members_are_refused_by_their_number(make_zip):
    path = make_zip([("a.json", b"1")], zip64=True, count=1_000_000)
    with pytest.raises(ImportRefused, match="1000000 members, the limit is 500000"):
        archives.members(path, lambda _: True)


def test_a_table_shorter_than_its_number_is_damaged(make_zip):
    with pytest.raises(ImportRefused, match="damaged"):
        archives.members(make_zip([("a.json", b"1")], count=2), lambda _: True)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="the standard library reads Zstandard")
def test_without_the_extra_the_refusal_names_it(make_zip, monkeypatch):
    path = make_zip([("a.json", TEXT)], method=93)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(ImportRefused, match=r"install passfloor\[import\]"):
        content(path)


def test_a_file_that_is_no_archive_does_not_start_as_one(tmp_path):
    path = tmp_path / "log.json"
    path.write_text("{}")
    assert not archives.starts_as_zip(path)
    assert not archives.starts_as_zip(tmp_path / "absent")
    with pytest.raises(ImportRefused, match="without its table of contents"):
        archives.members(path, lambda _: True)


@settings(max_examples=150)
@given(at=st.integers(0, 10_000), put=st.binary(min_size=1, max_size=8), method=st.sampled_from([0, 8]))
def test_any_damage_is_refused_or_harmless(tmp_path_factory, at, put, method):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a.json", b'{"a": [1, 2, 3]}' * 10)
        archive.writestr("b.json", b"[]")
    whole = bytearray(buffer.getvalue())
    at %= len(whole)
    whole[at : at + len(put)] = put[: len(whole) - at]
    path = tmp_path_factory.mktemp("damaged") / "log.eval"
    path.write_bytes(whole)
    words = ""
    try:
        for member in archives.members(path, lambda _: True).values():
            archives.read(path, member)
    except ImportRefused as error:
        words = str(error)
    assert "\n" not in words


def test_a_member_that_stands_behind_the_table_is_damaged(make_zip):
    path = make_zip([("a.json", TEXT)], zip64=True)
    whole = path.read_bytes()
    table = whole.index(b"PK\x01\x02")
    end = whole.index(b"PK\x06\x06")
    for offset in (table, 2**63, 2**64 - 1):
        path.write_bytes(whole[: end - 8] + offset.to_bytes(8, "little") + whole[end:])
        with pytest.raises(ImportRefused, match="damaged"):
            archives.members(path, lambda _: True)
