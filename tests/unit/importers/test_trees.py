import os
from pathlib import Path

import pytest

from passfloor.errors import ImportRefused
from passfloor.importers import trees


def test_folders_are_listed_by_name_and_links_left_out(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("/")
    assert [each.name for each in trees.folders(tmp_path)] == ["a", "b"]
    with pytest.raises(ImportRefused, match="more than 2 entries"):
        trees.folders(tmp_path, most=2)
    with pytest.raises(ImportRefused, match="cannot read"):
        trees.folders(tmp_path / "absent")


def test_a_regular_file_is_present_and_nothing_is_absent(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert trees.present(tmp_path / "file")
    assert not trees.present(tmp_path / "none")
    assert not trees.present(tmp_path / "file" / "below")


def test_what_stands_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("nowhere")
    for name, what in (("folder", "a folder"), ("link", "a link")):
        with pytest.raises(ImportRefused, match=what):
            trees.present(tmp_path / name)
    with pytest.raises(ImportRefused, match="cannot read"):
        trees.present(tmp_path / ("x" * 5000))
    with pytest.raises(ImportRefused, match="no name of a file"):
        trees.present(tmp_path / "nul\0")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "fifo")
        with pytest.raises(ImportRefused, match="no regular file"):
            trees.present(tmp_path / "fifo")


def test_a_document_is_a_json_object(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('\ufeff{"a": NaN}')
    assert trees.document(path) == {"a": "NaN"}
    for text, match in (("[]", "no JSON object"), ("{", "not JSON")):
        path.write_text(text)
        with pytest.raises(ImportRefused, match=match):
            trees.document(path)
    path.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(ImportRefused, match="not UTF-8"):
        trees.document(path)
    assert trees.optional(tmp_path / "none") == {}


def test_names_become_one_line_of_ascii() -> None:
    assert trees.plain("a\nb", "é") == r"a\nb/\xe9"


def test_a_folder_is_told_from_whatever_else_stands_there(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert trees.is_folder(tmp_path)
    assert trees.is_folder(tmp_path / "link")
    assert not trees.is_folder(tmp_path / "none")
    with pytest.raises(ImportRefused, match="cannot read"):
        trees.is_folder(tmp_path / ("x" * 5000))
