import email.utils

import pytest

from passfloor.adapters.retries import (
    CallRefused,
    CallTimeout,
    ConnectionFault,
    Reply,
    RetryPolicy,
    SystemClock,
    retry_after_s,
)

OK = Reply(200, {}, b"{}")
LIMITED = Reply(429, {"retry-after": "1"}, b"")


@pytest.fixture
def call(clock):
    def make(*script, retries=2, timeout_s=300.0, spread=0.0, ceiling_s=60.0):
        made = []

        def send():
            item = script[min(len(made), len(script) - 1)]
            made.append(item)
            if isinstance(item, Exception):
                raise item
            return item

        policy = RetryPolicy(retries, ceiling_s, clock)
        found = policy.call(send, timeout_s=timeout_s, deadline=clock.at + timeout_s, spread=spread)
        found.calls = len(made)
        return found

    return make


def test_two_limited_calls_and_then_an_answer_are_one_answer_and_two_recorded_waits(call, clock):
    found = call(LIMITED, LIMITED, OK)
    assert (found.reply, found.error) == (OK, None)
    assert found.retries == [{"status": 429, "waited_ms": 1000}] * 2
    assert clock.waits == [1.0, 1.0]


def test_a_wait_that_is_too_long_is_not_begun(call, clock):
    found = call(Reply(429, {"retry-after": "86400"}, b""))
    assert found.error == {"type": "provider", "detail": "rate limited (429)"}
    assert (found.calls, found.retries, clock.waits) == (1, [], [])


def test_all_waits_together_stay_under_the_ceiling(call, clock):
    found = call(Reply(503, {"retry-after": "25"}, b""), retries=10)
    assert found.error == {"type": "provider", "detail": "server error (503)"}
    assert clock.waits == [25.0, 25.0]


def test_a_wait_that_outlasts_the_attempt_is_not_begun(call, clock):
    found = call(Reply(429, {"retry-after": "5"}, b""), timeout_s=4.0)
    assert found.error["detail"] == "rate limited (429)"
    assert clock.waits == []


def test_no_retries_means_one_call(call, clock):
    for first in (LIMITED, Reply(500, {}, b""), ConnectionFault("connection refused")):
        found = call(first, OK, retries=0)
        assert (found.calls, found.retries, clock.waits) == (1, [], [])
        assert found.error["type"] == "provider"


def test_without_a_header_waits_double_and_are_spread(call, clock):
    call(Reply(502, {}, b""), retries=3, spread=0.5)
    assert clock.waits == [0.75, 1.5, 3.0]


def test_a_connection_fault_is_met_by_another_call_and_named(call):
    found = call(ConnectionFault("connection refused"), OK)
    assert found.retries == [{"error": "connection refused", "waited_ms": 500}]
    spent = call(ConnectionFault("connection refused"))
    assert spent.calls == 3
    assert spent.error == {"type": "provider", "detail": "connection failed (connection refused)"}


@pytest.mark.parametrize(
    ("reply", "detail"),
    [
        (Reply(400, {}, b""), "request refused (400)"),
        (Reply(401, {"retry-after": "1"}, b""), "request refused (401)"),
        (Reply(422, {}, b"Authorization: Bearer sk-canary"), "request refused (422)"),
        (Reply(302, {"location": "http://elsewhere/"}, b""), "redirected (302); give the final address"),
        (Reply(101, {}, b""), "unexpected status 101"),
        (CallRefused("the answer is longer than 8 bytes"), "the answer is longer than 8 bytes"),
    ],
)
def test_what_another_call_would_not_better_is_not_called_again(call, reply, detail):
    found = call(reply, OK)
    assert (found.calls, found.error) == (1, {"type": "provider", "detail": detail})


def test_the_end_of_the_attempts_time_is_a_timeout_and_not_called_again(call):
    found = call(CallTimeout(), OK, timeout_s=2.5)
    assert (found.calls, found.error) == (1, {"type": "timeout", "detail": "not finished after 2.5 s"})


def test_retry_after_is_read_as_seconds_or_as_a_date():
    now = 1_700_000_000.0
    assert retry_after_s("7", now) == 7.0
    assert retry_after_s(" 0 ", now) == 0.0
    assert retry_after_s(email.utils.formatdate(now + 30, usegmt=True), now) == 30.0
    assert retry_after_s(email.utils.formatdate(now - 30, usegmt=True), now) == 0.0
    assert retry_after_s("Tue, 14 Nov 2023 22:13:27 -0000", now) == 7.0
    assert retry_after_s("9" * 5000, now) == 1e12


@pytest.mark.parametrize("value", [None, "", "-1", "1.5", "soon", "٣", "Fri, 99 Nowhere", "nan", "inf"])
def test_a_retry_after_that_says_nothing_is_passed_over(value):
    assert retry_after_s(value, 0.0) is None


def test_the_systems_clock_goes_on():
    clock = SystemClock()
    before = clock.monotonic()
    clock.sleep(0)
    assert clock.monotonic() >= before
    assert clock.now() > 1_700_000_000
