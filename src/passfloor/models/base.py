"""The rules every sealed or loaded document obeys."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


class Document(BaseModel):
    """A frozen, strict record: no unknown members, no bool for int, no NaN, no coercion."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        allow_inf_nan=False,
        validate_default=False,
        protected_namespaces=(),
        hide_input_in_errors=True,
    )


class Statement(Document):
    """A document that somebody signs by itself."""

    def document(self) -> dict[str, Any]:
        """The statement as JSON data."""
        return self.model_dump(by_alias=True)


Count = Annotated[int, Field(ge=0)]
"""A whole number of things, 0 or more."""

Timestamp = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]
"""An RFC 3339 time in UTC with milliseconds, such as ``2026-01-31T09:30:00.000Z``."""


_PARTS = ((0, 4), (4, 6), (6, 8), (9, 11), (11, 13), (13, 15))


def _of_a_real_second(run: str) -> str:
    try:
        datetime(*(int(run[start:end]) for start, end in _PARTS))  # type: ignore[arg-type]
    except ValueError:
        raise ValueError("no such time exists") from None
    return run


RunId = Annotated[str, Field(pattern=r"^[0-9]{8}T[0-9]{6}Z-[0-9a-f]{6}$"), AfterValidator(_of_a_real_second)]
"""A run's id: the UTC second it started and 24 random bits, such as ``20260131T093000Z-0a1b2c``."""

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 in lower-case hex."""

Decimal = Annotated[str, Field(pattern=r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$", max_length=64)]
"""A number in decimal digits as text, such as ``0.95``, so that it is exact."""
