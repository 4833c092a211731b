"""``passfloor key``: the identity that signs receipts."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from passfloor.cli import options
from passfloor.cli.outputs import note, print_json, print_text
from passfloor.errors import UsageError

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Make, look at and publish signing keys.")

Kid = Annotated[
    str | None, typer.Argument(metavar="[KID]", help="A key's fingerprint. [default: the current key]")
]


@app.command("generate", short_help="Make a signing key; it signs from now on.")
def generate(as_json: options.Json = False) -> None:
    """Make a signing key and let it sign from now on. PASSFLOOR_KEY_PASSWORD encrypts its file."""
    from passfloor.keys.keystore import check_location, user_home

    keys = options.store(os.environ)
    check_location(keys.home, Path.cwd(), (), user_home(os.environ))
    password = os.environ.get("PASSFLOOR_KEY_PASSWORD")
    key = keys.generate(password=None if password is None else password.encode())
    if as_json:
        print_json({"kid": key.public.kid, "x": key.public.x})
        return
    print_text(key.public.kid)
    note("it signs from now on; publish it with: passfloor key publish")


@app.command("list")
def list_(as_json: options.Json = False) -> None:
    """List the keys of the local identity. The current one is marked."""
    entries = options.store(os.environ).list()
    if as_json:
        rows = [{"kid": e.kid, "current": e.current, "private": e.has_private} for e in entries]
        print_json({"keys": rows})
        return
    for entry in entries:
        kept = "private" if entry.has_private else "public only"
        print_text(f"{'*' if entry.current else ' '} {entry.kid}  {kept}")
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
def publish(
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the JWK set there instead of to stdout."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing --out file.")] = False,
) -> None:
    """Print the public keys as a JWK set (RFC 7517), for others to verify with --jwks."""
    keys = options.store(os.environ).jwks()
    if not keys["keys"]:
        raise UsageError("there is no key to publish: make one with passfloor key generate")
    if out is None:
        print_json(keys)
        return
    from passfloor.running.preflight import check_out

    check_out(out, force=force)
    try:
        with out.open("w" if force else "x", encoding="utf-8") as stream:
            stream.write(json.dumps(keys, indent=2) + "\n")
    except OSError as error:
        raise UsageError(f"cannot write {str(out)!a}: {error.strerror}") from error
    note(f"wrote {len(keys['keys'])} public key{'' if len(keys['keys']) == 1 else 's'} to {out}")
