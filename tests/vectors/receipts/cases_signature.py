"""Whose signature it is, and whether it is one."""

import base64
import json

from casework import BOTH, STUB, SUITE, TEST, honest, match, pair, put, refused
from forging import OTHER_KEY, OTHER_X, STUB_FINGERPRINT, TEST_KEY, Run, build, canonical, seal

OTHER = (*SUITE, "--signer-key", OTHER_X)
ORDER = 2**252 + 27742317777372353535851937790883648493  # of the base point, RFC 8032 section 5.1
TYP = "passfloor-reliability-receipt+jws"
KID = TEST_KEY.public.kid


def finding(code):
    early = {"key_unknown", "stub_not_allowed", "synthetic"}
    return "UNSIGNED", code, 5 if code in early else 6


def cases():
    yield from absent()
    yield from keys()
    yield from headers()
    yield from encodings()
    yield from stubs()
    yield from seals()


def absent():
    for member in ("signature", "signer_fingerprint"):
        document = honest()
        del document[member]
        yield refused(f"{member}_absent", finding("unsigned"), document)
        yield refused(f"{member}_empty", finding("unsigned"), {**honest(), member: ""})
    yield refused("signature_any_text", finding("header"), {**honest(), "signature": "trust me"})


def keys():
    yield refused("key_unknown", finding("key_unknown"), seal(honest(), OTHER_KEY))
    yield refused("key_not_named", finding("key_unknown"), honest(), OTHER)
    yield match("key_second_of_two", seal(honest(), OTHER_KEY), BOTH)
    document = {**seal(honest(), OTHER_KEY), "signer_fingerprint": KID}
    yield refused("signed_by_another_key_under_the_trusted_name", finding("header"), document, BOTH)
    yield refused(
        "fingerprint_of_another_trusted_key",
        finding("header"),
        {**honest(), "signer_fingerprint": OTHER_KEY.public.kid},
        BOTH,
    )
    yield refused(
        "fingerprint_is_the_key_itself",
        finding("key_unknown"),
        {**honest(), "signer_fingerprint": TEST_KEY.public.x},
    )
    document = honest()
    forged = sign(document, KID, key=OTHER_KEY)
    yield refused("wrong_key_right_header", finding("sig_invalid"), {**document, "signature": forged}, BOTH)


def b64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def sign(document, kid=KID, *, alg="EdDSA", typ=TYP, key=TEST_KEY, header=None):
    protected = b64(canonical({"alg": alg, "kid": kid, "typ": typ}) if header is None else header)
    raw = key.sign(f"{protected}.{b64(document['receipt_hash'].encode())}".encode())
    return f"{protected}..{b64(raw)}"


def headers():
    document = honest()
    yield match("alg_ed25519", {**document, "signature": sign(document, alg="Ed25519")})
    for alg in ("none", "HS256", "ES256", "Ed448", "eddsa"):
        signature = sign(document, alg=alg)
        yield refused(f"alg_{alg.lower()}_header", finding("header"), {**document, "signature": signature})
    yield refused(
        "signature_of_another_artefact",
        finding("header"),
        {**document, "signature": sign(document, typ="passfloor-challenge+jws")},
    )
    base = {"alg": "EdDSA", "kid": KID, "typ": TYP}
    more = {
        "crit": {"crit": ["x"], "x": 1},
        "b64_false": {"b64": False, "crit": ["b64"]},
        "jwk": {"jwk": TEST_KEY.public.jwk()},
        "jku": {"jku": "https://example.com/keys"},
        "x5u": {"x5u": "https://example.com/chain"},
    }
    for name, members in more.items():
        signature = sign(document, header=canonical({**base, **members}))
        yield refused(f"header_{name}", finding("header"), {**document, "signature": signature})
    text = canonical(base)
    raw = {
        "names_twice": text.replace(b'{"alg"', b'{"alg":"none","alg"'),
        "not_canonical": json.dumps(base).encode(),
        "without_kid": canonical({"alg": "EdDSA", "typ": TYP}),
        "empty": b"",
    }
    for name, header in raw.items():
        signature = sign(document, header=header)
        yield refused(f"header_{name}", finding("header"), {**document, "signature": signature})


def encodings():
    document = honest()
    protected, _, encoded = document["signature"].partition("..")
    payload = b64(document["receipt_hash"].encode())
    raw = base64.urlsafe_b64decode(encoded + "==")
    s = int.from_bytes(raw[32:], "little") + ORDER
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    loose = alphabet[alphabet.index(encoded[-1]) + 1]
    texts = {
        "padding": (f"{protected}..{encoded}==", "sig_encoding"),
        "trailing_line_break": (f"{protected}..{encoded}\n", "sig_encoding"),
        "trailing_bits": (f"{protected}..{encoded[:-1]}{loose}", "sig_encoding"),
        "one_letter_short": (f"{protected}..{encoded[:-1]}", "sig_encoding"),
        "third_dot": (f"{protected}...{encoded}", "sig_encoding"),
        "leading_blank": (f" {protected}..{encoded}", "header"),
        "payload_attached": (f"{protected}.{payload}.{encoded}", "header"),
        "s_past_the_order": (f"{protected}..{b64(raw[:32] + s.to_bytes(32, 'little'))}", "sig_invalid"),
        "one_bit": (f"{protected}..{b64(bytes([raw[0] ^ 1]) + raw[1:])}", "sig_invalid"),
        "all_zero": (f"{protected}..{b64(bytes(64))}", "sig_invalid"),
    }
    for name, (text, code) in texts.items():
        yield refused(f"signature_{name}", finding(code), {**document, "signature": text})


def stubs():
    stub = build(Run(signer="stub"))
    yield match("stub_allowed", stub, STUB)
    yield refused("stub_not_allowed", finding("stub_not_allowed"), stub, SUITE)
    yield refused("stub_on_a_pinned_verifier", finding("stub_not_allowed"), stub, (*STUB, *TEST))
    yield refused("stub_invalid", finding("sig_invalid"), {**stub, "signature": "0" * 64}, STUB)
    yield refused("stub_any_text", finding("sig_invalid"), {**stub, "signature": "\ud7ff"}, STUB)
    foreign = {**stub, "signer_fingerprint": "0123456789abcdef-stub"}
    yield refused("stub_of_another_name", finding("key_unknown"), foreign, STUB)
    yield refused("stub_signature_under_a_key", finding("header"), {**stub, "signer_fingerprint": KID})
    yield refused(
        "key_signature_under_the_stub",
        finding("sig_invalid"),
        {**honest(), "signer_fingerprint": STUB_FINGERPRINT},
        STUB,
    )
    for adapter in ("mock", "stochastic-mock"):
        own = honest(adapter=adapter, own_scorer=True)
        yield refused(f"synthetic_{adapter}_signed_by_a_key", finding("synthetic"), own)
    yield refused("synthetic_with_graders_signed_by_a_key", finding("synthetic"), honest(adapter="mock"))


def seals():
    seal_ = ("HASH_MISMATCH", "receipt_hash", 4)
    yield refused("receipt_hash_invented", seal_, {**honest(), "receipt_hash": "0" * 64})
    yield refused("receipt_hash_upper_case", seal_, upper(honest()))
    other = honest(session={"challenge": "another"})
    yield refused(
        "signature_of_another_receipt",
        finding("sig_invalid"),
        {**honest(), "signature": other["signature"]},
    )
    edits = {
        "tool": put("tool", "version", "9.9.9"),
        "environment": put("environment", 0, "platform", "a faster machine"),
        "ended_at": put("session", "ended_at", "2026-01-31T09:30:59.000Z"),
        "ext": put("ext", {"note": "audited"}),
        "emitted_at": put("emitted_at", 1769851862.5),
    }
    for name, edit in edits.items():
        first, second = pair(f"asserted_{name}", seal_, edit)
        yield first
        yield match(f"asserted_{name}_by_the_signer", second.receipt)


def upper(document):
    return {**document, "receipt_hash": document["receipt_hash"].upper()}
