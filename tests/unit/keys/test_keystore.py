import json
import os
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from passfloor.errors import KeyFileError, UsageError
from passfloor.keys import files
from passfloor.keys.history import NOTHING, Revoked
from passfloor.keys.keystore import KeyEntry, KeyStore
from passfloor.signing.key_sets import read_jwks
from passfloor.signing.private_keys import SigningKey
from passfloor.signing.validity import OPEN, Revocation, Validity


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "identity"


@pytest.fixture
def store(folder: Path) -> KeyStore:
    return KeyStore(folder)


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
    read = read_jwks(json.dumps(published), source="jwks.json")
    assert read == store.listed()
    assert [listed.key for listed in read] == store.public_keys()
    assert [entry["kid"] for entry in published["keys"]] == [key.kid for key in store.public_keys()]


def test_a_rotation_makes_a_key_that_signs_and_keeps_the_one_before(store: KeyStore) -> None:
    old = store.generate().public.kid
    key, replaced = store.rotate(at=1000.25)
    assert replaced == old
    assert store.current() == key.public.kid != old
    assert (keys_of(store) / "current").read_text() == key.public.kid + "\n"
    windows = {entry.kid: entry.validity for entry in store.list()}
    assert windows == {old: Validity(None, 1001), key.public.kid: Validity(1000, None)}
    assert {each.key.kid: each.validity for each in store.listed()} == windows
    assert store.load(old, None).public.kid == old
    published = {entry["kid"]: entry for entry in store.jwks()["keys"]}
    assert published[old]["exp"] == 1001
    assert "nbf" not in published[old]
    assert published[key.public.kid]["nbf"] == 1000
    assert read_jwks(json.dumps(store.jwks()), source="k") == store.listed()


def test_a_key_made_without_a_rotation_has_an_open_window(store: KeyStore) -> None:
    first = store.generate().public.kid
    second = store.generate().public.kid
    assert store.current() == second
    assert store.history() == NOTHING
    assert {entry.kid for entry in store.list() if entry.validity == OPEN} == {first, second}


def test_there_must_be_a_key_to_be_replaced(store: KeyStore, folder: Path) -> None:
    with pytest.raises(UsageError, match="`key generate`"):
        store.rotate(at=1000)
    assert not folder.exists()
    with pytest.raises(UsageError, match="`key generate`"):
        KeyStore(None).rotate(at=1000)


def test_a_rotation_with_an_empty_passphrase_changes_nothing(store: KeyStore) -> None:
    kid = store.generate().public.kid
    before = sorted(os.listdir(keys_of(store)))
    with pytest.raises(KeyFileError, match="passphrase is empty"):
        store.rotate(at=1000, password=b"")
    assert sorted(os.listdir(keys_of(store))) == before
    assert store.current() == kid


def test_whether_a_key_asks_for_a_passphrase_is_known(store: KeyStore) -> None:
    assert not store.is_encrypted(store.generate().public.kid)
    assert store.is_encrypted(store.rotate(at=1000, password=b"secret")[0].public.kid)


def test_a_rotation_counts_from_the_write_of_the_history_on(store: KeyStore) -> None:
    """A store in which the last write of a rotation is missing, and one in which the last two are."""
    old = store.generate().public.kid
    before = (keys_of(store) / "current").read_bytes()
    new = store.rotate(at=1000)[0].public.kid
    (keys_of(store) / "current").write_bytes(before)
    assert store.current() == new
    assert [entry.kid for entry in store.list() if entry.current] == [new]
    assert store.load(None, None).public.kid == new
    (keys_of(store) / "history.json").unlink()
    assert store.current() == old
    assert store.load(None, None).public.kid == old
    assert {entry.kid for entry in store.list()} == {old, new}
    # Whoever tries again replaces the key that signs.
    assert store.rotate(at=2000)[1] == old


def test_a_revoked_key_stays_listed_with_its_reason(store: KeyStore) -> None:
    kid = store.generate().public.kid
    other = store.generate().public.kid
    store.revoke(kid, at=2000, since=1000, reason="laptop stolen")
    revoked = Revocation(1000, "laptop stolen")
    assert {entry.kid: entry.validity.revoked for entry in store.list()} == {kid: revoked, other: None}
    assert store.history().of(kid).revoked == Revoked(
        at="1970-01-01T00:33:20Z", since="1970-01-01T00:16:40Z", reason="laptop stolen"
    )
    published = {entry["kid"]: entry for entry in store.jwks()["keys"]}
    assert published[kid]["revoked"] == {"revoked_at": 1000, "reason": "laptop stolen"}
    assert "revoked" not in published[other]


def test_a_key_is_revoked_since_now_unless_told_otherwise(store: KeyStore) -> None:
    kid = store.generate().public.kid
    store.revoke(kid, at=2000)
    assert store.list()[0].validity.revoked == Revocation(2000, "")


def test_what_is_no_key_here_is_not_revoked(store: KeyStore) -> None:
    store.generate()
    with pytest.raises(UsageError, match="43 characters"):
        store.revoke("nonsense", at=1)
    with pytest.raises(UsageError, match=r"no key a{43} here"):
        store.revoke("a" * 43, at=1)
    assert store.history() == NOTHING
    with pytest.raises(UsageError, match=r"no key a{43} here"):
        KeyStore(None).revoke("a" * 43, at=1)


def test_a_revocation_is_not_written_over(store: KeyStore) -> None:
    kid = store.generate().public.kid
    store.revoke(kid, at=2000, reason="first")
    with pytest.raises(UsageError, match="revoked already, since 1970-01-01T00:33:20Z"):
        store.revoke(kid, at=3000, reason="second")
    assert store.list()[0].validity.revoked == Revocation(2000, "first")


def test_a_rotation_keeps_what_is_known_of_other_keys(store: KeyStore) -> None:
    first = store.generate().public.kid
    second = store.rotate(at=1000)[0].public.kid
    store.revoke(first, at=1500)
    third = store.rotate(at=2000)[0].public.kid
    history = store.history()
    assert history.of(first).validity() == Validity(None, 1001, Revocation(1500, ""))
    assert history.of(second).validity() == Validity(1000, 2001)
    assert history.predecessors(third) == [second, first]
    assert history.successor(first) == third


def test_a_damaged_history_is_not_taken_for_an_empty_one(store: KeyStore) -> None:
    kid = store.generate().public.kid
    store.revoke(kid, at=1000)
    path = keys_of(store) / "history.json"
    good = path.read_bytes()
    for data in (b"", b"{}", good[:-20], good.replace(b"/v1", b"/v2"), good.replace(b'"at"', b'"av"')):
        path.write_bytes(data)
        for read in (store.listed, store.list, store.jwks, store.current, lambda: store.rotate(at=1)):
            with pytest.raises(KeyFileError, match=r"history\.json: .*restore the file"):
                read()
    path.write_bytes(good)
    assert store.listed()[0].validity.revoked is not None


@pytest.mark.skipif(os.name != "posix", reason="modes and links are those of POSIX")
def test_a_history_that_somebody_else_could_have_written_is_refused(store: KeyStore, tmp_path: Path) -> None:
    store.revoke(store.generate().public.kid, at=1000)
    path = keys_of(store) / "history.json"
    path.chmod(0o666)
    with pytest.raises(KeyFileError, match=r"mode 0666 lets others change who is trusted; run `chmod 600"):
        store.listed()
    path.chmod(0o644)
    assert store.listed()
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(KeyFileError, match="must not be a symbolic link"):
        store.listed()


@pytest.mark.skipif(os.name != "posix", reason="modes and links are those of POSIX")
@pytest.mark.parametrize("name", ["current", "pub"])
def test_no_file_of_the_store_may_be_anybody_else_s(store: KeyStore, tmp_path: Path, name: str) -> None:
    kid = store.generate().public.kid
    path = keys_of(store) / ("current" if name == "current" else f"{kid}.pub.pem")
    reads = {"current": store.current, "pub": store.public_keys}
    path.chmod(0o664)
    with pytest.raises(KeyFileError, match="mode 0664 lets others change who is trusted"):
        reads[name]()
    path.chmod(0o600)
    reads[name]()
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(KeyFileError, match="must not be a symbolic link"):
        reads[name]()


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_a_private_key_is_read_from_a_folder_of_one_s_own_alone(store: KeyStore) -> None:
    kid = store.generate().public.kid
    keys_of(store).chmod(0o755)
    with pytest.raises(KeyFileError, match=r"others can enter the folder of private keys; run `chmod 700"):
        store.load(kid, None)
    assert [key.kid for key in store.public_keys()] == [kid]
    keys_of(store).chmod(0o700)
    assert store.load(kid, None).public.kid == kid


def test_a_published_key_in_the_store_does_not_sign(store: KeyStore) -> None:
    store.generate()
    known = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(32)))
    files.write_private(keys_of(store) / f"{known.public.kid}.pem", known.pem())
    with pytest.raises(KeyFileError, match="published test key"):
        store.load(known.public.kid, None)
