"""Who signs: the key of the environment or of the local identity, or the public test stub."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from passfloor.cli.options import store, work_folders
from passfloor.cli.outputs import in_ci, note

if TYPE_CHECKING:
    from passfloor.signing.signers import Signer


def signer_for(*, stub: bool, runs_dir: Path, at: float | None = None) -> "tuple[Signer, bool]":
    """The signer, and whether its identity was made just now, which is said.

    ``at``: When what it signs was made, in seconds since the epoch; None: now.

    Raises:
        UsageError: the key cannot be used, or would stand where an agent reads it.
        EnvironmentFault: no identity can be made.
    """
    from passfloor.signing.signers import Ed25519Signer, StubReliabilitySigner

    if stub:
        return StubReliabilitySigner(), False
    from passfloor.keys import hidden
    from passfloor.keys.choosing import signing_key

    environ = hidden.environ()
    keys = store(environ)
    forbidden = [*work_folders(keys.home), runs_dir]
    key, created = signing_key(environ, keys, start_folder=Path.cwd(), forbidden=forbidden, at=at)
    if created:
        from passfloor.cli.key import REACHABLE
        from passfloor.signing.names import PASSWORD_VARIABLE

        reachable = "" if PASSWORD_VARIABLE in environ else f" ({REACHABLE})"
        note(f"new identity {key.public.kid}, publish it with: passfloor key publish{reachable}")
        if in_ci(os.environ):
            note(
                "warning: CI is set and no key was given: this key dies with the job; "
                "give one in PASSFLOOR_SIGNING_KEY"
            )
    return Ed25519Signer(key), created
