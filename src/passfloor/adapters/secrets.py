"""What a run must not write down, as its adapter knows it."""

from collections.abc import Sequence

from passfloor.scrubbing import Scrubber


def scrubber_for(adapter: object, patterns: Sequence[str] = ()) -> Scrubber:
    """The scrubber of one run: it knows the secrets among the variables that reach the agent.

    Args:
        adapter: Its ``variables()``, where it has that method, are name -> value; with ``all_secret`` each of
            them is a secret, else those whose name or shape says so. Common key formats are known always.
        patterns: Further patterns (RE2) of what to replace.

    Raises:
        UsageError: A pattern is not RE2.
    """
    variables = getattr(adapter, "variables", None)
    passed = variables() if callable(variables) else {}
    return Scrubber.from_environment(passed, patterns, certain=getattr(adapter, "all_secret", False) is True)
