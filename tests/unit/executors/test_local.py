"""Work spread over threads: what counts, in which order, and how all of it stops."""

import os
import threading
from collections.abc import Iterator

import pytest

from passfloor.executors.local import Spread, default_concurrency, run


class Log:
    """Keeps what was kept, reported and ended."""

    def __init__(self):
        self.kept, self.reported, self.ends = [], [], 0
        self.ended = threading.Event()

    def end(self):
        self.ends += 1
        self.ended.set()

    @property
    def spread(self):
        return Spread(keep=self.kept.append, report=self.reported.append, end=self.end)


@pytest.fixture
def log():
    return Log()


def unit(*results):
    return lambda: iter(results)


@pytest.mark.parametrize("concurrency", [1, 2, 7])
def test_everything_is_kept_before_it_is_reported_and_once(log, concurrency):
    seen = []
    spread = Spread(keep=log.kept.append, report=lambda result: seen.append((result, result in log.kept)))
    run([unit(number, number + 100) for number in range(20)], concurrency, spread)
    assert sorted(log.kept) == sorted([*range(20), *range(100, 120)])
    assert sorted(seen) == sorted((result, True) for result in log.kept)


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_unit_s_results_come_in_its_order(log, concurrency):
    run([unit(*range(9)), unit(*range(10, 19)), unit(*range(20, 29))], concurrency, log.spread)
    for start in (0, 10, 20):
        assert [each for each in log.reported if each // 10 == start // 10] == list(range(start, start + 9))


def test_so_many_run_side_by_side_and_reports_come_one_at_a_time_from_the_caller(log):
    together = threading.Barrier(3)

    def meet() -> Iterator[int]:
        together.wait(20)
        yield threading.get_ident()

    threads = set()
    spread = Spread(keep=log.kept.append, report=lambda _: threads.add(threading.get_ident()))
    run([meet] * 3, 3, spread)
    assert len(set(log.kept)) == 3
    assert threads == {threading.get_ident()}


def test_one_at_a_time_is_done_by_the_caller_itself(log):
    def where() -> Iterator[int]:
        yield threading.get_ident()

    run([where] * 2, 1, log.spread)
    assert set(log.kept) == {threading.get_ident()}


def test_units_are_taken_as_they_are_needed(log):
    taken = []

    def units():
        for number in range(10):
            taken.append(number)
            yield unit(number)

    def stop(result):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(units(), 1, Spread(keep=log.kept.append, report=stop))
    assert taken == [0]


def test_an_error_of_one_stops_all_and_what_arrives_late_is_dropped(log):
    running = threading.Barrier(3)

    def late(number):
        def work() -> Iterator[int]:
            running.wait(20)
            assert log.ended.wait(20)
            yield number
            raise AssertionError("nothing begins after the end")

        return work

    def fails() -> Iterator[int]:
        yield 0
        running.wait(20)
        raise OSError("no disk")

    never = []
    with pytest.raises(OSError, match="no disk"):
        run([fails, late(1), late(2), lambda: iter(never.append(1) or [3])], 3, log.spread)
    assert log.kept == log.reported == [0]
    assert log.ends >= 1
    assert never == []


@pytest.mark.parametrize("what", ["keep", "report"])
def test_what_keep_or_report_raises_is_raised_and_stops_all(log, what):
    def refuse(result):
        raise ValueError(result)

    spread = Spread(**{"keep": log.kept.append, "report": log.reported.append, "end": log.end, what: refuse})
    with pytest.raises(ValueError, match="5"):
        run([unit(5, 6)] * 4, 2, spread)
    assert log.ends >= 1 or what == "keep"
    assert 6 not in log.reported


def test_a_signal_in_the_caller_stops_all(log):
    started = threading.Event()

    def waits() -> Iterator[int]:
        started.set()
        assert log.ended.wait(20)
        yield 1

    def stop(result):
        assert started.wait(20)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run([unit(0), waits], 2, Spread(keep=log.kept.append, report=stop, end=log.end))
    assert log.kept == [0]


def test_nothing_to_do_is_done_at_once(log):
    run([], 4, log.spread)
    assert (log.kept, log.reported, log.ends) == ([], [], 0)


def test_the_default_is_what_this_process_may_use():
    assert 1 <= default_concurrency() <= (os.cpu_count() or 1)
