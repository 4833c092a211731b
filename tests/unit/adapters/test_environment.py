from pathlib import Path

import pytest

from passfloor.adapters.environment import agent_environment, check_names, passed_on
from passfloor.adapters.interface import AttemptSpec
from passfloor.errors import UsageError
from passfloor.models.suite import Task
from passfloor.workspaces.folder import AttemptFolder


@pytest.mark.parametrize(
    "name",
    [
        "PASSFLOOR_SIGNING_KEY",
        "PASSFLOOR_SIGNING_KEY_FILE",
        "PASSFLOOR_KEY_PASSWORD",
        "PASSFLOOR_HOME",
        "PASSFLOOR_SEED",
        "HOME",
        "TMPDIR",
        "",
        "A=B",
        "A B",
        "1A",
        "A\n",
    ],
)
def test_some_variables_are_never_let_through(name):
    with pytest.raises(UsageError):
        check_names(["FINE", name])


def test_ordinary_variables_are_let_through():
    check_names(["OPENAI_API_KEY", "_x", "PATH"])


def test_only_the_inherited_and_the_named_variables_are_passed_on_where_they_are_set():
    environ = {"PATH": "/bin", "TZ": "UTC", "SECRET": "x", "KEY": "k", "PASSFLOOR_SIGNING_KEY": "s"}
    assert passed_on(["KEY", "UNSET"], environ) == {"PATH": "/bin", "TZ": "UTC", "KEY": "k"}


def test_the_environment_of_an_attempt_is_exactly_this():
    task = Task.model_validate({"id": "../t", "description": ""})
    folder = AttemptFolder(Path("/r/pf-0"))
    attempt = AttemptSpec(2, "ab" * 32, "run/0/2", 7, 99)
    assert agent_environment({"PATH": "/bin"}, task, attempt, folder) == {
        "PATH": "/bin",
        "HOME": "/r/pf-0/home",
        "TMPDIR": "/r/pf-0/tmp",
        "PASSFLOOR_ATTEMPT_ID": "ab" * 32,
        "PASSFLOOR_ATTEMPT_SEED": "99",
        "PASSFLOOR_JOURNAL": "/r/pf-0/journal.jsonl",
        "PASSFLOOR_SEED": "7",
        "PASSFLOOR_TASK": "/r/pf-0/task.json",
        "PASSFLOOR_TASK_ID": "../t",
    }
