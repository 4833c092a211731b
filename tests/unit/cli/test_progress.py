"""What is seen of a run while it goes on."""

import io
import sys
import threading

import pytest
from rich.console import Console

from passfloor.cli.display import Display
from passfloor.cli.outputs import hide
from passfloor.cli.progress import Tally, progress
from passfloor.models.receipt import Attempt, AttemptError
from passfloor.models.suite import Suite, Task


def attempt(task, index, outcome="passed"):
    error = AttemptError(type="exit", detail="exit\x1b status 3") if outcome == "errored" else None
    members = {"outcome": outcome, "passed": outcome == "passed", "error": error, "index": index}
    return Attempt.model_construct(task_id=task.id, **members)


@pytest.fixture
def suite():
    tasks = [Task.model_validate({"id": name, "description": ""}) for name in ("[red]a", "b\N{PACKAGE}")]
    return Suite(version="s", tasks=tasks)


class Terminal(io.StringIO):
    """A terminal whose content is kept."""

    def isatty(self):
        return True


@pytest.fixture
def on_a_terminal(monkeypatch):
    """Puts a terminal in place of stderr; called inside the test, where pytest has put its own."""

    def put(term):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setenv("TERM", term)
        monkeypatch.delenv("CI", raising=False)
        return terminal

    return put


def test_off_a_terminal_an_attempt_is_one_plain_line(suite, capsys):
    a, b = suite.tasks
    with progress(suite, 2, quiet=False) as shown:
        shown.finished(a, attempt(a, 0))
        shown.finished(a, attempt(a, 1, "wrong"))
        shown.say("hint: x")
        shown.finished(b, attempt(b, 0, "errored"))
    assert capsys.readouterr().err.splitlines() == [
        "[1/4] [red]a attempt 0: passed",
        "[2/4] [red]a attempt 1: wrong",
        "hint: x",
        "[3/4] b\N{PACKAGE} attempt 0: errored (exit: exit\\x1b status 3)",
    ]


def test_quiet_is_quiet_about_progress_alone(suite, capsys):
    with progress(suite, 2, quiet=True) as shown:
        shown.finished(suite.tasks[0], attempt(suite.tasks[0], 0))
        shown.say("hint: x")
    assert capsys.readouterr().err == "hint: x\n"


@pytest.mark.parametrize("term", ["dumb", "unknown"])
def test_a_terminal_that_cannot_draw_gets_lines(suite, on_a_terminal, term):
    terminal = on_a_terminal(term)
    with progress(suite, 1, quiet=False) as shown:
        shown.finished(suite.tasks[0], attempt(suite.tasks[0], 0))
    assert terminal.getvalue() == "[1/2] [red]a attempt 0: passed\n"


def test_a_terminal_gets_the_display(suite, on_a_terminal):
    terminal = on_a_terminal("xterm")
    with progress(suite, 1, quiet=False) as shown:
        assert isinstance(shown, Display)
        shown.finished(suite.tasks[0], attempt(suite.tasks[0], 0))
        shown.say("hint: [red]x")
    assert "hint: [red]x" in terminal.getvalue()


def test_the_display_names_what_runs_what_came_out_and_what_is_flaky(suite):
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=80, color_system=None)
    a, b = suite.tasks
    with Display(suite, 4, console) as shown:
        assert list(shown.lines()) == []
        shown.began(a, 0)
        assert [line.plain for line in shown.lines()] == ["running [red]a attempt 0"]
        for index, outcome in enumerate(("passed", "wrong", "errored")):
            shown.finished(a, attempt(a, index, outcome))
        for index in range(3):
            shown.began(b, index)
        shown.began(a, 3)
        assert [line.plain for line in shown.lines()] == [
            "running b\N{PACKAGE} attempt 0, b\N{PACKAGE} attempt 1, b\N{PACKAGE} attempt 2 and 1 more",
            "flaky so far: [red]a",
        ]
        shown.finished(a, attempt(a, 3, "passed"))
        for index in range(3):
            shown.finished(b, attempt(b, index))
        assert [line.plain for line in shown.lines()] == ["flaky so far: [red]a"]
    assert "5 passed, 1 wrong, 1 errored" in screen.getvalue()
    assert "7/8" in screen.getvalue()


def test_what_was_finished_in_an_earlier_sitting_is_counted(suite, capsys):
    with progress(suite, 2, quiet=False, done=3) as shown:
        shown.began(suite.tasks[1], 1)
        shown.finished(suite.tasks[1], attempt(suite.tasks[1], 1))
    assert capsys.readouterr().err == "[4/4] b\N{PACKAGE} attempt 1: passed\n"
    screen = io.StringIO()
    with Display(suite, 2, Console(file=screen, force_terminal=True, width=80, color_system=None), done=3):
        pass
    assert "3/4" in screen.getvalue()


def test_the_display_ends_with_the_cursor_shown_also_when_it_is_interrupted(suite):
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=80)
    with pytest.raises(KeyboardInterrupt), Display(suite, 1, console):
        raise KeyboardInterrupt
    assert screen.getvalue().rindex("\x1b[?25h") > screen.getvalue().rindex("\x1b[?25l")


def test_only_the_first_flaky_tasks_are_named():
    tasks = [Task.model_validate({"id": f"t{number}", "description": ""}) for number in range(7)]
    shown = Display(Suite(version="s", tasks=tasks), 2, Console(file=io.StringIO()))
    for task in tasks:
        shown.finished(task, attempt(task, 0))
        shown.finished(task, attempt(task, 1, "wrong"))
    assert [line.plain for line in shown.lines()] == ["flaky so far: t0, t1, t2, t3, t4 and 2 more"]


def test_what_a_terminal_is_told_is_scrubbed_as_all_talk_is(suite):
    screen = io.StringIO()
    hide(lambda text: text.replace("secret", "[x]"))
    try:
        with Display(
            suite, 1, Console(file=screen, force_terminal=True, width=80, color_system=None)
        ) as shown:
            shown.say("a secret")
    finally:
        hide()
    assert "a [x]" in screen.getvalue()
    assert "secret" not in screen.getvalue()


@pytest.mark.parametrize(("said", "draws"), [("true", False), ("1", False), ("false", True), ("", True)])
def test_in_a_job_of_ci_even_a_terminal_gets_plain_lines(suite, on_a_terminal, monkeypatch, said, draws):
    terminal = on_a_terminal("xterm-256color")
    monkeypatch.setenv("CI", said)
    with progress(suite, 1, quiet=False) as shown:
        shown.finished(suite.tasks[0], attempt(suite.tasks[0], 0))
    assert ("\x1b" in terminal.getvalue()) is draws
    assert (terminal.getvalue() == "[1/2] [red]a attempt 0: passed\n") is not draws


def test_a_line_said_on_a_terminal_is_no_command_wherever_the_width_would_break_it(suite):
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=40, color_system=None)
    with Display(suite, 1, console) as shown:
        shown.say("::error::first")
        shown.say("w" * 39 + " ::error::wrapped")
    said = screen.getvalue()
    assert "\\x3a:error::first" in said
    assert "w" * 39 + " ::error::wrapped" in said


def test_the_flaky_tasks_can_be_asked_for_while_attempts_are_added():
    tally, tasks = Tally(), [Task.model_validate({"id": f"t{i}", "description": ""}) for i in range(3000)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def add():
        for task in tasks:
            tally.add(task, attempt(task, 0))
            tally.add(task, attempt(task, 1, "wrong"))

    adding = threading.Thread(target=add)
    try:
        adding.start()
        while adding.is_alive():
            tally.flaky()
        adding.join()
    finally:
        sys.setswitchinterval(before)
    assert tally.flaky() == "t0, t1, t2, t3, t4 and 2995 more"
