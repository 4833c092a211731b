"""The tables of what is not coordination are short, and a change to them is a change of the rule."""

from passfloor.projection import vocabulary


def test_only_four_timing_members_and_the_sample_of_two_kinds_are_dropped():
    assert {"ts", "elapsed_s", "started_at", "finished_at"} == vocabulary.TIMING
    assert {"model.output", "model.artifact"} == vocabulary.SAMPLED_KINDS
    assert vocabulary.SAMPLE == "sample"


def test_numbers_and_times_share_no_member():
    assert not vocabulary.TIMING_NUMBERS & vocabulary.TIMING_TIMES


def test_a_cut_attempt_is_closed_by_what_it_printed_and_left_and_its_error():
    printed, left = {"model.output", "agent.output"}, {"model.artifact", "agent.artifact"}
    assert {*printed, *left, "attempt.errored"} == vocabulary.CUT_KINDS


def test_five_members_name_a_run_receipt():
    assert {"run_id", "attempt_id", "adapter_run_id", "journal_head", "spine_head"} == vocabulary.IDENTITY


def test_the_harness_keeps_its_own_kinds_to_itself():
    for kind in ("task.started", "attempt.errored", "agent.output", "model.request"):
        assert kind.startswith(vocabulary.OWN_PREFIXES)
    assert not "tool.call".startswith(vocabulary.OWN_PREFIXES)
