"""The planter plants what it says, one fault at a time; the known survivors have their reasons."""

import ast
import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

import operators  # noqa: E402

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


def test_every_known_survivor_has_its_reason():
    listed = json.loads((HERE / "survivors.json").read_text())
    root = HERE.parents[1] / "src" / "passfloor"
    for entry in listed:
        assert entry["because"].strip()
        assert entry["in"].rpartition(".")[2] in (root / entry["file"]).read_text(encoding="utf-8")
