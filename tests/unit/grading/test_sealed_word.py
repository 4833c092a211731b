"""What a sealed verdict says of one assertion: yes, no, that it could not be judged, or nothing."""

import pytest

from passfloor.grading import CannotJudge
from passfloor.grading.sealed_word import SealedWord, could_not_judge, sealed_answer
from passfloor.models.assertions import Command
from passfloor.models.receipt import Attempt, AttemptError

RUN = Command(kind="command", argv=["true"])
UNJUDGED = AttemptError(type="grader", detail="assertions[1]")


def attempt(*answers, error=None):
    return Attempt.model_construct(harness_output={"assertions": list(answers)}, error=error)


def said(passed, kind="command"):
    return {"kind": kind, "passed": passed}


@pytest.mark.parametrize("passed", [True, False])
def test_an_answer_is_taken_at_its_word(passed):
    sealed = attempt(said(not passed), said(passed))
    assert sealed_answer(sealed, 1, "command") is passed
    assert SealedWord(sealed)(1, RUN, None) is passed


@pytest.mark.parametrize("answer", [said(1), said(None), said("true"), said(True, "python"), {}, "yes", None])
def test_what_is_no_answer_of_this_assertion_says_nothing_and_counts_as_false(answer):
    assert sealed_answer(attempt(answer), 0, "command") is None
    assert SealedWord(attempt(answer))(0, RUN, None) is False


def test_an_assertion_past_the_end_of_the_list_has_no_answer():
    assert sealed_answer(attempt(said(True)), 1, "command") is None
    assert sealed_answer(attempt(), 0, "command") is None


@pytest.mark.parametrize("output", [{}, {"assertions": None}, {"assertions": {"0": said(True)}}])
def test_a_verdict_without_a_list_has_no_answer(output):
    sealed = Attempt.model_construct(harness_output=output, error=None)
    assert sealed_answer(sealed, 0, "command") is None


def test_an_assertion_that_could_not_be_judged_cannot_be_judged_again():
    sealed = attempt(error=UNJUDGED)
    assert could_not_judge(sealed, 1)
    assert not could_not_judge(sealed, 0)
    with pytest.raises(CannotJudge):
        SealedWord(sealed)(1, RUN, None)
    assert SealedWord(sealed)(0, RUN, None) is False


@pytest.mark.parametrize("passed", [True, False])
def test_an_answer_beside_the_error_that_there_is_none_is_still_the_answer(passed):
    assert SealedWord(attempt(said(passed), said(passed), error=UNJUDGED))(1, RUN, None) is passed


def test_the_positions_that_were_asked_about_are_kept_in_order():
    word = SealedWord(attempt(said(True), said(False), said(True)))
    for index in (2, 0, 0):
        word(index, RUN, None)
    assert word.asked == [2, 0, 0]
