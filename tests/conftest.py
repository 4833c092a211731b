"""One set-up for all tests: property tests give the same examples on every run unless asked to search."""

import os

from hypothesis import settings

settings.register_profile("steady", derandomize=True)
settings.register_profile("searching", derandomize=False, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
