"""How common keys look, whoever issued them. Patterns are RE2; where there is a group, it is the secret."""

from typing import Any

import re2

from passfloor.errors import UsageError

_MAX_MEMORY = 64 << 20

PREFIXES = (
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "rk_test_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "AKIA",
    "ASIA",
    "xoxa-",
    "xoxb-",
    "xoxe-",
    "xoxo-",
    "xoxp-",
    "xoxr-",
    "xoxs-",
    "xapp-",
    "AIza",
    "hf_",
    "npm_",
    "pypi-",
    "eyJ",
)
"""How the keys of well-known issuers begin."""

# Each alternative fails within a bounded number of characters, so that all of them stay linear together; the
# others are patterns of their own for that reason.
_ISSUED = (
    r"\b(?:sk-[A-Za-z0-9_-]{20,}|[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{20,}"
    r"|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{20,}|(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}|AIza[0-9A-Za-z_-]{35}|hf_[A-Za-z0-9]{20,}"
    r"|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,})"
)
# RFC 7519: the header and the payload are JSON objects, whose "{" and quote begin every one like this.
_WEB_TOKEN = r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*"  # noqa: S105  # a pattern
# RFC 7468, with the headers of RFC 1421; the end may be missing where something was cut.
_PRIVATE_KEY = (
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\,:.]|-[A-Za-z0-9]){32,}"
    r"(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----)?"
)
# RFC 3986 section 3.2.1. A template such as {password} or $PASSWORD is none.
_ADDRESS = r"""://[^\s/:@"'<>]*:([^\s/@"'<>{}$*][^\s/@"'<>{}]*)@"""
# RFC 9110 section 11.6.2.
_HEADER = (
    r"""(?i)\bauthorization["']?\s*[:=]\s*["']?(?:bearer|basic|token|digest|negotiate)\s+"""
    r"([A-Za-z0-9._~+/=-]{8,})"
)
# Where a text was cut nothing says how long the key would have been.
_CUT_SHORT = (
    r"\b(?:sk-|[rs]k_(?:live|test)_|gh[pousr]_|github_pat_|glpat-|AKIA|ASIA|xox[abeoprs]-|xapp-|AIza|hf_|npm_"
    r"|pypi-|eyJ)[A-Za-z0-9_.-]{4,}\z"
)


def _options(*, latin1: bool) -> Any:
    options = re2.Options()
    options.max_mem = _MAX_MEMORY
    options.log_errors = False
    if latin1:
        options.encoding = re2.Options.Encoding.LATIN1
    return options


_TEXT, _BYTES = _options(latin1=False), _options(latin1=True)

COMMON: tuple[Any, ...] = tuple(
    re2.compile(pattern, _TEXT) for pattern in (_ISSUED, _WEB_TOKEN, _PRIVATE_KEY, _ADDRESS, _HEADER)
)
"""Compiled patterns of what is a secret wherever it stands."""

CUT_SHORT: Any = re2.compile(_CUT_SHORT, _TEXT)
"""The beginning of an issued key at the very end of a text that was cut."""


def compiled(pattern: str, position: int) -> Any:
    """A pattern of the operator's, the ``position``-th (from 1) that was given.

    Raises:
        UsageError: It is empty, not RE2, or too large. It is not repeated: it may be a secret itself.
    """
    if not pattern:
        raise UsageError(f"--scrub pattern {position} is empty: give an RE2 pattern of what to replace")
    try:
        return re2.compile(pattern, _TEXT)
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error)
        problem = reason.split(":", 1)[0]
    except UnicodeEncodeError:
        problem = "it is not Unicode text"
    raise UsageError(
        f"--scrub pattern {position} is not RE2 ({problem}); see https://github.com/google/re2/wiki/Syntax"
    )


def any_of(literals: tuple[bytes, ...]) -> Any:
    """One pattern that finds each of the byte strings, the first in order where several match.

    None where there are no byte strings, or too many for one pattern.
    """
    if not literals:
        return None
    try:
        return re2.compile(b"|".join(re2.escape(literal) for literal in literals), _BYTES)
    except re2.error:
        return None
