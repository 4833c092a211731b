"""The passphrase of a key that is made: from the environment, or asked for at the terminal."""

import getpass
import sys

from passfloor.errors import UsageError


def new_passphrase(*, asked: bool) -> bytes | None:
    """The passphrase for a new key; None for a key without one.

    Args:
        asked: Ask for it where the environment gives none.

    Raises:
        UsageError: there is no terminal to ask at, nothing was typed, or not the same thing twice.
    """
    from passfloor.keys import hidden
    from passfloor.keys.choosing import password_of
    from passfloor.signing.names import PASSWORD_VARIABLE

    given = password_of(hidden.environ())
    if given is not None or not asked:
        return given
    if not sys.stdin.isatty():
        raise UsageError(f"--passphrase asks at a terminal, and there is none; set {PASSWORD_VARIABLE}")
    first = getpass.getpass("new passphrase: ", stream=sys.stderr)
    if not first:
        raise UsageError("nothing was typed: give a passphrase, or leave --passphrase out")
    if getpass.getpass("the same again: ", stream=sys.stderr) != first:
        raise UsageError("the two passphrases differ, no key was made; try again")
    return first.encode("utf-8", "surrogateescape")
