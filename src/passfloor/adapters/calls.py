"""Counts calls per task, for adapters whose call i is attempt i."""

import threading
from collections.abc import Mapping


class CallCounter:
    """Numbers the calls for each key from 0. Safe between threads; a copy goes on from where it was made."""

    def __init__(self, counts: Mapping[str, int] | None = None) -> None:
        self._counts = dict(counts or {})
        self._lock = threading.Lock()

    def take(self, key: str) -> int:
        """The number of this call for ``key``."""
        with self._lock:
            number = self._counts.get(key, 0)
            self._counts[key] = number + 1
            return number

    def __reduce__(self) -> tuple[type["CallCounter"], tuple[dict[str, int]]]:
        with self._lock:
            return CallCounter, (dict(self._counts),)
