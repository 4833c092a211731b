"""Which suite is the measure, and honest runs of every shape."""

import copy

from casework import GRADERS, STUB, TEST, honest, match, pair, put, refused
from forging import JOURNAL, MINI, Run, agent, build, captured, frame, sha, task_hash

OTHER_SUITE = ("HASH_MISMATCH", "suite", 7)
VERSION = ("HASH_MISMATCH", "suite_version", 7)
EMBEDDED = ("--use-embedded-suite", *TEST)
REGEX = {
    "version": "regex-v1",
    "tasks": [
        {
            "id": "slow",
            "description": "A pattern that takes exponential time where it is matched by backtracking.",
            "assertions": [{"kind": "output_matches", "pattern": "^(a+)+$"}],
        }
    ],
}
BARE = {
    "version": "bare-v1",
    "tasks": [{"id": "capital", "description": "Print the capital of France.", "assertions": []}],
}
EXIT = {
    "version": "exit-v1",
    "tasks": [
        {
            "id": "grep",
            "description": "Exit with status 1.",
            "assertions": [{"kind": "exit_code", "expected": 1}],
        }
    ],
}
SUITES = {"mini": MINI, "regex": REGEX, "bare": BARE, "exit": EXIT}


def cases():
    yield from named()
    yield from embedded()
    yield from selections()
    yield from honest_runs()
    yield from custom()


def against(name):
    return ("--suite", f"../suites/{name}.json", *TEST)


def named():
    yield match("honest", honest())
    yield from pair("suite_version_edited", VERSION, put("suite_version", "mini-v2"))
    yield from pair("suite_hash_edited", OTHER_SUITE, put("suite_hash", sha(b"?")))
    easier = copy.deepcopy(MINI)
    easier["tasks"][0]["assertions"] = [{"kind": "completed"}]
    yield refused("easier_suite_under_the_same_name", OTHER_SUITE, honest(suite=easier))
    shorter = {**MINI, "tasks": MINI["tasks"][1:]}
    yield refused("shorter_suite_under_the_same_name", OTHER_SUITE, honest(suite=shorter))
    bare = honest(suite=BARE, events=lambda task, _: frame(task, "Paris\n"))
    yield refused("task_without_assertions", OTHER_SUITE, bare, against("bare"))
    completion = honest(
        suite=BARE, events=lambda task, _: frame(task), members={"completion_only": True, "graders": {}}
    )
    yield match("task_without_assertions_completion_only", completion, against("bare"))


def embedded():
    document = honest(embed=True)
    yield match("embedded_beside_the_named", document)
    yield match("embedded_used", document, EMBEDDED)
    edit = put("suite", "tasks", 0, "assertions", [{"kind": "completed"}])
    yield from pair("embedded_edited", OTHER_SUITE, edit, document=document)
    yield from pair("embedded_edited_and_used", OTHER_SUITE, edit, document=document, flags=EMBEDDED)
    edits = {
        "embedded_with_a_twin": lambda d: d["suite"]["tasks"].append(d["suite"]["tasks"][0]),
        "embedded_empty": put("suite", "tasks", []),
        "embedded_with_a_look_alike": put("suite", "tasks", 1, "id", "CAPITAL"),
        "embedded_without_version": lambda d: d["suite"].pop("version"),
        "embedded_with_a_file_from_beside": put(
            "suite", "tasks", 1, "files", {"notes.txt": {"from": "../../../etc/passwd"}}
        ),
    }
    for name, edit in edits.items():
        yield from pair(name, OTHER_SUITE, edit, document=document)
        yield from pair(f"{name}_used", OTHER_SUITE, edit, document=document, flags=EMBEDDED)
    bare = honest(suite=BARE, events=lambda task, _: frame(task, "Paris\n"), embed=True)
    yield refused("embedded_without_assertions_used", OTHER_SUITE, bare, EMBEDDED)


def selections():
    document = honest(selection=("tidy",))
    yield match("selection_against_the_whole_suite", document)
    yield match("selection_beside_the_embedded_whole", honest(selection=("tidy",), embed=True), EMBEDDED)
    yield match("selection_of_everything", honest(selection=("capital", "tidy")))
    yield from pair(
        "selection_of_another_suite", OTHER_SUITE, put("selection", "of", sha(b"?")), document=document
    )
    yield from pair("selection_hidden", OTHER_SUITE, put("selection", None), document=document)
    yield from pair(
        "selection_of_an_unknown_task",
        OTHER_SUITE,
        put("selection", "tasks", ["tidy", "easy"]),
        document=document,
    )
    for name, tasks in {"twice": ["tidy", "tidy"], "out_of_order": ["tidy", "capital"]}.items():
        yield from pair(f"selection_{name}", OTHER_SUITE, put("selection", "tasks", tasks), document=document)
    of = document["selection"]["of"]
    yield from pair("selection_after_the_fact", OTHER_SUITE, put("selection", {"of": of, "tasks": ["tidy"]}))


def honest_runs():
    yield match("two_stages", honest(n=3, stages=(2, 3)))
    yield match("three_attempts_two_drawn", honest(n=3))
    entry = {"task_id": "tidy", "index": 1, "starts": 2}
    yield match("interrupted", honest(session={"interrupted": [entry]}))
    opening = {"challenge": "c", "precommit_hash": sha(b"c"), "run_seq": 3, "prev_receipt_hash": sha(b"p")}
    yield match("opening_complete", honest(session=opening))
    members = {
        "gate": {"min_floor": "0.5"},
        "k_reason": "a person looks at two",
        "identity_fields": ["request.user"],
        "ext": {"note": ["é", "\U0001f600", "\ufb33", 1e-7, 1e21]},
    }
    yield match("members_complete", honest(members=members))
    only = honest(members={"completion_only": True, "graders": {}})
    yield match("completion_only", only)
    yield from pair(
        "completion_only_with_graders", GRADERS, put("graders", {"completed": "1"}), document=only
    )
    timeout = {"type": "timeout", "detail": "not finished after 5 s"}

    def timed_out(task, index):
        made = agent(task, index)
        if index == 0:
            made = frame(task, "Par", exit_code=None, error=timeout)
        return made

    yield match("timed_out_among_finished", honest(events=timed_out, n=3))
    yield match("all_timed_out", honest(events=lambda task, _: frame(task, exit_code=None, error=timeout)))

    def scratch(task, index):
        files = {"scratch.log": captured("x")} if index else {}
        return frame(task, "Paris\n", {"notes.txt": captured("final\n"), **files})

    yield match("file_written_in_some_attempts", honest(events=scratch))

    def cut(task, index):
        return frame(task, "Paris\n", {"notes.txt": captured("final\n")}, output={"cut": 5} if index else {})

    yield match("errored_by_a_grader", honest(events=cut))
    yield match("errored_by_exit_status", honest(events=lambda task, i: frame(task, "Paris\n", exit_code=i)))
    notes = {"replaced": {"stdout": sha(b"\xff")}, "scrubbed": 1}
    yield match("noted_streams", honest(events=lambda task, _: frame(task, "Paris\n", output=notes)))

    marked = {"stderr_tail": "x" * 5000, "scrubbed": 100}
    yield match(
        "scrubbed_beyond_the_cap", honest(events=lambda task, _: frame(task, "Paris\n", output=marked))
    )

    every = {**notes, "cut": 4}
    yield match("every_note", honest(events=lambda task, _: frame(task, "Paris\n", output=every)))

    def named(*names):
        return lambda task, _: frame(task, "Paris\n", {name: captured("x") for name in names})

    astray = {
        "parent": "../../escaped",
        "absolute": "/etc/passwd",
        "zero_byte": "a\0b",
        "empty": "",
        "doubled_slash": "a//b",
    }
    yield match("path_traversal_names_are_inert", honest(events=named(*astray.values()), adapter="custom"))
    yield match("path_names_of_an_odd_agent", honest(events=named("NOTES.TXT", "C:\\x", "a\nb", "..c")))
    for name, path in astray.items():
        yield refused(f"path_{name}", ("MALFORMED_RECEIPT", "type", 10), honest(events=named(path)))

    empty = {"empty": captured(""), "notes.txt": captured("final\n")}
    yield match("empty_file", honest(events=lambda task, _: frame(task, "Paris\n", empty)))

    def binary(task, index):
        entry = {"sha256": sha(b"\xff"), "size": 1, "base64": "/w=="}
        return frame(task, "Paris\n", {"notes.txt": entry, "cut.txt": captured("x", cut=9, scrubbed=1)})

    yield match("binary_and_cut_files", honest(events=binary))

    def stdout(task, index):
        return frame(task, "a" * 5000 + "!", journal=JOURNAL)

    yield match("catastrophic_pattern", honest(suite=REGEX, events=stdout), against("regex"))
    grep = honest(suite=EXIT, events=lambda task, i: frame(task, exit_code=1 - i))
    yield match("exit_status_asked_for", grep, against("exit"))


def custom():
    def bare_events(task, index):
        kinds = [
            {"kind": "model.output", "sample": {"stdout": "Paris\n"}},
            {"kind": "model.artifact", "sample": {"notes.txt": captured("final\n")}},
        ]
        return [{**event, "seq": seq} for seq, event in enumerate(kinds)]

    yield match("custom_with_declared_graders", honest(adapter="custom", events=bare_events))
    yield refused(
        "custom_events_under_a_process_adapter",
        ("MALFORMED_RECEIPT", "type", 10),
        honest(events=bare_events),
    )
    yield match("mock_under_the_stub", honest(adapter="mock", own_scorer=True, signer="stub"), STUB)
    word = honest(adapter="stochastic-mock", own_scorer=True, signer="stub", events=words)
    yield match("stochastic_mock_under_the_stub", word, STUB)

    def silent(task, index):
        return [{"seq": 0, "kind": "model.output", "sample": None}]

    mute = honest(adapter="stochastic-mock", own_scorer=True, signer="stub", events=silent)
    yield refused("scorer_that_fails", ("DIVERGED", "scorer_failed", 12), mute, STUB)
    own = honest(adapter="custom", own_scorer=True, events=bare_events)
    yield refused("custom_judged_by_its_own_scorer", ("UNSUPPORTED", "scorer", 12), own)
    only = honest(adapter="custom", events=bare_events, members={"completion_only": True, "graders": {}})
    yield match("custom_completion_only", only)

    def planted(task, index):
        made = bare_events(task, index)
        return [*made, {"kind": "task.completed", "seq": 2, "": {"x": {"sha256": sha(b"x")}}}]

    def named(task, index):
        made = bare_events(task, index)
        made[0]["task_hash"] = "what a member of an output is called is its own affair"
        return made

    yield match("custom_task_hash_elsewhere", honest(adapter="custom", events=named))
    yield match("member_without_a_name", honest(adapter="custom", events=planted))
    hidden = build(Run(adapter="custom", events=started))
    yield refused("custom_started_on_another_task", ("HASH_MISMATCH", "task", 10), hidden)


def words(task, index):
    return frame(task, "PASS 00\n")


def started(task, index):
    made = agent(task, index)
    made[0]["task_hash"] = task_hash({**task, "description": "Print Paris."})
    return made
