import pytest

from passfloor.errors import ImportRefused
from passfloor.importers.choices import chosen


def test_one_agent_alone_needs_no_choice() -> None:
    assert chosen(None, {"a": ()}, "agents") == "a"


def test_of_several_agents_one_must_be_named_by_a_name_that_is_its_own() -> None:
    names = {"a/m": ("a", "m"), "b/m": ("b", "m")}
    with pytest.raises(ImportRefused, match=r"2 agents in one log \(a/m, b/m\): choose one with --agent"):
        chosen(None, names, "agents")
    assert chosen("b/m", names, "agents") == chosen("b", names, "agents") == "b/m"
    with pytest.raises(ImportRefused, match="'m' is 2 of the agents"):
        chosen("m", names, "agents")
    with pytest.raises(ImportRefused, match="'x' is none of the agents"):
        chosen("x", {"a": ()}, "agents")
