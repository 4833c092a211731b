"""What a fuzzer drives: the verifier, on any bytes, and on receipts edited by the holder of the key.

Each target takes bytes and returns what was said, or raises. It raises where the verifier does, and where
the verifier lets something pass that does not follow from the evidence.
"""

import copy
import functools
import io
import json
import sys
from pathlib import Path

VECTORS = Path(__file__).parents[1] / "vectors" / "receipts"
if str(VECTORS) not in sys.path:
    sys.path.insert(0, str(VECTORS))

import cases_causal  # noqa: E402
import casework  # noqa: E402
import forging  # noqa: E402

from passfloor.canonical import canonical, equal  # noqa: E402
from passfloor.signing.public_keys import read_public_key  # noqa: E402
from passfloor.suites import read_suite  # noqa: E402
from passfloor.verification.inputs import Inputs, Trust, TrustedKey  # noqa: E402
from passfloor.verification.verifier import verify  # noqa: E402

KEY = read_public_key(forging.TEST_X, source="the test key")
INPUTS = Inputs(
    now=forging.EMITTED,
    trust=Trust(keys={KEY.kid: TrustedKey(KEY, "test")}, pinned=True),
    read_suite=lambda document: read_suite(document, folder=None, source="the embedded suite"),
    suite=read_suite(copy.deepcopy(forging.MINI), folder=None, source="mini"),
    allow_unrecorded=True,
)
SEEDS = (
    "alg_ed25519",
    "binary_and_cut_files",
    "blob",
    "diverged_one_and_true_fail",
    "embedded_beside_the_named",
    "honest",
    "interrupted",
    "layout_member_after_the_tasks",
    "members_complete",
    "parse_name_twice_escaped_fail",
    "recorded",
    "recorded_bodies",
    "recorded_identity_fields",
    "stripped_attempt_resealed_fail",
    "two_stages",
    "unrecorded_allowed",
)
BLOB = "final\n" + "x" * 1100
VALUES = (
    *(
        None,
        True,
        False,
        0,
        1,
        2,
        -1,
        0.5,
        1.0,
        1e308,
        2**53 - 1,
        "",
        "x",
        [],
        {},
        "0" * 64,
        "passed",
        "wrong",
    ),
    *("errored", "identical", "causal", "unrecorded", "model.output", "model.request", "task.completed"),
    *(
        "custom",
        "process",
        "mock",
        {"blob": forging.digest(BLOB)},
        {"sha256": "0" * 64, "size": 1, "text": "x"},
    ),
    *([[]], {"": 0}, "\0", "\x1b[31m", "\u202e", "../x", "@0123456789abcdef/0", "${identity}"),
)
REMAKES = (forging.rechain, forging.rehash, forging.replan, forging.reclaim, forging.refigure)


class EscapedError(AssertionError):
    """The verifier let something pass that it must not."""


class Choices:
    """Turns bytes into decisions; once they are used up every decision is the first."""

    def __init__(self, data):
        self._bytes = iter(data)

    def number(self, below):
        """A number from 0 to ``below`` - 1."""
        width = 1 if below <= 256 else 2
        value = 0
        for _ in range(width):
            value = value << 8 | next(self._bytes, 0)
        return value % below

    def of(self, options):
        """One of the options."""
        return options[self.number(len(options))]


@functools.cache
def documents():
    """Sealed honest documents of several shapes."""

    def with_blob(task, index):
        made = forging.agent(task, index)
        entry = {
            "sha256": forging.sha(BLOB.encode()),
            "size": len(BLOB),
            "text": {"blob": forging.digest(BLOB)},
        }
        made[3]["sample"]["log.txt"] = entry
        return made

    session = {"challenge": "c", "run_seq": 1, "interrupted": [{"task_id": "tidy", "index": 1, "starts": 2}]}
    return (
        casework.honest(),
        forging.build(forging.Run(n=3, stages=(2, 3), selection=("tidy",), session=session, embed=True)),
        forging.build(forging.Run(events=with_blob, blobs={forging.digest(BLOB): BLOB})),
        forging.build(forging.Run(adapter="custom", events=with_blob, blobs={forging.digest(BLOB): BLOB})),
        cases_causal.recorded(),
    )


@functools.cache
def known():
    """The canonical forms that may match: of the seeds and of the documents."""
    sealed = [
        json.loads((VECTORS / name / "receipt.json").read_bytes()) for name in SEEDS if "parse" not in name
    ]
    return {canonical(document) for document in (*documents(), *sealed)}


def any_bytes(data):
    """Judge bytes; only what was sealed may match.

    Raises:
        EscapedError: something else did.
    """
    outcome = verify(io.BytesIO(data), INPUTS)
    if outcome.matches and canonical(json.loads(data)) not in known():
        raise EscapedError("bytes that nobody sealed match")
    return outcome


def key_holder(data):
    """Edit a sealed document as the bytes say, make hashes and seal anew as they say, and judge it.

    Raises:
        EscapedError: it matches, and says something that its own evidence does not.
    """
    choices = Choices(data)
    original = choices.of(documents())
    document = copy.deepcopy(original)
    for _ in range(1 + choices.number(3)):
        _edit(document, choices)
    for remake in REMAKES:
        if choices.number(2):
            try:
                remake(document)
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
                return None
    resealed = choices.number(4) != 0
    if resealed:
        forging.seal(document)
    text = (
        forging.lines(document)
        if choices.number(2) and _has_lines(document)
        else json.dumps(document).encode()
    )
    outcome = verify(io.BytesIO(text), INPUTS)
    if outcome.matches:
        if not resealed and not equal(document, original):
            raise EscapedError("an edit by hand matches")
        _demand_derived(document)
    return outcome


def _has_lines(document):
    return isinstance(document.get("task_results"), list)


def _edit(document, choices):
    places = list(_places(document))
    holder, last = choices.of(places)
    kind = choices.number(8)
    old = holder[last]
    if kind == 0:
        del holder[last]
    elif kind == 1 and isinstance(holder, list):
        holder.insert(choices.number(len(holder) + 1), copy.deepcopy(old))
    elif kind == 2 and isinstance(old, list):
        old.reverse()
    elif kind == 3:
        other, name = choices.of(places)
        holder[last] = copy.deepcopy(other[name])
    elif kind == 4 and isinstance(old, str) and old:
        at = choices.number(len(old))
        holder[last] = old[:at] + chr(choices.number(0xD800)) + old[at + 1 :]
    elif kind == 5 and isinstance(old, dict):
        old[choices.of(("", "route", "ts", "sample", "error", "task_hash", "cut"))] = copy.deepcopy(
            choices.of(VALUES)
        )
    elif kind == 6 and isinstance(old, list):
        old.append(copy.deepcopy(choices.of(VALUES)))
    else:
        holder[last] = copy.deepcopy(choices.of(VALUES))


def _places(value):
    """Every holder and name below the top."""
    for name in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, name
        if isinstance(value[name], dict | list):
            yield from _places(value[name])


def _demand_derived(document):
    """Derive everything a second time, by the code that the vectors are made with."""
    again = copy.deepcopy(document)
    forging.rechain(again)
    forging.replan(again)
    tasks = {task["id"]: task for task in forging.MINI["tasks"]}
    # An adapter object may sample anything, in shapes that the vectors' own judge does not read.
    framed = document["subject"]["adapter"] != "custom"
    for attempt in forging.attempts_of(again) if framed else ():
        events = attempt["receipt"]["events"]
        attempt.update(
            forging.judge(tasks[attempt["task_id"]], events, again["blobs"], again["completion_only"])
        )
    forging.reclaim(again)
    forging.seal(again)
    sealed = {name: again[name] for name in forging.SEAL_MEMBERS}
    if not equal({**again, **{name: document[name] for name in sealed}}, document):
        raise EscapedError("it matches and says something else than its evidence")


TARGETS = {"bytes": any_bytes, "key_holder": key_holder}
