"""An independent verifier of reliability receipts, from docs/format.md: standard library and cryptography.

    python verify.py --suite SUITE.json --signer-key X [--at TIME] RECEIPT.json
    python verify.py --folders FOLDER...     one JSON line for each: what its expected.json asks for

It judges steps 0 to 11 and 13 to 15 but for what recorded answers say (codes `said` and `symbol`), takes the
verdicts of step 12 as claimed, and says so. Exit: 0 all holds, 1, 3 and 4 as the statuses have it, 2 misuse,
5 nothing it can judge by what it was given (the stub, check statements, flags it does not know).
"""

import json
import re
import sys
from collections import Counter
from datetime import UTC, datetime
from fractions import Fraction
from math import comb
from pathlib import Path

from attempts import identity, run_receipt
from coordinated import coordination
from planned import SCHEMAS, measure, plan_of, plans, task_hash
from sealed import keyring, redacted, redaction, seal
from strict import RefusedError, digest, faults, form, parse

RECEIPT = json.loads((SCHEMAS / "receipt.json").read_text())
TABLE = (SCHEMAS.parent / "statuses.md").read_text()
ROWS = re.findall(r"^\| ([A-Z_]+) \| (\d) \| `(\w+)` \|", TABLE, re.MULTILINE)
NAME = "passfloor/reliability-receipt/v1"
OPENING = ("nonce", "challenge", "precommit_hash", "run_seq", "prev_receipt_hash", "started_at")
SWITCHES = {"--use-embedded-suite", "--allow-unrecorded", "--allow-attested"}
KNOWN = SWITCHES | {"--suite", "--signer-key", "--at", "--max-bytes"}


def judge(data, flags, folder):
    """The codes of all findings, each with its place."""
    found, most = [], int(flags.get("--max-bytes", 64 * 2**20))
    try:
        receipt = parse(data, max_bytes=most)
    except RefusedError as refused:
        return [(refused.args[0], "$")]
    schema = receipt.get("schema") if isinstance(receipt, dict) else ""
    if isinstance(schema, str) and schema != NAME:
        return [("version" if schema.startswith(NAME[:-1]) else "schema", "$.schema")]
    if odd := list(limits(receipt)) or list(shaped(receipt)) or list(redaction(receipt)):
        return odd
    if (len(receipt["session"]["stages"]) - 1) * len(form(plan_of(receipt, receipt["n"]))) > most:
        return [("stages", "$.session.stages")]
    found += seal(receipt, flags["--signer-key"])
    suite, unfit = measure(receipt, flags, folder)
    found += unfit
    chosen = receipt["selection"] and receipt["selection"]["tasks"]
    tasks = [task for task in suite["tasks"] if chosen is None or task["id"] in chosen] if suite else []
    return found + list(plans(receipt)) + list(evidence(receipt, tasks)) + list(times(receipt, tasks, flags))


def limits(receipt):
    """Step 3, as far as it is about too much: 10,000 of anything that is listed."""
    inside = {"session": ("stages", "interrupted"), "selection": ("tasks",)}
    codes = {"stages": "stages", "interrupted": "attempts", "tasks": "tasks"}
    lists = [(receipt.get(outer), name, codes[name]) for outer, names in inside.items() for name in names]
    lists += [(receipt, "environment", "stages"), (receipt, "identity_fields", "nodes")]
    lists += [(receipt, "task_results", "tasks")]
    for holder, name, code in lists:
        if isinstance(holder, dict) and isinstance(holder.get(name), list) and len(holder[name]) > 10_000:
            yield code, f"$.{name}"
    if isinstance(receipt.get("n"), int) and receipt["n"] > 10_000:
        yield "attempts", "$.n"
    for result in receipt["task_results"] if isinstance(receipt.get("task_results"), list) else ():
        attempts = result.get("attempts") if isinstance(result, dict) else None
        if isinstance(attempts, list) and len(attempts) > 10_000:
            yield "attempts", "$.task_results"


def shaped(receipt):
    """Steps 2 and 3: types and members; 1 <= k <= n."""
    empty = ["$.task_results"] if receipt.get("task_results") == [] else []  # every task is missing: step 8
    yield from (("type", path) for path in faults(receipt, RECEIPT, RECEIPT) if path not in empty)
    inside = {name: receipt[name] for name in ("gate", "graders") if isinstance(receipt.get(name), dict)}
    yield from (("type", f"$.{name}") for name, members in inside.items() if len(members) > 64)
    session = receipt.get("session")
    run = str(session.get("run", "")) if isinstance(session, dict) else ""
    if seconds(f"{run[:4]}-{run[4:6]}-{run[6:8]}T{run[9:11]}:{run[11:13]}:{run[13:15]}.000Z") is None:
        yield "type", "$.session.run"
    whole = all(type(receipt.get(name)) is int for name in "kn")
    if whole and not 1 <= receipt["k"] <= receipt["n"]:
        yield "type", "$.k"


def evidence(receipt, tasks):
    """Steps 8 to 11, 13 and 14: coverage, run receipts, what they have in common, and the figures."""
    ids, results = [task["id"] for task in tasks], receipt["task_results"]
    used, held, passes, last = set(), [], Counter(), -1
    unrecorded, known = receipt["coordination_rule"] == "unrecorded", identities(receipt)
    for where, result in enumerate(results):
        path, name = f"$.task_results[{where}]", result["task_id"]
        if name not in ids:
            yield "task", path
            continue
        position = ids.index(name)
        if position <= last:
            yield "order", path
        last = max(last, position)
        passes[name] += sum(attempt["outcome"] == "passed" for attempt in result["attempts"])
        found = list(task_result(receipt, result, tasks[position], (known, position), used))
        yield from ((code, path + below) for code, below in found)
        if not result["attempts"] or any(code in {"type", "empty_events"} for code, _ in found):
            held.append(None)
            continue
        runs = [attempt["receipt"] for attempt in result["attempts"]]
        shared = None if unrecorded else coordination(receipt["coordination_rule"], runs)
        held.append(None if unrecorded else shared is not None)
        claims = {"coordination_hash": shared, "coordination_identical": held[-1]}
        yield from ((claim, path) for claim, derived in claims.items() if result[claim] != derived)
        yield from [("diverged", path)] if held[-1] is False else ()
    yield from (("task_missing", name) for name in ids if name not in passes)
    removed = redacted(receipt)["blobs"] if redacted(receipt) else []
    yield from (("blob_unused", name) for name in [*receipt["blobs"], *removed] if name not in used)
    yield from (("blob", name) for name, value in receipt["blobs"].items() if digest(value) != name)
    if receipt["coordination_ok"] is not (None if unrecorded else all(held)) and (
        unrecorded or None not in held
    ):
        yield "coordination_ok", "$.coordination_ok"
    whole = all(len(result["attempts"]) == receipt["n"] for result in results)
    if whole and results and [result["task_id"] for result in results] == ids:
        yield from figures(receipt, passes)


def identities(receipt):
    """What gives an attempt its ids: run, digest of the opening, size and plan hash of each stage."""
    session = receipt["session"]
    sizes = [*(stage["n"] for stage in session["stages"]), receipt["n"]]
    opening = digest({name: session[name] for name in OPENING})
    return session["run"], opening, [(n, digest(plan_of(receipt, n))) for n in sizes]


def task_result(receipt, result, task, place, used):
    """Steps 8 to 11 over one task result; ``place``: what gives ids, and the task's position."""
    (run, opening, stages), position = place
    hashed, indices = task_hash(task), [attempt["index"] for attempt in result["attempts"]]
    if result["task_hash"] != hashed:
        yield "task", ".task_hash"
    if indices != sorted(set(indices)):
        yield "order", ".attempts"
    if len(indices) != receipt["n"] or set(indices) != set(range(receipt["n"])):
        yield "attempt_count", ".attempts"
    for slot, attempt in enumerate(result["attempts"]):
        index = attempt["index"]
        plan = next((plan for n, plan in stages if index < n), stages[-1][1])
        parts = ["passfloor/attempt/v1", opening, plan, hashed, str(index)]
        found = [*identity(attempt, f"{run}/{position}/{index}", digest("\0".join(parts).encode()))]
        if attempt["task_id"] != task["id"] or attempt["task_hash"] != hashed:
            found.append(("task", ""))
        found += run_receipt(receipt, attempt, task, hashed, used)
        yield from ((code, f".attempts[{slot}]{below}") for code, below in found)


def figures(receipt, passes):
    """Step 14: counts, and both figures as the doubles nearest to exact fractions."""
    n, k, tasks = receipt["n"], receipt["k"], len(passes)
    made = Counter(each["outcome"] for result in receipt["task_results"] for each in result["attempts"])
    derived = {"tasks": tasks, "attempts": n * tasks, "tasks_any": sum(c > 0 for c in passes.values())}
    derived |= {"tasks_all": sum(c == n for c in passes.values())}
    derived |= {name: made[name] for name in ("passed", "wrong", "errored")}
    if receipt["counts"] != derived:
        yield "counts", "$.counts"
    ceiling = sum(1 - Fraction(comb(n - c, k), comb(n, k)) for c in passes.values()) / tasks
    floor = sum(Fraction(comb(c, k), comb(n, k)) for c in passes.values()) / tasks
    for name, exact in (("pass_at_1", ceiling), ("pass_caret_k", floor)):
        if receipt[name] != float(exact):
            yield name, f"$.{name}"


def times(receipt, tasks, flags):
    """Steps 15 and 16: time went on; interruptions and stages fit; coordination was recorded."""
    session, now = receipt["session"], flags["--at"]
    texts = [
        session["started_at"],
        *(stage["decided_at"] for stage in session["stages"]),
        session["ended_at"],
    ]
    clock = [*map(seconds, texts), receipt["emitted_at"], now + 300]
    known = [moment for moment in clock if moment is not None]
    if len(known) < len(clock) or known != sorted(known) or receipt["emitted_at"] < 0:
        yield "clock", "$.session"
    names = [(entry["task_id"], entry["index"]) for entry in session["interrupted"]]
    fit = {(task["id"], index) for task in tasks for index in range(receipt["n"])}
    if len(set(names)) < len(names) or not set(names) <= fit:
        yield "type", "$.session.interrupted"
    if len(receipt["environment"]) != len(session["stages"]):
        yield "type", "$.environment"
    if receipt["coordination_rule"] == "unrecorded" and "--allow-unrecorded" not in flags:
        yield "coordination_unrecorded", "$.coordination_rule"


def seconds(text):
    """Seconds since the epoch of an RFC 3339 time in UTC, None where no such time exists."""
    try:
        return None if text[11:13] == "24" else datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None


def read_flags(words):
    """Flags by name; None where one is not known here."""
    flags, keys, words = {"--at": datetime.now(UTC).timestamp()}, [], iter(words)
    for word in words:
        if word not in KNOWN:
            return None
        value = "" if word in SWITCHES else next(words)
        keys += [value] if word == "--signer-key" else []
        flags[word] = seconds(value) if word == "--at" else value
    ready = keys and ("--suite" in flags or "--use-embedded-suite" in flags)
    return flags | {"--signer-key": keyring(*keys)} if ready else None


def verdict(found):
    """Status and exit: the first row of the table that any finding has."""
    codes = {code for code, _ in found}
    return next(((status, int(number)) for status, number, code in ROWS if code in codes), ("MATCH", 0))


def main(words):
    """Judge one receipt for people, or the receipts of many folders for machines."""
    if words[:1] == ["--folders"]:
        for folder in map(Path, words[1:]):
            flags = read_flags(json.loads((folder / "expected.json").read_text())["flags"])
            found = [] if flags is None else judge((folder / "receipt.json").read_bytes(), flags, folder)
            status, code = ("UNJUDGED", 5) if flags is None else verdict(found)
            print(json.dumps({"case": folder.name, "status": status, "exit": code, "found": found}))
        return 0
    flags = read_flags(words[:-1])
    if flags is None:
        print("UNJUDGED: name --suite and --signer-key; the stub and check statements are not judged here")
        return 5
    found = judge(Path(words[-1]).read_bytes(), flags, Path())
    status, code = verdict(found)
    print(
        status,
        *(f"\n  {code} {path}" for code, path in found),
        "\n  not judged: verdicts, `said`, symbols",
        sep="",
    )
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
