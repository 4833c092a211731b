"""Which rule judges the attempts of a task."""

from collections.abc import Callable, Mapping, Sequence

from passfloor.errors import UsageError
from passfloor.projection.causal import compare_causally
from passfloor.projection.identical import AttemptView, Coordination, compare

_RULES: Mapping[str, Callable[[Sequence[AttemptView]], Coordination]] = {
    "identical": compare,
    "causal": compare_causally,
}


def coordination(rule: str, attempts: Sequence[AttemptView]) -> Coordination:
    """Judge the attempts of one task, in index order, by the named rule.

    Raises:
        UsageError: there is no such rule here, or there are no attempts. ``unrecorded`` claims nothing, so
            whoever meets it has nothing to compare.
        JsonError: an event or a further member has no canonical form.
    """
    if rule not in _RULES:
        raise UsageError(
            f"coordination rule {rule!a} cannot be judged by this version; it knows {', '.join(_RULES)}"
        )
    return _RULES[rule](attempts)
