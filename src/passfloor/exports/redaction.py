"""A receipt without some of its blobs, sealed anew by whoever takes them out."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal

from passfloor.blobs import references
from passfloor.canonical import canonical
from passfloor.errors import UsageError
from passfloor.models.redaction import REDACTED, without_redaction
from passfloor.receipts import receipt_hash
from passfloor.signing.signers import Signer

Kind = Literal["files", "requests"]


def chosen(document: Mapping[str, Any], *, kinds: Collection[Kind], names: Collection[str]) -> list[str]:
    """The digests of the blobs to take out, ascending; all of them where nothing is chosen.

    Args:
        document: A verified receipt.
        kinds: What the blobs belong to: files that agents left, parts of requests to models.
        names: Digests, or beginnings of at least eight digits.

    Raises:
        UsageError: there is nothing to take out, or a name is that of no blob or of several.
    """
    held = document["blobs"]
    if not held:
        raise UsageError(
            "nothing to take out: no file and no part of a request is longer than 1,024 bytes; what is "
            "shorter, and what agents print, stands in the events and cannot be redacted"
        )
    if not kinds and not names:
        return sorted(held)
    found = {_named(held, name) for name in names}
    found |= {name for kind, name in _uses(document) if kind in kinds and name in held}
    if not found:
        raise UsageError(f"no blob belongs to {' or '.join(sorted(kinds))}: leave out --kind to take out all")
    return sorted(found)


def redact(document: Mapping[str, Any], removed: Collection[str], signer: Signer) -> dict[str, Any]:
    """The receipt without these blobs, which names the seal it had and carries a new one.

    One that was redacted before keeps naming its original.

    Args:
        document: A verified receipt.
        removed: Digests of blobs it holds.
        signer: Answers for what is left.

    Raises:
        UsageError: ``ext`` is there and empty, so that it could not be told from none.
    """
    ext = document.get("ext")
    if ext == {}:
        raise UsageError(
            "the receipt has an empty ext, which could not be told from none: redact the run's own receipt"
        )
    before = (ext or {}).get(REDACTED) or {**_seal(document), "blobs": []}
    gone = {**before, "blobs": sorted({*before["blobs"], *removed})}
    changed = {
        **document,
        "blobs": {name: value for name, value in document["blobs"].items() if name not in removed},
        "ext": {**(ext or {}), REDACTED: gone},
    }
    hashed = receipt_hash(changed)
    seal = {"receipt_hash": hashed, "signature": signer.sign_hash(hashed)}
    return {**changed, **seal, "signer_fingerprint": signer.fingerprint}


def is_redacted_from(document: Mapping[str, Any], original: Mapping[str, Any]) -> bool:
    """Whether a redacted receipt is the original but for the blobs it lists and its seal.

    With the blobs put back the original's hash, which its signer signed, must come out.

    Args:
        document: A verified receipt.
        original: Likewise.
    """
    ext = document.get("ext") or {}
    gone = ext.get(REDACTED)
    if gone is None or _seal(gone) != _seal(original) or not original["blobs"].keys() >= set(gone["blobs"]):
        return False
    blobs = {**document["blobs"], **{name: original["blobs"][name] for name in gone["blobs"]}}
    left = without_redaction(ext)
    restored = {name: value for name, value in document.items() if name != "ext"}
    restored |= {"blobs": blobs} if left is None else {"blobs": blobs, "ext": left}
    hashed: str = original["receipt_hash"]
    return receipt_hash(restored) == hashed


def size_of(document: Mapping[str, Any], names: Collection[str]) -> int:
    """How many canonical bytes these blobs have."""
    return sum(len(canonical(document["blobs"][name])) for name in names)


def _seal(document: Mapping[str, Any]) -> dict[str, str]:
    return {name: document[name] for name in ("receipt_hash", "signature", "signer_fingerprint")}


def _named(held: Mapping[str, Any], name: str) -> str:
    matching = [digest for digest in held if digest.startswith(name)] if len(name) >= 8 else []
    if len(matching) != 1:
        many = "several blobs begin" if matching else "no blob of the receipt begins"
        raise UsageError(f"--blob {name[:80]!a}: {many} like that; give the digest as it stands in its blobs")
    return matching[0]


def _uses(document: Mapping[str, Any]) -> Iterator[tuple[Kind, str]]:
    for result in document["task_results"]:
        for attempt in result["attempts"]:
            for event in attempt["receipt"]["events"]:
                kind: Kind = "requests" if event["kind"] == "model.request" else "files"
                yield from ((kind, name) for _, name in references(event))
