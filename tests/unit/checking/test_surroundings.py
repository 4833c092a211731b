"""What appears beside an attempt's folder."""

import socket

from passfloor.checking.surroundings import changed, places, snapshot


def test_what_appears_or_changes_is_named_and_what_is_ignored_is_not(tmp_path):
    home, own = tmp_path / "home", tmp_path / "home" / "own"
    (home / ".cache").mkdir(parents=True)
    (home / "same").write_text("x")
    (home / "grown").write_text("x")
    folders = [home, home / ".cache", tmp_path / "absent"]
    before = snapshot(folders, ignored=[own])
    own.mkdir()
    (home / "__pycache__").mkdir()
    (home / "grown").write_text("xx")
    (home / ".cache" / "new").mkdir()
    assert changed(before, snapshot(folders, ignored=[own])) == [
        str(home / ".cache" / "new"),
        str(home / "grown"),
    ]


def test_nothing_new_is_nothing(tmp_path):
    (tmp_path / "a").write_text("x")
    assert changed(snapshot([tmp_path]), snapshot([tmp_path])) == []


def test_sockets_and_links_are_not_followed(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tmp_path / "s"))
        assert list(snapshot([tmp_path])) == [str(tmp_path / "link")]


def test_the_places_are_home_the_start_and_the_temporary_folder_once_each(tmp_path):
    found = places({"HOME": str(tmp_path)}, tmp_path, tmp_path / "t")
    names = [str(path.relative_to(tmp_path)) for path in found]
    assert names == [".", ".cache", ".config", ".local/share", "t"]
    assert places({}, tmp_path, tmp_path / "t") == [tmp_path, tmp_path / "t"]
