"""Graders are functions of the evidence: neither the caller's stack nor the interpreter's settings matter."""

import ast
import os
import subprocess
import sys
from functools import reduce

import pytest
from pydantic import TypeAdapter

from passfloor.grading import CannotJudge, CapturedFile, Evidence, evaluate, fault_of
from passfloor.grading.kinds import python_source, schema_engine, source_bounds
from passfloor.models.assertions import Assertion

ASSERTION = TypeAdapter(Assertion)


def answer(source, **members):
    """True, False or None where it cannot be judged."""
    evidence = Evidence("", False, 0, {"a.py": CapturedFile(source.encode())}, (), {})
    try:
        return evaluate(ASSERTION.validate_python({"kind": "syntax_valid", **members}), evidence)
    except CannotJudge:
        return None


def schema_answer(schema, output):
    evidence = Evidence(output, False, 0, {}, (), {})
    try:
        return evaluate(ASSERTION.validate_python({"kind": "json_schema", "schema": schema}), evidence)
    except CannotJudge:
        return None


def from_depth(frames, call):
    return call() if frames == 0 else from_depth(frames - 1, call)


def nested(opening, middle, closing, times):
    return opening * times + middle + closing * times


SOURCES = {
    "a sum of 150 terms": ("x = 1" + " + 1" * 149, True),
    "a sum of 2,949 terms": ("x=1" + "+1" * 2948, None),
    "a sum over 300 lines": ("x = (1" + "\n + 1" * 300 + ")", None),
    "150 parentheses": ("x = " + nested("(", "1", ")", 150), True),
    "250 parentheses": ("x = " + nested("(", "1", ")", 250), None),
    "100 open braces": ("{" * 100 + ":", False),
    "101 open braces": ("{" * 101 + ":", None),
    "199 open braces": ("{" * 199 + ":", None),
    "a tree 200 deep": ("x = " + "-" * 197 + "1", True),
    "a tree 201 deep": ("x = " + "-" * 198 + "1", None),
    "lines that end as on an old Macintosh": ("#" * 9_000 + "\r#" + "#" * 9_000, True),
    "a line that a form feed does not end": ("#" * 9_000 + "\f" + "#" * 9_000, None),
    "150 nested lists": ("x = " + nested("[", "", "]", 150), True),
    "unclosed brackets in strings": ("x = '('\n" * 1000, True),
    "100 elif": ("if a: pass\n" + "elif a: pass\n" * 100, True),
    "300 elif": ("if a: pass\n" + "elif a: pass\n" * 300, None),
    "100 calls": ("f" + "()" * 100, True),
    "300 calls": ("f" + "()" * 300, None),
    "100 dots": ("import a" + ".b" * 100, True),
    "101 dots": ("import a" + ".b" * 101, None),
    "101 dots over lines": ("import a" + " \\\n . b" * 101, None),
    "640 digits": ("x = " + "1" * 640, True),
    "641 digits": ("x = " + "1" * 641, None),
    "641 digits and underscores": ("x = " + "1_1" * 250, None),
    "5,000 digits in a string": ("x = '" + "1" * 5000 + "'", True),
    "a line of 10,000 characters": ("#" * 10_000 + "\nx", True),
    "a line of 10,001 characters": ("#" * 10_001 + "\nx", None),
    "comments of single characters": (("#" * 63 + "\n") * 4096, None),
    "256 KiB of comment words": (("#" + "a" * 62 + "\n") * 4096, True),
    "more than 256 KiB": (("#" + "a" * 62 + "\n") * 4096 + "x", None),
    "more than 256 KiB of which 2 bytes a character": (("#" + "ä" * 62 + "\n") * 2200, None),
    "100,001 tokens": ("a;a;a;a;a\n" * 11_112, None),
}


@pytest.mark.parametrize("frames", [0, 500])
@pytest.mark.parametrize("name", SOURCES)
def test_source_gets_one_answer_from_any_depth_of_the_stack(name, frames):
    source, expected = SOURCES[name]
    python_source._tree.cache_clear()
    assert from_depth(frames, lambda: answer(source)) is expected


@pytest.mark.parametrize("limit", ["0", "640", "4300"])
def test_the_interpreters_limit_on_integers_changes_no_answer(limit):
    script = (
        "from passfloor.grading.kinds.python_source import parsed\n"
        "from passfloor.grading import CannotJudge\n"
        "for digits in (640, 641, 4301, 5000):\n"
        "    try: print(parsed('x=' + '1' * digits, 'exec') is not None)\n"
        "    except CannotJudge: print('cannot')\n"
    )
    environment = {**os.environ, "PYTHONINTMAXSTRDIGITS": limit}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "cannot", "cannot", "cannot"]


def test_a_file_that_several_assertions_look_at_is_parsed_once():
    python_source._tree.cache_clear()
    assert answer("import os\nos") is True
    assert answer("import os\nos", kind="no_unused_import") is True
    assert python_source._tree.cache_info().misses == 1


def test_annotations_in_quotes_are_bounded_in_number_and_length():
    many, long = 1_000, 1_000
    assert answer("import os\n" + "x: 'os'\n" * many, kind="no_unused_import") is True
    assert answer("import os\n" + "x: 'os'\n" * (many + 1), kind="no_unused_import") is None
    assert answer(f"import os\nx: 'os{' ' * (long - 2)}'", kind="no_unused_import") is True
    assert answer(f"import os\nx: 'os{' ' * (long - 1)}'", kind="no_unused_import") is None


def test_all_dotted_names_together_have_at_most_four_million_characters():
    tree = ast.parse("def f(): 0\ndef g(): 0")
    tree.body[0].name = "f" * 3_999_999
    assert len(list(python_source.definitions(tree))) == 2
    tree.body[1].name = "gg"
    with pytest.raises(CannotJudge):
        list(python_source.definitions(tree))


def test_long_names_inside_one_another_do_not_multiply():
    outer = "".join(" " * depth + "class " + "A" * 9_000 + ":\n" for depth in range(10))
    inner = (" " * 10 + "def f(): 0\n") * 500
    assert answer(outer + inner, kind="has_docstring", function="f") is None
    assert answer(outer + " " * 10 + "def f(): 'x'\n", kind="has_docstring", function="f") is True


@pytest.mark.parametrize(
    ("source", "symbol", "expected"),
    [
        ("import a.b.c", "a.b.c", True),
        ("import a.b.c", "b.c", False),
        ("import a.bc", "a.b", False),
        ("from a.b import c", "a.b", True),
        ("from a.b import c", "a.b.c", True),
        ("from a.b import c", "a.c", False),
        ("from . import c", "a.c", False),
    ],
)
def test_imports_are_found_by_their_dotted_names(source, symbol, expected):
    assert answer(source, kind="symbol_present", symbol=symbol) is expected


def test_texts_given_to_all_inside_one_another_are_each_seen():
    source = "from m import a, b\n__all__.append(__all__.append('a', 'b'))"
    assert answer(source, kind="no_unused_import") is True


LIST = {
    "$defs": {"l": {"anyOf": [{"type": "integer"}, {"items": {"$ref": "#/$defs/l"}}]}},
    "$ref": "#/$defs/l",
}
NAMES = "{" + ",".join(f'"b{number}":1' for number in range(1000)) + "}"
ITEMS = "[" + ",".join(["1"] * 1000) + "]"
PATTERNS = {f"^a{number}": True for number in range(100)}
SCHEMAS = {
    "lists in lists": (LIST, nested("[", "1", "]", 30), True),
    "lists in lists, too many": (LIST, nested("[", "1", "]", 50), None),
    "schemas in schemas": (reduce(lambda inner, _: {"not": inner}, range(60), True), "1", True),
    "names by patterns": ({"patternProperties": PATTERNS}, NAMES, True),
    "names by patterns, beside others": (
        {"patternProperties": PATTERNS, "additionalProperties": False},
        NAMES,
        False,
    ),
}


@pytest.mark.parametrize("frames", [0, 500])
@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_gets_one_answer_from_any_depth_of_the_stack(name, frames):
    schema, output, expected = SCHEMAS[name]
    schema_engine._validator.cache_clear()
    assert from_depth(frames, lambda: schema_answer(schema, output)) is expected


@pytest.mark.parametrize(
    ("keywords", "output", "least"),
    [
        ({"patternProperties": PATTERNS}, NAMES, 200_000),
        ({"patternProperties": PATTERNS, "additionalProperties": True}, NAMES, 400_000),
        ({"propertyNames": True}, NAMES, 1000),
        ({"contains": False}, ITEMS, 1000),
        ({"uniqueItems": True}, ITEMS, 1000),
        ({"items": True}, ITEMS, 1000),
        ({"dependentRequired": {"b1": [f"b{number}" for number in range(1000)]}}, NAMES, 1000),
        ({"pattern": "^a*$"}, '"' + "a" * 640_000 + '"', 10_000),
        ({"const": [1] * 900}, ITEMS, 900),
        ({"enum": [[1] * 900] * 5}, ITEMS, 4500),
        ({"type": "string"}, '["' + "a" * 1_024_000 + '"]', 1000),
    ],
)
def test_work_is_counted_in_steps(keywords, output, least, monkeypatch):
    monkeypatch.setattr(schema_engine, "MAX_STEPS", least)
    assert schema_answer(keywords, output) is None
    monkeypatch.setattr(schema_engine, "MAX_STEPS", 2 * least + 1000)
    assert schema_answer(keywords, output) is not None


def test_a_schema_of_too_many_values_is_refused_before_any_attempt():
    fits, over = ({"enum": list(range(schema_engine.MAX_NODES - extra))} for extra in (2, 1))
    assert fault_of(ASSERTION.validate_python({"kind": "json_schema", "schema": fits})) is None
    assert "10000 values" in fault_of(ASSERTION.validate_python({"kind": "json_schema", "schema": over}))


def test_a_tree_is_refused_by_the_depth_that_is_named():
    deep = "x = " + "-" * (source_bounds.MAX_DEPTH - 10) + "1"
    assert answer(deep) is True
    assert answer("x = " + "-" * source_bounds.MAX_DEPTH + "1") is None
