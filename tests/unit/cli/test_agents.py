"""The flags that say which agent is driven."""

import json

import pytest

from passfloor.adapters.chat import ChatAdapter
from passfloor.adapters.function import FunctionAdapter
from passfloor.adapters.http import HttpAdapter
from passfloor.adapters.mock import MockReplayAdapter
from passfloor.adapters.process import ProcessAdapter
from passfloor.cli import driving, outputs
from passfloor.cli.agents import AgentFlags
from passfloor.cli.driving import put_away, ready, say_notes, used
from passfloor.errors import UsageError
from passfloor.models.suite import Task

URL = "http://127.0.0.1:9/run"
SETTINGS = """
[agents.support]
command = ["sh", "-c", "cat"]
env = ["KEPT"]
timeout_s = 7

[agents.remote]
url = "http://127.0.0.1:9/run"
retries = 4

[agents.bare]
model = "small"
base_url = "http://127.0.0.1:9/v1"
options = {temperature = 0.5}

[agents.callable]
function = "agent:act"
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    outputs.hide()


@pytest.fixture
def settings(tmp_path):
    (tmp_path / "passfloor.toml").write_text(SETTINGS)


def build(**flags):
    return driving.build(AgentFlags(**flags), "own-v1")


@pytest.mark.parametrize("command", ["", " "])
def test_an_empty_command_is_refused_and_not_taken_for_none(command):
    with pytest.raises(UsageError, match="--agent is empty"):
        driving.build(AgentFlags(agent=command), "golden-v1")


def test_the_packaged_agent_is_the_default_of_the_built_in_suites_alone():
    for version in ("golden-v1", "answers-v1"):
        adapter = driving.build(AgentFlags(), version)
        assert isinstance(adapter, ProcessAdapter)
        assert adapter.key == "reference"
    with pytest.raises(UsageError, match="--agent CMD"):
        build()
    assert build(adapter="reference").key == "reference"


def test_each_flag_names_an_agent_of_its_kind():
    made = {
        "process": (ProcessAdapter, {"agent": "cat"}),
        "function": (FunctionAdapter, {"agent_function": "agent:act"}),
        "http": (HttpAdapter, {"agent_url": URL}),
        "chat": (ChatAdapter, {"model": "small", "base_url": URL}),
        "mock": (MockReplayAdapter, {"adapter": "mock"}),
    }
    for key, (kind, flags) in made.items():
        adapter = build(**flags)
        assert isinstance(adapter, kind)
        assert adapter.key == key


@pytest.mark.parametrize(
    "other",
    [{"agent_function": "a:b"}, {"agent_url": URL}, {"model": "m", "base_url": URL}, {"adapter": "mock"}],
)
def test_two_agents_are_refused_by_the_names_of_both_flags(other):
    flag = "--" + next(iter(other)).replace("_", "-")
    with pytest.raises(UsageError, match=f"--agent and {flag} name 2 agents: give one of them"):
        build(agent="cat", **other)


@pytest.mark.parametrize(
    ("agent", "flags", "named"),
    [
        ({"adapter": "mock"}, {"env": ["A"]}, "--env"),
        ({"adapter": "mock"}, {"workspace_root": "."}, "--workspace-root"),
        ({"adapter": "mock"}, {"keep_workspaces": "all"}, "--keep-workspaces"),
        ({"adapter": "mock"}, {"timeout": 1.0}, "--timeout"),
        ({"agent_url": URL}, {"env": ["A"]}, "--env"),
        ({"agent_url": URL}, {"base_url": URL}, "--base-url"),
        ({"agent_url": URL}, {"keep_workspaces": "all"}, "--keep-workspaces"),
        ({"model": "m", "base_url": URL}, {"env": ["A"]}, "--env"),
        ({"agent": "cat"}, {"retries": 0}, "--retries"),
        ({"agent": "cat"}, {"model_option": ["a=1"]}, "--model-option"),
        ({"agent_function": "a:b"}, {"retries": 1}, "--retries"),
        ({}, {"base_url": URL}, "--base-url"),
    ],
)
def test_a_flag_that_an_agent_has_no_use_for_is_refused_and_never_ignored(agent, flags, named):
    with pytest.raises(UsageError, match=f"{named} has no meaning beside"):
        driving.build(AgentFlags(**agent, **flags), "golden-v1")


def test_time_and_retries_reach_the_adapter_and_have_defaults_of_its_own():
    assert build(agent="cat").options() == {"timeout_s": 300.0}
    assert build(agent="cat", timeout=5).options() == {"timeout_s": 5}
    assert build(agent_url=URL).options() == {"timeout_s": 300.0, "retries": 2}
    assert build(agent_url=URL, retries=0, timeout=5).options() == {"timeout_s": 5, "retries": 0}


def test_a_model_needs_to_be_somewhere_and_its_options_are_json_or_else_text():
    with pytest.raises(UsageError, match="needs --base-url"):
        build(model="small")
    given = ["temperature=0.25", "stop=END", 'format={"type": "text"}', "user=a=b", "top_p=null"]
    adapter = build(model="small", base_url=URL, model_option=given)
    assert adapter.options()["options"] == {
        "temperature": 0.25,
        "stop": "END",
        "format": {"type": "text"},
        "user": "a=b",
        "top_p": None,
    }
    for bad in (["temperature"], ["=1"], ["a=1", "a=2"], ["messages=[]"]):
        with pytest.raises(UsageError, match="option"):
            build(model="small", base_url=URL, model_option=bad)


@pytest.mark.usefixtures("settings")
def test_an_agent_of_the_settings_goes_by_its_name(monkeypatch):
    monkeypatch.setenv("KEPT", "1")
    support = build(agent="support")
    assert (support.key, support.options()) == ("process", {"timeout_s": 7})
    assert support.identity()["env"] == ["KEPT"]
    assert build(agent="support", env=["MORE"], timeout=9).identity()["env"] == ["KEPT", "MORE"]
    assert build(agent="support", timeout=9).options() == {"timeout_s": 9}
    assert build(agent="remote").options() == {"timeout_s": 300.0, "retries": 4}
    assert build(agent="remote", retries=1).options()["retries"] == 1
    assert build(agent="bare").options()["options"] == {"temperature": 0.5}
    assert build(agent="callable").key == "function"


@pytest.mark.usefixtures("settings")
def test_an_agent_of_the_settings_refuses_the_flags_of_other_kinds():
    for name, flags in (
        ("support", {"retries": 1}),
        ("remote", {"env": ["A"]}),
        ("bare", {"model_option": ["a=1"]}),
        ("bare", {"keep_workspaces": "all"}),
        ("callable", {"base_url": URL}),
    ):
        with pytest.raises(UsageError, match=r"no meaning beside|are for --model"):
            build(agent=name, **flags)


@pytest.mark.usefixtures("settings")
def test_a_name_that_is_nearly_one_of_the_settings_is_told_the_nearest():
    with pytest.raises(UsageError, match="did you mean 'support'"):
        build(agent="suport")
    assert build(agent="cat").key == "process"
    assert build(agent="suport --flag").key == "process"
    assert build(agent="passfloor-reference").key == "reference"


def test_settings_that_are_malformed_are_refused_where_a_name_is_looked_up(tmp_path):
    (tmp_path / "passfloor.toml").write_text("[agents.a]\ncomand = ['x']\n")
    with pytest.raises(UsageError, match="did you mean command"):
        build(agent="cat")
    assert build(agent_url=URL).key == "http"


def test_a_task_with_files_is_refused_for_an_agent_that_cannot_be_handed_any():
    task = Task.model_validate({"id": "t", "description": "d", "files": {"a": "b"}})
    with pytest.raises(UsageError, match="task 't' has starting files"):
        ready(AgentFlags(agent_url=URL), "own-v1", [task])


def test_what_is_said_once_the_agent_is_known_holds_none_of_its_secrets(monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_API_KEY", "canary-1234-abcd")
    monkeypatch.setenv("PIN_TOKEN", "1234")
    outputs.note("before canary-1234-abcd")
    ready(AgentFlags(agent="cat", env=["OPENAI_API_KEY", "PIN_TOKEN"], scrub=["v[0-9]+"]), "own-v1")
    outputs.note("after canary-1234-abcd, canary-1234-abcd%20, v12")
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "before canary-1234-abcd"
    assert said[1].startswith("warning: the value of PIN_TOKEN is too short or too plain")
    assert said[2] == "after [scrubbed], [scrubbed]%20, [scrubbed]"


def test_a_pattern_that_is_none_is_refused_without_being_repeated():
    with pytest.raises(UsageError, match="--scrub pattern 2") as refused:
        ready(AgentFlags(agent="cat", scrub=["a", "(sk-secret"]), "own-v1")
    assert "sk-secret" not in str(refused.value)


def test_notes_are_said_once():
    class Noting:
        def __init__(self):
            self.notes = ["a", "b"]

    said, adapter = [], Noting()
    say_notes(adapter, said.append)
    adapter.notes.append("c")
    say_notes(adapter, said.append)
    say_notes(object(), said.append)
    assert said == ["a", "b", "c"]


def test_what_an_adapter_keeps_ready_is_ended_where_it_keeps_any():
    class Keeping:
        closed = 0

        def close(self):
            self.closed += 1

    adapter = Keeping()
    put_away(adapter)
    put_away(object())
    assert adapter.closed == 1


def test_the_digest_of_the_options_says_nothing_of_patterns():
    plain, scrubbing = build(agent="cat"), build(agent="cat", scrub=["sk-secret"])
    assert json.dumps([plain.options(), plain.identity()]) == json.dumps(
        [scrubbing.options(), scrubbing.identity()]
    )


def test_whatever_comes_an_adapter_in_use_has_its_notes_said_and_is_ended(capsys):
    class Noting:
        closed = False
        notes = ()

        def close(self):
            self.closed = True

    adapter = Noting()
    adapter.notes = ["kept /tmp/x"]

    def interrupted():
        with used() as using:
            assert using((adapter, None)) == (adapter, None)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert adapter.closed
    assert "kept /tmp/x" in capsys.readouterr().err
