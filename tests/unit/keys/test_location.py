from pathlib import Path

import pytest

from passfloor.errors import UsageError
from passfloor.keys.location import check_location, home, require_home, user_home


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"PASSFLOOR_HOME": "/own", "XDG_CONFIG_HOME": "/xdg", "HOME": "/home/u"}, "/own"),
        ({"PASSFLOOR_HOME": "", "XDG_CONFIG_HOME": "/xdg", "HOME": "/home/u"}, "/xdg/passfloor"),
        ({"XDG_CONFIG_HOME": "", "HOME": "/home/u"}, "/home/u/.config/passfloor"),
        ({"XDG_CONFIG_HOME": "relative", "HOME": "/home/u"}, "/home/u/.config/passfloor"),
        ({"HOME": "/home/u"}, "/home/u/.config/passfloor"),
        ({"HOME": "/"}, "/.config/passfloor"),
    ],
)
def test_the_home_is_the_first_that_the_environment_names(env: dict[str, str], expected: str) -> None:
    assert home(env) == Path(expected)


@pytest.mark.parametrize("env", [{}, {"HOME": ""}, {"HOME": "relative"}, {"PASSFLOOR_HOME": "", "HOME": ""}])
def test_without_a_home_there_is_no_identity_until_one_is_needed(env: dict[str, str]) -> None:
    assert home(env) is None
    assert user_home(env) is None
    with pytest.raises(UsageError, match="set PASSFLOOR_HOME"):
        require_home(home(env))


def test_a_relative_home_is_taken_from_the_start_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert home({"PASSFLOOR_HOME": "identity"}) == tmp_path / "identity"


def refused(
    place: Path, start: Path, forbidden: tuple[Path, ...] = (), user_home: Path | None = None
) -> bool:
    try:
        check_location(place, start, forbidden, user_home)
    except UsageError:
        return True
    return False


def test_the_refusal_names_the_place_and_the_way_out(tmp_path: Path) -> None:
    place = tmp_path / "runs" / "identity"
    with pytest.raises(UsageError) as caught:
        check_location(place, tmp_path, (tmp_path / "runs",), None)
    message = str(caught.value)
    assert str(place.resolve()) in message
    assert message.endswith("set PASSFLOOR_HOME elsewhere")
    assert "\n" not in message


def test_keys_never_live_where_agents_write(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    assert refused(runs, tmp_path, (tmp_path / "other", runs))
    assert refused(runs / "r1" / "a0" / ".config" / "passfloor", tmp_path, (runs,))
    assert not refused(tmp_path / "runs2", tmp_path, (runs,))
    assert not refused(tmp_path / "identity", tmp_path, (tmp_path / "identity" / "runs",))


def test_a_link_does_not_hide_where_keys_would_live(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    (tmp_path / "link").symlink_to(runs)
    assert refused(tmp_path / "link" / "identity", tmp_path, (runs,))
    assert refused(runs / "identity", tmp_path, (tmp_path / "link",))
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert not refused(tmp_path / "loop", tmp_path, (runs,))


@pytest.mark.parametrize("is_file", [False, True], ids=["folder", "file of a linked work tree"])
def test_keys_never_live_in_the_work_tree_of_the_start_folder(tmp_path: Path, is_file: bool) -> None:
    tree = tmp_path / "project"
    start = tree / "deep" / "er"
    start.mkdir(parents=True)
    marker = tree / ".git"
    marker.write_text("gitdir: /elsewhere\n") if is_file else marker.mkdir()
    assert refused(tree / ".passfloor", start)
    assert refused(tree, start)
    assert refused(start / "identity", tree)
    assert not refused(tmp_path / "identity", start)
    assert not refused(tmp_path / "project2", start)
    assert not refused(tree / ".passfloor", tmp_path)


def test_the_tree_around_a_submodule_counts_too(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "outer" / ".git").mkdir()
    (inner / ".git").write_text("gitdir: ../.git/modules/inner\n")
    assert refused(tmp_path / "outer" / "identity", inner)


def test_a_home_folder_kept_in_git_is_no_obstacle(tmp_path: Path) -> None:
    user = tmp_path / "user"
    project = user / "project"
    project.mkdir(parents=True)
    (user / ".git").mkdir()
    place = user / ".config" / "passfloor"
    assert not refused(place, project, user_home=user)
    assert refused(place, project, user_home=tmp_path)
    assert refused(place, project)
    (project / ".git").mkdir()
    assert not refused(place, project, user_home=user)
    assert refused(project / "identity", project, user_home=user)


def test_no_home_at_all_is_refused_with_the_variable_to_set(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="set PASSFLOOR_HOME"):
        check_location(None, tmp_path, (), None)
