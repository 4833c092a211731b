"""Which keys count, and where that was decided."""

import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from passfloor.cli.trusting import kept_keys, named_keys, read_key
from passfloor.errors import KeyFileError, UsageError
from passfloor.keys.history import Revoked
from passfloor.keys.keystore import KeyStore
from passfloor.keys.trust_file import EntryPolicy, TrustEntry, TrustFile
from passfloor.signing.key_sets import ListedKey, jwks
from passfloor.signing.private_keys import SigningKey, generate
from passfloor.signing.validity import Revocation, Validity
from passfloor.verification.inputs import KeyPolicy


@pytest.fixture
def home(tmp_path):
    return tmp_path / "identity"


@pytest.fixture
def environ(home):
    return {"PASSFLOOR_HOME": str(home)}


def entry_of(key, name=None, **members):
    values = {
        "kid": key.kid,
        "x": key.x,
        "name": name,
        "added_at": "2026-01-31T09:30:00Z",
        "not_before": None,
        "not_after": None,
        "revoked": None,
        "policy": EntryPolicy(min_k=None, recorded=False, subjects=[]),
    }
    return TrustEntry(**{**values, **members})


def test_the_identity_and_the_file_count_each_under_its_anchor(environ, home):
    own = KeyStore(home).generate().public
    named, unnamed = generate().public, generate().public
    policy = EntryPolicy(min_k=5, recorded=True, subjects=["agent"])
    TrustFile(home).add([entry_of(named, "acme", not_after="1970-01-01T00:00:09Z", policy=policy)])
    TrustFile(home).add([entry_of(unnamed)])
    keys = kept_keys(environ)
    assert {key.anchor for key in keys.values()} == {
        f"the local identity in {home}",
        "trust.json (as 'acme')",
        "trust.json",
    }
    assert keys[own.kid].policy == keys[unnamed.kid].policy == KeyPolicy()
    assert keys[named.kid].policy == KeyPolicy(5, True, ("agent",))
    assert keys[named.kid].validity == Validity(None, 9)


def test_a_key_that_stands_in_both_counts_where_both_let_it(environ, home):
    store = KeyStore(home)
    own = store.generate().public
    TrustFile(home).add([entry_of(own, "me", not_before="1970-01-01T00:00:05Z")])
    store.rotate(at=1000)
    store.revoke(own.kid, at=2000)
    assert kept_keys(environ)[own.kid].validity == Validity(5, 1001, Revocation(2000, ""))


def test_what_the_identity_knows_of_its_keys_counts(environ, home):
    store = KeyStore(home)
    old = store.generate().public
    new = store.rotate(at=1000)[0].public
    keys = kept_keys(environ)
    assert keys[old.kid].validity == Validity(None, 1001)
    assert keys[new.kid].validity == Validity(1000, None)


def test_a_file_that_cannot_be_relied_on_is_no_empty_one(environ, home):
    KeyStore(home).generate()
    (home / "trust.json").write_text("{}")
    with pytest.raises(KeyFileError, match=r"trust\.json: its schema is not"):
        kept_keys(environ)


def test_without_a_home_nobody_is_kept(tmp_path):
    assert kept_keys({}) == {}
    assert kept_keys({"PASSFLOOR_HOME": str(tmp_path / "absent")}) == {}


def test_what_a_set_says_of_a_key_counts_however_it_was_named_besides(tmp_path):
    key, other = generate().public, generate().public
    revoked = Validity(None, 100, Revocation(50, "lost"))
    path = tmp_path / "keys.json"
    path.write_text(json.dumps(jwks([ListedKey(key, revoked)])))
    keys = named_keys([key.x, other.x], str(path), {})
    assert keys[key.kid].validity == revoked
    assert keys[key.kid].anchor == f"--jwks {path}"
    assert keys[other.kid].validity == Validity()


def test_a_published_test_key_is_warned_of_and_still_verifies_what_it_was_published_for(capsys):
    known = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(32))).public
    assert list(named_keys([known.x], None, {})) == [known.kid]
    assert f"warning: {known.kid} is a published test key" in capsys.readouterr().err
    named_keys([generate().public.x], None, {})
    assert capsys.readouterr().err == ""


def test_a_key_is_a_file_or_its_own_text(tmp_path):
    key = generate().public
    (tmp_path / "key.pem").write_bytes(key.pem())
    assert read_key(str(tmp_path / "key.pem"), "KEY") == read_key(key.x, "KEY") == key
    for name in ("nope", str(tmp_path / "absent.pem"), "\0", "x" * 5000):
        with pytest.raises(KeyFileError, match=r"KEY .* is no file, and as a key"):
            read_key(name, "KEY")
    with pytest.raises(UsageError):
        read_key(str(tmp_path), "KEY")


def test_a_named_key_that_is_known_to_be_revoked_counts_and_is_warned_of(environ, home, tmp_path, capsys):
    own, other, fine = KeyStore(home).generate().public, generate().public, generate().public
    KeyStore(home).revoke(own.kid, at=2000, reason="lost \x1b")
    revoked = Revoked(at="1970-01-01T00:00:09Z", since="1970-01-01T00:00:08Z", reason="")
    TrustFile(home).add([entry_of(other, "acme", revoked=revoked), entry_of(fine, "b")])
    path = tmp_path / "older.json"
    path.write_text(json.dumps(jwks([ListedKey(own, Validity())])))
    keys = named_keys([other.x, fine.x], str(path), environ)
    assert [key.validity.revoked for key in keys.values()] == [None, None, None]
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 2
    since = "since 1970-01-01T00:00:08Z: whoever"
    assert told[0].startswith(f"warning: trust.json (as 'acme') says that {other.kid} was revoked, {since}")
    assert f"says that {own.kid} was revoked, since 1970-01-01T00:33:20Z, because: lost \\x1b: " in told[1]


def test_of_a_key_that_the_named_set_itself_calls_revoked_nothing_more_is_said(
    environ, home, tmp_path, capsys
):
    own = KeyStore(home).generate().public
    KeyStore(home).revoke(own.kid, at=2000)
    path = tmp_path / "keys.json"
    path.write_text(json.dumps(KeyStore(home).jwks()))
    assert named_keys([own.x], str(path), environ)[own.kid].validity.revoked is not None
    assert capsys.readouterr().err == ""


def test_a_damaged_list_is_said_and_does_not_keep_a_named_key_from_counting(environ, home, capsys):
    key = KeyStore(home).generate().public
    (home / "trust.json").write_text("{}")
    assert list(named_keys([key.x], None, environ)) == [key.kid]
    assert "warning: whether a named key was revoked cannot be told here: " in capsys.readouterr().err
