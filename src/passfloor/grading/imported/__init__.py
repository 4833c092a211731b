"""Records of other tools read as verdicts: one pure module a format, the same on import and on verify."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from passfloor.canonical import lenient
from passfloor.errors import JsonError
from passfloor.grading.imported.verdicts import Reader, Reading, Unreadable

__all__ = ["READERS", "Reading", "Unreadable", "read_record"]

_OF_ODD_SHAPES = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)

READERS = {
    "rows": "rows",
    "junit": "junit",
    "human-eval": "human_eval",
    "inspect": "inspect",
    "mcpmark": "mcpmark",
    "pydantic-evals": "pydantic_evals",
    "harbor": "harbor",
    "promptfoo": "promptfoo",
    "swe-bench": "swe_bench",
    "tau-bench": "tau_bench",
    "tau2": "tau2",
    "terminal-bench": "terminal_bench",
    "vally": "vally",
}
"""Importer -> module of this package whose ``read`` judges its records; loaded when it is asked for."""


def read_record(importer: str, rule: Mapping[str, Any], text: str) -> Reading:
    """What a raw record says under a rule.

    Args:
        importer: Which importer gave it; one of ``READERS``.
        rule: As sealed in the suite.
        text: The record, JSON text.

    Raises:
        Unreadable: it gives no verdict, or is no JSON.
    """
    read: Reader = import_module(f"{__name__}.{READERS[importer]}").read
    try:
        return read(lenient.parse(text), rule)
    except JsonError as error:
        raise Unreadable(str(error)) from None
    except _OF_ODD_SHAPES as error:
        # Whoever sealed a receipt may have put anything into its rule and its records.
        reason = f"a record of another shape than {importer} writes ({type(error).__name__})"
        raise Unreadable(reason) from None
