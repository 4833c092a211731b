"""The threat model's table and the vectors hold each other up: neither can lose a row without the other."""

import fnmatch
import json
import re

import pytest


@pytest.fixture(scope="module")
def threats():
    import threats

    return threats


def rows(threats):
    return [attack for attacks in threats.ATTACKS.values() for attack in attacks]


def test_every_refused_receipt_stands_for_an_attack_of_the_table(threats):
    assert threats.unclaimed() == []


def test_every_attack_has_a_vector_or_a_test_and_what_is_refused_has_an_honest_twin(threats):
    held = threats.held_by()
    for attack in rows(threats):
        assert held[attack.words] or attack.tests, attack.words
        assert attack.twins or not held[attack.words], attack.words


def test_every_pattern_names_a_vector(threats):
    names = [re.sub(r"(_resealed|_unsealed)?_fail$", "", folder.name) for folder in threats.refused()]
    for attack in rows(threats):
        for pattern in attack.patterns:
            assert fnmatch.filter(names, pattern), pattern


def test_every_twin_is_a_receipt_that_matches(threats):
    for attack in rows(threats):
        for twin in attack.twins.split():
            expected = json.loads((threats.VECTORS / twin / "expected.json").read_text())
            assert (expected["status"], expected["exit"]) == ("MATCH", 0), twin


def test_every_named_test_is_there(threats):
    for attack in rows(threats):
        for test in attack.tests:
            path, _, name = test.partition("::")
            assert f"def {name}(" in (threats.ROOT / path).read_text(encoding="utf-8"), test


def test_every_status_and_every_code_that_refuses_has_a_vector(threats):
    from passfloor.verification.findings import STATUS_OF

    found = {each["code"] for expected in threats.held_by().values() for each in expected}
    # Files of 4,000,000 values are made by a test.
    assert set(STATUS_OF) - found <= {"nodes"}


def test_whatever_is_edited_by_hand_and_sealed_again_is_there_both_ways(threats):
    names = {folder.name for folder in threats.refused()}
    for name in names:
        if name.endswith("_unsealed_fail") and name.replace("_unsealed_fail", "_resealed_fail") not in names:
            # Sealed again it is new evidence, or the signer's to say.
            made = {folder.name for folder in threats.VECTORS.iterdir()}
            assert (
                name.replace("_unsealed_fail", "_by_the_signer") in made
                or "_made_" in name
                or "_remade_" in name
            ), name
