"""Options that several verbs share: declared once, and turned into objects once."""

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from passfloor.cli.policies import PolicyFlags, read_evidence
from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.codegraders.graders import CodeGraders
    from passfloor.grading import Scorer
    from passfloor.keys.keystore import KeyStore
    from passfloor.models.suite import Suite
    from passfloor.verification.inputs import Inputs, Trust

RUNS_DIR = Path(".passfloor/runs")
_MOST_BYTES = 1024 * 1024
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_ATTEMPT_FOLDER = re.compile(r"pf-[0-9a-f]{24}")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else.")]
ReceiptPath = Annotated[str, typer.Argument(metavar="RECEIPT", help="The receipt file.", show_default=False)]

Force = Annotated[bool, typer.Option("--force", help="Replace an existing --out file.")]
StubSigner = Annotated[
    bool, typer.Option("--stub-signer", help="Sign with the public test stub: test-grade, needs no key.")
]
ReceiptOut = Annotated[Path, typer.Option("--out", metavar="FILE", help="Where the receipt is written.")]
RECEIPT_OUT = Path("reliability.json")
MaxBytes = Annotated[
    int | None,
    typer.Option("--max-bytes", metavar="N", help="Size cap of the receipt. [default: 67108864]", min=1),
]
RunsDir = Annotated[
    Path, typer.Option("--runs-dir", metavar="DIR", help="Where the journals of runs are kept.")
]


@dataclass(frozen=True)
class VerifyFlags:
    """The verify flags as given; every verb that reads a receipt takes them."""

    suite: Annotated[
        str | None,
        typer.Option(
            "--suite", metavar="SUITE", help="Judge by this suite: a built-in name, a file or a folder."
        ),
    ] = None
    use_embedded_suite: Annotated[
        bool,
        typer.Option(
            "--use-embedded-suite",
            help="Where no built-in suite fits, judge by the one inside the receipt, which its signer chose.",
        ),
    ] = False
    signer_key: Annotated[
        list[str] | None,
        typer.Option(
            "--signer-key",
            metavar="KEY",
            help="Trust this key and no other: a PEM, OpenSSH or JWK file, or the 43 characters of the key. "
            "Repeatable.",
        ),
    ] = None
    jwks: Annotated[
        str | None,
        typer.Option("--jwks", metavar="FILE", help="Trust the keys of this JWK set and no other."),
    ] = None
    allow_stub: Annotated[
        bool,
        typer.Option(
            "--allow-stub", help="Accept the public test stub as signature; the result is TEST-GRADE."
        ),
    ] = False
    allow_unrecorded: Annotated[
        bool,
        typer.Option("--allow-unrecorded", help="Accept evidence for which coordination was not recorded."),
    ] = False
    allow_attested: Annotated[
        bool,
        typer.Option(
            "--allow-attested",
            help="Accept verdicts that nobody evaluated here and are their signer's word: of graders with "
            "code that were not run, of records kept as a digest.",
        ),
    ] = False
    run_graders: Annotated[
        bool,
        typer.Option(
            "--run-graders",
            help="Run the suite's graders with code, with your rights, once a trusted key's signature and "
            "all else was checked.",
        ),
    ] = False
    max_bytes: MaxBytes = None
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="TIME", help="Judge as of this RFC 3339 time instead of the clock."),
    ] = None
    check: Annotated[
        str | None,
        typer.Option(
            "--check",
            metavar="FILE",
            help="A check statement about the receipt, as reliability-check --out writes it: its signer's "
            "word.",
        ),
    ] = None
    require_replayed_coordination: Annotated[
        bool,
        typer.Option(
            "--require-replayed-coordination",
            help="Demand that the statement of --check vouches for a replay of every attempt.",
        ),
    ] = False
    policy: PolicyFlags = field(default_factory=PolicyFlags)

    def inputs(self, environ: Mapping[str, str]) -> "Inputs":
        """What verification is given: reads key and suite files, and nothing the receipt names.

        Raises:
            UsageError: a file is missing, a key unusable, a suite malformed, or two flags contradict.
        """
        from passfloor import receipts
        from passfloor.suites import builtin_matching, load_suite
        from passfloor.verification.inputs import Inputs, Limits

        if self.suite is not None and self.use_embedded_suite:
            raise UsageError("--suite and --use-embedded-suite name two suites: give one of them")
        return Inputs(
            now=time.time() if self.at is None else moment(self.at),
            trust=self.trust(environ),
            read_suite=read_embedded,
            suite=None if self.suite is None else load_suite(self.suite, completion_only=True),
            builtin=builtin_matching,
            use_embedded_suite=self.use_embedded_suite,
            synthetic_scorers=synthetic_scorers(),
            allow_unrecorded=self.allow_unrecorded,
            allow_attested=self.allow_attested,
            run_grader=code_graders() if self.run_graders else None,
            statement=None if self.check is None else read_evidence(self.check, "the check statement"),
            demands=self.policy.demands(),
            require_replayed=self.require_replayed_coordination,
            limits=Limits(max_bytes=receipts.MAX_BYTES if self.max_bytes is None else self.max_bytes),
        )

    def trust(self, environ: Mapping[str, str]) -> "Trust":
        """The keys that count: those named, else those of the local identity and of trust.json, read only."""
        from passfloor.cli.trusting import kept_keys, named_keys
        from passfloor.verification.inputs import Trust

        pinned = bool(self.signer_key) or self.jwks is not None
        keys = named_keys(self.signer_key or (), self.jwks, environ) if pinned else kept_keys(environ)
        return Trust(keys=keys, pinned=pinned, allow_stub=self.allow_stub)


def read_embedded(document: Any) -> "Suite":
    """The suite inside a receipt, from JSON data.

    Raises:
        SuiteError: it is malformed.
    """
    from passfloor.suites import read_suite

    return read_suite(document, folder=None, source="the embedded suite")


def synthetic_scorers() -> "dict[str, Scorer]":
    """What judges attempts of the adapters that run no agent, by their keys.

    Named one by one: the registry of adapters knows how to run agents, which no verifier may.
    """
    from passfloor.adapters.mock import MockReplayAdapter, MockScorer
    from passfloor.adapters.stochastic import StochasticMockReplayAdapter, StochasticMockScorer

    return {MockReplayAdapter.key: MockScorer(), StochasticMockReplayAdapter.key: StochasticMockScorer()}


def code_graders(root: Path | None = None) -> "CodeGraders":
    """What runs a suite's graders with code, in folders under ``root``, and says why one gave no answer."""
    from passfloor.cli.outputs import note
    from passfloor.codegraders.graders import CodeGraders

    return CodeGraders(None if root is None else root.resolve(), tell=note)


def open_receipt(path: str) -> BinaryIO:
    """Open a receipt for reading.

    Raises:
        UsageError: it is missing, unreadable or a folder.
    """
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise UsageError(f"cannot open receipt {path!a}: {error.strerror}") from error


def read_file(path: str, what: str) -> bytes:
    """A small file's content.

    Raises:
        UsageError: it is missing, unreadable or a folder.
    """
    try:
        with Path(path).open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read {what} {path!a}: {error.strerror}") from error
    if len(content) > _MOST_BYTES:
        raise UsageError(f"{what} {path!a} is larger than {_MOST_BYTES} bytes: name a file of keys")
    return content


def store(environ: Mapping[str, str]) -> "KeyStore":
    """The local key store; nothing is made by asking for it."""
    from passfloor.keys.keystore import KeyStore, home

    return KeyStore(home(environ))


def work_folders(home: Path | None) -> list[Path]:
    """The folders of attempts that ``home`` lies in: an agent that runs passfloor has its HOME in one."""
    place = Path(os.path.realpath(home)) if home is not None else Path()
    return [folder for folder in (place, *place.parents) if _ATTEMPT_FOLDER.fullmatch(folder.name)]


def moment(text: str, option: str = "--at") -> float:
    """Seconds since the epoch of an RFC 3339 time with an offset, given for ``option``.

    Raises:
        UsageError: it is no such time.
    """
    try:
        parsed = datetime.fromisoformat(text) if _RFC3339.fullmatch(text) else None
    except ValueError:
        parsed = None
    if parsed is None or parsed.tzinfo is None:
        raise UsageError(
            f"{option} {text!a}: give an RFC 3339 time with its offset, such as 2026-01-31T09:30:00Z"
        )
    return parsed.timestamp()
