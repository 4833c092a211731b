"""Flags to objects."""

import json

import pytest

from passfloor.cli import options
from passfloor.cli.options import VerifyFlags, moment, open_receipt, work_folders
from passfloor.errors import UsageError
from passfloor.keys.keystore import KeyStore
from passfloor.signing.private_keys import generate


@pytest.fixture
def home(tmp_path):
    return tmp_path / "identity"


@pytest.fixture
def environ(home):
    return {"PASSFLOOR_HOME": str(home)}


def test_without_a_named_key_the_local_identity_counts_and_is_not_made(environ, home):
    trust = VerifyFlags().trust(environ)
    assert (trust.keys, trust.pinned, trust.allow_stub) == ({}, False, False)
    assert not home.exists()
    key = KeyStore(home).generate()
    trust = VerifyFlags().trust(environ)
    assert (list(trust.keys), trust.pinned) == ([key.public.kid], False)
    assert trust.keys[key.public.kid].anchor == f"the local identity in {home}"


def test_a_named_key_is_the_only_one(environ, home, tmp_path):
    KeyStore(home).generate()
    one, other = generate().public, generate().public
    pem = tmp_path / "key.pem"
    pem.write_bytes(other.pem())
    trust = VerifyFlags(signer_key=[one.x, str(pem)], allow_stub=True).trust(environ)
    assert set(trust.keys) == {one.kid, other.kid}
    assert (trust.pinned, trust.allow_stub) == (True, True)


def test_a_jwk_set_is_the_only_one(environ, home, tmp_path):
    KeyStore(home).generate()
    keys = KeyStore(tmp_path / "other")
    kid = keys.generate().public.kid
    path = tmp_path / "keys.json"
    path.write_text(json.dumps(keys.jwks()))
    trust = VerifyFlags(jwks=str(path)).trust(environ)
    assert (list(trust.keys), trust.pinned) == ([kid], True)
    assert trust.keys[kid].anchor == f"--jwks {path}"


@pytest.mark.parametrize(
    "flags",
    [
        VerifyFlags(signer_key=["nope"]),
        VerifyFlags(signer_key=["A" * 43]),
        VerifyFlags(jwks="missing.json"),
        VerifyFlags(suite="golden-v1", use_embedded_suite=True),
        VerifyFlags(suite="no-such-suite"),
        VerifyFlags(at="soon"),
    ],
)
def test_flags_that_cannot_be_met_are_refused(environ, flags):
    with pytest.raises(UsageError):
        flags.inputs(environ)


def test_the_time_is_the_clock_s_or_the_one_given(environ):
    assert VerifyFlags(at="2026-01-31T09:30:00Z").inputs(environ).now == 1769851800.0
    assert moment("2026-01-31T10:30:00+01:00") == 1769851800.0
    with pytest.raises(UsageError, match="with its offset"):
        moment("2026-01-31T09:30:00")


def test_the_folder_of_an_attempt_is_known_by_its_name(tmp_path):
    folder = tmp_path / f"pf-{'a' * 24}"
    assert work_folders(folder / "home" / ".config" / "passfloor") == [folder]
    assert work_folders(tmp_path / "pf-home") == []
    assert work_folders(None) == []


def test_a_receipt_that_cannot_be_opened_is_bad_input(tmp_path):
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(UsageError, match="cannot open receipt"):
            open_receipt(str(path))


@pytest.mark.parametrize(
    "text", ["2026-W05-6T09:32:00+01:00", "2026-01-31", "2026-01-31T09:30:00", "20260131T093000Z", "soon"]
)
def test_a_time_that_is_not_rfc_3339_is_refused(text):
    with pytest.raises(UsageError, match="RFC 3339"):
        options.moment(text)


def test_a_time_with_its_offset_is_read():
    assert options.moment("2026-01-31T09:30:00Z") == options.moment("2026-01-31T10:30:00.000+01:00")


def test_no_more_than_a_mebibyte_of_keys_is_read(tmp_path):
    path = tmp_path / "keys.json"
    path.write_bytes(b" " * (1024 * 1024))
    assert len(options.read_file(str(path), "the JWK set")) == 1024 * 1024
    with pytest.raises(UsageError, match="larger than 1048576 bytes"):
        options.read_file("/dev/zero", "the JWK set")
