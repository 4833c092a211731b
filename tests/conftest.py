"""One set-up for all tests: property tests repeat their examples, signals have their usual effect."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no fault of the code: no property test is timed.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

settings.register_profile("steady", PATIENT, derandomize=True, database=None)
settings.register_profile("searching", PATIENT, derandomize=False, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


def pytest_configure() -> None:
    """A parent may have had signals ignored (nohup, a background job); tests need theirs to be heard."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(autouse=True)
def _signals_as_they_were():
    """The command installs handlers of its own, in this process too where a test calls it here."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        if signal.getsignal(number) is not handler:
            signal.signal(number, handler)
