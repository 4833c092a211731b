"""What is made of a worker's reply, whenever it is looked at."""

import json
import os
import socket
import time

import pytest

from passfloor.adapters.function_slots import LENGTH, _Worker
from passfloor.workspaces.streams import STDERR_CAP, Tail


@pytest.fixture
def late():
    """Looks for a worker's reply once its time is over; ``said`` is what the worker has sent by then."""

    def look(said, prints=b""):
        worker = object.__new__(_Worker)
        worker._control, theirs = socket.socketpair()
        source, sink = os.pipe()
        tail = Tail(STDERR_CAP)
        try:
            os.write(sink, prints)
            os.close(sink)
            theirs.sendall(said)
            return worker._await_reply(source, tail, time.monotonic() - 60), tail.text().text
        finally:
            os.close(source)
            theirs.close()
            worker._control.close()

    return look


def test_a_reply_that_was_there_in_time_counts_however_late_it_is_read(late):
    body = json.dumps({"exit_code": 0, "signal": None, "timed_out": False}).encode()
    reply, prints = late(LENGTH.pack(0) + LENGTH.pack(len(body)) + body, b"said")
    assert (reply["exit_code"], prints) == (0, "said")


def test_a_reply_that_is_not_there_is_not_waited_for(late):
    with pytest.raises(ConnectionAbortedError, match="does not answer"):
        late(LENGTH.pack(0))
