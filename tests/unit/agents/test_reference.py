"""The agent's sentences, its command line and its refusals."""

import ast
import json

import pytest

SHEET = b"item,kind,price,fee\nlamp,a,10,1.5\nrug,b,9.25,1\nbed,a,100,0\n"


def test_instructions_come_from_the_prompt_where_the_task_has_no_steps(bench):
    prompt = "Read `in.txt`. Sort the lines.\nDrop the blank lines. Write the result to `out.txt`."
    ended = bench.start({"in.txt": b"b\n\na\n"}, prompt=prompt)
    assert ended.status == 0
    assert ended.files["out.txt"] == b"a\nb\n"


def test_instructions_come_from_the_prompt_where_no_task_is_named(bench):
    ended = bench.start(
        {"in.txt": b"b\na"}, prompt="Read `in.txt`. Write the result to `x/out.txt`.", task=False
    )
    assert ended.files["x/out.txt"] == b"b\na\n"


def test_steps_win_over_the_prompt(bench):
    steps = ["Read `in.txt`.", "Turn the lines into upper case.", "Write the result to `in.txt`."]
    assert bench.start({"in.txt": b"a\n"}, steps, prompt="Sing a song.").files["in.txt"] == b"A\n"


@pytest.mark.parametrize(
    ("order", "lines"),
    [
        ("Sort the lines", "\nB\na\na\n"),
        ("Drop the blank lines", "a\nB\na\n"),
        ("Drop the repeated lines", "a\n\nB\n"),
        ("Turn the lines into upper case", "A\n\nB\nA\n"),
        ("Turn the lines into lower case", "a\n\nb\na\n"),
    ],
)
def test_lines_are_edited_as_a_whole(bench, order, lines):
    ended = bench.start({"in": b"a\n\nB\na\n"}, ["Read `in`.", f"{order}.", "Write the result to `out`."])
    assert ended.text("out") == lines


@pytest.mark.parametrize(
    ("order", "table"),
    [
        ("Keep the rows whose `kind` is `a`", "item\nlamp\nbed\n"),
        ("Keep the rows whose `kind` is not `a`", "item\nrug\n"),
        ("Drop the rows whose `kind` is `a`", "item\nrug\n"),
        ("Drop the rows whose `kind` is not `a`", "item\nlamp\nbed\n"),
        ("Sort the rows by `price`", "item\nlamp\nbed\nrug\n"),
        ("Sort the rows by `price` from smallest to largest", "item\nrug\nlamp\nbed\n"),
        ("Sort the rows by `kind`, then by `price` from largest to smallest", "item\nbed\nlamp\nrug\n"),
    ],
)
def test_rows_are_chosen_and_sorted(bench, order, table):
    steps = ["Read `in.csv`.", f"{order}.", "Write the column `item` to `out.csv`."]
    assert bench.start({"in.csv": SHEET}, steps).text("out.csv") == table


@pytest.mark.parametrize(
    ("operator", "values"), [("plus", "11.5 10.25 100"), ("minus", "8.5 8.25 100"), ("times", "15.0 9.25 0")]
)
def test_a_column_is_computed_exactly(bench, operator, values):
    steps = [
        "Read `in.csv`.",
        f"Add the column `new`, which is `price` {operator} `fee`.",
        "Write the column `new` to `out.csv`.",
    ]
    assert bench.start({"in.csv": SHEET}, steps).text("out.csv").split() == ["new", *values.split()]


def test_a_table_can_be_written_whole(bench):
    steps = ["Read `in.csv`.", "Sum `price` for each `kind`.", "Write the result to `out.csv`."]
    assert bench.start({"in.csv": SHEET}, steps).text("out.csv") == "kind,price\na,110\nb,9.25\n"


RENAME = {
    "pkg/__init__.py": ("", ""),
    "pkg/core.py": (
        "def f(x):\n    return f(x - 1) if x else 0\n\n\n__all__ = ['f']\n__all__ += ['ff']\nff = f\n",
        "def g(x):\n    return g(x - 1) if x else 0\n\n\n__all__ = ['g']\n__all__ += ['ff']\nff = g\n",
    ),
    "pkg/near.py": (
        "from .core import f as h\nfrom . import core\nf = 3\nprint(h(1), core.f(2), f)\n",
        "from .core import g as h\nfrom . import core\nf = 3\nprint(h(1), core.g(2), f)\n",
    ),
    "far.py": (
        "import pkg.core\nimport pkg.core as c\nimport other\npkg.core.f(c.f(other.f(1)))\n",
        "import pkg.core\nimport pkg.core as c\nimport other\npkg.core.g(c.g(other.f(1)))\n",
    ),
    "local.py": (
        "from pkg.core import f\ndef a(f):\n    return f(1)\ndef b():\n    return f(1), {'f': x.f}\n",
        "from pkg.core import g\ndef a(f):\n    return f(1)\ndef b():\n    return g(1), {'f': x.f}\n",
    ),
    "again.py": ("from local import f\nf(1)\n", "from local import g\ng(1)\n"),
    "star.py": ("from again import *\nf(1)\n", "from again import *\ng(1)\n"),
    "kept.py": (
        "from pkg.core import f as f\nfrom pkg.core import ff as x\nf(1)\n",
        "from pkg.core import g as f\nfrom pkg.core import ff as x\nf(1)\n",
    ),
    "swapped.py": ("from pkg.core import ff as f\nf(1)\n", "from pkg.core import ff as f\nf(1)\n"),
    "printed.py": (
        "from pkg.core import f\nprint(f'ü{f(1)}, {f(2)!r:>{f(3)}} f', f\"{f'{f(4)}'}\")\n",
        "from pkg.core import g\nprint(f'ü{g(1)}, {g(2)!r:>{g(3)}} f', f\"{f'{g(4)}'}\")\n",
    ),
    "other.py": ("from elsewhere import f\nf(2, f=3)\n", "from elsewhere import f\nf(2, f=3)\n"),
    "method.py": (
        "class A:\n    def f(self):\n        return self.f\n",
        "class A:\n    def f(self):\n        return self.f\n",
    ),
}


def test_a_rename_goes_by_scope(bench):
    files = {path: before.encode() for path, (before, _) in RENAME.items()}
    ended = bench.start(files, ["Rename the function `f` to `g` in every Python file."])
    assert ended.status == 0, ended.stderr
    assert {path: content.decode() for path, content in ended.files.items()} == {
        path: after for path, (_, after) in RENAME.items()
    }


def test_a_name_in_an_odd_string_is_renamed_right_or_not_at_all(bench):
    source = 'def f(x):\n    return x\n\n\ny = f"""\n  a {f(1)}\n {f(2)}"""\n'
    ended = bench.start({"m.py": source.encode()}, ["Rename the function `f` to `g` in every Python file."])
    wanted = 'def g(x):\n    return x\n\n\ny = f"""\n  a {g(1)}\n {g(2)}"""\n'
    if ended.status == 0:
        assert ended.text("m.py") == wanted
    else:
        assert (ended.status, ended.text("m.py")) == (1, source)
        assert "f-string" in ended.stderr


GUARDED = "try:\n    import a\nexcept ImportError:\n    a = None\na\n"
QUOTED = "from m import A, B\ndef f(x: 'list[A]') -> 'B': ...\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import a\nimport b.c\n\nprint(b)\n", "import b.c\n\nprint(b)\n"),
        ("import a, b, c\nb\n", "import b\nb\n"),
        ("import a as x, b as y, c as z\nx, z\n", "import a as x, c as z\nx, z\n"),
        ("from m import (\n    a,\n    b,\n    c,\n)\na\n", "from m import (\n    a,\n)\na\n"),
        ("import a; import b\nb\n", "pass; import b\nb\n"),
        ("import a  # old\nx = 1\n", "x = 1\n"),
        (
            "try:\n    import a\nexcept ImportError:\n    a = None\n",
            "try:\n    import a\nexcept ImportError:\n    a = None\n",
        ),
        ("def f():\n    import a\n", "def f():\n    pass\n"),
        ("from m import *\nimport a\n", "from m import *\n"),
        ("from m import a, b\n__all__ = ['b']\n", "from m import b\n__all__ = ['b']\n"),
        (
            "from m import A, B\ndef f(x: 'list[A]') -> 'B': ...\nimport c\n",
            "from m import A, B\ndef f(x: 'list[A]') -> 'B': ...\n",
        ),
    ],
)
def test_unused_imports_are_cut_out_and_nothing_else(bench, before, after):
    ended = bench.start({"m.py": before.encode(), "x": b""}, ["Remove the unused imports from `m.py`."])
    assert ended.text("m.py") == after
    ast.parse(after)


def test_tests_are_written_for_every_kind_of_example(bench):
    module = (
        "def f(x):\n"
        '    """Halve.\n\n'
        "    >>> f(4)\n    2\n"
        "    >>> f(\n    ...     0)\n    0\n\n"
        "    >>> f(3)\n    Traceback (most recent call last):\n        ...\n    ValueError: odd\n"
        "    >>> f(2) == 1\n    True\n"
        '    """\n'
    )
    steps = [
        "Write pytest tests for the function `f` of `lib/half.py` into `test_half.py`, "
        "one for each example in its docstring."
    ]
    ended = bench.start({"lib/half.py": module.encode()}, steps)
    assert ended.text("test_half.py") == (
        "import pytest\n\nfrom lib.half import f\n"
        "\n\ndef test_f_1():\n    assert f(4) == 2\n"
        "\n\ndef test_f_2():\n    assert f(\n            0) == 0\n"
        "\n\ndef test_f_3():\n    with pytest.raises(ValueError):\n        f(3)\n"
        "\n\ndef test_f_4():\n    assert (f(2) == 1) is True\n"
    )


def test_a_docstring_is_added_where_there_was_none(bench):
    source = b"class A:\n    def f(self):\n        return 1\n"
    steps = ['Add a docstring to `f` in `m.py` with the summary `Say """one""" \\ 1.`.']
    ended = bench.start({"m.py": source}, steps)
    function = ast.parse(ended.files["m.py"]).body[0].body[0]
    assert ast.get_docstring(function) == 'Say """one""" \\ 1.'
    assert ended.text("m.py").endswith("\n        return 1\n")


def test_the_journal_holds_one_call_an_edit(bench):
    steps = ["Read `in`.", "Write the result to `a`.", "Write the result to `b/ü`."]
    ended = bench.start({"in": b"x\n"}, steps)
    assert [json.loads(line) for line in ended.journal.splitlines()] == [
        {"kind": "tool.call", "tool": "write_file", "path": "a"},
        {"kind": "tool.call", "tool": "write_file", "path": "b/ü"},
    ]
    assert ended.stdout == "wrote a\nwrote b/ü\n"


def test_a_half_done_job_has_all_edits_but_the_last(bench):
    steps = ["Read `in`.", "Write the result to `a`.", "Write the result to `b`."]
    ended = bench.start({"in": b"x\n"}, steps, argv=["--flaky=1"])
    assert (ended.status, sorted(ended.files), ended.stdout) == (0, ["a", "in"], "wrote a\nleft out b\n")


def test_chance_does_not_come_from_the_seed(bench):
    steps = ["Read `in`.", "Write the result to `out`."]
    seed = {"PASSFLOOR_SEED": "0", "PASSFLOOR_ATTEMPT_SEED": "7", "PYTHONHASHSEED": "0"}
    seen = set()
    for _ in range(60):
        seen.add("out" in bench.start({"in": b""}, steps, argv=["--flaky", "0.5"], environment=seed).files)
        if len(seen) == 2:
            return
    pytest.fail("60 attempts with the same seed ended alike")


@pytest.mark.parametrize(
    "prompt",
    [
        "Sing a song.",
        "Read `in`. Then sing a song.",
        "",
        "What is 2 + 2?",
        "Remove the unused imports from in",
        "Write the result to `out` quickly.",
    ],
)
def test_a_sentence_it_does_not_know_is_exit_3_and_changes_nothing(bench, prompt):
    ended = bench.start({"in": b"x\n"}, prompt=prompt)
    assert ended.status == 3
    assert ended.files == {"in": b"x\n"}
    assert (ended.stdout, ended.journal) == ("", "")
    assert ended.stderr.startswith("passfloor-reference: ")
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ("Read `missing.txt`.", "cannot read missing.txt"),
        ("Read `../secret`.", "outside"),
        ("Read `/etc/hostname`.", "outside"),
        ("Read `latin.txt`.", "not UTF-8"),
        ("Sort the lines.", "no lines were read"),
        ("Write the result to `out`.", "no table was read"),
        ("Rename the function `nowhere` to `g` in every Python file.", "no Python file defines"),
        ("Rename the function `f` to `1g` in every Python file.", "not a Python name"),
        ("Remove the unused imports from `broken.txt`.", "not valid Python"),
        ("Add a docstring to `g` in `m.py` with the summary `x`.", "defines no function g"),
        ("Add a docstring to `f` in `m.py` with the summary `x`.", "no room"),
        ("Read `in.csv`. Sort the rows by `nothing`.", "no column nothing"),
        ("Read `in.csv`. Sum `item` for each `kind`.", "'lamp' is not a number"),
        ("Leave everything as it is.", "change nothing"),
        ("Remove the unused imports from `m.py`.", "change nothing"),
        ("Name the tests `a`, in the order of the examples.", "no tests to name"),
        ("List its parameters in a section `A:`, each with the comment beside it.", "no docstring to add to"),
        ("Read `in.csv`. Write the result to `../out`.", "outside"),
        ("Read `in.csv`. Write the result to `in.csv/out`.", "cannot write in.csv/out"),
    ],
)
def test_an_order_that_cannot_be_done_is_exit_1_and_one_line(bench, step, reason):
    files = {"m.py": b"def f(): return 1\n", "broken.txt": b"def", "in.csv": SHEET, "latin.txt": b"\xff"}
    ended = bench.start(files, [step])
    assert (ended.status, ended.stdout) == (1, "")
    assert reason in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert ended.files == files


@pytest.mark.parametrize(
    "argv",
    [
        ["--flaky"],
        ["--flaky", "x"],
        ["--flaky", "nan"],
        ["--flaky", "-0.1"],
        ["--flaky", "1.1"],
        ["--flaky="],
        ["--flaky", "0.1", "more"],
        ["--wobbly", "0.1"],
        ["task"],
    ],
)
def test_bad_usage_is_exit_2_before_anything_is_done(bench, argv):
    ended = bench.start({"in": b"x\n"}, ["Read `in`.", "Write the result to `out`."], argv=argv)
    assert ended.status == 2
    assert ended.files == {"in": b"x\n"}
    assert ended.stderr.count("\n") == 1


def test_a_task_file_that_cannot_be_read_is_exit_2(bench):
    ended = bench.start({}, environment={"PASSFLOOR_TASK": "/nowhere/task.json"})
    assert ended.status == 2
    assert "/nowhere/task.json" in ended.stderr


def test_help_lists_the_sentences_and_needs_no_task(bench):
    ended = bench.start({}, argv=["--help"], task=False)
    assert ended.status == 0
    assert "Rename the function `OLD` to `NEW` in every Python file." in ended.stdout


def test_the_console_entry_returns_the_exit_status(capsys):
    from passfloor.agents.reference import main

    assert main(["--flaky", "2"]) == 2
    assert capsys.readouterr().err == "passfloor-reference: --flaky 2: P is a number from 0 to 1\n"
