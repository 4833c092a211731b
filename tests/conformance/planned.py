"""Steps 7 and 9: the suite that judges (docs/format.md, section 2), the plan and its stages (section 4)."""

import base64
import json
import re
import unicodedata
from pathlib import Path

from strict import digest, faults

SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "reference" / "schemas"
SUITE = json.loads((SCHEMAS / "suite.json").read_text())
KINDS = {
    rule["properties"]["kind"]["const"] for rule in SUITE["$defs"].values() if "kind" in rule["properties"]
}
OBJECTS = {"mock", "stochastic-mock", "custom"}
PLAN = "suite_hash selection n k k_reason coordination_rule identity_fields scheduler_config subject gate"
PLAN = (*PLAN.split(), "completion_only", "graders")
FIELD = re.compile(r"(?=[A-Za-z_\[])(?:(?:^|\.)[A-Za-z_][\w-]*|\[(?:\d+|\*|'[^']*')\])+(?:=|$)", re.ASCII)
HEX = re.compile(r"[0-9a-f]{64}")


def measure(receipt, flags, folder):
    """Step 7: the suite that judges, and what does not fit it."""
    embedded, found, selection = receipt.get("suite"), [], receipt["selection"]
    wanted = selection["of"] if selection else receipt["suite_hash"]
    if embedded is not None and (not readable(embedded) or suite_hash(embedded) != wanted):
        found.append(("suite", "$.suite"))
    suite = embedded if embedded is not None and readable(embedded) else None
    if "--suite" in flags:
        suite = opened(folder / flags["--suite"])
    if suite is None:
        return None, found
    tasks = suite["tasks"]
    if suite["version"] != receipt["suite_version"]:
        found.append(("suite_version", "$.suite_version"))
    if selection:
        tasks = [task for task in tasks if task["id"] in selection["tasks"]]
        if suite_hash(suite) != wanted or [task["id"] for task in tasks] != selection["tasks"]:
            found.append(("suite", "$.selection"))
    if suite_hash({"version": suite["version"], "tasks": tasks}) != receipt["suite_hash"]:
        found.append(("suite", "$.suite_hash"))
    return suite, found + list(judged(receipt, tasks))


def judged(receipt, tasks):
    """Whether the graders are known, and those that the tasks use."""
    adapter = receipt["subject"]["adapter"]
    if adapter.startswith("import:"):
        asks = [[(one["kind"], one.get("importer")) for one in task.get("assertions", ())] for task in tasks]
        fits = receipt["coordination_rule"] == "unrecorded" and not receipt["completion_only"]
        rules = [task.get("assertions") for task in tasks]
        if not fits or any(ask != [("imported", adapter[7:])] for ask in asks) or rules[1:] != rules[:-1]:
            yield "type", "$.subject.adapter"
    elif any(one["kind"] == "imported" for task in tasks for one in task.get("assertions", ())):
        yield "type", "$.subject.adapter"
    alone = adapter in OBJECTS and not receipt["graders"]
    used = {one["kind"] for task in tasks for one in task.get("assertions", ())}
    if any(kind not in KINDS or version != "1" for kind, version in receipt["graders"].items()):
        yield "grader", "$.graders"
    if set(receipt["graders"]) != (set() if receipt["completion_only"] or alone else used):
        yield "plan", "$.graders"
    if not receipt["completion_only"] and not alone and not all(task.get("assertions") for task in tasks):
        yield "suite", "$.completion_only"


def opened(path):
    """A suite as people write it, in JSON: defaults merged, files read."""
    suite = json.loads(path.read_text())
    shared = suite.pop("defaults", {})
    suite["tasks"] = [shared | task for task in suite["tasks"]]
    for files in (task["files"] for task in suite["tasks"] if "files" in task):
        for name, value in files.items():
            if isinstance(value, dict) and "from" in value:
                files[name] = (path.parent / value["from"]).read_bytes()
    return suite


def readable(suite):
    """Whether an embedded suite obeys section 2."""
    if any(faults(suite, SUITE, SUITE)):
        return False
    ids = [task["id"] for task in suite["tasks"]]
    plain = all(
        0 < len(name) <= 200
        and name == unicodedata.normalize("NFC", name) == name.strip()
        and not any(unicodedata.category(letter)[0] == "C" for letter in name)
        for name in ids
    )
    return plain and len({name.casefold() for name in ids}) == len(ids)


def content(value):
    """The bytes of a starting file."""
    if isinstance(value, dict):
        return base64.b64decode(value["base64"], validate=True)
    return value.encode() if isinstance(value, str) else value


def starting(task):
    """Path -> digest of the task's starting files."""
    return {path: digest(content(value)) for path, value in task.get("files", {}).items()}


def task_hash(task):
    """The digest of the task as it was read."""
    return digest(task | {"files": starting(task)} if "files" in task else task)


def suite_hash(suite):
    """The digest of version and tasks."""
    return digest({"version": suite["version"], "task_hashes": [task_hash(task) for task in suite["tasks"]]})


def plan_of(receipt, n):
    """The plan of a stage of n attempts."""
    return {name: receipt[name] for name in PLAN} | {"n": n, "schema": "passfloor/plan/v1"}


def plans(receipt):
    """Step 9, plan and stages."""
    session, stages, sizes = receipt["session"], receipt["session"]["stages"], [0]
    if session["plan_hash"] != digest(plan_of(receipt, receipt["n"])):
        yield "plan", "$.session.plan_hash"
    for position, stage in enumerate(stages):
        after = stage["after_receipt_hash"]
        first = after is None and stage["decided_at"] == session["started_at"]
        fits = first if position == 0 else after is not None and HEX.fullmatch(after)
        if stage["plan_hash"] != digest(plan_of(receipt, stage["n"])) or not fits or stage["n"] <= sizes[-1]:
            yield "plan", f"$.session.stages[{position}]"
        sizes.append(stage["n"])
    if sizes[1] < receipt["k"] or sizes[-1] != receipt["n"]:
        yield "plan", "$.session.stages"
    for field in receipt["identity_fields"]:
        if not FIELD.match(field) or not compiles(field.partition("=")[2]):
            yield "type", "$.identity_fields"


def compiles(pattern):
    """Whether a pattern can be read; that of RE2 is taken for Python's here."""
    try:
        return re.compile(pattern) is not None
    except re.error:
        return False
