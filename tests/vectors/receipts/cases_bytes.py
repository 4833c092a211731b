"""Bytes that are no strict JSON, and JSON that is no receipt."""

import json

from casework import (
    ATTEMPT,
    DEFAULT,
    EVENTS,
    RECEIPT,
    TYPE,
    drop,
    honest,
    match,
    pair,
    put,
    refused,
    resealed,
    written,
)
from forging import lines, seal

PARSE = ("MALFORMED_RECEIPT", "parse", 1)
LIMIT = ("MALFORMED_RECEIPT", "type", 3)


def cases():
    yield from types()
    yield from members()
    yield from versions()
    yield from parsing()
    yield from layouts()
    yield from limits()


def types():
    edits = {
        "k_true": put("k", True),
        "k_float": put("k", 2.5),
        "k_text": put("k", "2"),
        "k_null": put("k", None),
        "n_true": put("n", True),
        "floor_true": put("pass_caret_k", True),
        "ceiling_text": put("pass_at_1", "1.0"),
        "floor_null": put("pass_caret_k", None),
        "emitted_at_text": put("emitted_at", "2026-01-31T09:31:00.000Z"),
        "coordination_ok_text": put("coordination_ok", "yes"),
        "coordination_ok_one": put("coordination_ok", 1),
        "completion_only_zero": put("completion_only", 0),
        "counts_true": put("counts", "passed", True),
        "counts_negative": put("counts", "wrong", -1),
        "passed_one": put(*ATTEMPT, "passed", 1),
        "passed_text": put(*ATTEMPT, "passed", "true"),
        "score_true": put(*ATTEMPT, "score", True),
        "score_text": put(*ATTEMPT, "score", "1.0"),
        "index_true": put(*ATTEMPT, "index", False),
        "index_negative": put(*ATTEMPT, "index", -1),
        "outcome_unknown": put(*ATTEMPT, "outcome", "skipped"),
        "error_text": put(*ATTEMPT, "error", "exit"),
        "harness_output_list": put(*ATTEMPT, "harness_output", []),
        "events_object": put(*EVENTS, {}),
        "run_receipt_list": put(*RECEIPT, []),
        "task_results_object": put("task_results", {}),
        "task_results_null": put("task_results", None),
        "task_result_list": put("task_results", 0, []),
        "attempts_object": put("task_results", 0, "attempts", {}),
        "session_list": put("session", []),
        "stages_empty": put("session", "stages", []),
        "environment_empty": put("environment", []),
        "concurrency_zero": put("environment", 0, "concurrency", 0),
        "gate_number": put("gate", {"min_floor": 0.5}),
        "selection_of_nothing": put("selection", {"of": "0" * 64, "tasks": []}),
        "rule_unknown": put("coordination_rule", "none"),
        "signature_null": put("signature", None),
        "signature_number": put("signature", 5),
        "fingerprint_list": put("signer_fingerprint", []),
        "receipt_hash_null": put("receipt_hash", None),
        "nonce_short": put("session", "nonce", "AAAA"),
        "nonce_loose_bits": put("session", "nonce", "A" * 42 + "B"),
        "run_30_february": put("session", "run", "20260230T093000Z-0a1b2c"),
        "gate_word": put("gate", {"min_floor": "high"}),
        "precommit_hash_word": put("session", "precommit_hash", "c"),
        "prev_receipt_hash_upper_case": put("session", "prev_receipt_hash", "A" * 64),
    }
    for name, edit in edits.items():
        if name.startswith(("signature", "fingerprint", "receipt_hash")):
            document = honest()
            edit(document)
            yield refused(f"type_{name}", TYPE, document)
        else:
            yield resealed(f"type_{name}", TYPE, edit)
    yield refused("type_k_two_point_zero", TYPE, honest_bytes(b'"k":2,', b'"k":2.0,'))
    yield from pair("k_zero", LIMIT, put("k", 0))
    yield from pair("k_negative", LIMIT, put("k", -1))
    yield from pair("n_below_k", LIMIT, put("n", 1))
    for name, value in {"array": [], "null": None, "number": 5, "text": "receipt"}.items():
        finding = ("MALFORMED_RECEIPT", "schema", 2)
        yield refused(f"document_{name}", finding, json.dumps(value).encode())


def members():
    paths = {
        "top": (),
        "session": ("session",),
        "stage": ("session", "stages", 0),
        "subject": ("subject",),
        "counts": ("counts",),
        "tool": ("tool",),
        "environment": ("environment", 0),
        "task_result": ("task_results", 0),
        "attempt": ATTEMPT,
    }
    for name, path in paths.items():
        yield resealed(f"unknown_member_{name}", TYPE, put(*path, "verified", True))
    required = {
        "counts": ("counts",),
        "session": ("session",),
        "blobs": ("blobs",),
        "n": ("n",),
        "selection": ("selection",),
        "coordination_ok": ("coordination_ok",),
        "emitted_at": ("emitted_at",),
        "started_at": ("session", "started_at"),
        "interrupted": ("session", "interrupted"),
        "outcome": (*ATTEMPT, "outcome"),
        "error": (*ATTEMPT, "error"),
        "attempt_receipt": RECEIPT,
        "journal_head": (*RECEIPT, "journal_head"),
        "coordination_hash": ("task_results", 0, "coordination_hash"),
    }
    for name, path in required.items():
        yield resealed(f"missing_member_{name}", TYPE, drop(*path))
    yield resealed("missing_member_schema", TYPE, drop("schema"))
    document = honest()
    del document["task_results"]
    yield refused("missing_member_task_results", TYPE, document)
    document = honest()
    del document["receipt_hash"]
    yield refused("missing_member_receipt_hash", TYPE, document)


def versions():
    v2 = "passfloor/reliability-receipt/v2"
    yield from pair("schema_of_a_later_version", ("UNSUPPORTED", "version", 2), put("schema", v2))
    other = ("MALFORMED_RECEIPT", "schema", 2)
    yield from pair("schema_of_another_artefact", other, put("schema", "passfloor/plan/v1"))
    yield from pair("schema_number", TYPE, put("schema", 1))


def honest_bytes(old, new):
    data = lines(honest())
    assert data.count(old) >= 1
    return data.replace(old, new, 1)


def parsing():
    data = lines(honest())
    texts = {
        "name_twice": honest_bytes(b'"k":2,', b'"k":1,"k":2,'),
        "name_twice_same_value": honest_bytes(b'"k":2,', b'"k":2,"k":2,'),
        "name_twice_escaped": honest_bytes(b'"k":2,', b'"\\u006b":1,"k":2,'),
        "name_twice_in_an_attempt": honest_bytes(b'"passed":false', b'"passed":true,"passed":false'),
        "task_results_twice": honest_bytes(b'"k":2,', b'"task_results":[],"k":2,'),
        "task_results_twice_escaped": honest_bytes(b'"k":2,', b'"task_r\\u0065sults":[],"k":2,'),
        "task_results_twice_after": data.replace(b"]}\n", b'],"task_results":[]}\n'),
        "nan": honest_bytes(b'"pass_caret_k":0.5', b'"pass_caret_k":NaN'),
        "infinity": honest_bytes(b'"emitted_at":1769851861.5', b'"emitted_at":Infinity'),
        "minus_infinity": honest_bytes(b'"pass_caret_k":0.5', b'"pass_caret_k":-Infinity'),
        "overflow": honest_bytes(b'"emitted_at":1769851861.5', b'"emitted_at":1e400'),
        "lone_surrogate": honest_bytes(b'"name":"agent"', b'"name":"\\ud835"'),
        "lone_surrogate_name": honest_bytes(b'"scheduler":"default"', b'"\\udc00":1'),
        "integer_past_2_53": honest_bytes(b'"run_seq":null', b'"run_seq":9007199254740993'),
        "byte_order_mark": b"\xef\xbb\xbf" + data,
        "utf_16": data.decode().encode("utf-16"),
        "utf_16_without_mark": data.decode().encode("utf-16-le"),
        "not_utf_8": honest_bytes(b'"name":"agent"', b'"name":"\xff"'),
        "overlong_utf_8": honest_bytes(b'"name":"agent"', b'"name":"\xc0\x80"'),
        "second_document": data + data,
        "trailing_brace": data + b"}",
        "trailing_zero_byte": data + b"\0",
        "cut_in_half": data[: len(data) // 2],
        "cut_before_the_end": data.removesuffix(b"]}\n"),
        "comment": data.replace(b"{\n", b"{ // honest\n", 1),
        "trailing_comma": data.replace(b"\n]}", b",\n]}"),
        "single_quotes": honest_bytes(b'"k"', b"'k'"),
        "raw_line_break_in_text": honest_bytes(b'"name":"agent"', b'"name":"age\nnt"'),
        "leading_zero": honest_bytes(b'"k":2,', b'"k":02,'),
        "plus_sign": honest_bytes(b'"k":2,', b'"k":+2,'),
        "empty": b"",
        "blank": b"\n\n",
        "nested_65_deep": b"[" * 65 + b"]" * 65,
        "task_nested_65_deep": honest_bytes(
            b'"harness_output":{', b'"harness_output":{"x":' + b"[" * 61 + b"]" * 61 + b","
        ),
        "marker_inside_an_object": data.replace(
            b'"task_results":[\n', b'"ext":{"a":1,\n"task_results":[\n', 1
        ),
    }
    for name, text in texts.items():
        yield refused(f"parse_{name}", PARSE, text)


def layouts():
    document = honest()
    yield match("layout_pretty", json.dumps(document, indent=4, ensure_ascii=False).encode())
    shuffled = {name: document[name] for name in sorted(document, reverse=True)}
    yield match("layout_compact_shuffled", json.dumps(shuffled, separators=(",", ":")).encode())
    data = written(document)
    yield match("layout_carriage_returns", data.replace(b"\n", b"\r\n"))
    yield match("layout_blank_lines_after", data + b"\n \t\r\n")
    yield match("layout_escaped_names", data.replace(b'"k":2', b'"\\u006b":2', 1))
    yield match("layout_whole_number_as_float", data.replace(b'"pass_at_1":1', b'"pass_at_1":1.0e0', 1))
    tail = lines(document).replace(b'"k":2,\n', b"").replace(b"\n]}\n", b'\n],"k":2}\n')
    yield match("layout_member_after_the_tasks", tail)
    assert seal(honest()) == document


def limits():
    yield refused("limit_bytes", ("RESOURCE_LIMIT", "size", 0), honest(), (*DEFAULT, "--max-bytes", "1000"))
    many = json.dumps({**honest(), "task_results": [0] * 10_001}, separators=(",", ":")).encode()
    yield refused("limit_tasks", ("RESOURCE_LIMIT", "tasks", 3), many)
    stage = honest()["session"]["stages"][0]
    yield resealed(
        "limit_stages",
        ("RESOURCE_LIMIT", "stages", 3),
        put("session", "stages", [stage] * 60),
        flags=(*DEFAULT, "--max-bytes", "25000"),
    )
    yield resealed("very_many_faults", TYPE, put("task_results", 0, "attempts", [0] * 1001))
    many = [0] * 10_001
    lists = {
        "attempts": (put("task_results", 0, "attempts", many), "attempts"),
        "interrupted": (put("session", "interrupted", many), "attempts"),
        "stages_listed": (put("session", "stages", many), "stages"),
        "environment": (put("environment", many), "stages"),
        "selection": (put("selection", {"of": "0" * 64, "tasks": many}), "tasks"),
        "identity_fields": (put("identity_fields", many), "nodes"),
    }
    for name, (edit, code) in lists.items():
        yield resealed(f"limit_{name}", ("RESOURCE_LIMIT", code, 3), edit)
    crowd = dict.fromkeys(map(str, range(80)), 0)
    places = {
        "head": (),
        "session": ("session",),
        "graders": ("graders",),
        "stage": ("session", "stages", 0),
        "task_result": ("task_results", 0),
        "attempt": ATTEMPT,
        "run_receipt": RECEIPT,
    }
    for name, path in places.items():
        yield resealed(f"crowded_{name}", TYPE, lambda d, path=path: at(d, path).update(crowd))


def at(document, path):
    for part in path:
        document = document[part]
    return document
