"""How a case is written down: its receipt, the flags it is verified with, and what must be found."""

import copy
import functools
import json
from dataclasses import dataclass

import forging

AT = "2026-02-01T00:00:00Z"
EXIT = {"MATCH": 0, "POLICY_FAILED": 3, "RESOURCE_LIMIT": 4, "UNSUPPORTED": 4}
SUITE = ("--suite", "../suites/mini.json")
TEST = ("--signer-key", forging.TEST_X)
DEFAULT = (*SUITE, *TEST)
BOTH = (*DEFAULT, "--signer-key", forging.OTHER_X)
STUB = (*SUITE, "--allow-stub")

# What is found in cases of more than one file: status, code and step.
TYPE = ("MALFORMED_RECEIPT", "type", 2)
GRADERS = ("HASH_MISMATCH", "plan", 7)
PLAN = ("HASH_MISMATCH", "plan", 9)
IDENTITY = ("DUPLICATE_ATTEMPT", "attempt_identity", 9)
EVENT = ("MALFORMED_RECEIPT", "type", 10)
CHAIN = ("HASH_MISMATCH", "chain", 10)
TASK = ("HASH_MISMATCH", "task", 10)
BLOB = ("HASH_MISMATCH", "blob", 10)
HASH = ("HASH_MISMATCH", "attempt_hash", 11)
OUTCOME = ("FABRICATED_SCORE", "outcome", 12)
DIVERGED = ("COORDINATION_DIVERGED", "diverged", 13)


@dataclass(frozen=True)
class Case:
    """One folder. ``code`` and ``step`` None: nothing at all may be found."""

    name: str
    receipt: bytes
    status: str
    code: str | None
    step: int | None
    flags: tuple = DEFAULT

    @property
    def folder(self):
        return self.name if self.status == "MATCH" else f"{self.name}_fail"

    def expected(self):
        document = {
            "status": self.status,
            "code": self.code,
            "step": self.step,
            "exit": EXIT.get(self.status, 1),
            "flags": [*self.flags, "--at", AT],
        }
        return (json.dumps(document, indent=2) + "\n").encode()


@functools.cache
def _honest():
    return forging.build(forging.Run())


def honest(**changes):
    """The sealed document of an honest run; without changes always the same one, as a copy."""
    return copy.deepcopy(forging.build(forging.Run(**changes)) if changes else _honest())


def written(document):
    """As the writer lays it out; as compact JSON where the document has no list of task results."""
    if isinstance(document.get("task_results"), list):
        return forging.lines(document)
    return json.dumps(document, separators=(",", ":")).encode()


def match(name, document, flags=DEFAULT):
    data = document if isinstance(document, bytes) else written(document)
    return Case(name, data, "MATCH", None, None, flags)


def refused(name, finding, document, flags=DEFAULT):
    data = document if isinstance(document, bytes) else written(document)
    return Case(name, data, *finding, flags)


def pair(name, finding, edit, *remake, document=None, unsealed=None, flags=DEFAULT):
    """The same edit twice: by hand, the seal untouched; and by the key holder.

    ``remake`` are the steps that the key holder does anew before sealing. ``unsealed`` is the finding of the
    first where it differs.
    """
    by_hand = honest() if document is None else copy.deepcopy(document)
    edit(by_hand)
    yield refused(f"{name}_unsealed", unsealed or finding, by_hand, flags)
    yield resealed(f"{name}_resealed", finding, edit, *remake, document=document, flags=flags)


def resealed(name, finding, edit, *remake, document=None, flags=DEFAULT):
    """The second half of ``pair`` alone: where the edit is refused for what it is, sealed or not."""
    by_holder = honest() if document is None else copy.deepcopy(document)
    edit(by_holder)
    for step in remake:
        step(by_holder)
    return refused(name, finding, forging.seal(by_holder), flags)


def put(*path_and_value):
    """An edit: set the member at the end of the path."""
    *path, last, value = path_and_value

    def edit(document):
        target = document
        for part in path:
            target = target[part]
        target[last] = copy.deepcopy(value)

    return edit


def drop(*path):
    """An edit: delete the member or item at the end of the path."""

    def edit(document):
        target = document
        for part in path[:-1]:
            target = target[part]
        del target[path[-1]]

    return edit


def attempt(document, task=0, index=0):
    return document["task_results"][task]["attempts"][index]


def events(document, task=0, index=0):
    return attempt(document, task, index)["receipt"]["events"]


ATTEMPT = ("task_results", 0, "attempts", 0)
RECEIPT = (*ATTEMPT, "receipt")
EVENTS = (*RECEIPT, "events")
