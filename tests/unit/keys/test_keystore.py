import json
import os
import stat
from pathlib import Path

import pytest

from passfloor.errors import EnvironmentFault, KeyFileError, UsageError
from passfloor.keys.keystore import KeyEntry, KeyStore, signing_key, signing_key_available
from passfloor.signing.private_keys import generate
from passfloor.signing.public_keys import read_jwks


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


def keys_of(store: KeyStore) -> Path:
    assert store.home is not None
    return store.home / "keys"


def test_a_generated_key_is_written_named_and_current(store: KeyStore) -> None:
    key = store.generate()
    kid = key.public.kid
    assert sorted(os.listdir(keys_of(store))) == sorted([f"{kid}.pem", f"{kid}.pub.pem", "current"])
    assert (keys_of(store) / "current").read_text() == kid + "\n"
    assert store.current() == kid
    assert store.load(None, None).public == store.load(kid, None).public == key.public
    assert store.public_keys() == [key.public]
    assert store.list() == [KeyEntry(kid, keys_of(store) / f"{kid}.pem", current=True, has_private=True)]


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_only_this_user_gets_at_the_store(store: KeyStore, folder: Path) -> None:
    kid = store.generate().public.kid
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (folder, folder / "keys")}
    assert set(modes.values()) == {0o700}
    assert stat.S_IMODE((folder / "keys" / f"{kid}.pem").stat().st_mode) == 0o600


def test_a_key_can_be_made_without_becoming_the_current_one(store: KeyStore) -> None:
    second = store.generate(make_current=False)
    assert store.current() is None
    first = store.generate()
    third = store.generate(make_current=False)
    assert store.current() == first.public.kid
    assert [entry.kid for entry in store.list() if entry.current] == [first.public.kid]
    kids = sorted(key.public.kid for key in (first, second, third))
    assert [entry.kid for entry in store.list()] == kids
    assert [key.kid for key in store.public_keys()] == kids


def test_a_passphrase_is_asked_for_again(store: KeyStore) -> None:
    kid = store.generate(password=b"secret").public.kid
    assert (keys_of(store) / f"{kid}.pem").read_bytes().startswith(b"-----BEGIN ENCRYPTED PRIVATE KEY-----")
    assert store.load(kid, b"secret").public.kid == kid
    for password in (None, b"wrong"):
        with pytest.raises(KeyFileError, match=rf"{kid}\.pem: .*PASSFLOOR_KEY_PASSWORD"):
            store.load(kid, password)
    assert [key.kid for key in store.public_keys()] == [kid]


def test_an_empty_passphrase_writes_nothing(store: KeyStore, folder: Path) -> None:
    with pytest.raises(KeyFileError, match="passphrase is empty"):
        store.generate(password=b"")
    assert not folder.exists()


@pytest.mark.parametrize("has_home", [True, False])
def test_reading_an_absent_store_finds_nothing_and_makes_nothing(tmp_path: Path, has_home: bool) -> None:
    store = KeyStore(tmp_path / "absent" if has_home else None)
    assert store.list() == []
    assert store.public_keys() == []
    assert store.current() is None
    assert store.jwks() == {"keys": []}
    with pytest.raises(UsageError, match="`key generate`"):
        store.load(None, None)
    assert os.listdir(tmp_path) == []


def test_writing_without_a_home_is_refused() -> None:
    with pytest.raises(UsageError, match="set PASSFLOOR_HOME"):
        KeyStore(None).generate()
    with pytest.raises(UsageError, match="set PASSFLOOR_HOME"):
        KeyStore(None).load("a" * 43, None)


@pytest.mark.parametrize("kid", ["", "..", "../../etc/passwd", "a" * 42, "a" * 43 + "\n", "a" * 42 + "/"])
def test_what_is_no_fingerprint_never_becomes_a_path(store: KeyStore, kid: str) -> None:
    with pytest.raises(UsageError, match="43 characters"):
        store.load(kid, None)


def test_an_unknown_fingerprint_is_refused_by_path(store: KeyStore) -> None:
    store.generate()
    with pytest.raises(KeyFileError, match=r"a{43}\.pem: cannot be read"):
        store.load("a" * 43, None)


@pytest.mark.parametrize("content", [b"", b"nonsense", b"../../etc/passwd", b"\xff" * 43])
def test_a_damaged_current_is_named(store: KeyStore, content: bytes) -> None:
    store.generate()
    (keys_of(store) / "current").write_bytes(content)
    with pytest.raises(KeyFileError, match="current: holds no fingerprint"):
        store.current()
    with pytest.raises(KeyFileError, match="current: holds no fingerprint"):
        store.list()


def test_a_damaged_public_file_is_named(store: KeyStore) -> None:
    kid = store.generate().public.kid
    path = keys_of(store) / f"{kid}.pub.pem"
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(KeyFileError, match=rf"{kid}\.pub\.pem: .*damaged"):
        store.public_keys()


def test_a_file_named_after_another_key_is_refused(store: KeyStore) -> None:
    first, second = store.generate().public.kid, store.generate().public.kid
    keys = keys_of(store)
    (keys / f"{first}.pem").write_bytes((keys / f"{second}.pem").read_bytes())
    with pytest.raises(KeyFileError, match=f"holds the key {second}"):
        store.load(first, None)
    (keys / f"{first}.pub.pem").write_bytes((keys / f"{second}.pub.pem").read_bytes())
    with pytest.raises(KeyFileError, match=f"holds the key {second}"):
        store.public_keys()


def test_a_key_that_others_can_read_does_not_sign(store: KeyStore) -> None:
    kid = store.generate().public.kid
    (keys_of(store) / f"{kid}.pem").chmod(0o644)
    with pytest.raises(KeyFileError, match="chmod 600"):
        store.load(kid, None)


def test_a_folder_that_others_can_write_to_is_not_trusted(store: KeyStore) -> None:
    kid = store.generate().public.kid
    keys_of(store).chmod(0o777)
    for read in (store.public_keys, store.list, store.current, lambda: store.load(kid, None), store.generate):
        with pytest.raises(KeyFileError, match="chmod 700"):
            read()


def test_public_keys_and_strangers_in_the_folder_are_told_apart(store: KeyStore) -> None:
    kid = store.generate().public.kid
    keys = keys_of(store)
    (keys / f"{kid}.pem").unlink()
    for name in ("notes.txt", "short.pem", ".hidden.pem", f".{kid}.pem.0123.tmp", f"{'a' * 43}.txt"):
        (keys / name).write_bytes(b"x")
    assert store.list() == [KeyEntry(kid, keys / f"{kid}.pub.pem", current=True, has_private=False)]
    assert [key.kid for key in store.public_keys()] == [kid]


def test_the_published_set_reads_back_as_the_public_keys(store: KeyStore) -> None:
    store.generate()
    store.generate()
    published = store.jwks()
    assert [set(entry) for entry in published["keys"]] == [{"kty", "crv", "x", "kid", "use", "alg"}] * 2
    assert {(entry["use"], entry["alg"]) for entry in published["keys"]} == {("sig", "EdDSA")}
    assert read_jwks(json.dumps(published), source="jwks.json") == store.public_keys()
    assert [entry["kid"] for entry in published["keys"]] == [key.kid for key in store.public_keys()]


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
