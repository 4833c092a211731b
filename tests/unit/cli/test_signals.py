"""The first signal stops; later ones do not disturb."""

import os
import signal

import pytest

from passfloor.cli.signals import Stopped, install


@pytest.fixture(autouse=True)
def restored():
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        signal.signal(number, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    ("number", "keyboard"), [(signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGHUP, False)]
)
def test_a_signal_becomes_an_exception_that_nothing_catches_by_accident(number, keyboard):
    install()
    with pytest.raises(Stopped) as stopped:
        os.kill(os.getpid(), number)
    assert (stopped.value.number, stopped.value.by_keyboard) == (number, keyboard)
    assert not isinstance(stopped.value, Exception)
    for later in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(os.getpid(), later)


def test_what_was_ignored_stays_ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    install()
    os.kill(os.getpid(), signal.SIGHUP)
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
