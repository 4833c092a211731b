"""JUnit XML: cases that come again are attempts, retries are none, and nothing of XML's own is let in."""

import json
from fractions import Fraction

import pytest

from passfloor.errors import ImportRefused
from passfloor.importers.collate import collate
from passfloor.importers.collated import OUTCOMES
from passfloor.importers.interface import Asked
from passfloor.importers.junit import JunitImporter
from passfloor.importers.junit import report as report_module
from passfloor.importers.spool import RecordSpool

FAIL = '<failure type="AssertionError" message="1 != 2">long text</failure>'


def case(name, inner="", classname="pkg.Test"):
    return f'<testcase name="{name}" classname="{classname}" time="0.1">{inner}</testcase>'


def report(*cases, attributes=""):
    inner = f'<testsuite name="s" {attributes}>{"".join(cases)}</testsuite>'
    return f'<?xml version="1.0"?><testsuites>{inner}</testsuites>'


@pytest.fixture
def load(tmp_path):
    """Reads reports, one a run, as a log; gives what every attempt came to, the notes' codes, and the log."""

    def call(*reports, **asked):
        place = tmp_path / "reports"
        place.mkdir(exist_ok=True)
        for number, text in enumerate(reports):
            (place / f"{number}.xml").write_bytes(text if isinstance(text, bytes) else text.encode())
        path = place if len(reports) > 1 else place / "0.xml"
        wanted = Asked(**asked)
        with RecordSpool() as spool:
            log = JunitImporter().read(path, wanted)
            found = collate(log, wanted, spool)
            said = {t.id: [OUTCOMES[code] for code in t.codes] for t in found.tasks}
            return said, [note.code for note in found.notes], log

    return call


def test_each_result_is_an_outcome(load):
    said, _, _ = load(
        report(case("a"), case("b", FAIL), case("c", "<error/>"), case("d", "<skipped/>"), case("e", "<x/>"))
    )
    assert said == {
        "pkg.Test::a": ["passed"],
        "pkg.Test::b": ["wrong"],
        "pkg.Test::c": ["errored"],
        "pkg.Test::d": ["cancelled"],
        "pkg.Test::e": ["passed"],
    }


def test_a_case_that_comes_again_is_another_attempt(load):
    said, _, _ = load(report(case("a"), case("b"), case("a", FAIL), case("b")))
    assert said == {"pkg.Test::a": ["passed", "wrong"], "pkg.Test::b": ["passed", "passed"]}


def test_each_report_of_a_folder_is_a_run(load):
    said, _, _ = load(
        report(case("a"), case("b")), report(case("a", FAIL)), report(case("a"), case("b")) + " "
    )
    assert said == {
        "pkg.Test::a": ["passed", "wrong", "passed"],
        "pkg.Test::b": ["passed", "passed", "missing"],
    }


def test_the_same_report_twice_is_one_run(load):
    text = report(case("a"))
    with pytest.raises(ImportRefused, match=r"'0.xml' and '1.xml' are the same report twice"):
        load(text, text)
    assert load(text, text, keep="first")[0] == {"pkg.Test::a": ["passed"]}


def test_names_that_count_repeats_are_attempts_of_one_test(load):
    cases = [case(f"t[{at}-3]", FAIL if at == 2 else "") for at in (1, 2, 3)]
    cases += [case(f"u[x-{at}-2]") for at in (1, 2)] + [case("v[1-3]")]
    said, notes, log = load(report(*cases))
    assert (
        said
        == {
            "pkg.Test::t": ["passed", "wrong", "passed"],
            "pkg.Test::u[x]": ["passed", "passed"],
            "pkg.Test::v[1-3]": ["passed", "missing", "missing"],
        }
        or said["pkg.Test::v[1-3]"][0] == "passed"
    )
    assert said["pkg.Test::t"] == ["passed", "wrong", "passed"]
    assert said["pkg.Test::u[x]"][:2] == ["passed", "passed"]
    assert "repeat_suffix" in notes
    assert log.planned == {"pkg.Test::t": 3, "pkg.Test::u[x]": 2}


def test_retries_until_success_count_as_their_first_try_and_are_told(load):
    flaky = '<flakyFailure type="E" message="first"/><flakyFailure type="E" message="second"/>'
    rerun = '<failure type="F" message="last"/><rerunFailure type="F" message="again"/>'
    said, notes, log = load(report(case("a", flaky), case("b", rerun), case("c", "<flakyError/>")))
    assert said == {"pkg.Test::a": ["wrong"], "pkg.Test::b": ["wrong"], "pkg.Test::c": ["errored"]}
    assert "retries" in notes
    first = json.loads(next(iter(log.records())).text)
    assert [each["message"] for each in first["retries"]] == ["first", "second"]


def test_what_its_suites_say_is_the_published_rate(load):
    text = report(case("a"), case("b", FAIL), attributes='tests="2" failures="1" errors="0" skipped="0"')
    (published,) = load(text)[2].published
    assert (published.name, published.value) == ("success rate", Fraction(1, 2))
    whole = text.replace("<testsuites>", '<testsuites tests="4" failures="1">')
    assert load(whole)[2].published[0].value == Fraction(3, 4)
    assert load(report(case("a")))[2].published == ()


def test_the_message_may_be_the_text_inside(load):
    log = load(report(case("a", "<failure>  why it failed  </failure>")))[2]
    assert json.loads(next(iter(log.records())).text)["message"] == "why it failed"


def test_what_is_nested_in_a_case_is_no_case(load):
    said, _, _ = load(report(case("a", "<properties><failure/><testcase name='b'/></properties>")))
    assert said == {"pkg.Test::a": ["passed"]}


def test_names_without_a_class_and_in_a_namespace_are_read(load):
    text = '<j:testsuite xmlns:j="urn:x"><j:testcase name="a"/><j:testcase/></j:testsuite>'
    assert list(load(text)[0]) == ["a", "(unnamed)"]


def test_utf_16_is_read_as_xml_says(load):
    text = report(case("é")).replace('<?xml version="1.0"?>', '<?xml version="1.0" encoding="utf-16"?>')
    assert list(load(text.encode("utf-16"))[0]) == ["pkg.Test::é"]


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
OUTSIDE = '<!DOCTYPE x SYSTEM "file:///etc/passwd">'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{BOMB}<testsuite><testcase name='&b;'/></testsuite>", "document type declaration"),
        (f"{OUTSIDE}<testsuite/>", "document type declaration"),
        ("<testsuite><testcase name='&x;'/></testsuite>", "is broken|no XML"),
        (report(case("a"))[:-20], "ends in the middle"),
        ("<testsuite><testcase></testsuite>", "no XML|broken"),
        ("<html></html>", "no JUnit report"),
        ("", "no XML"),
        ("words", "no XML"),
        ("<testsuite>" * 300, "nested deeper than 200"),
        (b'<?xml version="1.0" encoding="klingon"?><testsuite/>', "no XML"),
        ("<testsuite></testsuite>", "no attempts"),
    ],
)
def test_what_is_no_report_is_refused_in_one_line(load, text, words):
    with pytest.raises(ImportRefused, match=words) as caught:
        load(text)
    assert "\n" not in str(caught.value)


def test_a_piece_without_end_is_not_held(load, monkeypatch):
    monkeypatch.setattr(report_module, "MAX_TEXT", 1000)
    monkeypatch.setattr(report_module, "_CHUNK", 100)
    with pytest.raises(ImportRefused, match="a piece of more than 1000 bytes"):
        load(f"<testsuite name='{'x' * 5000}'/>")


def test_folders_without_reports_and_missing_files_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(ImportRefused):
            JunitImporter().read(path, Asked())
        assert JunitImporter().recognise(path) is None


def test_a_report_is_recognised_with_the_reason(tmp_path):
    (tmp_path / "a.xml").write_text(report(case("a")))
    for path in (tmp_path, tmp_path / "a.xml"):
        assert "as a JUnit report does" in JunitImporter().recognise(path)


@pytest.mark.parametrize("asked", [{"threshold": Fraction(1, 2)}, {"scorer": "s"}, {"agent": "a"}])
def test_a_flag_that_means_nothing_for_a_report_is_refused(load, asked):
    with pytest.raises(ImportRefused, match="means nothing for JUnit XML"):
        load(report(case("a")), **asked)


def test_a_case_that_failed_has_no_error_beside_its_verdict(load):
    assert load(report(case("a", FAIL), case("b")))[1] == ["not_told"]


def test_long_names_that_differ_at_their_ends_are_two_cases(load):
    said, _, _ = load(report(case("x" * 3000 + "1"), case("x" * 3000 + "2")))
    assert list(said.values()) == [["passed"], ["passed"]]
