"""Options that several verbs share: declared once, and turned into objects once."""

import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from passfloor.errors import KeyFileError, UsageError

if TYPE_CHECKING:
    from passfloor.grading import Scorer
    from passfloor.keys.keystore import KeyStore
    from passfloor.signing.public_keys import PublicKey
    from passfloor.verification.inputs import Inputs, Trust

RUNS_DIR = Path(".passfloor/runs")
_MOST_BYTES = 1024 * 1024
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_ATTEMPT_FOLDER = re.compile(r"pf-[0-9a-f]{24}")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else.")]
ReceiptPath = Annotated[str, typer.Argument(metavar="RECEIPT", help="The receipt file.", show_default=False)]

RunsDir = Annotated[
    Path, typer.Option("--runs-dir", metavar="DIR", help="Where the journals of runs are kept.")
]

SuiteChoice = Annotated[
    str | None,
    typer.Option(
        "--suite", metavar="SUITE", help="Judge by this suite: a built-in name, a file or a folder."
    ),
]
UseEmbeddedSuite = Annotated[
    bool,
    typer.Option(
        "--use-embedded-suite",
        help="Where no built-in suite fits, judge by the one inside the receipt, which its signer chose.",
    ),
]
SignerKey = Annotated[
    list[str] | None,
    typer.Option(
        "--signer-key",
        metavar="KEY",
        help="Trust this key and no other: a PEM, OpenSSH or JWK file, or the 43 characters of the key. "
        "Repeatable.",
    ),
]
Jwks = Annotated[
    str | None, typer.Option("--jwks", metavar="FILE", help="Trust the keys of this JWK set and no other.")
]
AllowStub = Annotated[
    bool,
    typer.Option("--allow-stub", help="Accept the public test stub as signature; the result is TEST-GRADE."),
]
AllowUnrecorded = Annotated[
    bool,
    typer.Option("--allow-unrecorded", help="Accept evidence for which coordination was not recorded."),
]
MaxBytes = Annotated[
    int | None,
    typer.Option("--max-bytes", metavar="N", help="Size cap of the receipt. [default: 67108864]", min=1),
]
At = Annotated[
    str | None,
    typer.Option("--at", metavar="TIME", help="Judge as of this RFC 3339 time instead of the clock."),
]


CheckFile = Annotated[
    str | None,
    typer.Option(
        "--check",
        metavar="FILE",
        help="A check statement about the receipt, as reliability-check --out writes it: its signer's word.",
    ),
]
RequireReplayed = Annotated[
    bool,
    typer.Option(
        "--require-replayed-coordination",
        help="Demand that the statement of --check vouches for a replay of every attempt.",
    ),
]


@dataclass(frozen=True)
class VerifyFlags:
    """The verify flags as given."""

    suite: str | None = None
    use_embedded_suite: bool = False
    signer_key: Sequence[str] | None = None
    jwks: str | None = None
    allow_stub: bool = False
    allow_unrecorded: bool = False
    max_bytes: int | None = None
    at: str | None = None
    check: str | None = None
    require_replayed_coordination: bool = False

    def inputs(self, environ: Mapping[str, str]) -> "Inputs":
        """What verification is given: reads key and suite files, and nothing the receipt names.

        Raises:
            UsageError: a file is missing, a key unusable, a suite malformed, or two flags contradict.
        """
        from passfloor import receipts
        from passfloor.adapters.mock import MockReplayAdapter, MockScorer
        from passfloor.adapters.stochastic import StochasticMockReplayAdapter, StochasticMockScorer
        from passfloor.suites import builtin_matching, load_suite, read_suite
        from passfloor.verification.inputs import Inputs, Limits

        if self.suite is not None and self.use_embedded_suite:
            raise UsageError("--suite and --use-embedded-suite name two suites: give one of them")
        # Named one by one: the registry of adapters knows how to run agents, which no verifier may.
        scorers: dict[str, Scorer] = {
            MockReplayAdapter.key: MockScorer(),
            StochasticMockReplayAdapter.key: StochasticMockScorer(),
        }
        return Inputs(
            now=time.time() if self.at is None else moment(self.at),
            trust=self.trust(environ),
            read_suite=lambda document: read_suite(document, folder=None, source="the embedded suite"),
            suite=None if self.suite is None else load_suite(self.suite, completion_only=True),
            builtin=builtin_matching,
            use_embedded_suite=self.use_embedded_suite,
            synthetic_scorers=scorers,
            allow_unrecorded=self.allow_unrecorded,
            statement=None if self.check is None else read_statement(self.check),
            require_replayed=self.require_replayed_coordination,
            limits=Limits(max_bytes=receipts.MAX_BYTES if self.max_bytes is None else self.max_bytes),
        )

    def trust(self, environ: Mapping[str, str]) -> "Trust":
        """The keys that count: those named, else those of the local identity, read only."""
        from passfloor.keys.keystore import KeyStore, home
        from passfloor.verification.inputs import Trust, TrustedKey

        keys: dict[str, TrustedKey] = {}
        for name in self.signer_key or ():
            key = _public_key(name)
            keys[key.kid] = TrustedKey(key, "--signer-key")
        if self.jwks is not None:
            from passfloor.signing.public_keys import read_jwks

            for key in read_jwks(read_file(self.jwks, "the JWK set"), source=self.jwks):
                keys[key.kid] = TrustedKey(key, f"--jwks {self.jwks}")
        pinned = bool(self.signer_key) or self.jwks is not None
        if not pinned:
            folder = home(environ)
            for key in KeyStore(folder).public_keys():
                keys[key.kid] = TrustedKey(key, f"the local identity in {folder}")
        return Trust(keys=keys, pinned=pinned, allow_stub=self.allow_stub)


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


def read_statement(path: str) -> bytes:
    """A check statement's content; of one that is too long its start, which is none.

    Raises:
        UsageError: it is missing, unreadable or a folder.
    """
    from passfloor.receipts import MAX_BYTES

    try:
        with Path(path).open("rb") as stream:
            return stream.read(MAX_BYTES)
    except OSError as error:
        raise UsageError(f"cannot read the check statement {path!a}: {error.strerror}") from error


def store(environ: Mapping[str, str]) -> "KeyStore":
    """The local key store; nothing is made by asking for it."""
    from passfloor.keys.keystore import KeyStore, home

    return KeyStore(home(environ))


def work_folders(home: Path | None) -> list[Path]:
    """The folders of attempts that ``home`` lies in: an agent that runs passfloor has its HOME in one."""
    place = Path(os.path.realpath(home)) if home is not None else Path()
    return [folder for folder in (place, *place.parents) if _ATTEMPT_FOLDER.fullmatch(folder.name)]


def moment(text: str) -> float:
    """Seconds since the epoch of an RFC 3339 time with an offset.

    Raises:
        UsageError: it is no such time.
    """
    try:
        parsed = datetime.fromisoformat(text) if _RFC3339.fullmatch(text) else None
    except ValueError:
        parsed = None
    if parsed is None or parsed.tzinfo is None:
        raise UsageError(
            f"--at {text!a}: give an RFC 3339 time with its offset, such as 2026-01-31T09:30:00Z"
        )
    return parsed.timestamp()


def _public_key(name: str) -> "PublicKey":
    from passfloor.signing.public_keys import read_public_key

    if os.path.exists(name):  # noqa: PTH110  # a key's own text may be no valid path
        return read_public_key(read_file(name, "the key"), source=name)
    try:
        return read_public_key(name, source="--signer-key")
    except KeyFileError as error:
        raise KeyFileError(f"--signer-key {name[:80]!a} is no file, and as a key: {error}") from error
