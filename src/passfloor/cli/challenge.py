"""``bench challenge``: a relying party's nonce for a run to be begun under."""

import secrets
from pathlib import Path
from typing import Annotated

import typer

from passfloor.cli import options
from passfloor.cli.flags import takes_flags
from passfloor.cli.outputs import note, print_json, print_text


@takes_flags
def challenge(
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write it there as well, to verify with.")
    ] = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Print a challenge to hand to whoever will run: 32 random bytes in base64url.

    A run under it (bench run --challenge) cannot have begun before it was made. Keep it, and ask for it with
    bench reliability-verify --challenge.
    """
    from passfloor.running.preflight import check_out

    if out is not None:
        check_out(out, force=force)
    text = _new()
    if out is not None:
        from passfloor.running.saving import save_bytes

        save_bytes(text.encode() + b"\n", out, replace=force)
        note(f"the challenge stands in {out}")
    if as_json:
        print_json({"challenge": text})
    else:
        print_text(text)


def _new() -> str:
    """A challenge that nobody's command line takes for a flag."""
    from passfloor.commitments import CHALLENGE_BYTES, challenge_of

    while (text := challenge_of(secrets.token_bytes(CHALLENGE_BYTES))).startswith("-"):
        pass
    return text
