"""What is sealed honestly matches, and nothing that was changed does: not by hand, not by the key holder."""

import copy
import io
import json
import random
import sys
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

VECTORS = Path(__file__).parents[1] / "vectors" / "receipts"
if str(VECTORS) not in sys.path:
    sys.path.insert(0, str(VECTORS))

import casework  # noqa: E402
import forging  # noqa: E402

from passfloor import ReliabilityRunner, ReliabilityVerifier, StubReliabilitySigner  # noqa: E402
from passfloor.canonical import canonical, equal  # noqa: E402
from passfloor.signing.public_keys import read_public_key  # noqa: E402
from passfloor.suites import read_suite  # noqa: E402
from passfloor.verification.inputs import Inputs, Trust, TrustedKey  # noqa: E402
from passfloor.verification.verifier import verify  # noqa: E402

MODERATE = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
KEY = read_public_key(forging.TEST_X, source="the test key")
INPUTS = Inputs(
    now=forging.EMITTED,
    trust=Trust(keys={KEY.kid: TrustedKey(KEY, "test")}, pinned=True),
    read_suite=lambda document: read_suite(document, folder=None, source="the embedded suite"),
    suite=read_suite(copy.deepcopy(forging.MINI), folder=None, source="mini"),
)
RICH = forging.build(
    forging.Run(
        n=3,
        stages=(2, 3),
        embed=True,
        selection=("capital", "tidy"),
        session={
            "challenge": "c",
            "run_seq": 1,
            "interrupted": [{"task_id": "tidy", "index": 1, "starts": 2}],
        },
        members={"gate": {"min_floor": "0.5"}, "identity_fields": ["request.user"], "ext": {"x": [1.5]}},
    )
)
BLOB = "final\n" + "x" * 1100


def with_blob(task, index):
    made = forging.agent(task, index)
    entry = {"sha256": forging.sha(BLOB.encode()), "size": len(BLOB), "text": {"blob": forging.digest(BLOB)}}
    made[3]["sample"]["log.txt"] = entry
    return made


BLOBBED = forging.build(forging.Run(events=with_blob, blobs={forging.digest(BLOB): BLOB}))
DOCUMENTS = st.sampled_from([casework.honest(), RICH, BLOBBED])


def judged(data, **changes):
    return verify(io.BytesIO(data), replace(INPUTS, **changes))


def outcome_of(document):
    return judged(json.dumps(document).encode())


def places(value, path=()):
    """Every path below the top, containers too."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, child in inner:
        yield (*path, name)
        yield from places(child, (*path, name))


def at(document, path):
    for part in path:
        document = document[part]
    return document


NEW = st.one_of(
    st.sampled_from([None, True, False, 0, 1, 2, -1, 0.5, 1.0, 1e308, "", "x", [], {}, "passed", "0" * 64]),
    st.integers(-(2**53) + 1, 2**53 - 1),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
)


@st.composite
def mutated(draw, allowed=lambda path: True):
    """A document with one place changed: (original, changed, path)."""
    original = draw(DOCUMENTS)
    document = copy.deepcopy(original)
    paths = [path for path in places(document) if allowed(path)]
    path = draw(st.sampled_from(paths))
    holder, last = at(document, path[:-1]), path[-1]
    old = holder[last]
    kind = draw(st.sampled_from(["set", "set", "nudge", "borrow", "drop", "turn", "twin"]))
    if kind == "drop":
        del holder[last]
    elif kind == "turn" and isinstance(old, list):
        old.reverse()
    elif kind == "twin" and isinstance(holder, list):
        holder.append(copy.deepcopy(old))
    elif kind == "borrow":
        holder[last] = copy.deepcopy(at(document, draw(st.sampled_from(paths))))
    elif kind == "nudge" and isinstance(old, str) and old:
        place = draw(st.integers(0, len(old) - 1))
        holder[last] = old[:place] + draw(st.characters(exclude_categories=["Cs"])) + old[place + 1 :]
    elif kind == "nudge" and isinstance(old, int | float) and not isinstance(old, bool):
        holder[last] = old + draw(st.sampled_from([-1, 1, 0.5]))
    else:
        holder[last] = draw(NEW)
    assume(canonical(document) != canonical(original))
    return original, document, path


@st.composite
def runs(draw):
    suite = copy.deepcopy(forging.MINI)
    suite["tasks"] = suite["tasks"][: draw(st.integers(1, 2))]
    n = draw(st.integers(1, 3))
    fates = st.sampled_from(["right", "wrong", "status", "timeout", "cut"])
    fate = {(task["id"], i): draw(fates) for task in suite["tasks"] for i in range(n)}

    def events(task, index):
        files = {"notes.txt": forging.captured("final\n")}
        match fate[task["id"], index]:
            case "right":
                return forging.frame(task, "Paris\n", files)
            case "wrong":
                return forging.frame(task, "Lyon\n", {})
            case "status":
                return forging.frame(task, "Paris\n", files, exit_code=2)
            case "timeout":
                error = {"type": "timeout", "detail": "5 s"}
                return forging.frame(task, "Pa", exit_code=None, error=error)
        return forging.frame(task, "Paris\n", files, output={"cut": 3})

    stages = draw(st.sampled_from([(), tuple(range(n, n + 1))]))
    k = draw(st.integers(1, n))
    only = draw(st.booleans())
    members = {"completion_only": True, "graders": {}} if only else {}
    return forging.Run(suite=suite, n=n, k=k, events=events, stages=stages, members=members)


@MODERATE
@given(runs())
def test_what_is_sealed_honestly_matches(run):
    suite = read_suite(copy.deepcopy(run.suite), folder=None, source="drawn")
    document = forging.build(run)
    assert judged(forging.lines(document), suite=suite).findings == ()


class Agent:
    """An adapter object with declared assertions and drawn answers."""

    declared = True

    def __init__(self, answers):
        self.answers = answers
        self.calls = 0

    def run_task(self, task, scheduler_config):
        self.calls += 1
        answer = self.answers[(self.calls - 1) % len(self.answers)]
        kinds = [
            {"kind": "task.started", "note": "x" * 2000},
            {"kind": "model.output", "sample": {"stdout": answer, "exit_code": 0}},
            {"kind": "model.artifact", "sample": {"notes.txt": forging.captured(answer)}},
            {"kind": "task.completed"},
        ]
        return {"events": forging.numbered(kinds), "run_id": "mine"}

    def score_task(self, task, receipt):
        raise AssertionError("declared assertions judge")


ANSWERS = st.lists(
    st.sampled_from(["Paris\n", "final\n", "", "\x1b[1m", "\U0001f600"]), min_size=1, max_size=3
)


@settings(MODERATE, max_examples=40)
@given(ANSWERS, st.integers(1, 3), st.integers(0, 2))
def test_what_the_runner_seals_matches(answers, k, more):
    suite = INPUTS.suite
    receipt = ReliabilityRunner(suite, Agent(answers), {"x": 1.5}, k=k, n=k + more).run()
    result = ReliabilityVerifier(suite=suite).verify(StubReliabilitySigner().sign(receipt))
    assert result.matches, result.report()


@MODERATE
@given(mutated())
def test_a_change_by_hand_is_refused(case):
    _, document, _ = case
    outcome = outcome_of(document)
    assert not outcome.matches


ASSERTED = {
    ("tool",),
    ("environment",),
    ("emitted_at",),
    ("ext",),
    ("session", "ended_at"),
    ("session", "interrupted"),
    ("suite",),
}


def derived(path):
    """Whether the place follows from the evidence or is bound by it: not the signer's mere word."""
    if path[0] in forging.SEAL_MEMBERS or path[:1] in ASSERTED or path[:2] in ASSERTED or path[0] == "blobs":
        return False
    if path[:3] == ("session", "stages", 1) and path[3:] in {("decided_at",), ("after_receipt_hash",)}:
        return False
    return "events" not in path


@settings(MODERATE, max_examples=200)
@given(mutated(allowed=derived), st.booleans())
def test_a_change_by_the_key_holder_without_new_evidence_is_refused(case, anew):
    original, document, _ = case
    if anew:
        try:
            forging.rehash(document)
        except (KeyError, TypeError, AttributeError):
            assume(False)
    forging.seal(document)
    assume(not equal(document, original))
    assert not outcome_of(document).matches


@MODERATE
@given(mutated(allowed=lambda path: "events" in path or path[0] == "blobs"))
def test_events_changed_by_the_key_holder_are_refused(case):
    _, document, _ = case
    assert not outcome_of(forging.seal(document)).matches


def remade(document):
    """Heads, hashes and seal anew over changed events, the verdicts left as they are."""
    try:
        forging.rechain(document)
        forging.reclaim(document)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None
    return forging.seal(document)


@settings(MODERATE, max_examples=200)
@given(mutated(allowed=lambda path: "events" in path and len(path) > 6))
def test_new_evidence_matches_only_where_the_verdicts_follow_from_it(case):
    _, document, _ = case
    document = remade(document)
    assume(document is not None)
    if not outcome_of(document).matches:
        return
    tasks = {task["id"]: task for task in forging.MINI["tasks"]}
    for attempt in forging.attempts_of(document):
        events = attempt["receipt"]["events"]
        verdict = forging.judge(tasks[attempt["task_id"]], events, document["blobs"], False)
        assert all(equal(attempt[name], value) for name, value in verdict.items())


@MODERATE
@given(st.binary(max_size=200))
def test_any_bytes_get_a_status(data):
    assert not judged(data).matches


@st.composite
def damaged(draw):
    data = bytearray(forging.lines(draw(DOCUMENTS)))
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(data) - 1))
        kind = draw(st.sampled_from(["byte", "cut", "insert", "remove"]))
        if kind == "byte":
            data[place] = draw(st.integers(0, 255))
        elif kind == "insert":
            data[place:place] = draw(
                st.sampled_from([b'"', b"{", b"}", b"\n", b",", b"\\u006b", b"]}", b"0"])
            )
        elif kind == "remove":
            del data[place]
        elif place:
            del data[place:]
    return bytes(data)


@settings(MODERATE, max_examples=200)
@given(damaged())
def test_damaged_files_get_a_status(data):
    outcome = judged(data)
    if outcome.matches:
        whole = json.loads(data)
        assert any(equal(whole, document) for document in (casework.honest(), RICH, BLOBBED))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-1, 1) | st.text("a\0é", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def replaced(draw):
    document = copy.deepcopy(draw(DOCUMENTS))
    path = draw(st.sampled_from(list(places(document))))
    at(document, path[:-1])[path[-1]] = draw(JSON)
    return document, remade(copy.deepcopy(document)) if draw(st.booleans()) else None


@settings(MODERATE, max_examples=200)
@given(replaced())
def test_any_json_anywhere_gets_a_status(case):
    document, again = case
    for one in (document, again, None if again is None else forging.seal(document)):
        if one is not None:
            assert outcome_of(one).status


def shuffled(value, chance):
    if isinstance(value, dict):
        names = list(value)
        chance.shuffle(names)
        return {name: shuffled(value[name], chance) for name in names}
    return [shuffled(item, chance) for item in value] if isinstance(value, list) else value


@MODERATE
@given(mutated() | DOCUMENTS.map(lambda document: (document, document, ())), st.integers(0, 2**32))
def test_white_space_and_member_order_never_matter(case, seed):
    document = case[1]
    assume(isinstance(document.get("task_results"), list))
    by_line = judged(forging.lines(document))
    other = shuffled(document, random.Random(seed))
    for text in (json.dumps(other), json.dumps(other, indent=3, ensure_ascii=False)):
        whole = judged(text.encode())
        assert set(whole.findings) ^ set(by_line.findings) == set()
        assert (whole.status, whole.receipt_hash) == (by_line.status, by_line.receipt_hash)
        assert whole.numbers == by_line.numbers
