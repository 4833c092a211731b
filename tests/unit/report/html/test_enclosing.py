"""The receipt inside the page: the same values, and nothing that an HTML parser acts on."""

import json

import pytest

from passfloor.canonical import canonical, parse
from passfloor.report.html import MOST_BYTES, Enclosure
from passfloor.report.html.enclosing import enclosed

HOSTILE = "</script><!--<script>]]>&amp;\u202e\u2028\U0001f600\u007f\x00\t\r\nend"


@pytest.mark.parametrize("name", ["value", HOSTILE])
def test_the_embedded_text_has_the_canonical_form_of_the_file(name):
    document = {name: HOSTILE, "n": [1, 0.5, None, True], "x": {"": ""}}
    content = json.dumps(document, ensure_ascii=False, indent=1).encode()
    assert canonical(parse(enclosed(content).encode()).value) == canonical(document)


def test_no_character_ends_or_nests_a_script_element():
    text = enclosed(json.dumps({"x": HOSTILE}, ensure_ascii=False).encode())
    assert text.isascii()
    assert not set("<>&\x7f") & set(text)


def test_blanks_between_values_stay_blanks():
    assert enclosed(b'{\r\n\t"a":\t1\r}') == '{\n\n\n"a":\n1\n}'


def test_a_receipt_up_to_the_cap_fits():
    assert Enclosure(b"x" * MOST_BYTES).fits
    assert not Enclosure(b"x" * (MOST_BYTES + 1)).fits


def test_two_hashes_are_kept_apart_so_that_no_log_of_a_job_changes_the_receipt():
    document = {"##[error]x": "### ##vso[task]"}
    text = enclosed(json.dumps(document).encode())
    assert "##" not in text
    assert parse(text.encode()).value == document
