"""Telling what was judged while it is judged, to whoever asked for it."""

from collections.abc import Callable

from passfloor.verification.inputs import VerifiedTask


class Observer:
    """Hands on task results, each once although a receipt may be read twice."""

    def __init__(self, observe: Callable[[VerifiedTask], None] | None) -> None:
        """``observe`` is called with each; None: nobody asked."""
        self._observe = observe
        self._told = 0
        self._skip = 0

    def again(self) -> None:
        """The receipt is read from its start again: the results seen so far come first, in the same order."""
        self._skip, self._told = self._told, 0

    def tell(self, verified: VerifiedTask) -> None:
        """Tell whoever asked and does not know yet."""
        self._told += 1
        if self._observe is not None and self._told > self._skip:
            self._observe(verified)
