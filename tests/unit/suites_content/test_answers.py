"""answers-v1: every task has one answer, and near misses do not pass."""

import re
from datetime import date, timedelta
from decimal import Decimal
from itertools import permutations


def test_the_suite_has_its_ten_tasks(answers, solutions):
    assert answers.version == "answers-v1"
    assert [task.id for task in answers.tasks] == list(solutions.ANSWERS)


def test_a_right_answer_meets_every_assertion(answers, failed, right_answer):
    task_id, text = right_answer
    assert failed(answers.by_id[task_id], stdout=text) == []


def test_a_wrong_answer_fails_an_assertion(answers, failed, wrong_answer):
    task_id, text = wrong_answer
    assert failed(answers.by_id[task_id], stdout=text) != []


def test_no_task_needs_files_or_steps(answers):
    for task in answers.tasks:
        assert not task.files
        assert not task.steps
        assert task.category
        assert task.tags


def test_no_prompt_holds_its_own_answer(answers, solutions):
    for task in answers.tasks:
        assert solutions.ANSWERS[task.id][0][0] not in task.description


def test_the_invoice_comes_to_what_is_expected(answers):
    total = (12 * Decimal("8.75") + 7 * Decimal("14.20")) * Decimal("0.9") + Decimal("19.90")
    assert total == Decimal(str(answers.by_id["arithmetic_invoice_total"].assertions[0].value))


def test_the_deadline_is_ten_working_days_later(answers):
    day, left = date(2024, 2, 19), 10
    assert day.strftime("%A") == "Monday"
    while left:
        day += timedelta(days=1)
        left -= day.weekday() < 5 and day != date(2024, 3, 1)
    assert answers.by_id["date_reasoning_deadline"].assertions[0].expected == day.isoformat()


def test_the_car_goes_as_far_as_is_expected(answers):
    miles = Decimal("3.785411784") / Decimal("6.4") * 100 / Decimal("1.609344")
    assert Decimal(str(answers.by_id["unit_conversion_fuel"].assertions[0].value)) == round(miles, 2)


def test_the_words_are_counted_right(answers):
    task = answers.by_id["counting_words"]
    sentence = re.findall(r'"(Every [^"]*)"', task.description)[0]
    words = [word for word in re.findall(r"[A-Za-z]+", sentence) if word.lower().count("e") >= 2]
    assert task.assertions[0].expected == {"count": len(words), "words": words}


def test_the_puzzle_has_one_solution(answers):
    found = [
        "-".join(seats)
        for seats in permutations(["Ana", "Ben", "Cleo", "Dov", "Eva"])
        if seats[2] == "Cleo"
        and seats.index("Ana") < seats.index("Ben")
        and seats.index("Dov") == seats.index("Eva") + 1
        and seats.index("Ben") not in (0, 4)
    ]
    assert found == [answers.by_id["logic_seating"].assertions[1].expected]


def test_the_versions_are_in_the_order_of_their_numbers(answers):
    def key(version):
        numbers, _, label = version.partition("-")
        return [int(part) for part in numbers.split(".")], label or "~"

    expected = answers.by_id["sorting_version_numbers"].assertions[0].expected
    assert sorted(expected, key=key) == expected
