"""What an endpoint answered, as the adapters read it; pure."""

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What an endpoint's answer means.

    Attributes:
        output: The agent's answer.
        notes: What was said beside it, for people; kept as ``stderr_tail``.
        events: Journal lines.
        cached: It says that it comes from a cache.
        error: ``{type, detail}`` where it is no answer.
    """

    output: str = ""
    notes: str = ""
    events: list[dict[str, Any]] = field(default_factory=list)
    cached: bool = False
    error: dict[str, str] | None = None

    @classmethod
    def unusable(cls, detail: str) -> "Answer":
        """An answer that is none."""
        return cls(error={"type": "provider", "detail": detail})


def json_object(body: bytes) -> dict[str, Any]:
    """The JSON object an endpoint answered; half surrogate pairs are let through, to be kept and flagged.

    Raises:
        ValueError: It is none, or names a member twice.
    """
    try:
        value = json.loads(body.decode(), object_pairs_hook=_unique)
    except RecursionError:
        raise ValueError("the answer is nested too deep") from None
    except UnicodeDecodeError:
        raise ValueError("the answer is not UTF-8") from None
    except json.JSONDecodeError:
        raise ValueError("the answer is not JSON") from None
    if not isinstance(value, dict):
        raise ValueError("the answer is no JSON object")  # noqa: TRY004  # about data, not about a type
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _TwiceError("the answer names a member twice")
    return members


class _TwiceError(ValueError):
    pass
