import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from passfloor.errors import EnvironmentFault, KeyFileError, UsageError
from passfloor.keys.history import Revoked
from passfloor.keys.trust_file import MAX_ENTRIES, EntryPolicy, TrustEntry, TrustFile
from passfloor.signing.private_keys import SigningKey, generate
from passfloor.signing.public_keys import PublicKey
from passfloor.signing.validity import Revocation, Validity

posix = pytest.mark.skipif(os.name != "posix", reason="owners, modes and links are those of POSIX")
IS_ROOT = os.name == "posix" and os.geteuid() == 0


def entry_of(key: PublicKey, name: str | None = None, **members: Any) -> TrustEntry:
    values: dict[str, Any] = {
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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "identity"


@pytest.fixture
def trust(folder: Path) -> TrustFile:
    return TrustFile(folder)


@pytest.fixture
def written(trust: TrustFile) -> TrustEntry:
    entry = entry_of(generate().public, "acme", policy=EntryPolicy(min_k=5, recorded=True, subjects=["a"]))
    trust.add([entry])
    return entry


def path_of(trust: TrustFile) -> Path:
    assert trust.path is not None
    return trust.path


def test_where_there_is_no_file_nobody_is_trusted_and_nothing_is_made(trust: TrustFile, folder: Path) -> None:
    assert trust.entries() == []
    assert TrustFile(None).entries() == []
    assert not folder.exists()


@posix
def test_an_entry_reads_back_from_a_file_of_one_s_own(trust: TrustFile, written: TrustEntry) -> None:
    assert trust.entries() == [written]
    assert stat.S_IMODE(path_of(trust).stat().st_mode) == 0o600
    unnamed = entry_of(generate().public)
    assert (written.label, unnamed.label) == ("acme", unnamed.kid)


def test_an_entry_says_when_its_key_counts() -> None:
    key = generate().public
    entry = entry_of(
        key,
        not_before="1970-01-01T00:00:10Z",
        not_after="1970-01-01T00:00:20Z",
        revoked=Revoked(at="1970-01-01T00:00:30Z", since="1970-01-01T00:00:15Z", reason="lost"),
    )
    assert entry.validity() == Validity(10, 20, Revocation(15, "lost"))
    assert entry_of(key).validity() == Validity()
    assert entry.key("k") == key


def test_a_key_and_a_name_are_entered_once(trust: TrustFile, written: TrustEntry) -> None:
    other = generate().public
    with pytest.raises(UsageError, match=rf"the key {written.kid} is trusted already, as 'acme'.*--force"):
        trust.add([entry_of(other, "new"), entry_of(written.key("k"), "again")])
    for replace in (False, True):
        with pytest.raises(UsageError, match=f"the name 'acme' is taken by {written.kid}"):
            trust.add([entry_of(other, "acme")], replace=replace)
    assert trust.entries() == [written]
    trust.add([entry_of(other, "other")])
    assert [entry.name for entry in trust.entries()] == ["acme", "other"]


def test_an_entry_can_be_replaced(trust: TrustFile, written: TrustEntry) -> None:
    other = entry_of(generate().public, "other")
    trust.add([other])
    newer = entry_of(written.key("k"), "acme", not_after="2026-06-01T00:00:00Z")
    trust.add([newer], replace=True)
    assert trust.entries() == [other, newer]


def test_an_older_set_does_not_take_a_revocation_back(trust: TrustFile, written: TrustEntry) -> None:
    gone = Revoked(at="2026-02-01T00:00:00Z", since="2026-01-01T00:00:00Z", reason="lost")
    trust.add([written.model_copy(update={"revoked": gone})], replace=True)
    [kept] = trust.add([written], replace=True)
    assert trust.entries() == [kept]
    assert kept.revoked == gone
    trust.remove("acme")
    trust.add([written])
    assert trust.entries() == [written]


def test_an_entry_is_removed_by_name_or_fingerprint(trust: TrustFile, written: TrustEntry) -> None:
    other = entry_of(generate().public)
    trust.add([other])
    with pytest.raises(UsageError, match="no trusted key is called 'nobody'; `trust list`"):
        trust.remove("nobody")
    assert trust.remove("acme") == written
    assert trust.remove(other.kid) == other
    assert trust.entries() == []
    with pytest.raises(UsageError, match="no trusted key"):
        trust.remove("acme")


def test_without_a_home_nobody_can_be_trusted() -> None:
    with pytest.raises(UsageError, match="set PASSFLOOR_HOME"):
        TrustFile(None).add([entry_of(generate().public)])
    with pytest.raises(UsageError, match="set PASSFLOOR_HOME"):
        TrustFile(None).remove("acme")


def test_a_key_that_everybody_holds_is_not_trusted(trust: TrustFile, folder: Path) -> None:
    known = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(32))).public
    with pytest.raises(KeyFileError, match="published test key"):
        trust.add([entry_of(generate().public), entry_of(known)])
    assert not folder.exists()


def test_what_would_not_be_read_again_is_not_written(trust: TrustFile, written: TrustEntry) -> None:
    one, two = generate().public, generate().public
    for twice in ([entry_of(one), entry_of(one)], [entry_of(one, "a"), entry_of(two, "a")]):
        for replace in (False, True):
            with pytest.raises(UsageError, match="given twice"):
                trust.add(twice, replace=replace)
    many = EntryPolicy(min_k=None, recorded=False, subjects=["é" * 100] * 1000)
    with pytest.raises(UsageError, match="bytes, at most 4194304 are kept"):
        trust.add([entry_of(generate().public, policy=many) for _ in range(25)])
    assert trust.entries() == [written]


def test_there_is_a_limit(trust: TrustFile, written: TrustEntry) -> None:
    document = json.loads(path_of(trust).read_bytes())
    with pytest.raises(UsageError, match=f"at most {MAX_ENTRIES} are kept"):
        trust.add([entry_of(generate().public)] * MAX_ENTRIES)
    assert json.loads(path_of(trust).read_bytes()) == document


def refused(trust: TrustFile) -> str:
    """Every reading and writing of the file is refused, on one line."""
    said = set()
    for act in (
        trust.entries,
        lambda: trust.add([entry_of(generate().public, "new")]),
        lambda: trust.remove("acme"),
    ):
        with pytest.raises(KeyFileError) as caught:
            act()
        said.add(str(caught.value))
    (message,) = said
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"not json",
        b'{"schema":"passfloor/trust/v1"}',
        b'{"schema":"passfloor/trust/v2","keys":[]}',
        b'{"schema":"passfloor/trust/v1","keys":[],"more":1}',
        b'{"schema":"passfloor/trust/v1","keys":{}}',
        b'{"schema":"passfloor/trust/v1","keys":[],"keys":[]}',
        b'{"schema":"passfloor/trust/v1","keys":[{}]}',
        b'\xef\xbb\xbf{"schema":"passfloor/trust/v1","keys":[]}',
        b'{"schema":"passfloor/trust/v1","keys":[]} {}',
    ],
)
def test_a_malformed_file_is_refused_and_never_empty(
    trust: TrustFile, written: TrustEntry, data: bytes
) -> None:
    path_of(trust).write_bytes(data)
    assert "restore the file, nothing is trusted without it" in refused(trust)
    assert path_of(trust).read_bytes() == data


def edited(trust: TrustFile, **members: Any) -> None:
    document = json.loads(path_of(trust).read_bytes())
    document["keys"][0].update(members)
    path_of(trust).write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"unknown": 1}, "unknown"),
        ({"policy": {"min_k": 5, "recorded": True, "subjects": [], "audited": True}}, "audited"),
        ({"policy": {"min_k": True, "recorded": True, "subjects": []}}, "min_k"),
        ({"policy": {"min_k": 0, "recorded": True, "subjects": []}}, "min_k"),
        ({"policy": {"min_k": None, "recorded": "yes", "subjects": []}}, "recorded"),
        ({"policy": {}}, "policy"),
        ({"policy": None}, "policy"),
        ({"not_after": "soon"}, "not_after"),
        ({"not_after": 5}, "not_after"),
        ({"not_before": "2026-02-30T00:00:00Z"}, "no such time exists"),
        ({"revoked": True}, "revoked"),
        ({"name": ""}, "name"),
        ({"kid": "short"}, "kid"),
    ],
)
def test_an_entry_that_this_version_does_not_know_is_refused(
    trust: TrustFile, written: TrustEntry, members: dict[str, Any], words: str
) -> None:
    edited(trust, **members)
    assert words in refused(trust)


def test_the_honest_twin_of_an_edited_file_reads(trust: TrustFile, written: TrustEntry) -> None:
    edited(trust, not_after="2027-01-31T00:00:00Z")
    assert trust.entries()[0].not_after == "2027-01-31T00:00:00Z"


def test_a_key_under_another_fingerprint_is_refused(trust: TrustFile, written: TrustEntry) -> None:
    edited(trust, x=generate().public.x)
    assert f"the entry {written.kid} holds the key" in refused(trust)


def test_a_weak_or_published_key_in_the_file_is_refused(trust: TrustFile, written: TrustEntry) -> None:
    edited(trust, x="AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
    assert "its order is not the prime L" in refused(trust)
    known = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(32))).public
    edited(trust, x=known.x, kid=known.kid)
    assert "published test key" in refused(trust)


def test_a_fingerprint_or_a_name_twice_is_refused(trust: TrustFile, written: TrustEntry) -> None:
    document = json.loads(path_of(trust).read_bytes())
    (entry,) = document["keys"]
    other = generate().public
    for twice in ([entry, {**entry, "name": "b"}], [entry, {**entry, "kid": other.kid, "x": other.x}]):
        path_of(trust).write_text(json.dumps({**document, "keys": twice}))
        assert "stands there twice" in refused(trust)


@posix
@pytest.mark.parametrize("bits", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_to_is_refused(trust: TrustFile, written: TrustEntry, bits: int) -> None:
    path_of(trust).chmod(bits)
    assert f"mode {bits:04o} lets others change who is trusted; run `chmod 600" in refused(trust)
    path_of(trust).chmod(0o644)
    assert trust.entries() == [written]


@posix
def test_a_folder_that_others_can_write_to_is_refused(trust: TrustFile, written: TrustEntry) -> None:
    path_of(trust).parent.chmod(0o777)
    assert "others can write to the folder" in refused(trust)
    path_of(trust).parent.chmod(0o755)
    assert trust.entries() == [written]


@posix
def test_a_link_is_refused_also_one_that_leads_nowhere(
    trust: TrustFile, written: TrustEntry, tmp_path: Path
) -> None:
    path_of(trust).rename(tmp_path / "elsewhere.json")
    path_of(trust).symlink_to(tmp_path / "elsewhere.json")
    assert "must not be a symbolic link" in refused(trust)
    (tmp_path / "elsewhere.json").unlink()
    assert "must not be a symbolic link" in refused(trust)


@posix
def test_what_is_no_file_is_refused_and_does_not_hang(trust: TrustFile, written: TrustEntry) -> None:
    path_of(trust).unlink()
    os.mkfifo(path_of(trust), 0o600)
    assert "not a regular file" in refused(trust)
    path_of(trust).unlink()
    path_of(trust).mkdir()
    assert "not a regular file" in refused(trust)


@posix
@pytest.mark.skipif(not IS_ROOT, reason="only root gives files away")
def test_a_file_of_another_user_is_refused(trust: TrustFile, written: TrustEntry) -> None:
    os.chown(path_of(trust), 12345, -1)
    assert "belongs to user 12345" in refused(trust)


@posix
@pytest.mark.skipif(IS_ROOT, reason="root reads everything")
def test_a_file_that_cannot_be_read_is_refused(trust: TrustFile, written: TrustEntry) -> None:
    path_of(trust).chmod(0)
    assert "cannot be read" in refused(trust)


def test_a_file_past_all_size_is_refused(trust: TrustFile, written: TrustEntry) -> None:
    with path_of(trust).open("ab") as stream:
        stream.write(b" " * (5 * 1024 * 1024))
    assert "trust.json" in refused(trust)


@posix
@pytest.mark.skipif(IS_ROOT, reason="root writes everywhere")
def test_a_failed_write_leaves_who_was_trusted(trust: TrustFile, written: TrustEntry) -> None:
    before = path_of(trust).read_bytes()
    home = path_of(trust).parent
    home.chmod(0o500)
    with pytest.raises(EnvironmentFault):
        trust.add([entry_of(generate().public)])
    home.chmod(0o700)
    assert path_of(trust).read_bytes() == before
