"""Steps 2, 5, 6 and 10 over a redacted receipt: what it says was taken out, and whose evidence it was.

Whoever redacts seals again, and answers for what is left. The original's seal is checked over the hash that
is named; that this is the hash of the content as it was can be said only by who holds what was taken out.
"""

from collections.abc import Iterator
from dataclasses import replace

from pydantic import ValidationError

from passfloor.models.receipt import ReceiptHead
from passfloor.models.redaction import REDACTED, Redaction
from passfloor.verification.findings import MOST_ALIKE, Finding
from passfloor.verification.inputs import Trust
from passfloor.verification.result import Assurance, Redacted
from passfloor.verification.steps import signature

_PATH = f"ext.{REDACTED}"


def read(head: ReceiptHead) -> tuple[Redaction | None, list[Finding]]:
    """What was taken out; None where nothing was, or where what is said of it cannot be read."""
    if head.ext is None or REDACTED not in head.ext:
        return None, []
    try:
        redaction = Redaction.model_validate(head.ext[REDACTED])
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
        return None, [Finding(2, "type", fault["msg"], path=".".join([_PATH, *map(str, fault["loc"])]))]
    return redaction, list(_listed(redaction, head))


def _listed(redaction: Redaction, head: ReceiptHead) -> Iterator[Finding]:
    """Each blob that was taken out is listed once, in order, and is gone."""
    names = redaction.blobs
    if names != sorted(set(names)):
        yield Finding(2, "type", "expected ascending digests, none twice", path=f"{_PATH}.blobs")
    for name in [name for name in names if name in head.blobs][:MOST_ALIKE]:
        yield Finding(10, "blob", "is listed as taken out, and stands there", path=f"blobs.{name}")


def check(
    redaction: Redaction | None, head: ReceiptHead, trust: Trust
) -> tuple[Redacted | None, list[Finding]]:
    """Whose evidence it was: the original's signature over the hash it had; None where nothing was taken out.

    Whoever may seal the redacted receipt may not name anybody as the signer of the original, and what the
    entry of that signer's key demands is demanded of what is left.
    """
    if redaction is None:
        return None, []
    what = "original of this redacted receipt"
    signed = signature.check_signed(redaction, redaction.receipt_hash, trust, at=head.emitted_at, what=what)
    findings = [
        replace(finding, detail=f"the {what}: {finding.detail}", path=f"{_PATH}.{finding.path}")
        for finding in signed.findings
    ]
    if signed.assurance is Assurance.SIGNED and redaction.signer_fingerprint != head.signer_fingerprint:
        findings += signature.unmet(head, trust.keys[redaction.signer_fingerprint].policy, signed.anchor)
    return Redacted(redaction, signed.anchor), findings
