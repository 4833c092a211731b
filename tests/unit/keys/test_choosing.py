import os
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from passfloor.errors import EnvironmentFault, KeyFileError, UsageError
from passfloor.keys.choosing import signing_key, signing_key_available
from passfloor.keys.keystore import KeyStore
from passfloor.signing.private_keys import SigningKey, generate


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "identity"


@pytest.fixture
def store(folder: Path) -> KeyStore:
    return KeyStore(folder)


@pytest.fixture
def start(tmp_path: Path) -> Path:
    path = tmp_path / "start"
    path.mkdir()
    return path


def test_the_first_signature_makes_an_identity_and_the_next_uses_it(store: KeyStore, start: Path) -> None:
    assert signing_key_available({}, store, start_folder=start) == "new"
    assert store.list() == []
    key, created = signing_key({}, store, start_folder=start)
    assert created
    again, created = signing_key({}, store, start_folder=start)
    assert not created
    assert again.public == key.public
    assert signing_key_available({}, store, start_folder=start) == "store"


def test_a_new_identity_is_protected_by_the_given_passphrase(store: KeyStore, start: Path) -> None:
    env = {"PASSFLOOR_KEY_PASSWORD": "sécret"}
    key, _ = signing_key(env, store, start_folder=start)
    assert store.load(None, "sécret".encode()).public == key.public
    for check in (signing_key, signing_key_available):
        with pytest.raises(KeyFileError, match="PASSFLOOR_KEY_PASSWORD"):
            check({}, store, start_folder=start)


def test_a_key_from_the_environment_wins_and_the_store_stays_absent(
    store: KeyStore, folder: Path, start: Path, tmp_path: Path
) -> None:
    first, second = generate(), generate()
    path = tmp_path / "key.pem"
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
    os.write(descriptor, second.pem(b"secret"))
    os.close(descriptor)
    env = {"PASSFLOOR_SIGNING_KEY_FILE": str(path), "PASSFLOOR_KEY_PASSWORD": "secret"}
    assert signing_key_available(env, store, start_folder=start) == "file"
    key, created = signing_key(env, store, start_folder=start)
    assert (key.public, created) == (second.public, False)
    env["PASSFLOOR_SIGNING_KEY"] = first.pem().decode()
    assert signing_key_available(env, store, start_folder=start) == "environment"
    key, created = signing_key(env, store, start_folder=start)
    assert (key.public, created) == (first.public, False)
    assert not folder.exists()
    # No home and no sound place for one are needed then.
    assert signing_key(env, KeyStore(None), start_folder=start)[0].public == first.public


@pytest.mark.parametrize("name", ["PASSFLOOR_SIGNING_KEY", "PASSFLOOR_SIGNING_KEY_FILE"])
@pytest.mark.parametrize("value", ["", " \n"])
def test_a_secret_that_did_not_arrive_is_no_new_identity(
    store: KeyStore, folder: Path, start: Path, name: str, value: str
) -> None:
    for check in (signing_key, signing_key_available):
        with pytest.raises(UsageError, match=f"{name} is set but empty"):
            check({name: value}, store, start_folder=start)
    assert not folder.exists()


def test_an_empty_passphrase_is_no_protection_for_a_new_identity(
    store: KeyStore, folder: Path, start: Path
) -> None:
    env = {"PASSFLOOR_KEY_PASSWORD": ""}
    for check in (signing_key, signing_key_available):
        with pytest.raises(UsageError, match="PASSFLOOR_KEY_PASSWORD"):
            check(env, store, start_folder=start)
    assert not folder.exists()
    open_key = generate()
    env["PASSFLOOR_SIGNING_KEY"] = open_key.pem().decode()
    assert signing_key(env, store, start_folder=start)[0].public == open_key.public


def test_a_key_that_does_not_read_is_no_reason_to_make_another(
    store: KeyStore, folder: Path, start: Path, tmp_path: Path
) -> None:
    for env, words in (
        ({"PASSFLOOR_SIGNING_KEY": "nonsense"}, "PASSFLOOR_SIGNING_KEY: found text"),
        ({"PASSFLOOR_SIGNING_KEY": "\udcff"}, "PASSFLOOR_SIGNING_KEY: found binary data"),
        ({"PASSFLOOR_SIGNING_KEY_FILE": str(tmp_path / "absent")}, "absent: cannot be read"),
    ):
        for check in (signing_key, signing_key_available):
            with pytest.raises(KeyFileError, match=words):
                check(env, store, start_folder=start)
    assert not folder.exists()


def test_a_key_file_that_is_damaged_names_variable_and_path(
    store: KeyStore, start: Path, tmp_path: Path
) -> None:
    path = tmp_path / "key.pem"
    path.touch(mode=0o600)
    with pytest.raises(KeyFileError, match=rf"PASSFLOOR_SIGNING_KEY_FILE {path}: found nothing"):
        signing_key({"PASSFLOOR_SIGNING_KEY_FILE": str(path)}, store, start_folder=start)


def test_a_store_in_a_forbidden_place_neither_makes_nor_lends_a_key(
    store: KeyStore, folder: Path, start: Path, tmp_path: Path
) -> None:
    for check in (signing_key, signing_key_available):
        with pytest.raises(UsageError, match="set PASSFLOOR_HOME elsewhere"):
            check({}, store, start_folder=start, forbidden=[tmp_path])
    assert not folder.exists()
    store.generate()
    (tmp_path / ".git").mkdir()
    for check in (signing_key, signing_key_available):
        with pytest.raises(UsageError, match="git work tree"):
            check({}, store, start_folder=start)
        check({"HOME": str(tmp_path)}, store, start_folder=start)


def test_no_home_is_told_before_anything_is_run(start: Path) -> None:
    for check in (signing_key, signing_key_available):
        with pytest.raises(UsageError, match="set PASSFLOOR_HOME"):
            check({}, KeyStore(None), start_folder=start)


def test_a_store_that_cannot_be_made_is_told_before_anything_is_run(tmp_path: Path, start: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises((EnvironmentFault, KeyFileError), match="file"):
        signing_key_available({}, KeyStore(tmp_path / "file"), start_folder=start)


def test_a_published_key_is_given_in_vain_however_it_is_given(
    store: KeyStore, folder: Path, start: Path, tmp_path: Path
) -> None:
    known = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(32)))
    path = tmp_path / "key.pem"
    path.touch(mode=0o600)
    path.write_bytes(known.pem())
    for env, said in (
        ({"PASSFLOOR_SIGNING_KEY": known.pem().decode()}, "PASSFLOOR_SIGNING_KEY: "),
        ({"PASSFLOOR_SIGNING_KEY_FILE": str(path)}, f"PASSFLOOR_SIGNING_KEY_FILE {path}: "),
    ):
        for check in (signing_key, signing_key_available):
            with pytest.raises(KeyFileError, match=rf"^{said}.*published test key"):
                check(env, store, start_folder=start)
    assert not folder.exists()


def test_what_was_made_before_a_rotation_is_signed_by_the_key_of_that_time(
    store: KeyStore, start: Path
) -> None:
    first = store.generate().public
    second = store.rotate(at=1000.5)[0].public
    third = store.rotate(at=2000.5)[0].public
    for at, expected in ((10, first), (999.9, first), (1500, second), (2500, third), (None, third)):
        assert signing_key({}, store, start_folder=start, at=at)[0].public == expected, at


def test_a_key_that_was_not_there_yet_is_not_given_for_what_is_older(store: KeyStore, start: Path) -> None:
    store.generate()
    second = store.rotate(at=1000)[0]
    env = {"PASSFLOOR_SIGNING_KEY": second.pem().decode()}
    assert signing_key(env, store, start_folder=start, at=1000)[0].public == second.public
    with pytest.raises(KeyFileError, match=r"signs from 1970-01-01T00:16:40Z, and this was made at 1970"):
        signing_key(env, store, start_folder=start, at=10)


def test_a_key_whose_window_is_over_is_refused_before_anything_is_run(store: KeyStore, start: Path) -> None:
    first = store.generate()
    store.rotate(at=1000)
    env = {"PASSFLOOR_SIGNING_KEY": first.pem().decode()}
    assert signing_key_available(env, store, start_folder=start, at=999) == "environment"
    with pytest.raises(KeyFileError, match="signs until 1970-01-01T00:16:41Z"):
        signing_key_available(env, store, start_folder=start, at=2000)


def test_a_revoked_key_signs_nothing_however_it_is_given(store: KeyStore, start: Path) -> None:
    key = store.generate()
    env = {"PASSFLOOR_SIGNING_KEY": key.pem().decode()}
    assert signing_key_available({}, store, start_folder=start) == "store"
    store.revoke(key.public.kid, at=5000, since=4000)
    for given in ({}, env):
        for check in (signing_key, signing_key_available):
            with pytest.raises(KeyFileError, match=r"revoked \(since 1970-01-01T01:06:40Z\).*`key rotate`"):
                check(given, store, start_folder=start)
    renewed = store.rotate(at=6000)[0]
    assert signing_key({}, store, start_folder=start)[0].public == renewed.public
    # What was made under the revoked key is not signed by it again.
    with pytest.raises(KeyFileError, match="was revoked"):
        signing_key({}, store, start_folder=start, at=100)


def test_nothing_made_at_a_time_needs_a_key_to_make_one(store: KeyStore, start: Path) -> None:
    key, created = signing_key({}, store, start_folder=start, at=50)
    assert created
    assert signing_key({}, store, start_folder=start, at=10)[0].public == key.public
