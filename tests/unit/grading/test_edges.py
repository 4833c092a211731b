"""Where a grader would answer otherwise by one step."""

import pytest

from passfloor.grading.kinds import source_bounds
from passfloor.grading.kinds.python_source import _is_setter
from passfloor.grading.scorer import events_of
from passfloor.grading.unjudged import CannotJudge


def test_as_many_brackets_as_allowed_are_no_more():
    most = source_bounds.MAX_BRACKETS
    for text in ("(" * most, "()" * most + "(" * most, "]" * most + "[" * most):
        source_bounds.refuse_brackets(text)
    for text in (
        "(" * (most + 1),
        "(()" + "(" * most,
        "()" * most + "{" * (most + 1),
        "]" * most + "[" * (most + 1),
    ):
        with pytest.raises(CannotJudge):
            source_bounds.refuse_brackets(text)


def test_as_many_tokens_as_allowed_are_no_more():
    many = "a;a\n" * 33_333
    source_bounds.refuse_text(many + "a")
    with pytest.raises(CannotJudge):
        source_bounds.refuse_text(many + "a b")


def test_only_the_second_and_third_function_of_a_property_are_setters():
    import ast

    def first(source):
        return ast.parse(source).body[0]

    assert _is_setter(first("@size.setter\ndef size(self, value): ..."))
    assert _is_setter(first("@size.deleter\ndef size(self): ..."))
    assert not _is_setter(first("@functools.cache\ndef size(): ..."))
    assert not _is_setter(first("@cache\ndef size(): ..."))


def test_what_is_no_list_of_events_is_none():
    assert events_of({"events": [1]}) == [1]
    assert events_of({"events": {"0": 1}}) == []
    assert events_of({}) == []


def test_another_name_of_the_same_module_is_not_the_symbol():
    import ast

    from passfloor.grading.kinds.python_names import _imports

    def imported(source, symbol):
        return _imports(ast.parse(source).body[0], symbol)

    assert imported("from json import loads", "json.loads")
    assert imported("from json import loads", "json")
    assert not imported("from json import dumps", "json.loads")
    assert imported("import os.path", "os")
    assert not imported("import osx", "os")
