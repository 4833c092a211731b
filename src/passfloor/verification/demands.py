"""What a relying party asks of a receipt beyond that it is authentic and consistent, and what it holds."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class ExpectedSubject:
    """The agent that is meant: by name, and version where one is said; or by digest of how it is invoked."""

    name: str | None = None
    version: str | None = None
    adapter_digest: str | None = None


@dataclass(frozen=True)
class Demands:
    """What is asked; None and False ask nothing.

    Attributes:
        min_floor: The least pass^k, 0 to 1, at the k of the run.
        min_k: The least draw size.
        suite_hash: The hash of the tasks that were run.
        subject: The agent that is meant.
        max_age: The most seconds between the start of the run and now.
        distinct_outputs: No two attempts of a task have the same output.
        challenge: The text that the run must answer to.
        commitment: The commitment that the run must answer to, as read.
        ledger: The signer's ledger, as read, which must hold the run.
        other_runs: The ledger may hold further runs of the same suite and agent.
    """

    min_floor: Fraction | None = None
    min_k: int | None = None
    suite_hash: str | None = None
    subject: ExpectedSubject | None = None
    max_age: float | None = None
    distinct_outputs: bool = False
    challenge: str | None = None
    commitment: bytes | None = None
    ledger: bytes | None = None
    other_runs: bool = False
