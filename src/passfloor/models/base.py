"""The rules every sealed or loaded document obeys."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


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


Count = Annotated[int, Field(ge=0)]
"""A whole number of things, 0 or more."""

Timestamp = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]
"""An RFC 3339 time in UTC with milliseconds, such as ``2026-01-31T09:30:00.000Z``."""

RunId = Annotated[str, Field(pattern=r"^\d{8}T\d{6}Z-[0-9a-f]{6}$")]
"""A run's id: the UTC second it started and 24 random bits, such as ``20260131T093000Z-0a1b2c``."""
