"""From any end of a verb to one line and one code."""

import pytest
import typer

from passfloor.cli import entry
from passfloor.cli.signals import Stopped
from passfloor.errors import EnvironmentFault, PolicyError, UsageError


@pytest.fixture
def ends(monkeypatch, capsys):
    """Runs a verb that ends by raising; returns the code and what was said on stderr."""

    def end(error):
        app = typer.Typer(add_completion=False, rich_markup_mode=None)

        @app.command()
        def verb():
            raise error

        monkeypatch.setattr(entry, "app", app)
        code = entry.run([])
        told = capsys.readouterr()
        assert told.out == ""
        return code, told.err

    return end


STOPPED = Stopped(2)
STOPPED.detail = "after 2 of 6 attempts; nothing was sealed"


BUG = "a bug of passfloor: ZeroDivisionError: a\\nb (set PASSFLOOR_TRACEBACK=1 for the traceback)"
NO_MEMORY = "out of memory; lower the limit with --max-bytes or give the process more"
CLOSED = PermissionError(13, "Permission denied", "/x\ny")


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (UsageError("no suite 'x'"), 2, "no suite 'x'"),
        (PolicyError("too old"), 3, "too old"),
        (EnvironmentFault("disk full"), 4, "disk full"),
        (CLOSED, 4, "the system refused '/x\\ny': Permission denied"),
        (MemoryError(), 4, NO_MEMORY),
        (ZeroDivisionError("a\nb"), 70, BUG),
        (Stopped(2), 130, "interrupted"),
        (STOPPED, 130, "interrupted after 2 of 6 attempts; nothing was sealed"),
        (Stopped(15), 143, "told to end"),
        (KeyboardInterrupt(), 130, ""),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_every_end_is_one_line_and_one_code(ends, error, code, said):
    assert ends(error) == (code, f"passfloor: {said}\n" if said else "")


def test_a_verb_s_own_code_is_passed_on(ends):
    assert ends(typer.Exit(3)) == (3, "")
    assert ends(typer.Exit()) == (0, "")


def test_a_bug_shows_its_traceback_when_asked(ends, monkeypatch):
    monkeypatch.setenv("PASSFLOOR_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        ends(ZeroDivisionError())


def test_a_group_without_a_command_shows_its_help_as_talk(capsys):
    for words in ([], ["bench"], ["key"]):
        assert entry.run(words) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err.startswith("Usage: passfloor")


def test_a_value_with_a_line_break_stays_on_one_line(capsys):
    assert entry.run(["bench", "run", "golden-v1", "--reliability", "1", "--no\nsuch"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--reliability", "abc"], "--reliability 'abc': give a whole number"),
        (["--reliability=1.5"], "--reliability '1.5': give a whole number"),
        (["--reliability", "1", "--timeout", "soon"], "--timeout 'soon': give a number"),
    ],
)
def test_a_number_that_is_none_is_refused_with_what_was_given(capsys, words, said):
    assert entry.run(["bench", "run", "golden-v1", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"passfloor: {said}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-k", "x"], "--k 'x'"),
        (["--k", "3", "--k", "y"], "--k 'y'"),
        (["--k=3z"], "--k '3z'"),
        (["--max-bytes", "1e3"], "--max-bytes '1e3'"),
    ],
)
def test_what_is_no_number_is_named_with_its_option_and_the_value_that_counts(capsys, words, said):
    assert entry.run(["bench", "report", "receipt.json", *words]) == 2
    assert capsys.readouterr().err.startswith(f"passfloor: {said}: give a whole number (see ")
