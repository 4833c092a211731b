"""The report as plain text."""

from dataclasses import replace
from pathlib import Path

import pytest

from passfloor.report.block import block_lines
from passfloor.report.envelope.records import Contrast
from passfloor.report.layout import columns
from passfloor.report.text import side_by_side, table, task_report, text_report
from passfloor.running.plan import Claims

WORKED = Path(__file__).with_name("worked.txt")
REASON = Claims(None, None, None, "a request comes back up to five times")

BLOCK = """\
trials per task:  n = 10, independent runs, fresh state each
k:                5, chosen because a request comes back up to five times; fixed before the run
estimator:        per task, then mean over tasks; pass@k = 1 - C(n-c,k)/C(n,k), pass^k = C(c,k)/C(n,k)
success rate:     147 / 200 = 73.5%
pass@5:           92.7%  (95% interval across tasks: 81.6 to 99.9, exact bootstrap over tasks)
pass^5:           51.7%  (95% interval across tasks: 31.4 to 71.7, exact bootstrap over tasks)
envelope at 5:    41.0 points
piles at k = 10:  always pass 10/20 | flaky 9/20 | never pass 1/20
who picks:        nobody
quote to users:   pass^5, because nobody checks
not covered:      k above 10; a batch of different jobs; grader error; traffic the suite lacks"""

GOLDEN_ROWS = """\
task        passed  wrong  errored  pass@1  pass@3  all passed
json-shape     0/5      4        1    0.00    0.00  no
arithmetic     3/5      2        0    0.60    1.00  no
summary        5/5      0        0    1.00    1.00  yes"""


@pytest.fixture
def worked(sealed, worked_script):
    return sealed(worked_script, k=5, version="returns-v1", claims=REASON)


def rows_of(envelope):
    return {row.task_id: row for row in envelope.tasks}


def test_the_report_of_the_worked_suite_is_this(worked, enveloped):
    assert text_report(enveloped(worked)) + "\n" == WORKED.read_text(encoding="utf-8")


def test_the_block_has_every_line_in_this_order(worked, enveloped):
    suite = f"suite:            returns-v1, 20 tasks, sha256:{worked[2].suite_hash[:12]}...\n"
    assert suite + BLOCK in text_report(enveloped(worked))


def test_the_table_has_the_worst_task_first_and_no_mean(from_counts):
    envelope = from_counts({"arithmetic": "ppwpw", "json-shape": "wwwwe", "summary": "ppppp"}, k=3)
    assert "\n".join(table(envelope)) == GOLDEN_ROWS


def test_many_tasks_that_always_passed_are_one_line_with_their_ids(from_counts):
    few = table(from_counts({f"t{i}": "pp" for i in range(5)} | {"flaky": "pw"}))
    many = table(from_counts({f"t{i}": "pp" for i in range(6)} | {"flaky": "pw"}))
    assert sum(line.endswith("yes") for line in few) == 5
    assert len(many) == 3
    assert many[-1] == "and 6 tasks passed every attempt: t0, t1, t2, t3, t4, t5"


def test_a_suite_of_nothing_but_clean_tasks_has_no_empty_table(from_counts):
    assert table(from_counts({f"t{i}": "pp" for i in range(6)})) == [
        "and 6 tasks passed every attempt: t0, t1, t2, t3, t4, t5"
    ]


def test_all_but_the_block_fits_80_columns_whatever_the_ids(from_counts):
    ids = ["x" * 200, "\u6f22" * 90, "a\x1b[31m\u202e" * 10, "e\u0301" * 40, "short"]
    envelope = from_counts(dict.fromkeys(ids, "pwe"), k=2)
    others = set(text_report(envelope).splitlines()) - set(block_lines(envelope))
    assert max(map(columns, others)) <= 80


def test_the_report_is_plain_characters_alone(worked, enveloped):
    assert text_report(enveloped(worked)).encode("cp1252").isascii()


@pytest.mark.parametrize("name", ["::error::stop", "##[error]stop", "  ::error::stop"])
def test_no_line_is_a_command_to_a_ci_log(from_counts, name):
    report = text_report(from_counts({name: "pw"}))
    assert name.strip()[3:] in report
    assert not [line for line in report.splitlines() if line.lstrip().startswith(("::", "##["))]


def test_an_unverified_receipt_is_marked_in_every_section(worked, enveloped):
    report = text_report(enveloped(worked, lambda document: document.update(pass_caret_k=0.9)))
    sections = report.split("\n\n")
    assert all(section.startswith("UNVERIFIED") for section in sections if not section.startswith("task "))
    assert "FABRICATED_FLOOR/pass_caret_k" in sections[0]
    assert "UNVERIFIED" not in text_report(enveloped(worked))


def test_rows_are_called_unsealed_at_both_ends(from_counts):
    lines = text_report(from_counts({"a": "pw"})).splitlines()
    assert lines[0].startswith("UNSEALED")
    assert lines[-1].startswith("UNSEALED")


def test_errored_attempts_show_what_could_be(from_counts):
    report = text_report(from_counts({"a": "peee", "b": "eeee"}, k=4))
    assert "success rate:     1 / 8 = 12.5%" in report
    assert "pass@4:           50.0%" in report
    assert "pass^4:           0.0%" in report
    assert "7 of 8 attempts errored" in report
    best = "had they passed: success rate 100.0%, pass@4 100.0%, pass^4 100.0%"
    assert best in " ".join(report.split())


def test_two_attempts_stand_one_above_the_other_with_a_mark_where_they_part():
    contrast = Contrast(3, 12, "answer.txt", 2, 9, "the cat sat", "the cat ran", 8)
    assert side_by_side(contrast) == [
        "answer.txt, line 2, column 9:",
        "  attempt  3 passed  the cat sat",
        "  attempt 12 wrong   the cat ran",
        "                             ^",
    ]


def test_a_line_that_is_missing_is_said_to_be():
    lines = side_by_side(Contrast(0, 1, "output", 2, 1, None, "more", 0))
    assert lines[1:3] == ["  attempt 0 passed  (nothing)", "  attempt 1 wrong   more"]


def test_more_flaky_tasks_than_fit_are_counted(from_counts):
    report = text_report(from_counts({f"t{i:02}": "pw" for i in range(13)}))
    assert "flaky: 13 of 13 tasks pass sometimes" in report
    assert "and 3 more, in the table below" in report


def test_a_task_is_shown_with_all_its_attempts(sealed, enveloped):
    envelope = enveloped(sealed())
    shown = task_report(envelope, rows_of(envelope)["flaky"])
    assert "task flaky: 3 of 4 passed, 1 wrong, 0 errored" in shown
    assert "  1  wrong    no" in shown
    assert "attempts 0 and 1 part at step 1, model.output: sample ('yes' != 'no')" in shown
    assert "  attempt 0 passed  yes" in shown


def test_an_errored_attempt_says_why(sealed, enveloped):
    envelope = enveloped(sealed())
    shown = task_report(envelope, rows_of(envelope)["never"])
    assert "  1  errored  exit, exit status 3" in shown


def test_tasks_with_several_answers_are_listed_those_that_agree_least_first(sealed, enveloped):
    script = {"a": ["yes", "yes", "yes", "no"], "b": ["x", "y", "z", "w"], "c": ["yes"] * 4}
    report = text_report(enveloped(sealed(script)))
    listed = report.partition("task  answers  most frequent  attempts part at\n")[2].splitlines()[:2]
    assert [line.split()[:3] for line in listed] == [["b", "4", "25.0%"], ["a", "2", "75.0%"]]


def test_more_such_tasks_than_fit_are_counted(sealed, enveloped):
    report = text_report(enveloped(sealed({f"t{i:02}": ["x", "y"] for i in range(22)}, k=1)))
    assert "and 2 more tasks" in report


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("x" * 70, "x" * 63 + "..."),
        ("x" * 62 + "\u4e16" * 3, "x" * 62 + "..."),
        ("\u4e16" * 40, "\u4e16" * 31 + "..."),
    ],
)
def test_an_answer_that_is_too_wide_is_cut_at_the_last_column(from_counts, words, told):
    row = from_counts({"a": "p"}, k=1).tasks[0]
    row = replace(row, attempts=[replace(row.attempts[0], text=words)])
    lines = task_report(from_counts({"a": "p"}, k=1), row).splitlines()
    line = next(line for line in lines if "passed   " in line)
    assert line.split("passed   ")[1] == told
    assert columns(line) <= 80
