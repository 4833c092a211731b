"""What an answer may say of a cache, and what only sounds like it."""

import pytest

from passfloor.adapters.cached import HEADERS, cached_by

SAYS = [
    ("age", "1"), ("age", "86400"),
    ("cache-status", "Edge; hit"), ("cache-status", "Origin; fwd=miss, Edge; hit; ttl=30"),
    ("cache-status", "Edge; hit=?1"),
    ("cf-aig-cache-status", "HIT"),
    ("cf-cache-status", "HIT"), ("cf-cache-status", "stale"), ("cf-cache-status", "REVALIDATED"),
    ("helicone-cache", "HIT"),
    ("x-cache", "HIT"), ("x-cache", "Hit from cloudfront"), ("x-cache", "RefreshHit from cloudfront"),
    ("x-cache", "TCP_MEM_HIT"), ("x-cache", "MISS, HIT"), ("x-cache", " hit "),
    ("x-cache-status", "HIT"), ("x-cache-status", "UPDATING"),
    ("x-litellm-cache-key", "0a1b"),
    ("x-portkey-cache-status", "SEMANTIC HIT"),
]  # fmt: skip
SOUNDS = [
    ("age", "0"), ("age", "000"), ("age", "-1"), ("age", ""), ("age", "soon"), ("age", "²"),
    ("cache-status", "Edge; fwd=miss"), ("cache-status", "hit"), ("cache-status", "Edge; hitless"),
    ("cf-aig-cache-status", "MISS"), ("cf-cache-status", "DYNAMIC"), ("cf-cache-status", "EXPIRED"),
    ("helicone-cache", "MISS"), ("x-cache", "MISS"), ("x-cache", "white"), ("x-cache", "Error"),
    ("x-cache-status", "BYPASS"), ("x-litellm-cache-key", " "), ("x-portkey-cache-status", "REFRESH"),
    ("cache-control", "max-age=60"), ("etag", "hit"), ("idempotency-replayed", "true"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), SAYS)
def test_an_answer_that_says_it_was_kept_is_known_by_its_header(name, value):
    assert cached_by({name: value, "content-type": "application/json"}) == [name]


@pytest.mark.parametrize(("name", "value"), SOUNDS)
def test_an_answer_that_was_made_for_the_call_is_not(name, value):
    assert cached_by({name: value}) == []


def test_every_header_of_the_list_is_tried_both_ways():
    assert {name for name, _ in SAYS} == set(HEADERS) == {name for name, _ in SOUNDS} & set(HEADERS)


def test_what_says_so_is_named_in_order_and_only_once():
    headers = {"x-cache": "HIT", "age": "3", "cf-cache-status": "MISS"}
    assert cached_by(headers, body_says=True) == ["age", "cached", "x-cache"]
    assert cached_by({}, body_says=False) == []
