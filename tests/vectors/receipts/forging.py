"""Makes receipts from the format alone, honest or not, with fixed keys, clock and nonce.

Of the package under test it imports the canonical form and the signature, which have outside vectors of their
own. Every id, head, hash, verdict and figure is computed here a second time.
"""

import base64
import copy
import hashlib
import hmac
import json
from dataclasses import dataclass, field
from fractions import Fraction
from math import comb

import recording

from passfloor.canonical import canonical
from passfloor.signing.jws import sign_detached
from passfloor.signing.private_keys import read_private_key

# The private keys of RFC 8037 appendix A.1 (RFC 8032 section 7.1 TEST 1) and of RFC 8032 section 7.1 TEST 2.
TEST_JWK = b"""{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
"x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"""
OTHER_JWK = b"""{"kty":"OKP","crv":"Ed25519","d":"TM0Imyj_ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U-4pvs",
"x":"PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw"}"""
TEST_KEY = read_private_key(TEST_JWK, password=None, source="the test key")
OTHER_KEY = read_private_key(OTHER_JWK, password=None, source="the other test key")
TEST_X, OTHER_X = TEST_KEY.public.x, OTHER_KEY.public.x

STUB_KEY = b"passfloor/stub-signer/v1 (a public constant: this proves nothing about who signed)"
STUB_FINGERPRINT = hashlib.sha256(STUB_KEY).hexdigest()[:16] + "-stub"

PLAN_MEMBERS = (
    "suite_hash",
    "selection",
    "n",
    "k",
    "k_reason",
    "coordination_rule",
    "identity_fields",
    "scheduler_config",
    "subject",
    "gate",
    "completion_only",
    "graders",
)
OPENING_MEMBERS = ("nonce", "challenge", "precommit_hash", "run_seq", "prev_receipt_hash", "started_at")
SEAL_MEMBERS = ("receipt_hash", "signature", "signer_fingerprint")
TIMING = ("ts", "elapsed_s", "started_at", "finished_at")
SAMPLED = ("model.output", "model.artifact")
CLOSING = (*SAMPLED, "agent.output", "agent.artifact", "attempt.errored")
RUN_RECEIPT_MEMBERS = ("run_id", "attempt_id", "journal_head", "spine_head", "events", "adapter_run_id")

MINI = {
    "version": "mini-v1",
    "tasks": [
        {
            "id": "capital",
            "description": "Print the capital of France.",
            "assertions": [{"kind": "output_equals", "expected": "Paris"}],
        },
        {
            "id": "tidy",
            "description": "Make notes.txt say: final",
            "files": {"notes.txt": "draft\n"},
            "assertions": [
                {"kind": "completed"},
                {"kind": "content_eq", "path": "notes.txt", "expected": "final\n"},
            ],
        },
    ],
}


def sha(data):
    return hashlib.sha256(data).hexdigest()


def digest(value):
    return sha(canonical(value))


def joined(*parts):
    return sha(b"\0".join(part.encode() for part in parts))


def chain(domain, start, items):
    head = hashlib.sha256(f"{domain}\0{start}".encode()).digest()
    for item in items:
        head = hashlib.sha256(head + hashlib.sha256(item).digest()).digest()
    return head.hex()


def file_hashes(task):
    return {path: sha(text.encode()) for path, text in task.get("files", {}).items()}


def task_hash(task):
    document = dict(task)
    if "files" in document:
        document["files"] = file_hashes(task)
    return digest(document)


def suite_hash(suite, tasks=None):
    hashes = [task_hash(task) for task in (suite["tasks"] if tasks is None else tasks)]
    return digest({"version": suite["version"], "task_hashes": hashes})


def plan_hash(document, n=None):
    plan = {"schema": "passfloor/plan/v1", **{name: document[name] for name in PLAN_MEMBERS}}
    return digest(plan if n is None else {**plan, "n": n})


def opening_hash(session):
    return digest({name: session[name] for name in OPENING_MEMBERS})


def attempt_id(document, task, index):
    session = document["session"]
    plan = next((s["plan_hash"] for s in session["stages"] if index < s["n"]), session["plan_hash"])
    return joined("passfloor/attempt/v1", opening_hash(session), plan, task_hash(task), str(index))


def _last(events, noun):
    """What the agent gave in the end; where it was recorded that is its own doing, else a sample."""
    for kind, member in ((f"agent.{noun}", "value"), (f"model.{noun}", "sample")):
        for event in reversed(events):
            if event["kind"] == kind:
                return event[member]
    return {}


def heads(task, attempt, events):
    captured = _last(events, "artifact")
    out = {
        path: entry["sha256"]
        for path, entry in (captured if isinstance(captured, dict) else {}).items()
        if isinstance(entry, dict) and isinstance(entry.get("sha256"), str)
    }
    return {
        "journal_head": chain("passfloor/journal/v1", attempt, map(canonical, events)),
        "spine_head": chain(
            "passfloor/spine/v1", task_hash(task), (canonical(file_hashes(task)), canonical(out))
        ),
    }


def captured(text, **more):
    return {"sha256": sha(text.encode()), "size": len(text.encode()), "text": text, **more}


def frame(task, stdout="", files=None, *, exit_code=0, journal=(), error=None, seed=7, output=None):
    """The events of an attempt that the harness framed, ``seq`` by position."""
    sample = {"stdout": stdout, "exit_code": exit_code, "stderr_tail": "", **(output or {})}
    last = {"kind": "task.completed"}
    if error:
        last = {"kind": "attempt.errored", "error": error, "exit_code": exit_code}
    return numbered(
        [
            {"kind": "task.started", "task_hash": task_hash(task), "seed": seed},
            *journal,
            {"kind": "model.output", "sample": sample},
            {"kind": "model.artifact", "sample": files or {}},
            last,
        ]
    )


def numbered(events):
    return [{**event, "seq": seq} for seq, event in enumerate(events)]


JOURNAL = ({"kind": "tool.call", "tool": "think", "id": "0"},)


def agent(task, index):
    """The agent of the honest receipts: flaky on the one task, reliable on the other."""
    if task["id"] == "capital":
        return frame(task, "Lyon\n" if index == 1 else "Paris\n", journal=JOURNAL)
    return frame(task, "", {"notes.txt": captured("final\n")}, journal=JOURNAL)


def judge(task, events, blobs, completion_only):
    """outcome, passed, score, harness_output and error of one attempt, for the kinds the suites here use."""

    def verdict(outcome, score, output, error=None):
        return {
            "outcome": outcome,
            "passed": outcome == "passed",
            "score": score,
            "harness_output": output,
            "error": error,
        }

    if events[-1]["kind"] == "attempt.errored":
        return verdict("errored", None, {}, events[-1]["error"])
    if any(assertion["kind"] == "imported" for assertion in task["assertions"]):
        return _imported(events, verdict)
    output, files = _last(events, "output") or {}, _last(events, "artifact") or {}
    assertions = [] if completion_only else task["assertions"]
    if output.get("exit_code") and not any(a["kind"] == "exit_code" for a in assertions):
        return verdict("errored", None, {}, {"type": "exit", "detail": f"exit status {output['exit_code']}"})
    results = []
    for place, assertion in enumerate(assertions):
        held = holds(assertion, output, files, blobs)
        if held is None:
            return verdict("errored", None, {}, {"type": "grader", "detail": f"assertions[{place}]"})
        results.append({"kind": assertion["kind"], "passed": held})
    good = sum(result["passed"] for result in results)
    score = good / len(results) if results else 1.0
    return verdict("passed" if good == len(results) else "wrong", score, {"assertions": results})


def _imported(events, verdict):
    """Of a record that is kept, or known by its digest to say so, of the log the vectors are made with."""
    record = _last(events, "output")
    row = (
        {"outcome": "passed" if record["size"] < 30 else "failed"}
        if isinstance(record, dict)
        else json.loads(record)
    )
    if row["outcome"] == "error":
        return verdict("errored", None, {}, {"type": "source", "detail": row["error"]})
    passed = row["outcome"] == "passed"
    output = {"assertions": [{"kind": "imported", "passed": passed}]}
    return verdict("passed" if passed else "wrong", float(passed), output)


def holds(assertion, output, files, blobs):
    stdout = output.get("stdout", "")
    entry = files.get(assertion.get("path"))
    match assertion["kind"]:
        case "completed":
            return True
        case "output_equals":
            return None if output.get("cut") else stdout.removesuffix("\n") == assertion["expected"]
        case "output_contains":
            return assertion["text"] in stdout
        case "output_matches":
            return False  # the one pattern of the suites here matches none of the outputs here
        case "exit_code":
            return output["exit_code"] == assertion["expected"]
        case "file_exists":
            return entry is not None
        case "file_absent":
            return entry is None
        case "command":  # the commands of the suites here are ["test", "-f", path]
            return assertion["argv"][-1] in files
        case "content_eq":
            if entry is None or "text" not in entry:
                return False
            text = entry["text"] if isinstance(entry["text"], str) else blobs[entry["text"]["blob"]]
            return text.removesuffix("\n") == assertion["expected"].removesuffix("\n")
    raise NotImplementedError(assertion["kind"])


def projection(event):
    dropped = (*TIMING, "sample") if event["kind"] in SAMPLED else TIMING
    return {name: value for name, value in event.items() if name not in dropped}


def coordination(attempts):
    """(hash or None, identical) of one task's attempts under the rule ``identical``."""
    views = [_view(attempt["receipt"]) for attempt in attempts]
    finished = [events for errored, events, _ in views if not errored]
    longest = finished[0] if finished else max((events for _, events, _ in views), key=len)
    for errored, events, extra in views:
        owed = longest[: len(events)] if errored else longest
        if canonical(events) != canonical(owed) or canonical(extra) != canonical(views[0][2]):
            return None, False
    return digest({"events": longest, **views[0][2]}), True


def _view(receipt):
    events, errored = list(receipt["events"]), receipt["events"][-1]["kind"] == "attempt.errored"
    while errored and events and events[-1]["kind"] in CLOSING:
        events.pop()
    extra = {name: value for name, value in receipt.items() if name not in RUN_RECEIPT_MEMBERS}
    return errored, [projection(event) for event in events], extra


@dataclass
class Run:
    """What an honest receipt is made from."""

    suite: dict = field(default_factory=lambda: copy.deepcopy(MINI))
    n: int = 2
    k: int = 2
    events: object = agent
    stages: tuple = ()
    selection: tuple | None = None
    adapter: str = "process"
    own_scorer: bool = False
    members: dict = field(default_factory=dict)
    session: dict = field(default_factory=dict)
    extra: dict = field(default_factory=dict)
    blobs: dict = field(default_factory=dict)
    embed: bool = False
    signer: object = TEST_KEY

    @property
    def tasks(self):
        chosen = self.selection
        return [task for task in self.suite["tasks"] if chosen is None or task["id"] in chosen]


NONCE = base64.urlsafe_b64encode(bytes(range(32))).decode().rstrip("=")
STARTED, ENDED, EMITTED = "2026-01-31T09:30:00.000Z", "2026-01-31T09:31:00.000Z", 1769851861.5


def build(run):
    """The sealed document."""
    document = {**_plan(run), **_head(run)}
    document["session"] = _session(run, document)
    document["task_results"] = [
        {
            "task_id": task["id"],
            "task_hash": task_hash(task),
            "attempts": [_attempt(run, document, place, task, index) for index in range(run.n)],
        }
        for place, task in enumerate(run.tasks)
    ]
    reclaim(document)
    return seal(document, run.signer)


def _plan(run):
    whole = suite_hash(run.suite)
    kinds = sorted({a["kind"] for task in run.tasks for a in task["assertions"]})
    return {
        "suite_hash": suite_hash(run.suite, run.tasks),
        "selection": None if run.selection is None else {"of": whole, "tasks": list(run.selection)},
        "n": run.n,
        "k": run.k,
        "k_reason": None,
        "coordination_rule": "identical",
        "identity_fields": [],
        "scheduler_config": {"scheduler": "default"},
        "subject": {
            "name": "agent",
            "version": None,
            "adapter": run.adapter,
            "adapter_digest": digest({"adapter": run.adapter}),
            "model": None,
            "config_digest": digest({}),
        },
        "gate": None,
        "completion_only": False,
        "graders": {} if run.own_scorer else dict.fromkeys(kinds, "1"),
        **{name: value for name, value in run.members.items() if name in PLAN_MEMBERS},
    }


def _head(run):
    head = {
        "schema": "passfloor/reliability-receipt/v1",
        "tool": {"name": "passfloor", "version": "0.1.0"},
        "suite_version": run.suite["version"],
        "emitted_at": EMITTED,
        "environment": [{"platform": "test", "limits": {}, "concurrency": 1}] * max(1, len(run.stages)),
        "blobs": run.blobs,
        **{name: value for name, value in run.members.items() if name not in PLAN_MEMBERS},
    }
    return {**head, "suite": run.suite} if run.embed else head


def _session(run, document):
    stages = [
        {
            "n": n,
            "plan_hash": plan_hash(document, n),
            "decided_at": STARTED if not place else f"2026-01-31T09:30:{place:02}.000Z",
            "after_receipt_hash": None if not place else sha(b"the receipt before"),
        }
        for place, n in enumerate(run.stages or (run.n,))
    ]
    return {
        "run": "20260131T093000Z-0a1b2c",
        "nonce": NONCE,
        "challenge": None,
        "precommit_hash": None,
        "run_seq": None,
        "prev_receipt_hash": None,
        "started_at": STARTED,
        "plan_hash": plan_hash(document),
        "stages": stages,
        "interrupted": [],
        "ended_at": ENDED,
        **run.session,
    }


def _attempt(run, document, place, task, index):
    events = run.events(task, index)
    name = attempt_id(document, task, index)
    receipt = {
        "run_id": f"{document['session']['run']}/{place}/{index}",
        "attempt_id": name,
        **heads(task, name, events),
        "events": events,
        **run.extra,
    }
    return {
        "task_id": task["id"],
        "task_hash": task_hash(task),
        "index": index,
        "attempt_id": name,
        "receipt": receipt,
        "receipt_hash": digest(receipt),
        **judge(task, events, run.blobs, document["completion_only"] or run.own_scorer),
        **({"harness_output": {}} if run.own_scorer else {}),
    }


def rehash(document):
    """The attempts' hashes made anew."""
    for attempt in attempts_of(document):
        attempt["receipt_hash"] = digest(attempt["receipt"])


def rechain(document, suite=MINI):
    """The heads made anew, and the hashes over them."""
    tasks = {task["id"]: task for task in suite["tasks"]}
    for attempt in attempts_of(document):
        receipt = attempt["receipt"]
        receipt.update(heads(tasks[attempt["task_id"]], receipt["attempt_id"], receipt["events"]))
    rehash(document)


def replan(document):
    """The plan's hashes made anew."""
    session = document["session"]
    session["plan_hash"] = plan_hash(document)
    for stage in session["stages"]:
        stage["plan_hash"] = plan_hash(document, stage["n"])


def reclaim(document):
    """Coordination, counts and figures made anew, from the verdicts as they are claimed."""
    results = document["task_results"]
    judged = recording.coordination if document["coordination_rule"] == "causal" else coordination
    for result in results:
        hash_, identical = judged(result["attempts"])
        result["coordination_hash"], result["coordination_identical"] = hash_, identical
    document["coordination_ok"] = all(result["coordination_identical"] for result in results)
    if document["coordination_rule"] == "unrecorded":
        document["coordination_ok"] = None
        for result in results:
            result["coordination_hash"] = result["coordination_identical"] = None
    refigure(document)


def refigure(document):
    """Counts and figures made anew, from the verdicts as they are claimed."""
    results, k = document["task_results"], document["k"]
    outcomes = [[attempt["outcome"] for attempt in result["attempts"]] for result in results]
    flat = [outcome for task in outcomes for outcome in task]
    passed = [task.count("passed") for task in outcomes]
    document["counts"] = {
        "tasks": len(results),
        "attempts": len(flat),
        **{name: flat.count(name) for name in ("passed", "wrong", "errored")},
        "tasks_any": sum(c > 0 for c in passed),
        "tasks_all": sum(c == len(task) for c, task in zip(passed, outcomes, strict=True)),
    }
    sizes = [len(task) for task in outcomes]
    every = [Fraction(comb(c, k), comb(n, k)) for c, n in zip(passed, sizes, strict=True)]
    none = [Fraction(comb(n - c, k), comb(n, k)) for c, n in zip(passed, sizes, strict=True)]
    document["pass_caret_k"] = float(sum(every, Fraction(0)) / len(results))
    document["pass_at_1"] = float(1 - sum(none, Fraction(0)) / len(results))


def attempts_of(document):
    return [attempt for result in document["task_results"] for attempt in result["attempts"]]


def content_hash(document):
    return digest({name: value for name, value in document.items() if name not in SEAL_MEMBERS})


def seal(document, signer=TEST_KEY):
    """Hash and signature made anew; ``signer`` is a key or the text "stub"."""
    document["receipt_hash"] = content_hash(document)
    payload = document["receipt_hash"].encode()
    if signer == "stub":
        document["signature"] = hmac.new(STUB_KEY, payload, hashlib.sha256).hexdigest()
        document["signer_fingerprint"] = STUB_FINGERPRINT
    else:
        document["signature"] = sign_detached(signer, payload)
        document["signer_fingerprint"] = signer.public.kid
    return document


def lines(document):
    """The file: every member but the task results a line, then one task result a line."""
    rest = sorted(name for name in document if name != "task_results")
    head = b"".join(canonical(name) + b":" + canonical(document[name]) + b",\n" for name in rest)
    tasks = b",\n".join(canonical(task) for task in document["task_results"])
    return b"{\n" + head + b'"task_results":[\n' + tasks + b"\n]}\n"
