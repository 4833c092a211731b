"""``unsealed.json`` in a run's folder: what whoever seals the run elsewhere needs beside its journal."""

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from passfloor.canonical import parse, text
from passfloor.errors import JournalError, JsonError
from passfloor.journal import places
from passfloor.models.base import Document, RunId, Timestamp

HANDOVER_SCHEMA = "passfloor/unsealed-run/v1"
_NAME = "unsealed.json"


class Handover(Document):
    """A run was finished and left unsealed.

    Attributes:
        run: its id.
        ended_at: when the last of its attempts was finished; the word of the machine that ran it, like every
            other time in a receipt.
        suite: the whole suite, files inside. It is not taken on trust: the run's plan holds its hash.
    """

    run: RunId
    ended_at: Timestamp
    suite: dict[str, Any]


def write_handover(folder: Path, handover: Handover) -> None:
    """Write the file, or replace it in one step.

    Raises:
        EnvironmentFault: it cannot be written.
    """
    document = {"schema": HANDOVER_SCHEMA, **handover.model_dump()}
    places.write_file(folder / _NAME, text(document) + b"\n")


def read_handover(folder: Path, run: str) -> Handover | None:
    """What was left for the run of that id; None where nothing was.

    Raises:
        JournalError: the file cannot be read, or is about another run.
    """
    path = folder / _NAME
    if not path.is_symlink() and not path.exists():
        return None
    try:
        document = parse(places.read_file(path)).value
        if not isinstance(document, dict) or document.pop("schema", None) != HANDOVER_SCHEMA:
            raise JournalError(f"{str(path)!a}: its schema is not {HANDOVER_SCHEMA!r}; copy the run anew")
        found = Handover.model_validate(document)
    except JsonError as error:
        raise JournalError(f"{str(path)!a}: {error}; copy the run anew") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise JournalError(f"{str(path)!a}: {place!a}: {first['msg']}; copy the run anew") from None
    if found.run != run:
        raise JournalError(
            f"{str(path)!a} was left for the run {found.run}, not for {run}; copy the run anew"
        )
    return found
