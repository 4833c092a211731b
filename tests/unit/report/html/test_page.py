"""The page as text: nothing in it loads or acts but its own style and script, and every mark stands on it."""

import base64
import hashlib
import html
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from passfloor.errors import UsageError
from passfloor.report.html import MOST_BYTES, Enclosure, html_report

ACTIVE = "</script><img src=x onerror=alert(1)><!--]]>"


class Elements(HTMLParser):
    """All elements in order, with their attributes and the text of those that are raw."""

    def __init__(self, page):
        super().__init__()
        self.found, self.raw, self._in = [], {}, None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        self._in = (tag, len(self.found)) if tag in {"script", "style"} else None

    def handle_endtag(self, tag):
        self._in = None

    def handle_data(self, data):
        if self._in:
            self.raw[self._in] = self.raw.get(self._in, "") + data


@pytest.fixture
def page(from_counts):
    return html_report(from_counts({"steady": "pp", ACTIVE: "pw"}))


def test_the_page_is_ascii_so_that_no_locale_breaks_it(page):
    assert page.isascii()
    assert page.startswith("<!doctype html>")


def test_the_policy_lets_through_the_styles_and_the_script_by_digest_and_nothing_else(page):
    elements = Elements(page)
    policy = next(attrs["content"] for tag, attrs in elements.found if attrs.get("http-equiv"))
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for tag in ("style", "script"):
        digests = {
            f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
            for (name, _), text in elements.raw.items()
            if name == tag
        }
        assert set(rules[f"{tag}-src"].split()) == digests


def test_nothing_is_loaded_and_no_attribute_acts(page):
    for tag, attrs in Elements(page).found:
        assert tag not in {"img", "link", "iframe", "object", "embed", "base"}
        assert not {"src", "style", "srcset", "action"} & set(attrs)
        assert not [name for name in attrs if name.startswith("on")]
        assert attrs.get("href", "#").startswith("#")


def test_text_of_others_is_text(page):
    assert ACTIVE not in page
    assert html.escape(ACTIVE) in page


def test_characters_that_act_on_a_reader_are_escaped_wherever_the_template_puts_them(enveloped, sealed):
    script = {"bidi": ["yes", "no"]}
    envelope = enveloped(sealed(script, k=1), picker="\u202egood\x1b[31m", who_checks="oracle")
    page = html_report(envelope)
    assert "&#8238;" not in page
    assert r"\u202egood\x1b[31m picks an attempt" in page


@pytest.mark.parametrize(("allow", "mark"), [(True, "TEST-GRADE"), (False, "UNVERIFIED")])
def test_what_rests_on_no_trusted_signature_is_marked(enveloped, sealed, allow, mark):
    page = html_report(enveloped(sealed(), allow_stub=allow))
    assert f"<title>{mark}: own-v1" in page
    assert f'<span class="mark">{mark}</span>' in page
    assert page.count('<div class="watermark"') == (mark == "UNVERIFIED")


def test_what_a_check_statement_says_stands_beside_the_coordination(enveloped, sealed):
    envelope = enveloped(sealed())
    assert 'id="replay"' not in html_report(envelope)
    told = replace(envelope, source=replace(envelope.source, check="replayed 4 of 4 attempts <b>"))
    assert '<dd id="replay">replayed 4 of 4 attempts &lt;b&gt;</dd>' in html_report(told)
    causal = replace(envelope, source=replace(envelope.source, rule="causal"))
    assert '<dd id="replay">not proved by one' in html_report(causal)


def test_rows_are_marked_unsealed_and_carry_no_receipt(page):
    assert "<title>UNSEALED: rows.jsonl" in page
    assert '<div class="watermark"' in page
    assert "There is none: these are bare rows" in page
    assert 'id="receipt"' not in page


def test_the_receipt_stands_in_the_page_and_its_key_in_the_field(enveloped, sealed):
    page = html_report(enveloped(sealed()), Enclosure(b'{"a":"</script>"}\n', "k" * 43))
    assert '<script type="application/json" id="receipt">\n{"a":"\\u003c/script\\u003e"}\n</script>' in page
    assert f'<input id="key" value="{"k" * 43}"' in page


def test_a_receipt_that_is_too_large_is_left_out_and_the_page_says_so(enveloped, sealed):
    page = html_report(enveloped(sealed()), Enclosure(b" " * (MOST_BYTES + 1)))
    assert 'id="receipt"' not in page
    assert "it has 8.0 MiB, and a page carries 8 MiB at most" in page


def test_without_the_receipt_the_page_says_where_to_look(enveloped, sealed):
    assert "The receipt is not in this page; check the file itself" in html_report(enveloped(sealed()))


def test_without_the_extra_one_line_says_what_to_install(from_counts, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(UsageError, match=re.escape("pip install 'passfloor[html]'")):
        html_report(from_counts({"a": "p"}))
