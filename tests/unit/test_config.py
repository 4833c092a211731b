import pytest

from passfloor.adapters.process import ProcessAdapter
from passfloor.adapters.registry import (
    adapter_for_function,
    adapter_for_model,
    adapter_for_profile,
    adapter_for_url,
    scorer_for,
)
from passfloor.config import load_profiles
from passfloor.errors import UsageError

ALL = """
[agents.support]
command = ["./agent.sh", "--fast"]
env = ["HOME_PAGE"]
timeout_s = 20

[agents.callable]
function = "package.module:name"
timeout_s = 1.5

[agents.service]
url = "http://127.0.0.1:8000/run"
headers_env = { X-Token = "TOKEN" }
retries = 0

[agents.bare]
model = "m-1"
base_url = "http://127.0.0.1:8000/v1"
options = { temperature = 0.5, stop = ["x"] }
system = "be short"
api_key_env = "KEY"
"""


@pytest.fixture
def place(tmp_path):
    (tmp_path / "repo" / "deep" / "er").mkdir(parents=True)
    (tmp_path / "repo" / ".git").mkdir()
    return tmp_path / "repo"


def write(folder, text, name="passfloor.toml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_every_way_to_drive_an_agent_can_be_named(place):
    write(place, ALL)
    profiles = load_profiles(place)
    assert list(profiles) == ["support", "callable", "service", "bare"]
    support = profiles["support"]
    assert (support.name, support.folder) == ("support", place)
    assert support.agent.command == ["./agent.sh", "--fast"]
    assert support.agent.timeout_s == 20
    assert profiles["bare"].agent.options == {"temperature": 0.5, "stop": ["x"]}


def test_a_named_agent_is_the_adapter_its_flags_would_make(place):
    write(place, ALL)
    (place / "agent.sh").write_text("#!/bin/sh\n")
    profiles = load_profiles(place / "deep")
    environ = {"TOKEN": "t", "KEY": "k", "HOME_PAGE": "x"}
    process = adapter_for_profile(profiles["support"], environ=environ)
    assert isinstance(process, ProcessAdapter)
    assert process.identity()["argv"][0]["file"] == "agent.sh"
    assert (process.timeout_s, process.identity()["env"]) == (20, ["HOME_PAGE"])
    called = adapter_for_profile(profiles["callable"], environ=environ, timeout_s=None)
    assert (called.key, called.target, called.timeout_s) == ("function", "package.module:name", 1.5)
    service = adapter_for_profile(profiles["service"], environ=environ, retries=1)
    assert (service.key, service.retries) == ("http", 1)
    assert service.identity()["headers"] == {"X-Token": "TOKEN"}
    bare = adapter_for_profile(profiles["bare"], environ=environ)
    assert bare.identity() == {"adapter": "chat", "url": "http://127.0.0.1:8000/v1", "model": "m-1"}
    assert bare.options()["system"] == "be short"


def test_the_packaged_agent_can_be_named(place):
    write(place, '[agents.a]\ncommand = ["passfloor-reference", "--flaky", "0.2"]\n')
    assert adapter_for_profile(load_profiles(place)["a"]).key == "reference"


def test_the_flags_of_the_command_line_make_the_same_adapters():
    assert adapter_for_function("m:f").key == "function"
    assert adapter_for_url("http://h/", environ={}).key == "http"
    assert adapter_for_model("m", "http://h/v1", environ={}).key == "chat"
    for key in ("function", "http", "chat"):
        assert scorer_for(key).declared is True


def test_settings_are_found_upwards_to_the_root_of_the_work_tree_and_the_nearest_count(place):
    write(place.parent, '[agents.outside]\nurl = "http://h/"\n')
    assert load_profiles(place / "deep" / "er") == {}
    write(place, '[agents.top]\nurl = "http://h/"\n')
    assert list(load_profiles(place / "deep" / "er")) == ["top"]
    write(place / "deep", '[agents.near]\nurl = "http://h/"\n')
    assert list(load_profiles(place / "deep" / "er")) == ["near"]


def test_outside_of_a_work_tree_only_the_start_folder_is_looked_into(tmp_path):
    write(tmp_path, '[agents.a]\nurl = "http://h/"\n')
    (tmp_path / "below").mkdir()
    assert list(load_profiles(tmp_path)) == ["a"]
    assert load_profiles(tmp_path / "below") == {}


def test_pyproject_holds_settings_too_and_one_without_them_is_passed_over(place):
    write(place / "deep", "[tool.other]\nx = 1\n", "pyproject.toml")
    write(place, '[tool.passfloor.agents.a]\nurl = "http://h/"\n', "pyproject.toml")
    profile = load_profiles(place / "deep")["a"]
    assert profile.folder == place


def test_two_files_in_one_folder_are_refused(place):
    write(place, '[agents.a]\nurl = "http://h/"\n')
    write(place, '[tool.passfloor.agents.a]\nurl = "http://h/"\n', "pyproject.toml")
    with pytest.raises(UsageError, match="both hold settings"):
        load_profiles(place)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[agents.a]\ncomand = ["x"]', "passfloor.toml: agents.a: comand is unknown; did you mean command?"),
        ('[agent.a]\nurl = "http://h/"', "passfloor.toml: agent is unknown; did you mean agents?"),
        ("zzz = 1", "passfloor.toml: zzz is unknown; there are agents"),
        ('[agents.a]\nurl = "u"\nrecord = true', "agents.a.record has no meaning beside url"),
        ('[agents.a]\nurl = "u"\ncoordination = "causal"', "agents.a.coordination has no meaning beside url"),
        ('[agents.a]\ncommand = ["x"]\ncoordination = "loose"', "agents.a.coordination is not allowed"),
        ('[agents.a]\ncommand = "x y"', "agents.a.command is not allowed"),
        ("[agents.a]\ncommand = []", "agents.a.command is not allowed"),
        ("[agents.a]\ncommand = [1]", "agents.a.command.0 is not allowed"),
        ('[agents.a]\nurl = ""', "agents.a.url is not allowed"),
        ('[agents.a]\nurl = "u"\ntimeout_s = "9"', "agents.a.timeout_s is not allowed"),
        ('[agents.a]\nurl = "u"\ntimeout_s = 0', "agents.a.timeout_s is not allowed"),
        ('[agents.a]\nurl = "u"\ntimeout_s = nan', "agents.a.timeout_s is not allowed"),
        ('[agents.a]\nurl = "u"\nretries = true', "agents.a.retries is not allowed"),
        ("[agents.a]\ntimeout_s = 1", "agents.a names nothing to run; give exactly one of"),
        ('[agents.a]\nurl = "u"\nfunction = "m:f"', "agents.a names function and url"),
        ('[agents.a]\nmodel = "m"', "agents.a names a model without base_url"),
        ('[agents.a]\nurl = "u"\nenv = ["X"]', "agents.a.env has no meaning beside url"),
        ('[agents.a]\nfunction = "m:f"\nretries = 1', "agents.a.retries has no meaning beside function"),
        ("agents = 1", "passfloor.toml: agents is no table"),
        ("[agents]\na = 1", "passfloor.toml: agents.a is no table"),
        ("[agents", "passfloor.toml is not TOML"),
        ('["x\\u001b\\n"]', r"passfloor.toml: x\x1b\n is unknown"),
    ],
)
def test_what_is_wrong_is_named_with_its_file_on_one_line(place, text, says):
    write(place, text + "\n")
    with pytest.raises(UsageError) as refused:
        load_profiles(place)
    assert says in str(refused.value)
    assert str(refused.value).isprintable()


def test_a_value_is_not_repeated(place):
    write(place, '[agents.a]\nurl = ["http://h/?key=sk-canary"]\n')
    with pytest.raises(UsageError) as refused:
        load_profiles(place)
    assert "sk-canary" not in str(refused.value)


def test_a_file_that_is_not_utf8_is_refused(place):
    (place / "passfloor.toml").write_bytes(b"x = '\xff'\n")
    with pytest.raises(UsageError, match="not UTF-8"):
        load_profiles(place)


def test_a_folder_in_the_files_place_is_refused(place):
    (place / "passfloor.toml").mkdir()
    with pytest.raises(UsageError, match="cannot be read"):
        load_profiles(place)
