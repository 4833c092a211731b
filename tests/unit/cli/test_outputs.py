"""stdout and stderr."""

import errno
import io
import json
import sys

import pytest

from passfloor.cli.exits import Exit
from passfloor.cli.outputs import OutputLost, complain, delivered, hide, note, print_json, print_text


class Closing(io.StringIO):
    """A stream that fails as a descriptor fails."""

    encoding = "utf-8"

    def __init__(self, number):
        super().__init__()
        self.number = number

    def flush(self):
        raise OSError(self.number, "gone")

    def fileno(self):
        return 1


def test_json_is_one_ascii_document(capsys):
    print_json({"id": "\N{PACKAGE}", "surrogate": "\ud835"})
    out = capsys.readouterr().out
    assert out.isascii()
    assert json.loads(out)["id"] == "\N{PACKAGE}"


def test_talk_is_one_line_on_stderr_whatever_it_holds(capsys):
    note("a\nb\x1b[31m")
    complain("c\rd", Exit.USAGE)
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == "a\\nb\\x1b[31m\npassfloor: c\\rd\n"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_what_an_encoding_lacks_is_escaped(monkeypatch, encoding):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding, newline="\n"))
    print_text("x\N{PACKAGE}\u0416")
    assert raw.getvalue() == b"x\\U0001f4e6\\u0416\n"


@pytest.mark.parametrize("stream", [None, Closing(errno.EPIPE), Closing(errno.EIO)])
def test_talk_that_cannot_be_heard_is_no_error(monkeypatch, stream):
    monkeypatch.setattr(sys, "stderr", stream)
    note("x")
    assert complain("x", Exit.USAGE) is Exit.USAGE


@pytest.mark.parametrize(
    ("stream", "gone"), [(None, False), (Closing(errno.EPIPE), True), (Closing(errno.ENOSPC), False)]
)
def test_lost_output_is_told_from_a_reader_that_left(monkeypatch, stream, gone):
    monkeypatch.setattr(sys, "stdout", stream)
    for show in (lambda: print_text("x"), lambda: print_json({})):
        with pytest.raises(OutputLost) as lost:
            show()
        assert lost.value.gone is gone


def test_the_code_of_what_prints_is_passed_on():
    assert delivered(lambda: None) == 0
    assert delivered(lambda: 3) == 3


def test_lost_output_has_its_own_codes(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", None)
    assert delivered(lambda: print_text("x")) == Exit.UNDECIDED
    assert capsys.readouterr().err.startswith("passfloor: cannot write the output: standard output is closed")


def test_talk_passes_through_what_hides_secrets_until_that_is_taken_away(capsys):
    hide(lambda text: text.replace("secret", "[x]"))
    note("a secret")
    complain("no secret", Exit.USAGE)
    hide()
    note("a secret")
    assert capsys.readouterr().err == "a [x]\npassfloor: no [x]\na secret\n"


@pytest.mark.parametrize(
    ("start", "disarmed"),
    [
        ("::error::x", "\\x3a:error::x"),
        ("  ::notice::x", "  \\x3a:notice::x"),
        ("##[error]x", "\\x23#[error]x"),
        ("\t##[group]x", "\t\\x23#[group]x"),
        ("a ##[error]x", "a \\x23#[error]x"),
        ("a ##vso[task.x]y", "a \\x23#vso[task.x]y"),
    ],
)
def test_no_printed_or_said_line_is_a_command_to_a_ci_log(capsys, start, disarmed):
    print_text(f"first\n{start}\r{start}\n\nlast")
    note(start.lstrip("\t"))
    told = capsys.readouterr()
    assert told.out == f"first\n{disarmed}\r{disarmed}\n\nlast\n"
    assert told.err == f"{disarmed.lstrip(chr(9))}\n"
    print_text(told.out.removesuffix("\n"))
    assert capsys.readouterr().out == told.out


def test_what_begins_no_line_is_printed_as_it_is(capsys):
    text = "a::b ::error::x\n: ::x\n# #[x]\n  a ## [error]x\n"
    print_text(text)
    note("a::b ##x ::error::x")
    told = capsys.readouterr()
    assert (told.out, told.err) == (f"{text}\n", "a::b ##x ::error::x\n")


def test_no_json_line_is_a_command_to_a_ci_log(capsys):
    document = {"::error::x": ["::error::x", "a\n::error::x"], "##[error]x": "::\u2028::x"}
    print_json(document)
    out = capsys.readouterr().out
    assert json.loads(out) == document
    assert "##" not in out
    assert not [line for line in out.splitlines() if line.lstrip().startswith("::")]
