"""The Python API: the same run, verification and check that the command line drives, as plain objects.

::

    from passfloor import MockReplayAdapter, ReliabilityRunner, ReliabilityVerifier, StubReliabilitySigner
    from passfloor import build_golden_suite_v1, reliability_check

    suite, adapter = build_golden_suite_v1(), MockReplayAdapter()
    receipt = ReliabilityRunner(suite=suite, adapter=adapter, scheduler_config={}, k=5).run()
    signed = StubReliabilitySigner().sign(receipt)
    print(ReliabilityVerifier(suite=suite, adapter=adapter).verify(signed).report())
    print(reliability_check(signed, suite, adapter).report())
"""

import io
import os
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from passfloor import receipts
from passfloor.adapters.describe import AnyAdapter
from passfloor.adapters.secrets import scrubber_for
from passfloor.canonical import parse
from passfloor.checking import check as checking
from passfloor.codegraders.graders import CodeGraders
from passfloor.errors import UsageError
from passfloor.grading import Scorer
from passfloor.models.receipt import ReliabilityReceipt
from passfloor.models.suite import Suite
from passfloor.report import terminal
from passfloor.running.plan import Claims, make_plan
from passfloor.running.runner import Runner
from passfloor.running.saving import save
from passfloor.signing.public_keys import PublicKey, read_public_key
from passfloor.suites import builtin_matching, load_suite, read_suite
from passfloor.verification.inputs import Inputs, Limits, Trust, TrustedKey
from passfloor.verification.result import Verification
from passfloor.verification.verifier import verify

T = TypeVar("T")

ReceiptSource = ReliabilityReceipt | str | os.PathLike[str] | bytes
"""A receipt in memory, a path, or the bytes of a file."""


class ReliabilityRunner:
    """Runs every task of a suite n times under fixed coordination.

    Args:
        suite: The suite, or a name, file or folder to load it from.
        adapter: What runs an agent on a task: a ``ProcessAdapter`` or any object with ``run_task`` and
            ``score_task``. A fresh deep copy of an adapter object is used for each task.
        scheduler_config: Handed to the adapter; part of the sealed plan.
        k: The draw size of both figures, 1 to n.
        n: Attempts a task; k where None.
        seed: The coordination seed, the same in every attempt, 0 to 2^53 - 1.
        agent_name, agent_version, model_name, k_reason: The signer's claims, null where not given.
        completion_only: Measure only whether attempts finish; assertions are not consulted.
        keep_going: Do not stop when the first ten attempts all error alike.
        concurrency: How many attempts run side by side, at least 1. Above 1, threads share a
            ``ProcessAdapter``; of an adapter object, tasks run side by side on fresh copies.
        run_graders: Run the suite's graders with code, with the rights of this process.
        scrub: Patterns (RE2) of what to replace before anything is hashed, beside secrets among the variables
            the adapter lets through and common key formats.

    Raises:
        UsageError: not 1 <= k <= n <= 10,000, a concurrency below 1, a seed out of range, a pattern that is
            not RE2, or an argument of another kind.
        SuiteError: the suite cannot be read.
    """

    def __init__(
        self,
        suite: Suite | str | os.PathLike[str],
        adapter: AnyAdapter,
        scheduler_config: Mapping[str, Any] | None = None,
        k: int = 5,
        n: int | None = None,
        *,
        seed: int = 0,
        agent_name: str | None = None,
        agent_version: str | None = None,
        model_name: str | None = None,
        k_reason: str | None = None,
        completion_only: bool = False,
        keep_going: bool = False,
        concurrency: int = 1,
        run_graders: bool = False,
        scrub: Sequence[str] = (),
    ) -> None:
        if isinstance(concurrency, bool) or not isinstance(concurrency, int) or concurrency < 1:
            raise UsageError(f"concurrency={concurrency!r}: give a whole number of at least 1")
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**53:
            raise UsageError(f"seed={seed!r}: give a whole number from 0 to 2**53 - 1")
        loaded = _suite(suite, completion_only=completion_only)
        plan = make_plan(
            loaded,
            adapter,
            k=k,
            n=n,
            scheduler_config=scheduler_config,
            claims=Claims(agent_name, agent_version, model_name, k_reason),
            completion_only=completion_only,
        )
        self._runner = Runner(
            loaded,
            adapter,
            plan,
            seed=seed,
            keep_going=keep_going,
            concurrency=concurrency,
            run_grader=CodeGraders() if run_graders else None,
            scrubber=scrubber_for(adapter, _listed(scrub, "scrub", "patterns")),
        )

    def run(self) -> ReliabilityReceipt:
        """Run every attempt and return the unsigned receipt; nothing is kept on disk.

        An attempt in which an adapter object raised is errored, of type ``worker``; a ``PassfloorError`` of
        its own ends the run.

        Raises:
            MalformedRunReceiptError: the adapter returned a run receipt that breaks the schema.
            RunStoppedError: the first ten attempts all errored alike.
        """
        return self._runner.run()


@dataclass(frozen=True)
class VerificationResult:
    """What a verification found; see ``passfloor.verification.result.Verification`` for the parts."""

    outcome: Verification

    @property
    def status(self) -> str:
        """The overall status, such as ``MATCH`` or ``FABRICATED_FLOOR``."""
        return str(self.outcome.status)

    @property
    def matches(self) -> bool:
        """Whether the receipt supports every claim and its signature is one to trust."""
        return self.outcome.matches

    def report(self) -> str:
        """The verdict and its three lists as text."""
        return terminal.verification_report(self.outcome)


class ReliabilityVerifier:
    """Re-derives a receipt offline. It runs nothing unasked: of the adapter only ``score_task`` is ever used.

    Args:
        suite: The suite to judge by; None: the built-in of the receipt's suite version.
        adapter: Scores attempts of an adapter object in place of the declared assertions.
        trusted_keys: Public keys (``PublicKey``, or any text ``--signer-key`` takes). With any, no other
            signature counts, the stub's least of all.
        allow_stub: Accept the test-grade stub signature where no key is named.
        allow_attested: Accept verdicts that nobody evaluated here: of graders with code that were not run.
        allow_unrecorded: Accept evidence for which coordination was not recorded, as in an import.
        run_graders: Run the suite's graders with code once the signature of a trusted key and all else holds.
        now: Seconds since the epoch; None: the clock.
        max_bytes: Size cap.

    Raises:
        UsageError: a key is none, or an argument is of another kind.
        SuiteError: the suite cannot be read.
    """

    def __init__(
        self,
        suite: Suite | str | os.PathLike[str] | None = None,
        adapter: Scorer | None = None,
        *,
        trusted_keys: Iterable[PublicKey | str] = (),
        allow_stub: bool = True,
        allow_attested: bool = False,
        allow_unrecorded: bool = False,
        run_graders: bool = False,
        now: float | None = None,
        max_bytes: int = receipts.MAX_BYTES,
    ) -> None:
        keys = [
            key if isinstance(key, PublicKey) else read_public_key(key, source="trusted_keys")
            for key in _listed(trusted_keys, "trusted_keys", "keys")
        ]
        self._inputs = Inputs(
            now=time.time() if now is None else now,
            trust=Trust(
                keys={key.kid: TrustedKey(key, "a key named in Python") for key in keys},
                pinned=bool(keys),
                allow_stub=allow_stub,
            ),
            read_suite=lambda document: read_suite(document, folder=None, source="the embedded suite"),
            suite=None if suite is None else _suite(suite, completion_only=True),
            builtin=builtin_matching,
            scorer=adapter,
            allow_attested=allow_attested,
            allow_unrecorded=allow_unrecorded,
            run_grader=CodeGraders() if run_graders else None,
            limits=Limits(max_bytes=max_bytes),
        )

    def verify(self, receipt: ReceiptSource) -> VerificationResult:
        """Judge a receipt; what is forged is a finding, never an exception.

        Raises:
            UsageError: no suite is known for it, the file is not there, or ``receipt`` is of another kind.
        """
        with _opened(receipt) as stream:
            return VerificationResult(verify(stream, self._inputs))


@dataclass(frozen=True)
class CheckResult:
    """What a determinism check found; see ``passfloor.checking.check.Check`` for the parts."""

    outcome: checking.Check

    @property
    def status(self) -> str:
        """PASS, FAIL or UNDECIDED; the receipt's own status where it was refused."""
        return self.outcome.status

    @property
    def passed(self) -> bool:
        """Whether every compared attempt was coordinated as recorded."""
        return self.outcome.passed

    def report(self) -> str:
        """The verdict and the first divergent field as text."""
        return terminal.check_report(self.outcome)


def reliability_check(
    receipt: ReceiptSource,
    suite: Suite | str | os.PathLike[str],
    adapter: Any,
    *,
    tasks: Collection[str] | None = None,
    attempt: int | None = 0,
    trusted_keys: Iterable[PublicKey | str] = (),
    allow_stub: bool = True,
    scrub: Sequence[str] = (),
) -> CheckResult:
    """Re-run recorded attempts on a freshly positioned adapter and compare their coordination.

    Args:
        receipt: The receipt.
        suite: Its suite.
        adapter: The agent, as it was given to the run.
        tasks: Task ids; None: the first task; empty: every task.
        attempt: The attempt's index; None: all of them.
        trusted_keys: As for ``ReliabilityVerifier``.
        allow_stub: As for ``ReliabilityVerifier``.
        scrub: As it was given to the run.

    Raises:
        UsageError: the selection names a task or attempt that the receipt does not hold.
    """
    verifier = ReliabilityVerifier(suite, adapter, trusted_keys=trusted_keys, allow_stub=allow_stub)
    selection = checking.Selection(tasks=tasks, attempt=attempt)
    with _opened(receipt) as stream:
        agent = (adapter, scrubber_for(adapter, _listed(scrub, "scrub", "patterns")))
        return CheckResult(checking.check(stream, verifier._inputs, lambda _suite, _mode: agent, selection))


def load_receipt(source: str | os.PathLike[str] | bytes) -> ReliabilityReceipt:
    """Read a receipt into its model. Reading is not verifying: nothing it claims is checked.

    Raises:
        UsageError: the file is not there.
        JsonError: it is not strict JSON.
        pydantic.ValidationError: it is no reliability receipt.
    """
    with _opened(source) as stream:
        return ReliabilityReceipt.model_validate(parse(stream.read()).value)


def write_receipt(receipt: ReliabilityReceipt, path: str | os.PathLike[str]) -> Path:
    """Write a receipt in its line layout, whole or not at all; an existing file is replaced.

    Raises:
        UsageError: ``receipt`` is no receipt, or ``path`` no path.
        EnvironmentFault: it cannot be written there.
    """
    if not isinstance(receipt, ReliabilityReceipt):
        raise UsageError(f"receipt is {_kind(receipt)}: give the one that a run or a signer returned")
    if not isinstance(path, str | os.PathLike):
        raise UsageError(f"path is {_kind(path)}: give the path of a file")
    return save(receipt.document(), Path(path), replace=True, run=receipt.session.run)


def _suite(source: Suite | str | os.PathLike[str], *, completion_only: bool) -> Suite:
    if isinstance(source, Suite):
        return source
    if not isinstance(source, str | os.PathLike):
        raise UsageError(f"suite is {_kind(source)}: give a Suite, or the name, file or folder of one")
    return load_suite(os.fspath(source), completion_only=completion_only)


def _opened(receipt: ReceiptSource) -> BinaryIO:
    if isinstance(receipt, ReliabilityReceipt):
        return io.BytesIO(b"".join(receipts.write(receipt.document())))
    if isinstance(receipt, bytes):
        return io.BytesIO(receipt)
    if not isinstance(receipt, str | os.PathLike):
        raise UsageError(f"receipt is {_kind(receipt)}: give a receipt, the path of one, or its bytes")
    try:
        return Path(receipt).open("rb")
    except OSError as error:
        raise UsageError(f"cannot open {os.fspath(receipt)!a}: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"cannot open {os.fspath(receipt)!a}: {error}; give the path of a file") from error


def _listed(values: Iterable[T], name: str, what: str) -> tuple[T, ...]:
    """The values of an argument that takes several; a text would be as many as it has letters.

    Raises:
        UsageError: it is a text, or no collection at all.
    """
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise UsageError(f"{name} is {_kind(values)}: give a list of {what}, also where it is only one")
    return tuple(values)


def _kind(value: object) -> str:
    return f"of type {type(value).__name__}"
