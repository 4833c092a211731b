"""Verification as the command line asks for it: what the flags in an ``expected.json`` mean."""

import io
import json
from pathlib import Path

from passfloor.cli.options import VerifyFlags

HERE = Path(__file__).parent
FOLDERS = sorted(path.parent for path in HERE.glob("*/expected.json"))

_SWITCHES = {
    "--use-embedded-suite",
    "--allow-stub",
    "--allow-unrecorded",
    "--require-replayed-coordination",
}


def inputs_of(flags, folder):
    """The inputs that these command line flags ask for; paths are relative to ``folder``."""
    given, words = {"signer_key": []}, iter(flags)
    for word in words:
        name = word.removeprefix("--").replace("-", "_")
        if word in _SWITCHES:
            given[name] = True
        elif word == "--signer-key":
            given[name].append(next(words))
        else:
            given[name] = next(words)
    if "max_bytes" in given:
        given["max_bytes"] = int(given["max_bytes"])
    for name in {"suite", "check"} & given.keys():
        given[name] = str(folder / given[name])
    return VerifyFlags(**given).inputs({"PASSFLOOR_HOME": str(HERE / "no such home")})


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
