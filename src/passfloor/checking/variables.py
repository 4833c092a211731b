"""Environment variables that an agent speaks of without having got them."""

import re
from collections.abc import Iterable, Iterator

from passfloor.checking.sight import Observed, Sight

_WORD = re.compile(r"(?<![A-Za-z0-9_])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![A-Za-z0-9_])")
_MISSED = (
    re.compile(r"KeyError: '([A-Z][A-Z0-9_]*)'"),
    re.compile(
        r"(?<![A-Za-z0-9_])\$?([A-Z][A-Z0-9_]*)'?\"? (?:is |was )?(?:not set|unset|missing|undefined)"
    ),
    re.compile(r"(?<![A-Za-z0-9_])([A-Z][A-Z0-9_]*): (?:unbound variable|parameter not set)"),
)
_SECRET_LIKE = re.compile(r"_(KEY|TOKEN|SECRET|PASSWORD|BASE_URL|ENDPOINT)$")


def missed_names(sight: Sight) -> tuple[list[str], list[str]]:
    """Variables an agent speaks of: those set here and withheld, and those set nowhere."""
    words: dict[str, None] = {}
    missed: dict[str, None] = {}
    for each in sight.pair:
        for text in _talk(each):
            words.update(dict.fromkeys(_WORD.findall(text)))
            missed.update((name, None) for pattern in _MISSED for name in pattern.findall(text))
    withheld = [name for name in (*missed, *words) if name in sight.withheld]
    return list(dict.fromkeys(withheld)), [name for name in missed if name not in sight.withheld]


def _talk(observed: Observed) -> Iterator[str]:
    """What it says of itself: of an attempt that finished, standard output is the answer."""
    yield str(observed.said.get("stderr_tail", ""))
    if observed.error is not None:
        yield str(observed.said.get("stdout", ""))
        yield observed.detail


def likely_secrets(names: Iterable[str]) -> list[str]:
    """Those of the names that a key or an endpoint is usually found under, sorted."""
    return sorted(name for name in names if _SECRET_LIKE.search(name))
