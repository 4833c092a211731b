"""Every kind of assertion: what passes, what fails, what cannot be judged."""

import hashlib
import warnings
from typing import get_args

import pytest
from pydantic import TypeAdapter

from passfloor.errors import UsageError
from passfloor.grading import (
    Attested,
    CannotJudge,
    CapturedFile,
    Evidence,
    evaluate,
    fault_of,
    unsupported,
    versions_of,
)
from passfloor.grading.registry import GRADERS
from passfloor.models.assertions import CODE_KINDS, Assertion
from passfloor.models.suite import Suite

ASSERTION = TypeAdapter(Assertion)
CUT = object()
DRAFT = "https://json-schema.org/draft/2020-12/schema"


def seen(stdout="", *, exit_code=0, files=None, tools=(), starting=None, cut=False):
    """Evidence; a file given as (data, CUT) was cut short."""
    captured = {}
    for path, data in (files or {}).items():
        short = isinstance(data, tuple)
        data = data[0] if short else data
        captured[path] = CapturedFile(data.encode() if isinstance(data, str) else data, cut=short)
    return Evidence(stdout, cut, exit_code, captured, tuple(tools), starting or {})


def holds(kind, evidence, **members):
    return evaluate(ASSERTION.validate_python({"kind": kind, **members}), evidence)


def py(source, **more):
    return seen(files={"a.py": source, **more})


SHA = hashlib.sha256(b"x\n").hexdigest()
FUNCTIONS = '''
def top():
    """Adds up."""

class Shape:
    def area(self):
        """The area.

        In square metres,
        at least.
        """
    @property
    def name(self):
        """The name."""
    @name.setter
    def name(self, value):
        pass
    def blank(self):
        """   """
    def both(self): "one"

class Other:
    def both(self): "two"

def outer():
    async def inner():
        "Inside."

def twice(): "first"
def twice(): pass
'''

IMPORTED = {"importer": "rows", "rule": {"outcome": "outcome"}}
TRUE = [
    ("completed", seen(cut=True, exit_code=None), {}),
    ("imported", seen('{"outcome": "passed"}'), IMPORTED),
    ("exit_code", seen(exit_code=3), {"expected": 3}),
    ("output_equals", seen("yes\n"), {"expected": "yes"}),
    ("output_equals", seen("yes\r\n"), {"expected": "yes\n"}),
    ("output_equals", seen("yes"), {"expected": "yes\n"}),
    ("output_equals", seen("yes\n"), {"expected": "yes\n", "exact": True}),
    ("output_contains", seen("a yes b"), {"text": "yes"}),
    ("output_not_contains", seen("a b"), {"text": "yes"}),
    ("output_matches", seen("total 12\n"), {"pattern": r"^total \d+$"}),
    ("output_matches", seen("größe"), {"pattern": "^gr..e$"}),
    ("output_matches", seen("a\n"), {"pattern": r"a\n$", "exact": True}),
    ("number_close", seen(" 42\n"), {"value": 42}),
    ("number_close", seen("42.0"), {"value": 42}),
    ("number_close", seen("0.1"), {"value": 0.1}),
    ("number_close", seen("-4.2e1"), {"value": -42}),
    ("number_close", seen("-0"), {"value": 0}),
    ("number_close", seen("41"), {"value": 42, "abs_tol": 1}),
    ("number_close", seen("99"), {"value": 100, "rel_tol": 0.01, "abs_tol": 0.5}),
    ("number_close", seen("9007199254740993"), {"value": 9007199254740992, "abs_tol": 1}),
    ("number_close", seen("1" + "0" * 308), {"value": 1e308, "rel_tol": 0.001}),
    ("number_close", seen("9" * 600), {"value": 1e308, "rel_tol": 1e308}),
    ("number_close", seen("15" + "0" * 29), {"value": 1e30, "abs_tol": 1e30}),
    ("number_close", seen("1e-999999999"), {"value": 0}),
    ("json_equals", seen('{"a": 1.0, "b": [true]}\n'), {"expected": {"b": [True], "a": 1}}),
    ("json_path", seen('{"a": [{"b/c": 7}]}'), {"pointer": "/a/0/b~1c", "expected": 7}),
    ("json_path", seen("[1]"), {"pointer": "", "expected": [1]}),
    ("json_path", seen('{"": {"~1": null}}'), {"pointer": "//~01", "expected": None}),
    ("json_path", seen('{"01": 5}'), {"pointer": "/01", "expected": 5}),
    ("json_schema", seen('{"n": 1}'), {"schema": {"type": "object", "required": ["n"]}}),
    ("json_path", seen('["0"]'), {"pointer": "/0", "expected": "0"}),
    ("json_schema", seen("1"), {"schema": True}),
    ("json_schema", seen("1"), {"schema": {"pattern": "^y"}}),
    ("json_schema", seen("[1]"), {"schema": {"patternProperties": {"": False}}}),
    ("json_schema", seen("[1]"), {"schema": {"additionalProperties": False}}),
    (
        "json_schema",
        seen("1"),
        {"schema": {"$id": DRAFT, "$ref": "#/$defs/one", "$defs": {"one": {"const": 1}}}},
    ),
    ("json_schema", seen('"ab1"'), {"schema": {"pattern": r"^\pL+\d$"}}),
    (
        "json_schema",
        seen("[[1]]"),
        {"schema": {"$defs": {"l": {"items": {"$ref": "#/$defs/l"}}}, "$ref": "#/$defs/l"}},
    ),
    ("json_schema", seen('"no date"'), {"schema": {"format": "date"}}),
    (
        "json_schema",
        seen('{"x-a": 1, "b": "t"}'),
        {
            "schema": {
                "properties": {"b": True},
                "patternProperties": {"^x-": {"type": "integer"}},
                "additionalProperties": False,
            }
        },
    ),
    ("json_schema", seen("[1, true, 2, {}]"), {"schema": {"uniqueItems": True}}),
    ("json_schema", seen("[1, 1]"), {"schema": {"uniqueItems": False}}),
    ("json_schema", seen("{}"), {"schema": {"$schema": "https://json-schema.org/draft/2020-12/schema"}}),
    ("json_schema", seen('{"$schema": "s"}'), {"schema": {"properties": {"$schema": {"type": "string"}}}}),
    ("file_exists", seen(files={"a": ("", CUT)}), {"path": "a"}),
    ("file_absent", seen(files={"a": ""}), {"path": "b"}),
    ("content_eq", seen(files={"a": "x\n"}), {"path": "a", "expected": "x"}),
    ("content_eq", seen(files={"a": "x\n"}), {"path": "a", "expected": "x\n", "exact": True}),
    ("contains", seen(files={"a": "wxyz"}), {"path": "a", "text": "xy"}),
    ("file_sha256", seen(files={"a": "x\n"}), {"path": "a", "expected": SHA}),
    (
        "line_count_delta",
        seen(files={"a": b"1\n2\r\n3"}, starting={"a": b"1\n2\n"}),
        {"path": "a", "max_delta": 1},
    ),
    ("line_count_delta", seen(files={"a": b"1\n2\n"}), {"path": "a", "max_delta": 2}),
    ("line_count_delta", seen(files={"a": b"1\n\xff"}), {"path": "a", "max_delta": 2}),
    ("line_count_delta", seen(files={"a": b""}, starting={"a": b"1\n"}), {"path": "a", "max_delta": -1}),
    ("line_count_delta", seen(files={"a": "a\x0bb\x85c\rd"}), {"path": "a", "max_delta": 1}),
    ("syntax_valid", py("x = 1\n"), {}),
    ("syntax_valid", py("x = 1\n", **{"b.py": "y"}), {"path": "a.py"}),
    ("syntax_valid", py("x = 1\n", **{"a.txt": "y", "apy": "z"}), {}),
    ("syntax_valid", py("\ufeffx = 'ü'\n"), {}),
    ("syntax_valid", py(""), {}),
    ("syntax_valid", py(r"x = '\d'"), {}),
    ("symbol_present", py("def f(a, *, b=1): return a.c(d=e)"), {"symbol": "d"}),
    ("symbol_present", py("import os.path as p"), {"symbol": "path"}),
    ("symbol_present", py("from a.b import c as d"), {"symbol": "b"}),
    ("symbol_present", py("def f():\n global g"), {"symbol": "g"}),
    ("symbol_present", py("try: pass\nexcept E as err: pass"), {"symbol": "err"}),
    ("symbol_present", py("match x:\n case {**rest}: pass"), {"symbol": "rest"}),
    ("symbol_present", py("match x:\n case P(kw=1): pass"), {"symbol": "kw"}),
    ("symbol_present", py(FUNCTIONS), {"symbol": "Shape.area"}),
    ("symbol_present", py("self.os.system('x')"), {"symbol": "os.system"}),
    ("symbol_present", py("from os import system"), {"symbol": "os.system"}),
    ("symbol_present", py("import a.b.c"), {"symbol": "a.b"}),
    ("no_symbol", py("x = 'eval'  # eval"), {"symbol": "eval"}),
    ("no_symbol", py("import os; os.path"), {"symbol": "os.system"}),
    ("no_symbol", py("a.system\nself.a.system\nf().system"), {"symbol": "os.system"}),
    ("no_symbol", py("from . import a\nfrom .. import b"), {"symbol": "b.a"}),
    ("no_unused_import", py("x = 1"), {}),
    ("no_unused_import", py("import os\nos.getcwd()"), {}),
    ("no_unused_import", py("import os.path\nos.path"), {}),
    ("no_unused_import", py("from __future__ import annotations"), {}),
    ("no_unused_import", py("import os\nos += 1"), {}),
    ("no_unused_import", py("import os\nos.path += f()"), {}),
    ("no_unused_import", py("import os\ndef f(a, b=os): pass"), {}),
    ("no_unused_import", py("import os\nx: 'not Python(' = os"), {}),
    ("no_unused_import", py("import os\nx: '\\ud800' = os"), {}),
    ("no_unused_import", py("from a import B\nx: B[1, 'y']"), {}),
    ("no_unused_import", py("from a import B\nasync def f() -> 'B': pass"), {}),
    ("no_unused_import", py("from a import b\n__all__: list[str] = ['b']"), {}),
    ("no_unused_import", py("from a import b\n__all__.extend(['b'])"), {}),
    ("no_unused_import", py("x: 'y'\n" * 1_001), {}),
    ("no_unused_import", py("import x as x\nfrom y import z as z\nfrom w import *"), {}),
    (
        "no_unused_import",
        py("from a import b, c, d\n__all__ = ['b']\n__all__ += ['c']\n__all__.append('d')"),
        {},
    ),
    ("no_unused_import", py("from a import B, C, D\ndef f(x: 'B') -> 'list[\"C\"]': y: 'D'"), {}),
    (
        "no_unused_import",
        py("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n from a import B\nx: B"),
        {},
    ),
    ("has_docstring", py(FUNCTIONS), {"function": "top"}),
    ("has_docstring", py(FUNCTIONS), {"function": "Shape.area"}),
    ("has_docstring", py(FUNCTIONS), {"function": "area"}),
    ("has_docstring", py(FUNCTIONS), {"function": "Shape.name"}),
    ("has_docstring", py(FUNCTIONS), {"function": "outer.inner"}),
    ("docstring_contains", py(FUNCTIONS), {"function": "top", "text": "Adds"}),
    (
        "docstring_contains",
        py('def f():\n  """One.\n\n    Two.\n   Three."""'),
        {"function": "f", "text": "\n Two.\nThree."},
    ),
    ("docstring_contains", py(FUNCTIONS), {"function": "area", "text": "metres,\nat least"}),
    ("docstring_contains", py(FUNCTIONS), {"function": "area", "text": "metres,\n        at least"}),
    ("tool_called", seen(tools=["a", "b"]), {"tool": "b"}),
    ("tool_not_called", seen(tools=["a"]), {"tool": "b"}),
    ("call_count", seen(tools=["a", "b", "a"]), {"tool": "a", "min": 2, "max": 2}),
    ("call_count", seen(tools=["a"]), {"tool": "a"}),
]

FALSE = [
    ("imported", seen('{"outcome": "wrong"}'), IMPORTED),
    ("exit_code", seen(exit_code=0), {"expected": 3}),
    ("exit_code", seen(exit_code=None), {"expected": 0}),
    ("output_equals", seen("yes\n\n"), {"expected": "yes"}),
    ("output_equals", seen(" yes"), {"expected": "yes"}),
    ("output_equals", seen("yes\n"), {"expected": "yes", "exact": True}),
    ("output_contains", seen("no"), {"text": "yes"}),
    ("output_not_contains", seen("yes"), {"text": "yes"}),
    ("output_matches", seen("total x"), {"pattern": r"^total \d+$"}),
    ("output_matches", seen("a\n"), {"pattern": "a$", "exact": True}),
    ("number_close", seen("43"), {"value": 42}),
    ("number_close", seen("9007199254740993"), {"value": 9007199254740992}),
    ("number_close", seen("-42"), {"value": 42, "abs_tol": 83}),
    ("number_close", seen("98"), {"value": 100, "rel_tol": 0.01}),
    ("number_close", seen("9" * 1_000_000), {"value": 1e308, "rel_tol": 1e308}),
    ("number_close", seen("-" + "9" * 1_000_000), {"value": 0}),
    ("number_close", seen("1" + "0" * 5000), {"value": 0}),
    ("number_close", seen("0." + "9" * 1_000_000), {"value": 0}),
    *[
        ("number_close", seen(text), {"value": 1, "abs_tol": 99})
        for text in (
            "",
            "1 2",
            "01",
            "+1",
            "1.",
            ".5",
            "1_0",
            "0x1",
            "١",
            "1e",
            "nan",
            "one",
            '"1"',
            "\u00a01",
            "true",
        )
    ],
    ("json_equals", seen("{"), {"expected": {}}),
    ("json_equals", seen('{"a":1,"a":1}'), {"expected": {"a": 1}}),
    ("json_equals", seen("1"), {"expected": True}),
    ("json_equals", seen('"1"'), {"expected": 1}),
    ("json_equals", seen("[" * 100_000), {"expected": []}),
    ("json_equals", seen("\ud800"), {"expected": ""}),
    ("json_equals", seen("\ud800"), {"expected": None}),
    ("json_equals", seen(""), {"expected": None}),
    ("json_path", seen("[1,2]"), {"pointer": "/00", "expected": 1}),
    ("json_path", seen("[1,2]"), {"pointer": "/-", "expected": 2}),
    ("json_path", seen("[1,2]"), {"pointer": "/-1", "expected": 2}),
    ("json_path", seen("[1,2]"), {"pointer": "/9999999999999999999999", "expected": 2}),
    ("json_path", seen("[1,2]"), {"pointer": "/١", "expected": 2}),
    ("json_path", seen("[1,2]"), {"pointer": "/2", "expected": 2}),
    ("json_path", seen('{"a": "x"}'), {"pointer": "/a/0", "expected": "x"}),
    ("json_path", seen('{"a": "x"}'), {"pointer": "/a/x", "expected": "x"}),
    ("json_path", seen("{}"), {"pointer": "/a", "expected": None}),
    ("json_path", seen("{"), {"pointer": "", "expected": None}),
    ("json_schema", seen("{}"), {"schema": {"required": ["n"]}}),
    ("json_schema", seen("1"), {"schema": False}),
    ("json_schema", seen("{"), {"schema": True}),
    ("json_schema", seen("true"), {"schema": {"type": "integer"}}),
    ("json_schema", seen('"x"'), {"schema": {"pattern": "^y"}}),
    ("json_schema", seen('{"x-a": "1"}'), {"schema": {"patternProperties": {"^x-": {"type": "integer"}}}}),
    (
        "json_schema",
        seen('{"c": 1}'),
        {
            "schema": {
                "properties": {"b": True},
                "patternProperties": {"^x-": True},
                "additionalProperties": False,
            }
        },
    ),
    ("json_schema", seen("[{}, {}]"), {"schema": {"uniqueItems": True}}),
    ("json_schema", seen("[1, 1.0]"), {"schema": {"uniqueItems": True}}),
    (
        "json_schema",
        seen('{"a": 1, "b": 2}'),
        {"schema": {"properties": {"a": True}, "unevaluatedProperties": False}},
    ),
    ("file_exists", seen(), {"path": "a"}),
    ("file_absent", seen(files={"a": ("", CUT)}), {"path": "a"}),
    ("content_eq", seen(), {"path": "a", "expected": ""}),
    ("content_eq", seen(files={"a": "y"}), {"path": "a", "expected": "x"}),
    ("content_eq", seen(files={"a": b"\xff"}), {"path": "a", "expected": "\ufffd"}),
    ("content_eq", seen(files={"a": "x\n"}), {"path": "a", "expected": "x", "exact": True}),
    ("contains", seen(files={"a": "xy"}), {"path": "a", "text": "yx"}),
    ("contains", seen(files={"a": b"xy\xff"}), {"path": "a", "text": "xy"}),
    ("contains", seen(), {"path": "a", "text": "xy"}),
    ("file_sha256", seen(files={"a": "x"}), {"path": "a", "expected": SHA}),
    ("file_sha256", seen(), {"path": "a", "expected": SHA}),
    ("line_count_delta", seen(files={"a": b"1\n2\n3"}), {"path": "a", "max_delta": 2}),
    ("line_count_delta", seen(files={"a": b"1\n2\n"}), {"path": "a", "max_delta": 1}),
    ("line_count_delta", seen(starting={"a": b"1\n"}), {"path": "a", "max_delta": 5}),
    ("syntax_valid", py("x = "), {}),
    ("syntax_valid", py("x = 1\0"), {}),
    ("syntax_valid", py(b"# -*- coding: latin-1 -*-\nx = '\xe4'"), {}),
    ("syntax_valid", py("type X = int"), {}),
    ("syntax_valid", py("(" * 100), {}),
    ("syntax_valid", seen(), {"path": "a.py"}),
    ("symbol_present", py("x = 'f'"), {"symbol": "f"}),
    ("symbol_present", py("f = "), {"symbol": "f"}),
    ("symbol_present", py(FUNCTIONS), {"symbol": "Shape.missing"}),
    ("symbol_present", seen(), {"symbol": "f", "path": "a.py"}),
    ("no_symbol", py("eval('1')"), {"symbol": "eval"}),
    ("no_symbol", py("import os\nos.system('x')"), {"symbol": "os.system"}),
    ("no_symbol", py("x = "), {"symbol": "eval"}),
    ("no_symbol", seen(), {"symbol": "eval", "path": "a.py"}),
    ("no_unused_import", py("import os"), {}),
    ("no_unused_import", py("import os\nos = 1"), {}),
    ("no_unused_import", py("import os.path as p\nos"), {}),
    ("no_unused_import", py("from a import b as c\nb"), {}),
    ("no_unused_import", py("def f():\n import os"), {}),
    ("no_unused_import", py("import os\nx = 'os'"), {}),
    ("no_unused_import", py("from __future__ import annotations\nimport os"), {}),
    ("no_unused_import", py("from a import b as b, c"), {}),
    ("no_unused_import", py("import os\n__all__: list[str]"), {}),
    ("no_unused_import", py("import os\nx: str = 'os'"), {}),
    ("no_unused_import", py("import os\nx += 'os'"), {}),
    ("no_unused_import", py("import os\nx.append('os')\nf('os')"), {}),
    ("no_unused_import", py("import os\na.__all__ = ['os']"), {}),
    ("no_unused_import", py("import os\n__all__.remove('os')"), {}),
    ("no_unused_import", py("import"), {}),
    ("no_unused_import", seen(), {"path": "a.py"}),
    *[
        ("has_docstring", py(FUNCTIONS), {"function": name})
        for name in ("blank", "Shape.blank", "both", "inner", "Shape", "twice", "missing", "Shape.top")
    ],
    ("has_docstring", py("class f: 'x'"), {"function": "f"}),
    ("has_docstring", py("def f(): f'x'"), {"function": "f"}),
    ("has_docstring", py("def f(: 'x'"), {"function": "f"}),
    ("docstring_contains", py(FUNCTIONS), {"function": "top", "text": "adds"}),
    ("docstring_contains", py("def f():\n  'One\\n  \\n  '"), {"function": "f", "text": "One\n \n"}),
    ("docstring_contains", py(FUNCTIONS), {"function": "twice", "text": "first"}),
    ("docstring_contains", seen(), {"function": "f", "text": "first", "path": "a.py"}),
    ("tool_called", seen(tools=["a"]), {"tool": "b"}),
    ("tool_not_called", seen(tools=["b"]), {"tool": "b"}),
    ("call_count", seen(tools=["a"]), {"tool": "a", "min": 2}),
    ("call_count", seen(tools=["a", "a"]), {"tool": "a", "max": 1}),
]

EXPONENTIAL = {
    "$defs": {
        "d40": {"enum": list(range(5_000))},
        **{f"d{i}": {"allOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(40)},
    },
    "$ref": "#/$defs/d0",
}
UNJUDGED = [
    *[(kind, seen("1", cut=True), members) for kind, members in (
        ("output_equals", {"expected": "1"}), ("output_contains", {"text": "2"}),
        ("output_not_contains", {"text": "2"}), ("output_matches", {"pattern": "2"}),
        ("number_close", {"value": 1}), ("json_equals", {"expected": 1}),
        ("json_path", {"pointer": "", "expected": 1}), ("json_schema", {"schema": True}))],
    *[(kind, seen(files={"a": ("x", CUT)}), {"path": "a", **members}) for kind, members in (
        ("content_eq", {"expected": "x"}), ("contains", {"text": "x"}), ("file_sha256", {"expected": SHA}),
        ("line_count_delta", {"max_delta": 9}), ("syntax_valid", {}), ("symbol_present", {"symbol": "x"}),
        ("no_symbol", {"symbol": "y"}), ("no_unused_import", {}), ("has_docstring", {"function": "f"}),
        ("docstring_contains", {"function": "f", "text": "x"}))],
    *[("number_close", seen(text), {"value": 1}) for text in
      ("NaN", "Infinity", "-Infinity", "1e400", "-1E+400", "1e999999999", "9" * 400 + ".5")],
    *[("json_equals", seen(text), {"expected": 1}) for text in ("NaN", "[Infinity]", '{"a": 1e400}')],
    ("json_path", seen('{"a": 1, "b": NaN}'), {"pointer": "/a", "expected": 1}),
    ("json_equals", seen("1"), {"expected": 2**60}),
    ("json_path", seen("{}"), {"pointer": "a", "expected": 1}),
    ("json_path", seen("{}"), {"pointer": "/~2", "expected": 1}),
    ("json_schema", seen("NaN"), {"schema": True}),
    *[("json_schema", seen("1"), {"schema": schema}) for schema in (
        {"$ref": "https://example.org/schema"}, {"$ref": "other.json"}, {"$ref": "#/$defs/missing"},
        {"$ref": "#"}, {"type": "no such type"}, {"multipleOf": 0}, {"pattern": "("}, EXPONENTIAL,
        {"$schema": "http://json-schema.org/draft-07/schema#"}, {"$ref": DRAFT},
        {"const": 2**60}, {"unevaluatedProperties": False, "patternProperties": {}},
        {"properties": {"a": {"$schema": DRAFT}}}, {"properties": {"default": {"$id": DRAFT, "$ref": "#"}}},
        {"unevaluatedProperties": False, "patternProperties": {"a": True}})],
    ("json_schema", seen("{" + ",".join(f'"{i}":0' for i in range(20_000)) + "}"),
     {"schema": {"unevaluatedProperties": False}}),
    ("output_matches", seen("x"), {"pattern": "("}),
    ("output_matches", seen("x"), {"pattern": r"(.)\1"}),
    ("output_matches", seen("x"), {"pattern": "((.{1000}){1000}){1000}"}),
    ("output_matches", seen("\ud800"), {"pattern": "x"}),
    ("output_matches", seen("x"), {"pattern": "\ud800"}),
    ("syntax_valid", seen(), {}),
    ("syntax_valid", py("x", **{"b.py": "y"}), {}),
    ("syntax_valid", py("(" * 10_000), {}),
    ("syntax_valid", py("x = " + "-" * 500_000 + "1"), {}),
    ("syntax_valid", py("x = " + "-" * 9_000 + "1"), {}),
    ("syntax_valid", py("x = 1" + " + 1" * 100_000), {}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "evidence", "members"), TRUE)
def test_it_holds(kind, evidence, members):
    assert holds(kind, evidence, **members) is True


@pytest.mark.parametrize(("kind", "evidence", "members"), FALSE)
def test_it_does_not_hold(kind, evidence, members):
    assert holds(kind, evidence, **members) is False


@pytest.mark.parametrize(("kind", "evidence", "members"), UNJUDGED)
def test_it_cannot_be_judged(kind, evidence, members):
    with pytest.raises(CannotJudge) as raised:
        holds(kind, evidence, **members)
    assert "\n" not in str(raised.value)


def test_every_declared_kind_has_a_grader_and_a_case_of_each_answer():
    kinds = {get_args(model.model_fields["kind"].annotation)[0] for model in get_args(get_args(Assertion)[0])}
    assert set(GRADERS) == kinds
    assert {kind for kind, _, _ in TRUE} == kinds - CODE_KINDS
    assert {kind for kind, _, _ in FALSE} == kinds - CODE_KINDS - {"completed"}


@pytest.mark.parametrize(
    ("kind", "members"), [("command", {"argv": ["true"]}), ("python", {"grader": "checks:ok"})]
)
def test_a_grader_with_code_cannot_be_evaluated_here(kind, members):
    with pytest.raises(Attested, match="its grader is code, which was not run"):
        holds(kind, seen("x"), **members)


@pytest.mark.parametrize("kind", ["output_matches", "pattern", "patternProperties", "additionalProperties"])
def test_a_catastrophic_pattern_over_long_output_is_linear(kind):
    bomb, text = "^(a|a)*(a+)+$", "a" * 200_000 + "b"
    if kind == "output_matches":
        assert not holds(kind, seen(text), pattern=bomb)
    elif kind == "pattern":
        assert not holds("json_schema", seen(f'"{text}"'), schema={"pattern": bomb})
    elif kind == "patternProperties":
        assert holds("json_schema", seen(f'{{"{text}": 1}}'), schema={kind: {bomb: False}})
    else:
        schema = {"patternProperties": {bomb: True}, kind: False}
        assert not holds("json_schema", seen(f'{{"{text}": 1}}'), schema=schema)


def test_unique_items_over_long_output_compares_no_pairs():
    items = ",".join(f'{{"a":{number}}}' for number in range(60_000))
    assert holds("json_schema", seen(f"[{items}]"), schema={"uniqueItems": True})


@pytest.mark.parametrize("action", ["error", "always"])
def test_warnings_of_the_parser_change_no_verdict_and_reach_nobody(action):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)
        assert holds("syntax_valid", py("x = '\\d' is 1or 2"))
    assert caught == []


def test_a_suite_names_the_versions_of_the_kinds_it_uses():
    assertions = [{"kind": "output_equals", "expected": ""}, {"kind": "completed"}]
    tasks = [{"id": name, "description": "", "assertions": assertions} for name in ("a", "b")]
    suite = Suite.model_validate({"version": "v", "tasks": tasks})
    assert list(versions_of(suite.tasks).items()) == [("completed", "1"), ("output_equals", "1")]
    assert unsupported(versions_of(suite.tasks)) == []


def test_versions_and_kinds_that_are_not_in_the_registry_are_named():
    assert unsupported({"completed": "2", "telepathy": "1", "contains": "1"}) == [
        "completed/2",
        "telepathy/1",
    ]
    with pytest.raises(UsageError, match="completed/2"):
        evaluate(ASSERTION.validate_python({"kind": "completed"}), seen(), "2")


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        ({"kind": "output_matches", "pattern": "("}, "not RE2: missing ): ("),
        ({"kind": "json_path", "pointer": "a", "expected": 1}, "RFC 6901"),
        ({"kind": "json_schema", "schema": {"patternProperties": {"(": True}}}, "not RE2"),
        ({"kind": "json_schema", "schema": {"anyOf": [{"pattern": "("}]}}, "not RE2"),
        ({"kind": "json_schema", "schema": {"const": 2**60}}, "not JSON"),
        ({"kind": "json_schema", "schema": {"$ref": "a.json"}}, "$ref leads out"),
        ({"kind": "json_schema", "schema": {"$dynamicRef": "a.json"}}, "$dynamicRef leads out"),
        ({"kind": "json_schema", "schema": {"type": 1}}, "invalid at"),
        ({"kind": "call_count", "tool": "a", "min": 2, "max": 1}, "below"),
    ],
)
def test_an_assertion_that_nothing_could_satisfy_is_named_beforehand(members, fault):
    assert fault in (fault_of(ASSERTION.validate_python(members)) or "")


@pytest.mark.parametrize(("kind", "_evidence", "members"), TRUE)
def test_an_assertion_that_something_satisfies_has_no_fault(kind, _evidence, members):
    assert fault_of(ASSERTION.validate_python({"kind": kind, **members})) is None
