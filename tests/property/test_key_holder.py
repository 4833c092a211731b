"""Whoever holds the key and makes no new evidence gets nothing past the verifier."""

import copy
import io
import json
import math
import sys
import unicodedata
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

VECTORS = Path(__file__).parents[1] / "vectors" / "receipts"
FUZZ = Path(__file__).parents[1] / "fuzz"
for folder in (VECTORS, FUZZ):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

import forging  # noqa: E402
import targets  # noqa: E402

from passfloor.canonical import equal  # noqa: E402
from passfloor.suites import read_suite  # noqa: E402

MODERATE = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
IDS = st.text(st.characters(categories=["L", "N", "P", "S"], codec="utf-8"), min_size=1, max_size=12).filter(
    lambda text: unicodedata.normalize("NFC", text) == text and text.isprintable()
)
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=12)
PATHS = st.sampled_from(["a.txt", "b/c.txt", "d"])
ASSERTIONS = st.one_of(
    st.just({"kind": "completed"}),
    st.builds(lambda text: {"kind": "output_equals", "expected": text}, WORDS),
    st.builds(lambda text: {"kind": "output_contains", "text": text}, WORDS.filter(bool)),
    st.builds(lambda code: {"kind": "exit_code", "expected": code}, st.integers(0, 3)),
    st.builds(lambda path: {"kind": "file_exists", "path": path}, PATHS),
    st.builds(lambda path: {"kind": "file_absent", "path": path}, PATHS),
    st.builds(lambda path, text: {"kind": "content_eq", "path": path, "expected": text}, PATHS, WORDS),
)


def tasks(name):
    return st.fixed_dictionaries(
        {
            "id": st.just(name),
            "description": WORDS.map(lambda text: text or "do it"),
            "assertions": st.lists(ASSERTIONS, min_size=1, max_size=4),
        },
        optional={"files": st.dictionaries(PATHS, WORDS, max_size=2), "category": IDS},
    )


@st.composite
def suites(draw):
    names = draw(
        st.lists(
            IDS, min_size=1, max_size=4, unique_by=lambda name: unicodedata.normalize("NFC", name.casefold())
        )
    )
    return {"version": "drawn-v1", "tasks": [draw(tasks(name)) for name in names]}


@st.composite
def runs(draw):
    """A run of a drawn suite by an agent that prints, writes and exits as it is drawn."""
    suite = draw(suites())
    n = draw(st.integers(1, 4))
    said = {
        (task["id"], index): (
            draw(WORDS),
            draw(st.dictionaries(PATHS, WORDS, max_size=2)),
            draw(st.integers(0, 3)),
            draw(st.sampled_from([None, None, None, "timeout", "signal"])),
        )
        for task in suite["tasks"]
        for index in range(n)
    }

    def events(task, index):
        stdout, files, code, died = said[task["id"], index]
        error = None if died is None else {"type": died, "detail": died}
        kept = {path: forging.captured(text) for path, text in files.items()}
        return forging.frame(task, stdout, kept, exit_code=None if died else code, error=error)

    return forging.Run(suite=suite, n=n, k=draw(st.integers(1, n)), events=events)


def judged(document, suite=None):
    data = (
        forging.lines(document)
        if isinstance(document.get("task_results"), list)
        else json.dumps(document).encode()
    )
    inputs = targets.INPUTS
    if suite is not None:
        read = read_suite(copy.deepcopy(suite), folder=None, source="drawn")
        inputs = replace(inputs, suite=read)
    return targets.verify(io.BytesIO(data), inputs)


@settings(MODERATE, max_examples=150)
@given(runs())
def test_an_honest_run_of_any_suite_matches(run):
    assert judged(forging.build(run), run.suite).findings == ()


def _attempts(document):
    return forging.attempts_of(document)


@st.composite
def verdict(draw, document):
    attempt, other = draw(st.sampled_from(_attempts(document))), draw(st.sampled_from(_attempts(document)))
    names = ("outcome", "passed", "score", "harness_output", "error")
    for name in draw(st.sets(st.sampled_from(names), min_size=1)):
        attempt[name] = copy.deepcopy(other[name])
    if draw(st.booleans()):
        attempt.update(
            draw(st.sampled_from([{"outcome": "passed", "passed": True, "score": 1.0}, {"score": 0.5}]))
        )


@st.composite
def figure(draw, document):
    name = draw(st.sampled_from(["pass_at_1", "pass_caret_k"]))
    near = [math.nextafter(document[name], 2), math.nextafter(document[name], -1), 1.0, 0.0]
    document[name] = draw(st.one_of(st.sampled_from(near), st.floats(0, 1)))


@st.composite
def number(draw, document):
    name = draw(st.sampled_from(list(document["counts"])))
    document["counts"][name] = draw(st.integers(0, 12))


@st.composite
def claim(draw, document):
    kind = draw(st.sampled_from(["ok", "identical", "hash", "plan", "version"]))
    result = draw(st.sampled_from(document["task_results"]))
    if kind == "ok":
        document["coordination_ok"] = draw(st.sampled_from([False, None]))
    elif kind == "identical":
        result["coordination_identical"] = draw(st.sampled_from([False, None]))
    elif kind == "hash":
        result["coordination_hash"] = draw(st.sampled_from([None, "0" * 64, "x"]))
    elif kind == "version":
        document["suite_version"] = draw(IDS)
    else:
        name, value = draw(
            st.sampled_from(
                [
                    ("k", 1),
                    ("k_reason", "x"),
                    ("gate", {"min_floor": "0"}),
                    ("scheduler_config", {}),
                    ("completion_only", True),
                ]
            )
        )
        document[name] = value


@st.composite
def name(draw, document):
    first, second = (draw(st.sampled_from(_attempts(document))) for _ in range(2))
    place = draw(
        st.sampled_from(["task_id", "task_hash", "attempt_id", "index", "run_id", "inside", "result"])
    )
    if place in {"run_id", "inside"}:
        member = "run_id" if place == "run_id" else "attempt_id"
        first["receipt"][member] = second["receipt"][member]
    elif place == "result":
        results = document["task_results"]
        results[0]["task_id"], results[-1]["task_id"] = results[-1]["task_id"], results[0]["task_id"]
    else:
        first[place] = second[place]


@st.composite
def order(draw, document):
    result = draw(st.sampled_from(document["task_results"]))
    if draw(st.booleans()):
        document["task_results"] = draw(st.permutations(document["task_results"]))
    else:
        result["attempts"] = draw(st.permutations(result["attempts"]))
    if draw(st.booleans()):
        for index, attempt in enumerate(result["attempts"]):
            attempt["index"] = index


@st.composite
def head(draw, document):
    first, second = (draw(st.sampled_from(_attempts(document))) for _ in range(2))
    member = draw(st.sampled_from(["journal_head", "spine_head"]))
    first["receipt"][member] = draw(st.sampled_from([second["receipt"][member], "0" * 64, ""]))


@st.composite
def number_of_attempts(draw, document):
    result = draw(st.sampled_from(document["task_results"]))
    at = draw(st.integers(0, len(result["attempts"]) - 1))
    if draw(st.booleans()):
        del result["attempts"][at]
    else:
        result["attempts"].insert(at, copy.deepcopy(result["attempts"][at]))
    if draw(st.booleans()):
        for index, attempt in enumerate(result["attempts"]):
            attempt["index"] = index
    if draw(st.booleans()):
        document["n"] = document["session"]["stages"][-1]["n"] = len(result["attempts"])


EDITS = (verdict, figure, number, claim, name, order, head, number_of_attempts)
ANEW = (forging.rehash, forging.replan, forging.reclaim, forging.refigure)


@st.composite
def held_out(draw):
    """A document edited in what follows from its evidence, then hashed, planned and counted anew."""
    original = draw(st.sampled_from(targets.documents()))
    document = copy.deepcopy(original)
    for edit in draw(st.lists(st.sampled_from(EDITS), min_size=1, max_size=2)):
        draw(edit(document))
    for remake in ANEW:
        if draw(st.booleans()):
            try:
                remake(document)
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
                assume(False)
    # The figures made anew may be the true ones again.
    unsealed = dict.fromkeys(forging.SEAL_MEMBERS, 0)
    assume(not equal({**document, **unsealed}, {**original, **unsealed}))
    return document


@settings(MODERATE, max_examples=400)
@given(held_out())
def test_what_the_key_holder_changes_without_new_evidence_is_refused(document):
    assert not judged(forging.seal(document)).matches


@MODERATE
@given(held_out())
def test_and_has_the_same_name_where_nobody_sealed_it_again(document):
    by_hand, by_holder = judged(document), judged(forging.seal(copy.deepcopy(document)))
    assert by_hand.status is by_holder.status


@st.composite
def with_new_evidence(draw):
    """Another answer of one attempt, and everything that follows from it made anew."""
    document = forging.build(forging.Run(n=3, k=draw(st.integers(1, 3))))
    attempt = draw(st.sampled_from(_attempts(document)))
    attempt["receipt"]["events"][2]["sample"]["stdout"] = draw(
        st.sampled_from(["Paris\n", "Lyon\n", ""]) | WORDS
    )
    attempt["receipt"]["events"][2]["sample"]["exit_code"] = draw(st.integers(0, 2))
    forging.rechain(document)
    known = {task["id"]: task for task in forging.MINI["tasks"]}
    events = attempt["receipt"]["events"]
    attempt.update(forging.judge(known[attempt["task_id"]], events, document["blobs"], False))
    forging.reclaim(document)
    return document


@MODERATE
@given(with_new_evidence())
def test_new_evidence_from_which_everything_follows_matches_once_it_is_sealed(document):
    """The limit of any receipt, and why the distinct outputs are shown."""
    assert judged(forging.seal(document)).findings == ()


@MODERATE
@given(st.binary(max_size=64))
def test_whatever_the_holder_of_the_key_does_gets_a_status(data):
    outcome = targets.key_holder(data)
    assert outcome is None or outcome.status
