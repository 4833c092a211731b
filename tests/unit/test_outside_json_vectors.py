"""JSONTestSuite and the test data of RFC 8785, where they lie beside the project."""

from pathlib import Path

import pytest

from passfloor.canonical import canonical, parse, text
from passfloor.errors import JsonError

VECTORS = Path(__file__).parents[3] / "shared" / "vectors"
SUITE = sorted((VECTORS / "json" / "test_parsing").glob("*.json"))
FORMS = sorted((VECTORS / "jcs" / "testdata" / "outhex").glob("*.txt"))

# Valid JSON that is not I-JSON (RFC 7493), and why.
NOT_I_JSON = {
    "y_object_duplicated_key.json": "occurs twice",
    "y_object_duplicated_key_and_value.json": "occurs twice",
}


def ask(path: Path) -> str | None:
    """Return the refusal, or None."""
    try:
        value = parse(path.read_bytes()).value
    except JsonError as error:
        return str(error)
    assert canonical(parse(text(value)).value) == canonical(value)
    return None


def named(paths: list[Path], prefix: str) -> list[object]:
    found = [pytest.param(path, id=path.name) for path in paths if path.name.startswith(prefix)]
    absent = pytest.mark.skip(reason=f"no outside vectors at {VECTORS.parent.name}/{VECTORS.name}")
    return found or [pytest.param(None, marks=absent, id="absent")]


@pytest.mark.parametrize("path", named(SUITE, "n_"))
def test_what_is_not_json_is_refused(path):
    assert ask(path) is not None


@pytest.mark.parametrize("path", named(SUITE, "y_"))
def test_json_is_accepted_unless_it_is_not_i_json(path):
    reason = NOT_I_JSON.get(path.name)
    refusal = ask(path)
    if reason is None:
        assert refusal is None
    else:
        assert reason in refusal


@pytest.mark.parametrize("path", named(SUITE, "i_"))
def test_what_parsers_may_judge_either_way_ends_in_a_value_or_in_our_refusal(path):
    refusal = ask(path)
    if refusal is None:
        # Only numbers too small to be told from zero are read.
        assert path.name in {"i_number_double_huge_neg_exp.json", "i_number_real_underflow.json"}


@pytest.mark.parametrize("path", named(FORMS, ""))
def test_the_canonical_form_is_that_of_the_rfc_8785_test_data(path):
    source = path.parents[1] / "input" / f"{path.stem}.json"
    parsed = parse(source.read_bytes())
    expected = bytes.fromhex(path.read_text())
    assert canonical(parsed.value, plain=parsed.plain) == expected
    assert canonical(parsed.value) == expected
    assert text(parsed.value) == expected
