import threading

from passfloor.executors.seats import Seats


def test_a_seat_is_taken_where_most_are_free_and_no_more_than_there_are():
    seats = Seats()
    seats.add("small", 1)
    seats.add("large", 2)
    assert [seats.take(0) for _ in range(4)].count(None) == 1
    seats.give("small")
    assert [seats.take(0), seats.take(0)] == ["small", None]


def test_the_first_seat_is_one_of_the_worker_with_most():
    seats = Seats()
    seats.add("small", 1)
    seats.add("large", 3)
    assert [seats.take(0), seats.take(0)] == ["large", "large"]


def test_a_seat_of_a_worker_that_is_gone_is_none_any_more_when_it_is_given_back():
    seats = Seats()
    seats.add("worker", 1)
    assert seats.take(0) == "worker"
    seats.drop("worker")
    seats.give("worker")
    assert seats.take(0) is None


def test_whoever_waits_gets_the_seat_that_is_given_back():
    seats = Seats()
    seats.add("worker", 1)
    seats.take(0)
    taken = []
    waiting = threading.Thread(target=lambda: taken.append(seats.take(60)))
    waiting.start()
    seats.give("worker")
    waiting.join(60)
    assert taken == ["worker"]


def test_closing_lets_go_of_whoever_waits_and_gives_out_nothing_more():
    seats = Seats()
    taken = []
    waiting = threading.Thread(target=lambda: taken.append(seats.take(60)))
    waiting.start()
    seats.close()
    waiting.join(60)
    seats.add("worker", 1)
    assert [*taken, seats.take(0)] == [None, None]
