"""Steps 5 and 6: is the signer somebody we were told to trust, and did they sign this hash?"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from passfloor.models.plan import SYNTHETIC
from passfloor.models.receipt import ReceiptHead
from passfloor.signing.jws import RECEIPT_TYP, verify_detached
from passfloor.signing.stub import STUB_SUFFIX, stub_fingerprint, stub_payload, verify_stub
from passfloor.signing.validity import time_text
from passfloor.verification.findings import Finding
from passfloor.verification.inputs import KeyPolicy, Trust, TrustedKey
from passfloor.verification.result import Assurance

_UNATTRIBUTED = "the content cannot be attributed to the named signer"
_UNVERIFIED = {
    "header": "the protected header is not the one this key and artefact type have",
    "sig_encoding": "the signature is not the canonical base64url of 64 bytes",
    "sig_invalid": "the signature does not verify under the named key",
}


class Signed(Protocol):
    """What names its signer."""

    @property
    def signature(self) -> str:
        """The signature; empty where there is none."""
        ...

    @property
    def signer_fingerprint(self) -> str:
        """Whose it is said to be."""
        ...


@dataclass(frozen=True)
class SignatureResult:
    """What the signature is worth."""

    assurance: Assurance
    anchor: str
    findings: tuple[Finding, ...]


def stub_allowed(head: ReceiptHead, trust: Trust) -> bool:
    """Whether this receipt carries the stub's fingerprint and the caller accepts that."""
    return head.signer_fingerprint.endswith(STUB_SUFFIX) and trust.allow_stub and not trust.pinned


def check(head: ReceiptHead, recomputed: str, trust: Trust) -> SignatureResult:
    """Judge the signature over the *recomputed* hash; what the receipt claims as its hash plays no part."""
    is_stub = head.signer_fingerprint.endswith(STUB_SUFFIX)
    if head.signature and head.signer_fingerprint and not is_stub and head.subject.adapter in SYNTHETIC:
        return _refused(
            5,
            "synthetic",
            f"adapter '{head.subject.adapter}' drives no real agent; only the test stub may sign for it",
            "subject.adapter",
        )
    signed = check_signed(head, recomputed, trust, at=head.emitted_at)
    if signed.assurance is not Assurance.SIGNED:
        return signed
    policy = trust.keys[head.signer_fingerprint].policy
    return replace(signed, findings=tuple(unmet(head, policy, signed.anchor)))


def check_signed(
    head: Signed,
    recomputed: str,
    trust: Trust,
    *,
    at: float | None,
    typ: str = RECEIPT_TYP,
    what: str = "receipt",
) -> SignatureResult:
    """The same for any artefact.

    Args:
        head: Names its signer.
        recomputed: Its hash.
        trust: Whose signatures count.
        at: When it says that it was made, in seconds since the epoch; None: no time that exists.
        typ: Its type.
        what: Its name for people.
    """
    if not head.signature or not head.signer_fingerprint:
        return _refused(6, "unsigned", f"the {what} carries no signature", "signature")
    if head.signer_fingerprint.endswith(STUB_SUFFIX):
        return _check_stub(head, recomputed, trust, typ)
    return _check_key(head, recomputed, trust, typ, at)


def _check_stub(head: Signed, recomputed: str, trust: Trust, typ: str) -> SignatureResult:
    if trust.pinned:
        return _refused(
            5,
            "stub_not_allowed",
            "a test-grade stub signature, and a key was named: the stub is never accepted beside one",
            "signer_fingerprint",
        )
    if not trust.allow_stub:
        return _refused(
            5,
            "stub_not_allowed",
            "a test-grade stub signature that anybody can make; --allow-stub accepts it as TEST-GRADE",
            "signer_fingerprint",
        )
    if head.signer_fingerprint != stub_fingerprint():
        detail = f"'{head.signer_fingerprint}' is not the fingerprint of the test stub"
        return _refused(5, "key_unknown", detail, "signer_fingerprint")
    if not verify_stub(head.signature, stub_payload(recomputed.encode(), typ)):
        return _refused(6, "sig_invalid", f"the stub signature does not verify: {_UNATTRIBUTED}", "signature")
    return SignatureResult(Assurance.TEST, "the public test stub", ())


def _check_key(head: Signed, recomputed: str, trust: Trust, typ: str, at: float | None) -> SignatureResult:
    trusted = trust.keys.get(head.signer_fingerprint)
    if trusted is None:
        known = f"{len(trust.keys)} trusted key{'' if len(trust.keys) == 1 else 's'}"
        return _refused(
            5,
            "key_unknown",
            f"signed by '{head.signer_fingerprint}', which is none of {known}; "
            "name the signer's key with --signer-key or --jwks, or trust it with trust add",
            "signer_fingerprint",
        )
    findings = list(_untimely(trusted, at))
    verdict = verify_detached(head.signature, recomputed.encode(), trusted.key, typ=typ)
    if verdict != "ok":
        detail = f"{_UNVERIFIED[verdict]}: {_UNATTRIBUTED}"
        findings.append(Finding(6, verdict, detail, path="signature"))
    if findings:
        return SignatureResult(Assurance.NONE, "", tuple(findings))
    return SignatureResult(Assurance.SIGNED, trusted.anchor, ())


def _untimely(trusted: TrustedKey, at: float | None) -> Iterator[Finding]:
    """What the key's own history says against it."""
    validity = trusted.validity
    if (revoked := validity.revoked) is not None:
        why = f", because: {revoked.reason}" if revoked.reason else ""
        detail = (
            f"the key was revoked, since {time_text(revoked.since)}{why}: whoever holds it can write any "
            "time into what it signs, so that it vouches for nothing, however old"
        )
        yield Finding(5, "key_revoked", detail, path="signer_fingerprint")
    if not validity.covers(at):
        when = "at no time that exists" if at is None else f"at {time_text(at)}"
        detail = f"the key signs {validity.window}, and this says that it was made {when}"
        yield Finding(5, "key_outside_window", detail, path="signer_fingerprint")


def unmet(head: ReceiptHead, policy: KeyPolicy, anchor: str) -> Iterator[Finding]:
    """What the entry of the key demands of a receipt, and this one does not have."""
    if policy.min_k is not None and head.k < policy.min_k:
        yield Finding(16, "k", f"k is {head.k}, {anchor} demands {policy.min_k} or more", path="k")
    if policy.recorded and head.coordination_rule == "unrecorded":
        detail = f"coordination was not recorded, and {anchor} demands that it was"
        yield Finding(16, "coordination_unrecorded", detail, path="coordination_rule")
    if policy.subjects and head.subject.name not in policy.subjects:
        name = "an unnamed agent" if head.subject.name is None else f"'{head.subject.name}'"
        allowed = ", ".join(f"'{each}'" for each in policy.subjects)
        detail = f"it is about {name}, and {anchor} lets the key speak for {allowed} alone"
        yield Finding(16, "subject", detail, path="subject.name")


def _refused(step: int, code: str, detail: str, path: str) -> SignatureResult:
    return SignatureResult(Assurance.NONE, "", (Finding(step, code, detail, path=path),))
