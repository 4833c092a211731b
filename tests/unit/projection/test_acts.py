"""What of an event is compared under the causal rule, and what is not."""

import hashlib

import pytest

from passfloor.canonical import canonical
from passfloor.projection import ActReader, acts_of

REQUEST = {"kind": "model.request", "call": 0, "lane": "", "dialect": "other", "method": "GET", "path": "/x"}
ID = "a" * 64


def numbered(*events):
    return [{**event, "seq": seq} for seq, event in enumerate(events)]


def acts(*events):
    return acts_of(numbered(*events), ID)


def digests(*events):
    return [act.digest for act in acts(*events)]


def sha(value):
    return hashlib.sha256(canonical(value)).hexdigest()


def asked(call=0, lane="", **members):
    return {**REQUEST, "call": call, "lane": lane, **members}


def answered(call=0, said="yes", **members):
    return {
        "kind": "model.output",
        "call": call,
        "sample": {"status": 200, "said": said, "complete": True, **members},
    }


def test_a_request_is_its_lane_and_its_projection_without_place_and_number():
    (act,) = acts(asked(7, request={"a": 1}, ts=1))
    counted = {**REQUEST, "request": {"a": 1}}
    del counted["call"], counted["lane"]
    assert act.digest == sha(["model.request", "", counted])
    assert not act.heard


def test_any_other_event_has_a_place_among_those_of_its_lane():
    made = acts({"kind": "note", "x": 1}, {"kind": "note", "x": 1, "lane": "a"}, {"kind": "note", "x": 1})
    assert [act.form[:3] for act in made] == [["note", "", 0], ["note", "a", 0], ["note", "", 1]]
    assert made[0].form[3] == {"kind": "note", "x": 1}


def test_requests_take_no_place_and_call_counts_where_it_is_the_agent_s_own():
    made = acts(asked(), {"kind": "note", "call": "r1"})
    assert made[1].form == ["note", "", 0, {"kind": "note", "call": "r1"}]


def test_a_request_or_an_event_that_names_no_lane_is_in_the_common_one():
    unnamed = {name: value for name, value in REQUEST.items() if name != "lane"}
    assert digests(unnamed, {"kind": "note"}) == digests(REQUEST, {"kind": "note", "lane": ""})


def test_lanes_that_are_lists_are_told_apart():
    made = acts(*({"kind": "note", "lane": lane} for lane in (["a"], ["b"], ["a"])))
    assert [act.form[2] for act in made] == [0, 0, 1]


def test_the_lane_of_an_event_stands_beside_what_it_says_and_not_in_it():
    (note,) = acts({"kind": "note", "lane": "a"})
    assert note.form == ["note", "a", 0, {"kind": "note"}]
    did, heard = acts({"kind": "model.output", "call": 0, "lane": "a", "sample": 1, "route": "r1"})
    assert did.form == ["model.output", "a", 0, {"kind": "model.output", "route": "r1"}]
    assert heard.form == ["answer", ["a", 0], None, 1]


def test_a_lane_that_is_no_text_is_no_lane_of_that_name():
    first, second = acts({"kind": "note", "lane": 1}, {"kind": "note", "lane": "1"})
    assert first.form[2] == second.form[2] == 0
    assert first.digest != second.digest


def test_a_result_takes_the_place_of_its_call_whichever_arrives_first():
    calls = [{"kind": "tool.call", "tool": "a", "id": "1"}, {"kind": "tool.call", "tool": "b", "id": "2"}]
    results = [{"kind": "tool.result", "id": "1", "x": 1}, {"kind": "tool.result", "id": "2", "x": 2}]
    last = {"kind": "note"}
    assert sorted(digests(*calls, *results, last)) == sorted(digests(*calls, *results[::-1], last))
    assert digests(*calls, *results)[2:] != digests(*calls[::-1], *results)[2:]


def test_the_id_of_a_call_and_of_its_result_does_not_count_and_that_of_another_does():
    one = digests({"kind": "tool.call", "id": "1"}, {"kind": "tool.result", "id": "1"})
    assert one == digests({"kind": "tool.call", "id": "9"}, {"kind": "tool.result", "id": "9"})
    assert digests({"kind": "tool.result", "id": "1"}) != digests({"kind": "tool.result", "id": "2"})
    assert digests({"kind": "note", "id": "1"}) != digests({"kind": "note", "id": "2"})


def test_a_call_and_a_result_without_an_id_belong_to_nobody():
    made = acts(
        {"kind": "tool.call"}, {"kind": "tool.result"}, {"kind": "tool.call"}, {"kind": "tool.result"}
    )
    assert [act.form[2] for act in made] == [0, 1, 2, 3]


def test_only_a_result_takes_the_place_of_a_call_whose_id_it_has():
    _, note, result = acts(*({"kind": kind, "id": "1"} for kind in ("tool.call", "note", "tool.result")))
    assert note.form == ["note", "", 1, {"kind": "note", "id": "1"}]
    assert result.form == ["tool.result", "", 0, {"kind": "tool.result"}]


def test_calls_with_one_id_in_two_lanes_are_two_calls():
    made = acts(*({"kind": "tool.call", "id": "1", "lane": lane} for lane in "aab"))
    results = [{"kind": "tool.result", "id": "1", "lane": lane} for lane in "ba"]
    assert [act.form[2] for act in made] == [0, 1, 0]
    calls = [{"kind": "tool.call", "id": "1", "lane": lane} for lane in "ab"]
    assert [act.form[:3] for act in acts({"kind": "note", "lane": "a"}, *calls, *results)[3:]] == [
        ["tool.result", "b", 0],
        ["tool.result", "a", 1],
    ]


def test_an_answer_is_its_request_its_status_and_what_it_says():
    request, answer = acts(asked(), answered())
    assert answer.heard
    assert answer.digest == sha(["answer", request.digest, 200, "yes"])
    assert answer.asked == request.digest
    assert acts(asked(), answered(text="other bytes"))[1].digest == answer.digest


def test_an_answer_that_broke_off_is_another():
    whole, cut = (acts(asked(), answered(complete=complete))[1] for complete in (True, False))
    assert cut.form == [*whole.form, "incomplete"]


def test_in_a_lane_with_a_name_the_second_try_is_another_than_the_first():
    first, heard, second, again = acts(asked(0, "a"), answered(0), asked(1, "a"), answered(1))
    assert first.digest == second.digest
    assert heard.form[1] == [first.digest, 0]
    assert again.form[1] == [first.digest, 1]


def test_different_answers_to_one_request_of_the_common_lane_are_the_attempt_s_own():
    made = acts(asked(0), asked(1), answered(0), answered(1, "no"), asked(2, path="/y"), answered(2))
    assert [act.form[-1] for act in made if act.heard] == [ID, ID, "yes"]
    alike = acts(asked(0), asked(1), answered(0), answered(1))
    assert [act.form[-1] for act in alike if act.heard] == ["yes", "yes"]
    lanes = acts(asked(0, "a"), asked(1, "a"), answered(0), answered(1, "no"))
    assert [act.form[-1] for act in lanes if act.heard] == ["yes", "no"]


def test_an_answer_without_a_request_has_its_place_among_those_of_its_lane():
    draws = [{"kind": "model.output", "sample": 1}, {"kind": "model.output", "sample": 1, "lane": "a"}]
    made = acts(*draws, draws[0])
    assert [act.form for act in made] == [
        ["answer", ["", 0], None, 1],
        ["answer", ["a", 0], None, 1],
        ["answer", ["", 1], None, 1],
    ]
    assert all(act.heard for act in made)


@pytest.mark.parametrize("sample", [None, "text"])
def test_an_answer_of_another_shape_is_one_without_a_request(sample):
    assert acts(asked(), {"kind": "model.output", "call": 0, "sample": sample})[1].form[3] == sample


def test_what_an_answer_says_beside_its_sample_is_something_the_attempt_did():
    did, heard = acts({"kind": "model.output", "sample": "A", "route": "r1", "ts": 1})
    assert not did.heard
    assert did.form == ["model.output", "", 0, {"kind": "model.output", "route": "r1"}]
    assert heard.heard


def test_an_errored_attempt_owes_neither_output_nor_files_nor_its_error():
    closing = [{"kind": "agent.output"}, {"kind": "agent.artifact"}]
    assert len(acts({"kind": "note"}, *closing, {"kind": "attempt.errored"})) == 1
    assert len(acts({"kind": "note"}, *closing, {"kind": "task.completed"})) == 4
    assert acts_of([], ID) == []


def test_events_that_were_read_already_are_not_read_again():
    events = numbered({"kind": "note"}, {"kind": "agent.output"}, {"kind": "attempt.errored"})
    reader = ActReader()
    read = [act for event in events for act in reader.read(event)]
    assert len(read) == 2
    assert acts_of(events, ID, None, read) == acts_of(events, ID)
    assert acts_of(events, ID, None, []) == []


def test_further_members_of_the_run_receipt_are_one_act_before_all():
    made = acts_of(numbered({"kind": "note"}), ID, {"route": "r1"})
    assert made[0].form == ["", "", 0, {"route": "r1"}]
    assert made[0].position == -1
