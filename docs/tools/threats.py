"""The table of attacks: what each is, where it is caught, what is said, and which vectors and tests hold it.

What is caught where is read from the vectors' own folders, so that the table says what is tested. A folder
counts for the first attack, in order, one of whose patterns its name has.
"""

import fnmatch
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VECTORS = ROOT / "tests" / "vectors" / "receipts"
_SUFFIX = re.compile(r"(_resealed|_unsealed)?_fail$")


@dataclass(frozen=True)
class Attack:
    """One row: in words; patterns of the names of its vectors; vectors that match; tests, ``path::name``."""

    words: str
    vectors: str = ""
    twins: str = ""
    tests: tuple[str, ...] = field(default=())

    @property
    def patterns(self) -> list[str]:
        """The patterns of its vectors, without their endings."""
        return self.vectors.split()


_UNIT = "tests/unit"
_JUDGING = f"{_UNIT}/verification"
ATTACKS: dict[str, tuple[Attack, ...]] = {
    "Numbers and verdicts": (
        Attack(
            "a floor, ceiling or count that does not follow", "inflated_* deflated_* floor_* count*", "honest"
        ),
        Attack(
            "a verdict turned, a wrong answer told as an error, an exit status overlooked",
            "flipped_* wrong_hidden_* exit_status_* events_contradict_* invented_error",
            "honest errored_by_exit_status errored_by_the_harness",
        ),
        Attack("a score or an output of the harness invented", "invented_*", "honest"),
        Attack(
            "a scorer that fails, or is not the one that judged",
            "scorer_* custom_judged_*",
            "stochastic_mock_under_the_stub",
        ),
    ),
    "Attempts": (
        Attack(
            "an attempt or a task left out, or one too many",
            "stripped_* one_attempt_* no_attempt_* no_task_at_all* attempt_index_gap n_raised_* extra_task",
            "honest",
        ),
        Attack(
            "one passing attempt shown again; with new run ids, under ids of its own",
            "copied_attempt copied_attempt_new_* copied_attempt_under_* copied_attempt_made_anew",
            "honest three_attempts_two_drawn",
        ),
        Attack(
            "the same with every hash made anew: new evidence, shown as `distinct outputs` and refused "
            "on demand",
            "copied_attempt_made_anew_demanded_* distinct_outputs_*",
            "copied_attempt_made_anew_by_the_signer distinct_outputs",
        ),
        Attack(
            "attempts or tasks in another order, or twice",
            "attempts_reordered* tasks_* task_twice* attempt_index_*",
            "honest",
        ),
        Attack(
            "attempts of another session, task or plan",
            "spliced_* foreign_* attempt_of_* attempt_names_* started_on_* custom_started_* opening_run",
            "honest",
        ),
        Attack(
            "the best k of n published as n; attempts added after a look and not told",
            "best_of_n_* stages_* stage_*",
            "three_attempts_two_drawn two_stages",
        ),
        Attack(
            "no events, heads that chain to nothing, a byte of the evidence changed",
            "events_empty *_head_* byte_flip_* attempt_hash_* captured_* routing_in_*",
            "honest binary_and_cut_files",
        ),
        Attack("blobs that are missing, exchanged, superfluous or no text", "blob_*", "blob"),
        Attack(
            "attempts begun again and not told",
            "interrupted_* asserted_interrupted",
            "interrupted asserted_interrupted_by_the_signer",
        ),
    ),
    "What an attempt may hold": (
        Attack("events of the wrong type", "event_* sample_missing very_many_*", "honest numbers_in_ts"),
        Attack(
            "a second output, a planted end, an event where the harness writes",
            "second_output planted_* no_start no_seed seed_true no_task_hash_* no_end no_artifact "
            "reserved_* custom_*",
            "honest unreserved_kind custom_with_declared_graders",
        ),
        Attack(
            "outputs and files past what is captured, or in two forms",
            "output_* artifact_*",
            "noted_streams every_note binary_and_cut_files",
        ),
        Attack(
            "something hidden in what closes an attempt that errored",
            "closing_* error_*",
            "errored_by_the_harness errored_with_timing",
        ),
        Attack(
            "file names that lead elsewhere",
            "path_*",
            "path_names_of_an_odd_agent path_traversal_names_are_inert",
            (
                f"{_UNIT}/suites/test_files.py::test_a_link_anywhere_on_the_way_is_refused",
                f"{_UNIT}/workspaces/test_capture.py::test_a_link_is_not_followed_and_is_named",
            ),
        ),
    ),
    "Coordination": (
        Attack(
            "a route in a run id, a head, a time, a duration",
            "run_id_* adapter_run_id_*",
            "adapter_run_id_of_an_adapter_object numbers_in_ts",
        ),
        Attack(
            'attempts not coordinated alike, whatever the member or kind is called; 1 against true or "1"',
            "diverged_*",
            "one_and_one_point_zero member_of_the_run_receipt",
        ),
        Attack(
            "a claim about coordination that the attempts do not bear out",
            "coordination_* unrecorded_claims_*",
            "honest unrecorded_allowed",
        ),
        Attack(
            "coordination that was not recorded or not replayed, where that is demanded",
            "unrecorded_not_* causal_without_* statement_*",
            "unrecorded_allowed statement_honest",
        ),
    ),
    "Recorded model calls": (
        Attack(
            "a route beside, in or around a recorded call",
            "recorded_route_* recorded_lane_* recorded_call_more",
            "recorded recorded_lanes_and_retries",
        ),
        Attack(
            "an answer that its own text does not say; an id or a draw smuggled past the comparison",
            "recorded_said_* recorded_symbol_* recorded_text* recorded_draw_* recorded_identity_*",
            "recorded_votes_differ recorded_draw_after_votes recorded_identity_fields",
        ),
        Attack(
            "calls, tools or files that part after the same was heard",
            "recorded_request_* recorded_tool_* recorded_answers_* recorded_under_the_*",
            "recorded recorded_agent_hung_up",
        ),
        Attack(
            "calls out of number, without answer, broken off unnoticed or of no known form",
            "recorded_*",
            "recorded recorded_bodies recorded_stream",
        ),
    ),
    "Suite": (
        Attack(
            "an easier, shorter or edited suite under the same name, another version, a part chosen "
            "afterwards",
            "easier_* shorter_* suite_* selection_* embedded_edited* embedded_without_version* "
            "embedded_with_a_file_*",
            "embedded_used selection_against_the_whole_suite",
        ),
        Attack(
            "a twin of a task, a look-alike id, a task of no such suite, an empty suite",
            "embedded_with_a_twin* embedded_with_a_look_alike* embedded_empty* look_alike_* task_hash_*",
            "embedded_beside_the_named",
            (f"{_UNIT}/suites/test_reader.py::test_a_duplicate_id_is_refused_naming_both_positions",),
        ),
        Attack(
            "a task that nothing judges",
            "task_without_* embedded_without_assertions* completion_only_*",
            "task_without_assertions_completion_only completion_only",
        ),
        Attack("graders that did not judge, or that nobody has", "graders_*", "honest"),
    ),
    "Claims": (
        Attack("plan, agent, gate, k or rule written in afterwards", "plan_*", "members_complete"),
        Attack(
            "nonce, challenge, ledger number or start exchanged",
            "opening_* challenge_written_* ledger_number_edited",
            "opening_complete",
        ),
        Attack(
            "times that do not exist, go back, or are still to come", "clock_* key_retired_and_*", "honest"
        ),
        Attack(
            "what the signer merely says, changed by somebody else",
            "asserted_* environment_*",
            "asserted_tool_by_the_signer asserted_environment_by_the_signer",
        ),
    ),
    "Signature and keys": (
        Attack(
            "no signature, any text, one of another receipt or artefact",
            "signature_absent signature_empty signature_any_* signature_of_* signer_fingerprint_* "
            "receipt_hash_* seal_*",
            "honest",
        ),
        Attack(
            "another key: unknown, brought along, under a trusted name",
            "key_unknown key_not_named key_set_* stranger_* signed_by_* fingerprint_* wrong_key_*",
            "key_second_of_two key_set_open",
        ),
        Attack(
            "a header with `crit`, `b64`, `jwk`, `jku`, `x5u`, another `kid`, names twice",
            "header_*",
            "alg_ed25519",
        ),
        Attack(
            "no algorithm, another one, an HMAC under the public key, another curve",
            "alg_* hs256_*",
            "alg_ed25519",
            (f"{_UNIT}/signing/test_jws.py::test_a_signature_on_another_curve_is_refused",),
        ),
        Attack("junk, padding, other last bits, a scalar past the order", "signature_*", "honest"),
        Attack(
            "a weak key that is trusted: small order, mixed order, not canonical (a usage error, exit 2)",
            "",
            "",
            (
                f"{_UNIT}/signing/test_points.py::test_each_of_the_eight_small_order_points_is_refused",
                f"{_UNIT}/signing/test_points.py::test_a_point_of_mixed_order_is_refused",
                f"{_UNIT}/signing/test_points.py::test_a_y_that_is_not_below_p_is_refused",
                f"{_JUDGING}/test_weak_keys.py::test_a_weak_key_is_refused_by_the_command",
            ),
        ),
        Attack(
            "the public stub where it does not count; a run of no agent under a real key",
            "stub_* synthetic_* key_signature_*",
            "stub_allowed mock_under_the_stub",
        ),
        Attack(
            "a key outside its window, or revoked", "key_*", "key_set_rotated key_of_the_one_who_took_over"
        ),
    ),
    "Types and parsing": (
        Attack(
            "`true` for 1, `2.0` for 2, texts for booleans, lists for objects, members missing or unknown",
            "type_* k_zero k_negative n_below_k missing_member_* unknown_member_* crowded_* schema_* "
            "document_*",
            "honest members_complete",
        ),
        Attack(
            "names twice, in escapes too; a second document; NaN, 1e400, half a surrogate, a byte order mark",
            "parse_*",
            "layout_escaped_names layout_pretty layout_whole_number_as_float",
        ),
        Attack(
            "too much of anything",
            "limit_* n_past_*",
            "honest",
            (
                f"{_JUDGING}/test_cost.py::test_the_worst_inputs_are_answered_within_a_gigabyte",
                f"{_JUDGING}/test_verifier.py::test_a_list_of_faults_costs_no_more_than_the_list",
            ),
        ),
        Attack(
            "any bytes at all",
            "",
            "",
            (
                "tests/property/test_verification.py::test_any_bytes_get_a_status",
                "tests/fuzz/test_fuzz.py::test_a_fuzzer_finds_no_input_that_breaks_the_verifier",
            ),
        ),
    ),
    "The word of others": (
        Attack(
            "a verdict of graders with code, or of a record kept as a digest, taken for derived",
            "attested_* imported_digest*",
            "attested_verdict_allowed imported_digests_alone_allowed",
        ),
        Attack(
            "another tool's log edited, its errors hidden, coordination claimed for it, taken for witnessed",
            "imported_*",
            "imported",
        ),
        Attack(
            "a redacted receipt that says less than was taken out, or names an original of nobody's",
            "redacted_*",
            "redacted redacted_by_somebody_else_who_is_trusted",
        ),
    ),
    "Runs that are not shown": (
        Attack("a run other than the one that was asked for", "challenge_*", "challenge_answered"),
        Attack("a plan chosen after the run", "commitment_*", "commitment_kept"),
        Attack(
            "the best of many runs; a ledger that was edited",
            "ledger_*",
            "ledger_honest ledger_another_run_allowed",
        ),
        Attack(
            "figures, k, suite, agent or age other than demanded",
            "demanded_*",
            "demanded_floor demanded_k demanded_age",
        ),
    ),
    "Readers and machines": (
        Attack(
            "escape sequences, links, bidi, markup, build commands in ids, names and details",
            "shown_*",
            "shown_hyperlink_in_a_detail shown_workflow_command_in_a_detail",
            (
                f"{_JUDGING}/test_shown.py::test_verifying_shows_hostile_text_and_does_nothing_with_it",
                f"{_JUDGING}/test_shown.py::test_reports_show_it_too",
            ),
        ),
        Attack(
            "something that a receipt names being run, fetched or written",
            "",
            "what_is_named_is_inert",
            (
                f"{_JUDGING}/test_isolation.py::test_verification_opens_nothing_dials_nobody_and_runs_nothing",
                f"{_JUDGING}/test_isolation.py::test_verifying_leaves_no_trace_in_a_home",
            ),
        ),
        Attack(
            "a pattern that takes exponential time",
            "",
            "catastrophic_pattern",
            (f"{_UNIT}/grading/test_kinds.py::test_a_catastrophic_pattern_over_long_output_is_linear",),
        ),
        Attack(
            "a secret in an agent's output, a header, an address, in any encoding",
            "",
            "",
            (
                f"{_UNIT}/test_scrubbing.py::test_no_encoding_of_a_secret_survives",
                f"{_UNIT}/running/test_worker.py::test_secrets_are_gone_before_anything_is_hashed_moved_or_judged",
                "tests/e2e/test_secrets.py::test_a_pattern_of_one_s_own_is_replaced_and_stands_in_no_digest",
            ),
        ),
    ),
}


def table() -> str:
    """The attacks as Markdown, a heading and a table for each kind."""
    held = held_by()
    return "\n".join(_part(heading, attacks, held) for heading, attacks in ATTACKS.items())


def held_by() -> dict[str, list[dict[str, str]]]:
    """Words of an attack -> what is expected of each of its vectors, by name."""
    held: dict[str, list[dict[str, str]]] = {a.words: [] for attacks in ATTACKS.values() for a in attacks}
    for folder in refused():
        for words in _claiming(_SUFFIX.sub("", folder.name)):
            held[words].append(json.loads((folder / "expected.json").read_text(encoding="utf-8")))
            break
    return held


def refused() -> list[Path]:
    """The folders of receipts that must be refused."""
    return sorted(path.parent for path in VECTORS.glob("*_fail/expected.json"))


def unclaimed() -> list[str]:
    """The names of refused receipts that stand for no attack of the table."""
    return [folder.name for folder in refused() if not any(_claiming(_SUFFIX.sub("", folder.name)))]


def _claiming(name: str) -> Iterator[str]:
    for attacks in ATTACKS.values():
        for attack in attacks:
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in attack.patterns):
                yield attack.words


def _part(heading: str, attacks: tuple[Attack, ...], held: dict[str, list[dict[str, str]]]) -> str:
    rows = "\n".join(_row(attack, held[attack.words]) for attack in attacks)
    return f"### {heading}\n\n| attack | said | found at step | cases |\n|---|---|---|---|\n{rows}\n"


def _row(attack: Attack, expected: list[dict[str, str]]) -> str:
    said_of = [each["status"] for each in expected]
    statuses = sorted(set(said_of), key=lambda status: (-said_of.count(status), status))
    places = sorted({(int(each["step"]), each["code"]) for each in expected})
    found = ", ".join(f"{step} `{code}`" for step, code in places)
    cases = []
    if expected:
        number = f"{len(expected)} vector{'' if len(expected) == 1 else 's'}"
        cases.append(f"{number}: {', '.join(f'`{pattern}`' for pattern in attack.patterns)}")
    if attack.twins:
        cases.append(f"honest: {', '.join(f'`{name}`' for name in attack.twins.split())}")
    if attack.tests:
        names = [test.partition("::")[2] for test in attack.tests]
        cases.append(f"tests: {', '.join(f'`{name}`' for name in names)}")
    said = ", ".join(statuses) or "-"
    return f"| {attack.words} | {said} | {found or '-'} | {'; '.join(cases)} |"
