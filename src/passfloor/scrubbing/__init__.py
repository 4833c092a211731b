"""Secrets: what is one, how it may be spelt, and how it is taken out before anything is hashed or written."""

from passfloor.scrubbing.events import scrub_events, scrub_run_receipt
from passfloor.scrubbing.scrubber import MARK, Scrubber

__all__ = ["MARK", "Scrubber", "scrub_events", "scrub_run_receipt"]
