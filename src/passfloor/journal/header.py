"""The header of a run: what was fixed before its first attempt, as it stands in ``plan.json``."""

from typing import Annotated, Any

from pydantic import Field, ValidationError

from passfloor.canonical import MAX_INT, digest, parse, text
from passfloor.errors import JournalError, JsonError
from passfloor.models.base import Document, RunId
from passfloor.models.plan import Opening, Plan
from passfloor.models.receipt import Environment

RUN_SCHEMA = "passfloor/run/v1"


class RunHeader(Document):
    """What a run is resumed from. Never changed after the run has begun.

    Attributes:
        run: its id, and the name of its folder.
        suite_version: of the suite it runs.
        plan: its first; a later stage differs in n alone.
        opening: as it was fixed at the start.
        seed: the coordination seed.
        out: where its receipt was to be written, for people; null where nobody said.
        environment: where its first stage runs.
    """

    run: RunId
    suite_version: str
    plan: Plan
    opening: Opening
    seed: Annotated[int, Field(ge=0, le=MAX_INT)]
    out: str | None
    environment: Environment

    def document(self) -> dict[str, Any]:
        """The header as JSON data."""
        return {"schema": RUN_SCHEMA, **self.model_dump()}

    def data(self) -> bytes:
        """The header as the bytes of its file."""
        return text(self.document()) + b"\n"

    def digest(self) -> str:
        """SHA-256 of the document's RFC 8785 form, in hex."""
        return digest(self.document())


def read_header(data: bytes, source: str) -> RunHeader:
    """Read a header from the bytes of its file, ``source``.

    Raises:
        JournalError: it is no header of this version.
    """
    try:
        document = parse(data).value
    except JsonError as error:
        raise _malformed(source, str(error)) from None
    if not isinstance(document, dict) or document.get("schema") != RUN_SCHEMA:
        raise _malformed(source, f"its schema is not {RUN_SCHEMA!r}")
    try:
        return RunHeader.model_validate({name: v for name, v in document.items() if name != "schema"})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise _malformed(source, f"{place!a}: {first['msg']}") from None


def _malformed(source: str, what: str) -> JournalError:
    return JournalError(f"{source!a} is no header of a run: {what}; restore it, or remove its folder")
