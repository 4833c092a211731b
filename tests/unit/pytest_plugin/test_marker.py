"""A marked test runs n times with fresh fixtures and stays one item, its pair beside it."""

import time
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

pytest_plugins = ["pytester"]

COUNTER = """
import itertools
import pytest

calls = itertools.count()
"""


@pytest.fixture
def run(pytester, monkeypatch):
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def run(code, *arguments):
        pytester.makepyfile(COUNTER + code)
        plugin = ["-p", "no:cacheprovider", "-p", "no:benchmark"]
        start = pytester.runpytest_subprocess if "-n" in arguments else pytester.runpytest_inprocess
        return start(*plugin, *arguments)

    return run


def test_a_test_that_always_passes_is_one_green_item(run):
    result = run("@pytest.mark.reliability(n=10, k=5, floor=0.9)\ndef test_it(): pass\n", "-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "*test_it PASSED pass^5 100.0% pass@5 100.0%*",
            "open  pass^5 100.0% pass@5 100.0%  10/10 passed, 0 wrong, 0 errored  *test_it",
        ]
    )


FLAKY = """
@pytest.mark.reliability(n=10, k=5, floor={floor})
def test_it():
    assert next(calls) % 5, "the fifth"
"""


def test_a_floor_that_is_missed_is_one_red_item_that_names_its_attempts(run):
    result = run(FLAKY.format(floor=0.9))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "pass^5 22.2% pass@5 100.0%: the floor is below 9/10; 8/10 passed, 2 wrong, 0 errored",
            "  attempt 0: wrong: AssertionError: the fifth*",
            "  attempt 5: wrong: AssertionError: the fifth*",
            "attempt 0, the first that was wrong:",
            "SHUT  pass^5 22.2% pass@5 100.0%  8/10 passed, 2 wrong, 0 errored  *test_it",
        ]
    )


def test_a_floor_that_is_met_exactly_keeps_it_green(run):
    result = run(FLAKY.format(floor='"2/9"'))
    result.assert_outcomes(passed=1)


def test_without_a_floor_every_attempt_has_to_pass(run):
    run("@pytest.mark.reliability(n=3)\ndef test_it(): assert next(calls)\n").assert_outcomes(failed=1)


@pytest.mark.parametrize(
    "code",
    [
        "def test_it(): raise ValueError('x')",
        "def test_it(): pytest.fail('Timeout >1s')",
        "@pytest.fixture\ndef broken(): raise AssertionError\n@MARK\ndef test_it(broken): pass",
        "@pytest.fixture\ndef broken():\n    yield\n    raise OSError\n@MARK\ndef test_it(broken): pass",
    ],
    ids=["another exception", "a time-out", "set-up", "tear-down"],
)
def test_whatever_is_no_failed_assertion_is_errored(run, code):
    mark = "@pytest.mark.reliability(n=2)"
    code = code.replace("@MARK", mark) if "@MARK" in code else f"{mark}\n{code}"
    result = run(code + "\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["SHUT *0/2 passed, 0 wrong, 2 errored *"])


def test_errored_attempts_that_could_have_held_the_floor_are_said_to_be_undecided(run):
    result = run(
        "@pytest.mark.reliability(n=2, k=1, floor=0.9)\n"
        "def test_it():\n    if not next(calls): raise OSError\n"
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["undecided rather than missed*"])


def test_every_attempt_has_fresh_fixtures_and_wider_ones_stay(run):
    result = run(
        """
made = []

@pytest.fixture(scope="module")
def wide():
    made.append("wide")
    yield
    made.append("wide gone")

@pytest.fixture
def narrow(wide, tmp_path):
    made.append("narrow")
    yield tmp_path
    made.append("narrow gone")

@pytest.mark.reliability(n=3)
def test_it(narrow):
    assert list(narrow.iterdir()) == []
    (narrow / "left").write_text("x")

def test_after(wide):
    assert made == ["wide"] + ["narrow", "narrow gone"] * 3
"""
    )
    result.assert_outcomes(passed=2)


def test_a_class_is_set_up_once_and_its_methods_each_time(run):
    result = run(
        """
made = []

class TestIt:
    @classmethod
    def setup_class(cls): made.append("class")
    def setup_method(self): made.append("method")

    @pytest.mark.reliability(n=3)
    def test_it(self): assert not hasattr(self, "seen"); self.seen = True

def test_after(): assert made == ["class", "method", "method", "method"]
"""
    )
    result.assert_outcomes(passed=2)


def test_a_skipped_test_is_skipped_and_closes_what_it_opened(run):
    result = run(
        """
made = []

@pytest.fixture(scope="module")
def wide():
    yield
    print("closed")

@pytest.mark.reliability(n=3)
def test_it(wide): pytest.skip("not today")
""",
        "-s",
    )
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*closed*"])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("", "reliability needs the number of attempts*"),
        ("n=2, k=3", "not estimable: k=3 > n=2*"),
        ("n=True", "n=True is not a whole number*"),
        ("n=0", "*k=0 < 1*"),
        ("n=10001", "n=10001 attempts are more than 10000*"),
        ("n=10**9, k=5 * 10**8", "n=1000000000 attempts are more than 10000*"),
        ("10, n=5", "reliability is given n twice, by place and by name*"),
        ("n=2, floor=70", "floor=70 is no number from 0 to 1*"),
        ("n=2, floor=float('nan')", "floor=nan is no number*"),
        ("n=2, florr=1", "reliability takes n, k and floor, not florr"),
    ],
)
def test_a_demand_that_cannot_be_met_is_an_error_in_one_line(run, asked, said):
    result = run(f"@pytest.mark.reliability({asked})\ndef test_it(): pass\n")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([said])


def test_an_expected_failure_is_refused(run):
    result = run("@pytest.mark.xfail\n@pytest.mark.reliability(n=2)\ndef test_it(): pass\n")
    result.assert_outcomes(errors=1)


def test_tests_without_the_mark_are_left_alone(run):
    result = run("def test_it(): pass\ndef test_red(): assert 0\n")
    result.assert_outcomes(passed=1, failed=1)
    assert "reliability" not in result.stdout.str()


def test_junit_has_one_testcase_with_the_figures(run, pytester):
    run(FLAKY.format(floor=0.1), "--junit-xml=out.xml")
    (case,) = ET.parse(pytester.path / "out.xml").getroot().iter("testcase")
    properties = {p.get("name"): p.get("value") for p in case.iter("property")}
    assert properties["reliability_pass_hat_k"] == "2/9"
    assert properties["reliability_passed"] == "8"


def test_it_works_in_several_processes(run):
    result = run(
        FLAKY.format(floor=0.9) + "\n@pytest.mark.reliability(n=2)\ndef test_b(): pass\n",
        "-n",
        "2",
        "-p",
        "xdist",
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines_random(["SHUT  pass^5 22.2%*", "open  pass^2 100.0%*"])


MARKED = "@pytest.mark.reliability(n=4, k=2, floor=0.1)\n"
TWO = f"""
{MARKED}def test_a():
    assert next(calls) % 2, "even"

{MARKED}def test_b():
    if next(calls) == 5: raise OSError("gone")
"""


@pytest.fixture
def identity(monkeypatch, tmp_path_factory):
    home = tmp_path_factory.mktemp("identity")
    monkeypatch.setenv("PASSFLOOR_HOME", str(home))
    return home


@pytest.mark.parametrize("processes", [(), ("-n", "2", "-p", "xdist")], ids=["here", "several"])
def test_the_receipt_of_a_session_verifies_and_claims_no_coordination(run, pytester, identity, processes):
    result = run(TWO, "--reliability-out", "tests.json", *processes)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["receipt: tests.json, signed by new identity *"])
    from passfloor.signing.public_keys import read_public_key
    from passfloor.suites import read_suite
    from passfloor.verification.inputs import Inputs, Trust, TrustedKey
    from passfloor.verification.verifier import verify

    (public,) = (identity / "keys").glob("*.pub.pem")
    key = read_public_key(public.read_bytes(), source=str(public))
    inputs = Inputs(
        now=time.time(),
        trust=Trust(keys={key.kid: TrustedKey(key, "test")}, pinned=True),
        read_suite=lambda document: read_suite(document, folder=None, source="the embedded suite"),
        use_embedded_suite=True,
    )
    with (pytester.path / "tests.json").open("rb") as stream:
        assert str(verify(stream, inputs).status) == "POLICY_FAILED"
        stream.seek(0)
        outcome = verify(stream, replace(inputs, allow_unrecorded=True))
    assert outcome.matches
    counts = outcome.numbers.counts
    assert (counts.tasks, counts.attempts, counts.errored) == (2, 8, 0 if processes else 1)
    assert outcome.head.coordination_ok is None


def test_tests_that_ask_for_different_sizes_give_no_receipt(run, pytester, identity):
    code = "".join(f"@pytest.mark.reliability(n={n})\ndef test_{n}(): pass\n" for n in (2, 3))
    result = run(code, "--reliability-out", "tests.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["no receipt: marked tests ask for n=2 k=2, n=3 k=3: *"])
    assert not (pytester.path / "tests.json").exists()


def test_a_file_that_stands_there_is_not_written_over(run, pytester, identity):
    (pytester.path / "tests.json").write_text("mine")
    result = run(TWO, "--reliability-out", "tests.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert (pytester.path / "tests.json").read_text() == "mine"
    result.stderr.fnmatch_lines(["*--reliability-out 'tests.json' exists: name another file, or remove it*"])
    result.stdout.no_fnmatch_line("*test_a*")


def test_the_receipt_goes_where_pytest_was_started_wherever_a_test_has_gone(run, pytester, identity):
    (pytester.path / "inner").mkdir()
    code = "import os\n@pytest.mark.reliability(n=1)\ndef test_a(): os.chdir('inner')\n"
    assert run(code, "--reliability-out", "tests.json").ret == 0
    assert (pytester.path / "tests.json").exists()


def test_what_has_no_utf_8_in_a_failure_does_not_cost_the_receipt(run, pytester, identity):
    code = "@pytest.mark.reliability(n=2, floor=0)\ndef test_a(): raise ValueError(chr(0xd800) + ' half')\n"
    assert run(code, "--reliability-out", "tests.json").ret == 0
    assert "ValueError: \\\\ud800 half" in (pytester.path / "tests.json").read_text()


def test_a_session_without_marked_tests_gives_no_receipt(run, identity):
    result = run("def test_a(): pass\n", "--reliability-out", "tests.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
