"""Everything verification needs and must not fetch by itself: clock, suite, keys, scorers, limits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from passfloor.canonical import MAX_NODES
from passfloor.grading import RunGrader, Scorer
from passfloor.models.receipt import ReceiptHead
from passfloor.models.suite import Suite, Task
from passfloor.receipts import MAX_BYTES
from passfloor.signing.public_keys import PublicKey
from passfloor.signing.validity import OPEN, Validity
from passfloor.verification.demands import Demands


@dataclass(frozen=True)
class KeyPolicy:
    """What a receipt must be for a trusted key's word to count.

    Attributes:
        min_k: The least draw size k; None: any.
        recorded: Its coordination was recorded.
        subjects: The names of agents that the key may speak for; empty: any agent, named or not.
    """

    min_k: int | None = None
    recorded: bool = False
    subjects: tuple[str, ...] = ()


ANYTHING = KeyPolicy()
"""The key may say anything."""


@dataclass(frozen=True)
class TrustedKey:
    """A key somebody decided to trust.

    Attributes:
        key: It.
        anchor: Where that decision stands, for people.
        validity: When the key counts.
        policy: For what.
    """

    key: PublicKey
    anchor: str
    validity: Validity = OPEN
    policy: KeyPolicy = ANYTHING


@dataclass(frozen=True)
class Trust:
    """Whose signatures count.

    Attributes:
        keys: kid -> key.
        pinned: The keys were named for this very check; nothing else is accepted, the stub least of all.
        allow_stub: Accept the test-grade stub signature.
    """

    keys: Mapping[str, TrustedKey] = field(default_factory=dict)
    pinned: bool = False
    allow_stub: bool = False


@dataclass(frozen=True)
class Limits:
    """What a receipt may cost. Bytes and JSON nodes over the file; attempts a task; tasks."""

    max_bytes: int = MAX_BYTES
    max_nodes: int = MAX_NODES
    max_attempts: int = 10_000
    max_tasks: int = 10_000


@dataclass(frozen=True)
class VerifiedTask:
    """A task result that was just judged: the task, its place in the suite, the result as read.

    Attributes:
        head: The receipt's other members; its blobs are what the events refer to.
        forms: Of every attempt the RFC 8785 form of each event, in their order.
    """

    task: Task
    position: int
    result: Mapping[str, Any]
    head: ReceiptHead
    forms: Sequence[Sequence[bytes]]


@dataclass(frozen=True)
class Inputs:
    """The arguments of one verification.

    Attributes:
        now: Seconds since the epoch.
        trust: Whose signatures count.
        suite: The suite the relying party names, or None.
        builtin: Finds a built-in suite by its version or its hash; asked when ``suite`` is None.
        read_suite: Reads an embedded suite from JSON data; raises SuiteError.
        use_embedded_suite: Judge by the suite inside the receipt, which its signer chose.
        scorer: Judges attempts in place of the declared assertions (an adapter object's own scorer).
        synthetic_scorers: Scorers of the synthetic adapters, by registry key.
        allow_unrecorded: Accept evidence for which coordination was not recorded.
        allow_attested: Accept verdicts that are in part the signer's word, since nobody evaluated them here.
        run_grader: Runs the suite's graders with code. It is called in a second pass, once the receipt was
            found sound: whole, consistent, sealed, and signed by a trusted key. None: they are not run.
        statement: A check statement, as read; None where none is given.
        require_replayed: Demand that it vouches for a replay of every attempt.
        demands: What else is asked of the receipt, and what it is held against for that.
        limits: What the receipt may cost.
        observe: Called once with each task result after it was judged, in order.
    """

    now: float
    trust: Trust
    read_suite: Callable[[Any], Suite]
    suite: Suite | None = None
    builtin: Callable[[str, str], Suite | None] = lambda _version, _hash: None
    use_embedded_suite: bool = False
    scorer: Scorer | None = None
    synthetic_scorers: Mapping[str, Scorer] = field(default_factory=dict)
    allow_unrecorded: bool = False
    allow_attested: bool = False
    run_grader: RunGrader | None = None
    statement: bytes | None = None
    require_replayed: bool = False
    demands: Demands = field(default_factory=Demands)
    limits: Limits = field(default_factory=Limits)
    observe: Callable[[VerifiedTask], None] | None = None
