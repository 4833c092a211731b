"""Keys of the past: rotated ones count for what they signed in their window, revoked ones for nothing."""

import calendar

from casework import SUITE, TEST, honest, match, pair, put, refused
from forging import OTHER_KEY, TEST_KEY, seal

OUTSIDE = ("UNSIGNED", "key_outside_window", 5)
REVOKED = ("UNSIGNED", "key_revoked", 5)
UNKNOWN = ("UNSIGNED", "key_unknown", 5)


def at(*date):
    """Seconds since the epoch of a moment in UTC."""
    return calendar.timegm((*date, 0, 0, 0))


JANUARY, FEBRUARY, MARCH = at(2026, 1, 1), at(2026, 2, 1), at(2026, 3, 1)


def entry(key, **window):
    return {**key.public.jwk(), "kid": key.public.kid, "use": "sig", "alg": "EdDSA", **window}


def revoked(since, reason="the machine was stolen"):
    return {"revoked": {"revoked_at": since, "reason": reason}}


JWKS = {
    "open": [entry(TEST_KEY), entry(OTHER_KEY)],
    "rotated": [entry(TEST_KEY, nbf=JANUARY, exp=FEBRUARY), entry(OTHER_KEY, nbf=FEBRUARY)],
    "retired": [entry(TEST_KEY, exp=JANUARY), entry(OTHER_KEY, nbf=JANUARY)],
    "not_yet": [entry(TEST_KEY, nbf=FEBRUARY)],
    "revoked": [entry(TEST_KEY, **revoked(JANUARY)), entry(OTHER_KEY)],
    "revoked_since_later": [entry(TEST_KEY, **revoked(MARCH)), entry(OTHER_KEY)],
    "revoked_once": [entry(TEST_KEY), entry(TEST_KEY, **revoked(JANUARY)), entry(OTHER_KEY)],
    "without_the_key": [entry(OTHER_KEY)],
    "ends_with_the_receipt": [entry(TEST_KEY, nbf=JANUARY, exp=1769851861.5)],
    "ends_before_the_receipt": [entry(TEST_KEY, nbf=JANUARY, exp=1769851861)],
}


def named(name):
    return (*SUITE, "--jwks", f"../jwks/{name}.json")


def cases():
    document = honest()
    for name in ("open", "rotated", "ends_with_the_receipt"):
        yield match(f"key_set_{name}", document, named(name))
    yield refused("key_set_without_the_key", UNKNOWN, document, named("without_the_key"))
    for name in ("retired", "not_yet", "ends_before_the_receipt"):
        yield refused(f"key_outside_its_window_{name}", OUTSIDE, document, named(name))
    for name in ("revoked", "revoked_since_later", "revoked_once"):
        yield refused(f"key_{name}", REVOKED, document, named(name))
    both = (*SUITE, *TEST, "--jwks", "../jwks/revoked.json")
    yield refused("key_revoked_and_named_besides", REVOKED, document, both)
    yield match("key_of_the_one_who_took_over", seal(honest(), OTHER_KEY), named("revoked"))
    early = seal(honest(), OTHER_KEY)
    yield refused("key_not_yet_handed_over", OUTSIDE, early, named("rotated"))
    # Who holds a key that has retired dates what it signs back; until then it counted, so revoke it.
    dated = put("emitted_at", JANUARY - 1)
    yield from pair(
        "key_retired_and_receipt_dated_back",
        ("MALFORMED_RECEIPT", "clock", 15),
        dated,
        flags=named("retired"),
    )
