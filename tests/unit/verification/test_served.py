"""The served model is the provider's word; that it changed within a run is told with its place."""

from passfloor.verification.result import Verification
from passfloor.verification.served import ChangedModel, Served, changed_models

OLD, NEW = ("m-1", "fp-1"), ("m-1", "fp-2")


def served(attempt, answers, task="t"):
    return Served(task, attempt, answers)


def test_models_and_fingerprints_are_sets():
    found = served(0, {"m": (("m-2", "fp"), ("m-1", None)), None: ((None, "fp"),)})
    assert found.models == ["m-1", "m-2"]
    assert found.fingerprints == ["fp"]


def test_one_model_for_each_name_asked_for_is_no_change():
    told = [served(0, {"m": (OLD,), "other": (("o-1", None),)}), served(1, {"m": (OLD,)})]
    assert changed_models(told) == ()
    assert Verification(()).changed_models == ()


def test_a_change_is_named_once_with_task_and_attempt():
    told = [served(0, {"m": (OLD,)}), served(1, {"m": (OLD, NEW)}, "u"), served(2, {"m": (NEW,)})]
    assert changed_models(told) == (ChangedModel("m", OLD, NEW, "u", 1),)
    assert Verification((), served=tuple(told)).changed_models == changed_models(told)


def test_a_reply_that_names_less_is_no_change_and_what_it_lacks_is_learned_later():
    told = [served(0, {"m": (("m-1", None), (None, "fp-1"), OLD)}), served(1, {"m": (NEW,)})]
    assert changed_models(told) == (ChangedModel("m", OLD, NEW, "t", 1),)


def test_what_was_learned_first_stays_what_others_differ_from():
    told = [served(0, {"m": (OLD,)}), served(1, {"m": (("m-2", None), ("m-1", "fp-1"), ("m-2", "fp-1"))})]
    assert [change.first for change in changed_models(told)] == [OLD, OLD]
