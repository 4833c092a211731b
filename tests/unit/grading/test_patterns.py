"""Patterns over untrusted text: what is too large is so in every release, and the library stays silent."""

import pytest

from passfloor.grading import CannotJudge
from passfloor.grading.kinds.patterns import compiled, found


def test_a_pattern_may_take_eight_mebibytes():
    assert found("a" * 690_000, "b") is False
    with pytest.raises(CannotJudge, match="too large"):
        compiled("a" * 710_000)


def test_the_library_writes_no_log(capfd):
    with pytest.raises(CannotJudge):
        compiled("(a" + "b" * 7)
    assert capfd.readouterr() == ("", "")
