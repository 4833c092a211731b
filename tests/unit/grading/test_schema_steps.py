"""How much work a schema takes is counted alike by every release: where it is too much, nothing is judged."""

import json
from functools import reduce

import pytest

from passfloor.grading import CannotJudge
from passfloor.grading.kinds import schema_engine
from passfloor.grading.kinds.schema_engine import satisfies, validator_of


def judged(schema, instance):
    """True or False, None where it takes too much."""
    try:
        return satisfies(validator_of(schema), json.loads(json.dumps(instance)))
    except CannotJudge:
        return None


def members(count):
    return {f"a{number}": 1 for number in range(count)}


def letters(count):
    return "a" * count


def lists_in_lists(depth):
    return reduce(lambda inner, _: [inner], range(depth), 1)


LISTS = {"$defs": {"l": {"items": {"$ref": "#/$defs/l"}}}, "$ref": "#/$defs/l"}
STEPS = [
    # One for the keyword, and one for each member of its value.
    ({}, 1, 0),
    ({"type": "integer"}, 1, 1),
    ({"type": ["integer", "string"]}, 1, 3),
    ({"required": ["a", "b"]}, {"a": 1, "b": 2}, 3),
    ({"not": {"type": "string"}}, 1, 3),
    ({"allOf": [{"type": "integer"}, {"minimum": 1}]}, 1, 5),
    ({"anyOf": [{"type": "string"}, {"minimum": 1}]}, 1, 5),
    (LISTS, [[1], [2, 3]], 23),
    # One for 1,024 of weight: 16 for every value, one for every character.
    ({"type": "string"}, letters(985), 1),
    ({"type": "string"}, letters(986), 2),
    ({"type": "array"}, [[letters(935)]], 1),
    ({"type": "array"}, [[letters(954)]], 1),
    ({"type": "array"}, [[letters(955)]], 2),
    ({"type": "object"}, {"k": letters(952)}, 1),
    ({"type": "object"}, {"k": letters(953)}, 2),
    ({"type": "object"}, {"k" * 16: letters(937)}, 1),
    ({"type": "object"}, {"k" * 16: letters(938)}, 2),
    # One for each item that is looked at.
    ({"items": {"type": "integer"}}, [1, 2, 3], 8),
    ({"contains": {"const": 3}}, [1, 2, 3], 11),
    ({"propertyNames": {"pattern": "^a"}}, {"a": 1, "ab": 2}, 10),
    ({"patternProperties": {"^a": True, "^b": True}}, {"a": 1, "b": 2, "c": 3}, 18),
    ({"additionalProperties": True}, {"a": 1, "b": 2}, 3),
    # One for 64 characters that RE2 reads, two to start it.
    ({"pattern": "a"}, letters(63), 3),
    ({"pattern": "a"}, letters(64), 4),
    ({"pattern": "a"}, letters(127), 4),
    ({"pattern": "a"}, letters(128), 5),
    # One for 16 of the weight that is compared.
    ({"const": letters(100)}, letters(15), 2),
    ({"const": letters(100)}, letters(16), 3),
    ({"const": letters(16)}, letters(100), 3),
    ({"enum": [letters(15), letters(100), 1]}, letters(32), 9),
    ({"const": [letters(15)]}, [letters(15)], 4),
    ({"enum": []}, [], 1),
    ({"uniqueItems": True}, [letters(15)], 3),
    ({"uniqueItems": True}, [letters(16)], 4),
    ({"uniqueItems": True}, [letters(20), ["b"]], 6),
    ({"uniqueItems": False}, [1, 2], 1),
    ({"uniqueItems": True}, letters(100), 1),
    # One for each name that another one asks for.
    ({"dependentRequired": {"a": ["b", "c"], "d": ["e"]}}, {"a": 1, "b": 1, "c": 1}, 6),
    ({"properties": {"a": {"type": "integer"}}}, {}, 2),
    # What stands where no keyword is need not have the shape of one.
    ({"$ref": "#/default", "default": {"enum": "abc"}}, "zzz", 3),
    ({"$ref": "#/default", "default": {"dependentRequired": ["a"]}}, 1, 3),
    # A hundredth of the square where what was evaluated is searched.
    ({"unevaluatedItems": True}, [1] * 9, 10),
    ({"unevaluatedItems": True}, [1] * 10, 12),
    ({"unevaluatedProperties": True}, members(9), 10),
    ({"unevaluatedProperties": True}, members(30), 41),
]


@pytest.mark.parametrize(("schema", "instance", "steps"), STEPS)
def test_steps_are_counted_alike_by_every_release(schema, instance, steps, monkeypatch):
    monkeypatch.setattr(schema_engine, "MAX_STEPS", steps)
    assert judged(schema, instance) is not None
    monkeypatch.setattr(schema_engine, "MAX_STEPS", steps - 1)
    assert (judged(schema, instance) is None) is (steps > 0)


@pytest.mark.parametrize(("items", "expected"), [(492_307, True), (492_308, None)])
def test_a_schema_may_take_half_a_million_steps(items, expected):
    assert judged({"items": True}, [1] * items) is expected


def test_a_schema_may_apply_a_hundred_keywords_inside_one_another():
    # Two for each list, one for the number inside, one for the reference before.
    assert judged(LISTS, lists_in_lists(49)) is True
    assert judged({"items": {"$ref": "#"}}, lists_in_lists(49)) is True
    assert judged({"items": {"$ref": "#"}}, lists_in_lists(50)) is None


def test_keywords_that_ended_make_no_room_for_others():
    schema = {**LISTS, "allOf": [{"type": "array"}] * 10 + [{"$ref": "#/$defs/l"}]}
    assert judged(schema, lists_in_lists(48)) is True
    assert judged(schema, lists_in_lists(49)) is None


def test_keywords_that_end_are_not_inside_one_another():
    assert judged({"allOf": [{"type": "integer"}] * 200}, 1) is True
    assert judged({"anyOf": [{"type": "string"}] * 200}, 1) is False
