"""``passfloor trust``: the keys of others whose word counts here."""

import os
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from passfloor.cli import options
from passfloor.cli.outputs import note, print_json, print_text
from passfloor.errors import KeyFileError, UsageError

if TYPE_CHECKING:
    from passfloor.keys.trust_file import EntryPolicy, TrustEntry, TrustFile
    from passfloor.signing.key_sets import ListedKey

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Whose signatures count here, and for what."
)


@app.command("add", short_help="Trust a key from now on.")
def add(
    key: Annotated[
        str,
        typer.Argument(
            metavar="KEY|FILE",
            help="The 43 characters of a key, or a PEM, OpenSSH, JWK or JWK set file.",
            show_default=False,
        ),
    ],
    name: Annotated[
        str | None, typer.Option("--name", metavar="T", help="What you call its owner; unique.")
    ] = None,
    not_before: Annotated[
        str | None,
        typer.Option("--not-before", metavar="TIME", help="Count nothing that was sealed before this time."),
    ] = None,
    not_after: Annotated[
        str | None,
        typer.Option("--not-after", metavar="TIME", help="Count nothing that was sealed after this time."),
    ] = None,
    min_k: Annotated[
        int | None,
        typer.Option("--min-k", metavar="K", help="Demand a draw size of at least K.", min=1, max=10_000),
    ] = None,
    recorded: Annotated[
        bool, typer.Option("--recorded", help="Demand that coordination was recorded.")
    ] = False,
    subject: Annotated[
        list[str] | None,
        typer.Option(
            "--subject", metavar="T", help="Let the key speak for the agent of this name alone. Repeatable."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace entries of the same keys.")] = False,
    as_json: options.Json = False,
) -> None:
    """Trust a key, wherever receipts are read and no key is named with --signer-key or --jwks.

    Of a JWK set all keys are added, with the windows and revocations that it publishes. What an entry demands
    of a receipt and does not find is POLICY_FAILED, exit 3.
    """
    from passfloor.keys.trust_file import EntryPolicy

    subjects = list(dict.fromkeys(subject or ()))
    for each in subjects:
        _check_text("--subject", each)
    policy = EntryPolicy(min_k=min_k, recorded=recorded, subjects=subjects)
    window = _window(not_before, not_after)
    keys = _read(key)
    entries = [_entry(each, _called(name, position), window, policy) for position, each in enumerate(keys)]
    entries = _file().add(entries, replace=force)
    if as_json:
        print_json({"keys": [_row(entry) for entry in entries]})
        return
    for entry in entries:
        print_text(_line(entry))


@app.command("list")
def list_(as_json: options.Json = False) -> None:
    """List the keys that are trusted beside those of the local identity."""
    entries = _file().entries()
    if as_json:
        print_json({"keys": [_row(entry) for entry in entries]})
        return
    for entry in entries:
        print_text(_line(entry))
    if not entries:
        note("nobody is trusted yet beside the local identity; add a key with: passfloor trust add")


@app.command("remove", short_help="Stop trusting a key.")
def remove(
    key: Annotated[
        str, typer.Argument(metavar="NAME|KID", help="Its name or its fingerprint.", show_default=False)
    ],
    as_json: options.Json = False,
) -> None:
    """Stop trusting a key: from now on its signatures are those of a stranger."""
    entry = _file().remove(key)
    if as_json:
        print_json({"removed": _row(entry)})
    else:
        print_text(_line(entry))


def _file() -> "TrustFile":
    from passfloor.keys.trust_file import TrustFile

    return TrustFile(options.store(os.environ).home)


def _read(key: str) -> "list[ListedKey]":
    """The keys of a file, or the one that ``key`` spells."""
    from passfloor.cli.trusting import read_key
    from passfloor.signing.key_sets import ListedKey, is_key_set, read_jwks

    if os.path.isfile(key):  # noqa: PTH113  # a key's own text may be no valid path
        data = options.read_file(key, "the key")
        if is_key_set(data, source=key):
            return read_jwks(data, source=key)
    return [ListedKey(read_key(key, "KEY"))]


def _window(not_before: str | None, not_after: str | None) -> tuple[float | None, float | None]:
    starts = None if not_before is None else options.moment(not_before, "--not-before")
    ends = None if not_after is None else options.moment(not_after, "--not-after")
    if starts is not None and ends is not None and ends < starts:
        raise UsageError(f"--not-after {not_after!a} is before --not-before {not_before!a}: swap them")
    return starts, ends


def _called(name: str | None, position: int) -> str | None:
    """The name of a key of a set: the first has the name that was given, others a number behind it."""
    if name is None:
        return None
    called = name if position == 0 else f"{name} {position + 1}"
    _check_text("--name", called)
    return called


def _check_text(option: str, text: str) -> None:
    from passfloor.keys.trust_file import MAX_NAME

    if not 0 < len(text) <= MAX_NAME or not text.isprintable() or text != text.strip():
        raise UsageError(
            f"{option} {text[:MAX_NAME]!a}: give 1 to {MAX_NAME} printable characters, no blank at an end"
        )


def _entry(
    listed: "ListedKey",
    name: str | None,
    window: tuple[float | None, float | None],
    policy: "EntryPolicy",
) -> "TrustEntry":
    from pydantic import ValidationError

    from passfloor.keys.history import Revoked
    from passfloor.keys.trust_file import TrustEntry
    from passfloor.signing.validity import Validity, time_text

    now, validity = time_text(time.time()), listed.validity.narrowed(Validity(*window))
    revoked = validity.revoked
    try:
        return TrustEntry(
            kid=listed.key.kid,
            x=listed.key.x,
            name=name,
            added_at=now,
            not_before=None if validity.not_before is None else time_text(validity.not_before),
            not_after=None if validity.not_after is None else time_text(validity.not_after),
            revoked=None
            if revoked is None
            else Revoked(at=now, since=time_text(revoked.since), reason=revoked.reason),
            policy=policy,
        )
    except ValidationError:
        raise KeyFileError(
            f"the key {listed.key.kid} has a published time that no calendar has; ask its owner to mend that"
        ) from None


def _row(entry: "TrustEntry") -> dict[str, Any]:
    return entry.model_dump()


def _line(entry: "TrustEntry") -> str:
    """An entry on one line, for people."""
    from passfloor.report.escape import show
    from passfloor.signing.validity import time_text

    validity, policy = entry.validity(), entry.policy
    words = [validity.window] if validity.window else []
    if validity.revoked is not None:
        words.append(f"revoked since {time_text(validity.revoked.since)}")
    if policy.min_k is not None:
        words.append(f"k >= {policy.min_k}")
    if policy.recorded:
        words.append("coordination recorded")
    if policy.subjects:
        words.append(f"agents {', '.join(map(show, policy.subjects))}")
    return "  ".join(
        [entry.kid, *([show(entry.name)] if entry.name else []), *([", ".join(words)] if words else [])]
    )
