"""The planter plants what it says, one fault at a time; the known survivors have their reasons."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

import operators  # noqa: E402
import planting  # noqa: E402

SOURCE = '''
def within(values, low: int = 0, high=9):
    """Which values lie between the ends."""
    if not values:
        raise ValueError(f"no values, {low}")
    return [value for value in values if low <= value and value < high]
'''


def planted():
    tree = ast.parse(SOURCE).body[0]
    tree.body = tree.body[1:]
    return [operators.plant(tree, number) for number in range(operators.mutants(tree))]


def test_every_fault_is_another_and_can_be_compiled():
    texts = [ast.unparse(tree) for tree, _, _ in planted()]
    assert len(set(texts)) == len(texts) > 8
    original = ast.parse(SOURCE).body[0]
    original.body = original.body[1:]
    assert ast.unparse(original) not in texts
    for text in texts:
        compile(text, "planted", "exec")


def test_a_fault_is_told_with_its_line():
    told = {(line, done) for _, line, done in planted()}
    assert (4, "not values -> values") in told
    assert (6, "value < high -> value <= high") in told
    assert (6, "without low <= value") in told
    assert all(4 <= line <= 6 for line, _ in told)


def test_defaults_annotations_and_words_for_people_are_left_alone():
    for tree, _, _ in planted():
        text = ast.unparse(tree)
        assert "low: int=0, high=9" in text
        assert "no values, {low}" in text or "raise" not in text


def told(source):
    return operators.told(ast.parse(source).body[0])


@pytest.mark.parametrize(
    "written",
    ['Literal["a", "b"]', "tuple[int, ...]", "str | None", "ast.Load | ast.Store", 'TypeVar("T", bound=int)'],
)
def test_a_name_for_a_type_is_told_from_a_value(written):
    assert operators.is_type(ast.parse(written, mode="eval").body)


@pytest.mark.parametrize("written", ["TIMING | {SAMPLE}", "A | B", 'TABLE["a"]', 'frozenset({"a"})', "1 | 2"])
def test_a_value_is_told_from_a_name_for_a_type(written):
    assert not operators.is_type(ast.parse(written, mode="eval").body)


def test_of_several_types_each_is_left_out_once():
    assert told("isinstance(value, dict | list)")[1:] == ["dict | list -> dict", "dict | list -> list"]
    assert told("found = seen | new") == ["seen | new -> seen & new"]


def test_faults_that_are_alike_are_told_apart():
    assert told("found = pair(1, 1)") == ["1 -> 2", "1 -> 2 (2)"]


def test_no_is_not_exchanged_for_nothing():
    assert told("return False") == ["False -> True"]
    assert told("return True") == ["True -> False"]
    assert "return found -> return None" in told("return found")


def test_types_and_lists_of_what_is_public_are_no_units(tmp_path):
    module = tmp_path / "module.py"
    module.write_text('__all__ = ["a"]\nKind = Literal["a"]\nLIMIT: int = 7\n')
    (unit,) = planting.units_of(module)
    assert (unit.name, unit.line, unit.faults) == ("LIMIT", 3, ("7 -> 8",))


REACHES = """
import sys
sys.path[:0] = sys.argv[1:]
import planting
from passfloor import canonical
from passfloor.errors import JsonError
file = sys.modules["passfloor.canonical.refusal"].__file__
unit = next(unit for unit in planting.units_of(file) if unit.name == "MAX_DEPTH")
planting.Planted(unit, unit.faults.index("64 -> 65")).apply(planting.Live())
assert canonical.MAX_DEPTH == 65
canonical.parse(b"[" * 65 + b"]" * 65)
"""


def test_a_changed_constant_reaches_who_imported_it_and_the_defaults_made_of_it():
    words = [sys.executable, "-c", REACHES, str(HERE), str(planting.SOURCE)]
    assert subprocess.run(words, check=False).returncode == 0


def test_every_known_survivor_is_a_fault_of_today_and_has_its_reason():
    listed = json.loads((HERE / "survivors.json").read_text(encoding="utf-8"))
    files = {entry["file"] for entry in listed}
    units = [unit for file in files for unit in planting.units_of(planting.SOURCE / "passfloor" / file)]
    planted = {(unit.place, unit.name, fault) for unit in units for fault in unit.faults}
    for entry in listed:
        assert entry["because"].strip()
        assert (entry["file"], entry["in"], entry["fault"]) in planted
