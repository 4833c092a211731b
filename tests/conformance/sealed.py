"""Steps 4 to 6 of docs/format.md, section 10: the receipt hash, the key, the signature (section 6)."""

import base64
import hashlib
import re
from functools import cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from strict import digest, form

SEAL = ("receipt_hash", "signature", "signer_fingerprint")


def seal(receipt, keys):
    """Steps 4 to 6: the hash covers all but three members; an Ed25519 key that was named signed it."""
    recomputed = digest({name: value for name, value in receipt.items() if name not in SEAL})
    if receipt["receipt_hash"] != recomputed:
        yield "receipt_hash", "$.receipt_hash"
    yield from signer(receipt, receipt, recomputed, keys)
    if (original := redacted(receipt)) is not None:
        yield from signer(receipt, original, original["receipt_hash"], keys)


def redacted(receipt):
    """What a redacted receipt says of its original, None where it was not redacted."""
    return (receipt.get("ext") or {}).get("redacted")


def redaction(receipt):
    """Steps 2 and 10: what was taken out is listed once, in order, and is gone."""
    if "redacted" not in (receipt.get("ext") or {}):
        return
    said = redacted(receipt)
    names = said.get("blobs") if isinstance(said, dict) else None
    texts = {"receipt_hash": r"[0-9a-f]{64}", "signature": r"(?s).+", "signer_fingerprint": r"(?s).+"}
    whole = isinstance(names, list) and names and set(said) == {*texts, "blobs"}
    fits = whole and all(matches(pattern, said[name]) for name, pattern in texts.items())
    if not fits or not all(matches(r"[0-9a-f]{64}", name) for name in names) or names != sorted(set(names)):
        yield "type", "$.ext.redacted"
    else:
        yield from (("blob", f"$.blobs.{name}") for name in names if name in receipt["blobs"])


def matches(pattern, value):
    """Whether a value is a text of this pattern."""
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def signer(receipt, named, payload, keys):
    """Steps 5 and 6, for the receipt or the original it names."""
    signature, kid = named.get("signature", ""), named.get("signer_fingerprint", "")
    if not signature or not kid:
        yield "unsigned", "$.signature"
    elif kid.endswith("-stub"):
        yield "stub_not_allowed", "$.signer_fingerprint"
    elif receipt["subject"]["adapter"] in {"mock", "stochastic-mock"}:
        yield "synthetic", "$.subject.adapter"
    elif kid not in keys:
        yield "key_unknown", "$.signer_fingerprint"
    else:
        if code := signed(signature, kid, keys[kid], payload):
            yield code, "$.signature"


def signed(signature, kid, key, payload):
    """A detached JWS with the one header this key has, compared as text."""
    head, dots, end = signature.partition("..")
    typ = "passfloor-reliability-receipt+jws"
    headers = [b64(form({"alg": alg, "kid": kid, "typ": typ})) for alg in ("EdDSA", "Ed25519")]
    if not dots or head not in headers:
        return "header"
    if not re.fullmatch(r"[A-Za-z0-9_-]{85}[AQgw]", end):
        return "sig_encoding"
    try:
        key.verify(base64.urlsafe_b64decode(end + "=="), f"{head}.{b64(payload.encode())}".encode())
    except InvalidSignature:
        return "sig_invalid"
    return None


def b64(data):
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@cache
def keyring(*texts):
    """Keys by their RFC 7638 thumbprints; each the canonical encoding of a point of order L (RFC 8032)."""
    p, order, keys = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493, {}
    d = -121665 * pow(121666, -1, p) % p
    for x in texts:
        raw = base64.urlsafe_b64decode(x + "=")
        whole = int.from_bytes(raw, "little")
        sign, v = whole >> 255, whole % 2**255
        square = (v * v - 1) * pow(d * v * v + 1, -1, p) % p
        u = pow(square, (p + 3) // 8, p)
        u = u if u * u % p == square else u * pow(2, (p - 1) // 4, p) % p
        point, total = (u if u % 2 == sign else p - u, v), (0, 1)
        if v >= p or u * u % p != square:
            raise SystemExit(f"{x} is no point of the curve")
        for bit in f"{order:b}":
            for more in (total, point) if bit == "1" else (total,):
                (a, b), (e, f) = total, more
                t = d * a * b * e * f
                total = (a * f + b * e) * pow(1 + t, -1, p) % p, (b * f + a * e) * pow(1 - t, -1, p) % p
        if total != (0, 1) or point == (0, 1):
            raise SystemExit(f"{x} is not of order L")
        thumbprint = hashlib.sha256(form({"crv": "Ed25519", "kty": "OKP", "x": x})).digest()
        keys[b64(thumbprint)] = Ed25519PublicKey.from_public_bytes(raw)
    return keys
