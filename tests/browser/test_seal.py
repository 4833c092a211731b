"""The receipt in the page, judged by the browser: green only where everything holds."""

import itertools
import json
import re
from pathlib import Path

import pytest

from passfloor.canonical import canonical, parse
from passfloor.errors import JsonError

OTHER_KEY = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
VECTORS = Path(__file__).parents[1] / "vectors" / "receipts"
GOOD = {"content": "good", "figures": "good", "signature": "good"}


def test_an_honest_receipt_is_green_with_the_key_of_its_signer(desk, signer_key):
    assert desk.sealed() == "good"
    assert desk.checks() == GOOD
    assert desk.one("#key").get_attribute("value") == signer_key
    assert desk.one(".seal").text.endswith("signed with this key, the one that came with the page")


def test_a_wrong_key_is_red_and_the_right_one_pasted_is_green_again(desk, signer_key):
    assert desk.check_with(OTHER_KEY) == "bad"
    assert desk.checks() == {**GOOD, "signature": "bad"}
    assert "signed by another key" in desk.one("#check-signature dd").text
    assert desk.check_with(f"  {signer_key} ") == "good"


def test_without_a_key_the_content_is_checked_and_the_signer_is_not(desk):
    assert desk.check_with("") == "open"
    assert desk.checks() == {**GOOD, "signature": "open"}


@pytest.mark.parametrize("key", ["short", "x" * 43, "é" * 43])
def test_what_is_no_key_is_red(desk, key):
    assert desk.check_with(key) == "bad"
    assert "this is not a key" in desk.one("#check-signature dd").text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"outcome":"wrong"', '"outcome":"passed"'),
        ('"sample":{"exit_code":0', '"sample":{"exit_code":1'),
        ('"k":3,', '"k":2,'),
        ('"k_reason":null', '"k_reason":null,"more":1'),
    ],
)
def test_an_edited_receipt_shows_red(changed, old, new):
    page = changed(old, new)
    assert page.sealed() == "bad"
    states = page.checks()
    assert (states["content"], states["signature"]) == ("bad", "bad")
    assert page.one("header [data-seal]").text == "Do not trust this page: the receipt in it does not hold"


def test_an_edit_that_is_hashed_anew_is_unmasked_by_the_signature(bench, changed):
    from passfloor import receipts

    document = json.loads((bench / "reliability.json").read_text())
    old = document["receipt_hash"]
    document["k_reason"] = "forged"
    page = changed('"k_reason":null', '"k_reason":"forged"')
    text = Path(page.script("location.pathname")).read_text()
    forged = Path(page.script("location.pathname")).with_name("forged.html")
    forged.write_text(
        text.replace(f'"receipt_hash":"{old}"', f'"receipt_hash":"{receipts.receipt_hash(document)}"')
    )
    page.driver.get(forged.as_uri())
    assert page.sealed() == "bad"
    assert page.checks() == {**GOOD, "signature": "bad"}


@pytest.mark.parametrize(
    ("old", "new"),
    [('{"more', ""), ('"k":3,', '"k":3,"k":3,'), ('"k":3,', '"k":03,'), ('"n":5,', '"n":5,,')],
)
def test_a_receipt_that_is_not_strict_json_shows_red(changed, old, new):
    if not new:
        old, new = '"completion_only":false', '"completion_only":false,"x":"\\ud800"'
    page = changed(old, new)
    assert page.sealed() == "bad"
    assert "the embedded receipt cannot be read" in page.one("#check-content dd").text


@pytest.mark.parametrize("what", ["figure", "count"])
def test_a_page_whose_numbers_were_edited_shows_red(bench, changed, document, what):
    if what == "figure":
        value = document["pass_hat_k"]["fraction"]
        page = changed(f'data-figure="pass_hat_k" value="{value}"', 'data-figure="pass_hat_k" value="1"')
    else:
        page = changed('data-passed="0"', 'data-passed="5"')
    assert page.sealed() == "bad"
    assert page.checks() == {**GOOD, "figures": "bad"}


def test_a_browser_without_ed25519_says_so_and_still_checks_the_content(browser, open_page, bench):
    refusing = "Promise.reject(new DOMException('no such algorithm', 'NotSupportedError'))"
    without = f"crypto.subtle.importKey = () => {refusing}"
    added = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": without})
    try:
        page = open_page(bench / "page.html")
        assert page.sealed() == "unable"
        assert page.checks() == {**GOOD, "signature": "unable"}
        assert page.one(".seal").text == "The receipt is whole; this browser has no Ed25519"
        assert page.one("#check-signature dd").text.startswith("this browser has no Ed25519")
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


def test_a_receipt_that_does_not_verify_is_marked_across_the_page(command, bench, open_page):
    document = json.loads((bench / "reliability.json").read_text())
    document["task_results"][4]["attempts"][0]["score"] = 1.0
    (bench / "edited.json").write_text(json.dumps(document))
    words = ["bench", "report", "edited.json", "--suite", "suite.json", "--format", "html"]
    assert command(*words, "--unverified", "--out", "edited.html", "--force") == 0
    page = open_page(bench / "edited.html", 360)
    assert page.driver.title.startswith("UNVERIFIED: own-v1")
    assert page.one("h1").text.startswith("UNVERIFIED")
    marks = page.all(".watermark span")
    assert {mark.text for mark in marks} == {"UNVERIFIED"}
    assert page.script("getComputedStyle(document.querySelector('.watermark')).position") == "fixed"
    assert page.sealed() == "bad"
    assert page.script("document.documentElement.scrollWidth <= innerWidth")


def test_rows_are_marked_unsealed_and_nothing_is_checked(command, bench, open_page):
    rows = [{"task": "a", "attempt": i, "outcome": "passed"} for i in range(3)]
    (bench / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ["bench", "report", "--from-rows", "rows.jsonl", "-k", "2", "--format", "html"]
    assert command(*words, "--out", "rows.html", "--force") == 0
    page = open_page(bench / "rows.html")
    assert page.driver.title.startswith("UNSEALED: rows.jsonl")
    assert page.shown_tasks() == ["a"]
    assert page.all("[data-seal]") == []


CHECK = """
const [text, key, done] = arguments;
const page = { n: 0, k: 0, tasks: [], figures: [] };
(async () => {
  try {
    const receipt = readJson(text);
    const hash = await receiptHash(receipt);
    done([(await contentCheck(receipt, hash)).state, (await signatureCheck(receipt, hash, key)).state, hash]);
  } catch (error) {
    done([error.constructor.name, error.message]);
  }
})();
"""
SEAL_CODES = {"receipt_hash", "header", "sig_invalid", "sig_encoding", "unsigned"}


def keys_of(flags):
    return [word for flag, word in itertools.pairwise(flags) if flag == "--signer-key"]


def folders():
    for path in sorted(VECTORS.glob("*/expected.json")):
        expected = json.loads(path.read_text())
        if path.parent.name.startswith("redacted_from_"):
            continue  # the fault is in the seal of the original, of which a browser knows nothing
        if keys_of(expected["flags"]) and (expected["code"] in SEAL_CODES or expected["status"] == "MATCH"):
            yield path.parent, expected


def test_the_browser_finds_of_every_vector_what_the_verifier_finds(functions):
    """Those that match, and those whose fault is in the seal."""
    seen = {True: 0, False: 0}
    for folder, expected in folders():
        text = (folder / "receipt.json").read_bytes().decode()
        keys = keys_of(expected["flags"])
        found = [functions.driver.execute_async_script(CHECK, text, key)[:2] for key in keys]
        matches = expected["status"] == "MATCH"
        assert (["good", "good"] in found) == matches, (folder.name, found)
        seen[matches] += 1
    assert seen[True] > 40
    assert seen[False] > 30


TEXTS = [
    '{"\U0001f600":1,"\ufb33":2,"a":3,"":4,"__proto__":5,"10":6,"9":7}',
    "[1e-7,-0.0,1e16,1e21,0.1,5e-324,1.7976931348623157e308,333333333.33333329,-1,9007199254740991,1E2]",
    '"\\u0000\\b\\t\\n\\f\\r\\u001f\\u007f\\"\\\\\\/\\u20ac\\ud83d\\ude00"',
    " [ true , false , null , { } , [ ] ] \n",
    '{"a":{"b":[{"c":"d"}]}}',
]
REFUSED = [
    "",
    "{",
    "[1,]",
    "{,}",
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    "NaN",
    "1e400",
    "9007199254740993",
    "01",
    "+1",
    ".5",
    "1.",
    "'a'",
    '"\n"',
    '"\\x"',
    '"\\ud800"',
    '"',
    "1 2",
    "tru",
    "[" * 66 + "]" * 66,
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_canonical_form_is_that_of_rfc_8785(functions, text):
    assert functions.script("canonicalJson(readJson(arguments[0]))", text).encode() == canonical(
        parse(text.encode()).value
    )


@pytest.mark.parametrize("text", REFUSED)
def test_what_the_program_does_not_read_the_browser_does_not_read(functions, text):
    with pytest.raises(JsonError):
        parse(text.encode())
    read = "((text) => { try { return typeof readJson(text); } catch (e) { return e.constructor.name; } })"
    assert functions.script(f"{read}(arguments[0])", text) == "JsonFault"


def test_the_saved_receipt_has_the_hash_of_the_file(functions, bench):
    from passfloor import receipts

    text = functions.script("document.getElementById('receipt').textContent")
    assert (
        receipts.receipt_hash(json.loads(text))
        == json.loads((bench / "reliability.json").read_text())["receipt_hash"]
    )
    assert not re.search(r"[<>&]|[^\n\x20-\x7e]", text)
