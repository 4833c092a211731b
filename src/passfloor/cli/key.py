"""``passfloor key``: the identity that signs receipts."""

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from passfloor.cli import options
from passfloor.cli.flags import takes_flags
from passfloor.cli.outputs import note, print_json, print_text
from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.keys.keystore import KeyEntry, KeyStore
    from passfloor.signing.validity import Validity

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Make, look at, replace and publish signing keys."
)

Kid = Annotated[
    str | None, typer.Argument(metavar="[KID]", help="A key's fingerprint. [default: the current key]")
]
Passphrase = Annotated[
    bool,
    typer.Option("--passphrase", help="Ask for a passphrase that encrypts the key's file."),
]

REACHABLE = "agents run as its owner and could read it: bench run --no-seal, then bench seal elsewhere"
"""What is said once of a key without a passphrase, where it is made."""


@app.command("generate", short_help="Make a signing key; it signs from now on.")
def generate(passphrase: Passphrase = False, as_json: options.Json = False) -> None:
    """Make a signing key and let it sign from now on. PASSFLOOR_KEY_PASSWORD encrypts its file."""
    from passfloor.cli.passphrase import new_passphrase

    keys = _own_store()
    password = new_passphrase(asked=passphrase)
    key = keys.generate(password=password)
    if as_json:
        print_json({"kid": key.public.kid, "x": key.public.x})
        return
    print_text(key.public.kid)
    note("it signs from now on; publish it with: passfloor key publish")
    if password is None:
        note(f"{REACHABLE}; or make one with --passphrase")


@app.command("rotate", short_help="Make a key that signs in place of the current one.")
def rotate(
    passphrase: Passphrase = False,
    no_passphrase: Annotated[
        bool,
        typer.Option("--no-passphrase", help="Keep the new key's file open, though the old one's is not."),
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Make a key that signs from now on; the window of the current one closes.

    The old key stays listed and published, and what it signed within its window still verifies.
    """
    from passfloor.cli.passphrase import new_passphrase

    if passphrase and no_passphrase:
        raise UsageError("--passphrase and --no-passphrase contradict each other: give one of them")
    keys = _own_store()
    password = None if no_passphrase else new_passphrase(asked=passphrase)
    if password is None and not no_passphrase and _is_encrypted(keys):
        raise UsageError(
            "the current key has a passphrase and the new one would have none: "
            "give it one with --passphrase, or say --no-passphrase"
        )
    key, old = keys.rotate(at=time.time(), password=password)
    if as_json:
        print_json({"kid": key.public.kid, "x": key.public.x, "replaces": old})
        return
    print_text(key.public.kid)
    note(f"it signs from now on in place of {old}; publish both with: passfloor key publish")


@app.command("revoke", short_help="Revoke a key: it verifies nothing from now on.")
def revoke(
    kid: Annotated[str, typer.Argument(metavar="KID", help="The key's fingerprint.", show_default=False)],
    reason: Annotated[
        str, typer.Option("--reason", metavar="T", help="Why, in your words; published with the key.")
    ] = "",
    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            metavar="TIME",
            help="Since when nothing it signed can be believed, an RFC 3339 time. [default: now]",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Revoke a key: nothing that it signed verifies any more, and it signs nothing.

    That holds for what it signed before --since as well: who has the key can write any time. To replace a key
    that is still yours alone, rotate it.
    """
    keys, now = options.store(os.environ), time.time()
    _check_reason(reason)
    from_then = now if since is None else options.moment(since, "--since")
    if from_then > now:
        raise UsageError(f"--since {since!a} is still to come: a key is revoked from a time that has been")
    was_current = keys.current() == kid
    keys.revoke(kid, at=now, since=from_then, reason=reason)
    if as_json:
        print_json({"kid": kid, **_validity(_entry(keys, kid).validity)})
        return
    print_text(kid)
    note("it is revoked; tell those who trust it with: passfloor key publish")
    if was_current:
        note("it signed by default; make the next one with: passfloor key rotate")


@app.command("list")
def list_(as_json: options.Json = False) -> None:
    """List the keys of the local identity. The current one is marked."""
    entries = options.store(os.environ).list()
    if as_json:
        print_json({"keys": [_row(entry) for entry in entries]})
        return
    for entry in entries:
        print_text(f"{'*' if entry.current else ' '} {entry.kid}  {_kept(entry)}")
    if not entries:
        note("no keys yet; make one with: passfloor key generate")


@app.command("show", short_help="Show a public key and its fingerprint.")
def show(kid: Kid = None, as_json: options.Json = False) -> None:
    """Show a public key: its fingerprint, the 43 characters that --signer-key takes, and its PEM."""
    keys = options.store(os.environ)
    wanted = kid or keys.current()
    if wanted is None:
        raise UsageError("there is no key yet: make one with passfloor key generate")
    key = next((key for key in keys.public_keys() if key.kid == wanted), None)
    if key is None:
        raise UsageError(f"no key {wanted[:80]!a} here: passfloor key list shows those there are")
    pem = key.pem().decode()
    if as_json:
        print_json({"kid": key.kid, "x": key.x, "jwk": key.jwk(), "pem": pem})
        return
    print_text(f"fingerprint: {key.kid}\nkey        : {key.x}\n{pem.rstrip()}")


@app.command("publish", short_help="Print the public keys as a JWK set.")
@takes_flags
def publish(
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the JWK set there instead of to stdout."),
    ] = None,
    force: options.Force = False,
) -> None:
    """Print the public keys as a JWK set (RFC 7517), for others to verify with --jwks.

    Replaced and revoked keys are in it, with their windows (nbf, exp) and revocations (revoked).
    """
    keys = options.store(os.environ).jwks()
    if not keys["keys"]:
        raise UsageError("there is no key to publish: make one with passfloor key generate")
    if out is None:
        print_json(keys)
        return
    from passfloor.running.preflight import check_out
    from passfloor.running.saving import save_bytes

    check_out(out, force=force)
    save_bytes(json.dumps(keys, indent=2).encode() + b"\n", out, replace=force)
    note(f"wrote {len(keys['keys'])} public key{'' if len(keys['keys']) == 1 else 's'} to {out}")


def _own_store() -> "KeyStore":
    """The store, in a place where keys may live."""
    from passfloor.keys.keystore import check_location, user_home

    keys = options.store(os.environ)
    check_location(keys.home, Path.cwd(), (), user_home(os.environ))
    return keys


def _is_encrypted(keys: "KeyStore") -> bool:
    current = next((entry for entry in keys.list() if entry.current and entry.has_private), None)
    return current is not None and keys.is_encrypted(current.kid)


def _check_reason(reason: str) -> None:
    from passfloor.signing.key_sets import MAX_REASON

    if len(reason) > MAX_REASON or not reason.isprintable():
        raise UsageError(f"--reason: at most {MAX_REASON} printable characters, on one line")


def _entry(keys: "KeyStore", kid: str) -> "KeyEntry":
    return next(entry for entry in keys.list() if entry.kid == kid)


def _row(entry: "KeyEntry") -> dict[str, Any]:
    row = {"kid": entry.kid, "current": entry.current, "private": entry.has_private}
    return {**row, **_validity(entry.validity)}


def _validity(validity: "Validity") -> dict[str, Any]:
    from passfloor.signing.validity import time_text

    revoked = validity.revoked
    return {
        "not_before": None if validity.not_before is None else time_text(validity.not_before),
        "not_after": None if validity.not_after is None else time_text(validity.not_after),
        "revoked_since": None if revoked is None else time_text(revoked.since),
        "reason": None if revoked is None else revoked.reason,
    }


def _kept(entry: "KeyEntry") -> str:
    """What there is of a key and when it counts, for people."""
    from passfloor.report.escape import show as shown
    from passfloor.signing.validity import time_text

    words = ["private" if entry.has_private else "public only"]
    if entry.validity.window:
        words.append(entry.validity.window)
    if (revoked := entry.validity.revoked) is not None:
        why = f" ({shown(revoked.reason)})" if revoked.reason else ""
        words.append(f"revoked since {time_text(revoked.since)}{why}")
    return ", ".join(words)
