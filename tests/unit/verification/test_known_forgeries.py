"""What a verifier believes that checks figures, verdicts, hashes, counts, coverage, projection and types.

Such a verifier re-derives the aggregates, replays each verdict, recomputes each attempt's hash, counts the
attempts, looks whether every task is there, compares the projections, validates the events and looks for a
signature, and yet says MATCH to each of these. Here each is refused by the holder of the key too, and its
honest twin matches.
"""

import pytest
from judging import HERE, expected_of, judge_folder

BELIEVED = {
    # Attempts that are no attempts of this run.
    "one passing attempt shown n times": ("copied_attempt_resealed", "three_attempts_two_drawn"),
    "copies under run ids of their own": ("copied_attempt_new_run_ids_resealed", "honest"),
    "copies under attempt ids of their own": ("copied_attempt_under_its_own_id_resealed", "honest"),
    "copies with the first record signed again": ("copied_attempt_made_anew_unsealed", "honest"),
    "attempts in another order": ("attempts_reordered_resealed", "honest"),
    "attempts in another order, numbered anew": ("attempts_reordered_and_renumbered_resealed", "honest"),
    "tasks in another order": ("tasks_reordered_resealed", "honest"),
    "a task twice": ("task_twice_resealed", "honest"),
    "an attempt of another session": ("spliced_from_another_session_resealed", "honest"),
    "an attempt of another task": ("attempt_of_another_task_resealed", "honest"),
    "an attempt of another task under this one's name": (
        "attempt_of_another_task_renamed_resealed",
        "honest",
    ),
    "the best k of n": ("best_of_n_published_resealed", "three_attempts_two_drawn"),
    "the best k of n under a plan made anew": (
        "best_of_n_published_remade_resealed",
        "three_attempts_two_drawn",
    ),
    "attempts added after a look, told as one stage": ("stages_joined_resealed", "two_stages"),
    "an attempt without events": ("events_empty_resealed", "honest"),
    # Claims that nothing bears out.
    "events that say the contrary of the verdict": ("events_contradict_verdict_resealed", "honest"),
    "a wrong answer told as an error of the platform": (
        "wrong_hidden_as_errored_resealed",
        "errored_by_the_harness",
    ),
    "an exit status that was overlooked": ("exit_status_overlooked_resealed", "errored_by_exit_status"),
    "an invented score": ("invented_score_resealed", "honest"),
    "no score at all": ("invented_null_score_resealed", "honest"),
    "an invented output of the harness": ("invented_harness_output_resealed", "honest"),
    "an invented error": ("invented_error_resealed", "honest"),
    "an invented head of the journal": ("journal_head_invented_resealed", "honest"),
    "an invented head of the files": ("spine_head_invented_resealed", "honest"),
    "another task's id inside an attempt": ("attempt_names_another_task_resealed", "honest"),
    "another task's hash inside an attempt": ("attempt_names_another_task_hash_resealed", "honest"),
    "a captured file of other content": ("captured_file_is_not_its_digest_resealed", "honest"),
    "counts that nobody counted": ("counts_passed", "honest"),
    "k chosen once the results were known": ("plan_k_after_the_fact_resealed", "three_attempts_two_drawn"),
    "n raised without attempts": ("n_raised_without_attempts_resealed", "two_stages"),
    "another scheduler": ("plan_scheduler_config_resealed", "honest"),
    "another agent": ("plan_subject_name_resealed", "honest"),
    "another model": ("plan_subject_model_resealed", "honest"),
    "a gate set afterwards": ("plan_gate_resealed", "members_complete"),
    "a challenge written in afterwards": ("challenge_written_in_afterwards", "challenge_answered"),
    "another number in the ledger": ("opening_run_seq_resealed", "opening_complete"),
    # Another measure.
    "an easier suite under the same name": ("easier_suite_under_the_same_name", "honest"),
    "another version of the suite": ("suite_version_edited_resealed", "honest"),
    "a twin of a task, its failing half dropped": ("embedded_with_a_twin_used_resealed", "embedded_used"),
    "a task of a look-alike id": ("look_alike_task_id_resealed", "honest"),
    "an empty suite": ("embedded_empty_used_resealed", "embedded_used"),
    "a task that nothing judges": ("task_without_assertions", "task_without_assertions_completion_only"),
    "a part of the suite chosen afterwards": (
        "selection_after_the_fact_resealed",
        "selection_against_the_whole_suite",
    ),
    # Types that compare equal.
    "true for k": ("type_k_true", "honest"),
    "2.0 for k": ("type_k_two_point_zero", "honest"),
    "0 for k": ("k_zero_resealed", "honest"),
    "n below k": ("n_below_k_resealed", "honest"),
    "true for a floor": ("type_floor_true", "honest"),
    "1 for passed": ("type_passed_one", "honest"),
    "a word for coordination that held": ("type_coordination_ok_text", "honest"),
    "a time in words": ("type_emitted_at_text", "honest"),
    "an infinite time": ("parse_infinity", "honest"),
    "a time to come": ("clock_future_resealed", "honest"),
    # One file, two readings.
    "a name twice": ("parse_name_twice", "honest"),
    "a name twice, once in escapes": ("parse_name_twice_escaped", "layout_escaped_names"),
    "a member that nobody knows": ("unknown_member_top", "members_complete"),
    "a second document behind the first": ("parse_second_document", "layout_blank_lines_after"),
    "no number": ("parse_nan", "layout_whole_number_as_float"),
    # Coordination that is hidden in what is dropped, or compared by halves.
    "a route in the run id": ("run_id_routing_resealed", "honest"),
    "a route in a head": ("routing_in_heads_resealed", "honest"),
    "a route in a time": ("event_ts_text", "numbers_in_ts"),
    "a route in a duration": ("event_elapsed_s_text", "numbers_in_ts"),
    "a route in a kind that looks like a model's": (
        "diverged_model_scheduler_route_process",
        "unreserved_kind",
    ),
    "a route beside the sample": ("diverged_beside_the_sample", "honest"),
    "1 here and true there": ("diverged_one_and_true", "one_and_one_point_zero"),
    '1 here and "1" there': ("diverged_one_and_text", "one_and_one_point_zero"),
    "a hash of coordination that is not the attempts'": ("coordination_hash_stale_resealed", "honest"),
    # Signatures that are none.
    "the public stub where a key was named": ("stub_on_a_pinned_verifier", "stub_allowed"),
    "the public stub in place of the key": ("stub_in_place_of_the_key", "stub_allowed"),
    "a stranger's key, brought along": ("stranger_brings_its_own_key", "key_second_of_two"),
    "another trusted key's name": ("fingerprint_of_another_trusted_key", "key_second_of_two"),
    "a header that must be understood": ("header_crit", "alg_ed25519"),
    "a payload that is not encoded": ("header_b64_false", "alg_ed25519"),
    "no algorithm": ("alg_none_header", "alg_ed25519"),
    "an HMAC under the public key": ("hs256_under_the_public_key_x", "alg_ed25519"),
    "a signature of another artefact": ("signature_of_another_artefact", "honest"),
    "a signature with other last bits": ("signature_trailing_bits", "honest"),
    "a signature past the order": ("signature_s_past_the_order", "honest"),
    "a key that was revoked": ("key_revoked", "key_set_rotated"),
    "a key past its window": ("key_outside_its_window_retired", "key_set_rotated"),
}


@pytest.mark.parametrize(("forged", "twin"), BELIEVED.values(), ids=BELIEVED)
def test_what_a_simple_verifier_believes_is_refused_and_its_honest_twin_is_not(forged, twin):
    folder = HERE / f"{forged}_fail"
    expected = expected_of(folder)
    outcome = judge_folder(folder)
    assert str(outcome.status) == expected["status"] != "MATCH", outcome.findings
    assert expected["code"] in {finding.code for finding in outcome.findings}
    assert judge_folder(HERE / twin).matches


def test_there_are_more_than_the_eight_that_everybody_checks():
    assert len(BELIEVED) == len(set(BELIEVED.values())) > 60
