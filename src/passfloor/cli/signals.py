"""Being told to stop: a signal becomes an exception, so that everything begun is ended on the way out."""

import os
import signal
from types import FrameType

_STOPPING = ("SIGINT", "SIGTERM", "SIGHUP")


class Stopped(BaseException):
    """A signal asks this process to stop.

    Attributes:
        number: The signal.
        detail: What had been done by then, for people; filled in by whoever knows.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number
        self.detail = ""

    @property
    def by_keyboard(self) -> bool:
        """Whether it was Ctrl-C."""
        return self.number == signal.SIGINT


def install() -> None:
    """Raise ``Stopped`` in the main thread at the first signal; later ones do not disturb the clean-up.

    A signal that whoever started this process had ignored (``nohup``, a job in the background) stays ignored.
    """
    for number in _numbers():
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


def open_standard_streams() -> None:
    """Occupy descriptors 0 to 2 where they are closed, so that no file opened later takes their place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)


def _numbers() -> list[signal.Signals]:
    return [getattr(signal, name) for name in _STOPPING if hasattr(signal, name)]


def _stop(number: int, _frame: FrameType | None) -> None:
    for each in _numbers():
        signal.signal(each, signal.SIG_IGN)
    raise Stopped(number)
