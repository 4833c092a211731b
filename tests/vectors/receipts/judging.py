"""Verification as the command line asks for it: what the flags in an ``expected.json`` mean."""

import io
import json
from dataclasses import fields
from pathlib import Path
from typing import get_args

from passfloor.cli.options import VerifyFlags
from passfloor.cli.policies import PolicyFlags

HERE = Path(__file__).parent
FOLDERS = sorted(path.parent for path in HERE.glob("*/expected.json"))

_PLACES = {"suite", "check", "jwks", "challenge", "commitment", "ledger"}


def _members(group):
    """Name -> type of the flags of a group, those of the groups within it left out."""
    return {field.name: get_args(field.type)[0] for field in fields(group) if get_args(field.type)}


def _value(word, kind, folder, name):
    if int in get_args(kind):
        return int(word)
    return str(folder / word) if name in _PLACES and (folder / word).exists() else word


def inputs_of(flags, folder):
    """The inputs that these command line flags ask for; paths are relative to ``folder``."""
    groups = {VerifyFlags: {}, PolicyFlags: {}}
    words = iter(flags)
    for word in words:
        name = word.removeprefix("--").replace("-", "_")
        group = next(group for group in groups if name in _members(group))
        kind, given = _members(group)[name], groups[group]
        if kind is bool:
            given[name] = True
        elif list[str] in get_args(kind):
            given.setdefault(name, []).append(next(words))
        else:
            given[name] = _value(next(words), kind, folder, name)
    made = VerifyFlags(**groups[VerifyFlags], policy=PolicyFlags(**groups[PolicyFlags]))
    return made.inputs({"PASSFLOOR_HOME": str(HERE / "no such home")})


def judge(data, flags, folder=HERE / "honest"):
    """Verify bytes under flags."""
    # Not at the top: whoever exchanges the package in sys.modules means the one that is there by now.
    from passfloor.verification.verifier import verify

    return verify(io.BytesIO(data), inputs_of(flags, folder))


def expected_of(folder):
    """What the folder says must be found."""
    return json.loads((folder / "expected.json").read_text())


def judge_folder(folder):
    """Verify the receipt of a folder under its flags."""
    return judge((folder / "receipt.json").read_bytes(), expected_of(folder)["flags"], folder)
