import importlib.util
from pathlib import Path

import pytest

from passfloor.grading import CapturedFile, Evidence, evaluate
from passfloor.models.suite import Task
from passfloor.suites import load_suite

ROOT = Path(__file__).resolve().parents[3]


def _solutions():
    spec = importlib.util.spec_from_file_location("solutions", Path(__file__).with_name("solutions.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SOLUTIONS = _solutions()


def pytest_generate_tests(metafunc):
    """One test for each solution (``right_way``, ``wrong_way``) and answer (``right_answer``, ...)."""
    right, wrong, answers = SOLUTIONS.RIGHT, SOLUTIONS.WRONG, SOLUTIONS.ANSWERS
    cases = {
        "right_way": [(task, way, task) for task, way in right.items()],
        "wrong_way": [(task, way, f"{task}: {name}") for task in wrong for name, way in wrong[task].items()],
        "right_answer": [
            (task, text, f"{task} {i}") for task in answers for i, text in enumerate(answers[task][0])
        ],
        "wrong_answer": [
            (task, text, f"{task} {i}") for task in answers for i, text in enumerate(answers[task][1])
        ],
    }
    for name, found in cases.items():
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, [case[:2] for case in found], ids=[case[2] for case in found])


@pytest.fixture(scope="session")
def solutions():
    return SOLUTIONS


@pytest.fixture(scope="session")
def golden():
    return load_suite(ROOT / "suites" / "golden-v1")


@pytest.fixture(scope="session")
def answers():
    return load_suite(ROOT / "suites" / "answers-v1")


@pytest.fixture(scope="session")
def failed():
    """A function from task, files left and output to the assertions that do not hold."""

    def judge(task: Task, files: dict[str, bytes] | None = None, stdout: str = "") -> list:
        evidence = Evidence(
            stdout=stdout,
            stdout_cut=False,
            exit_code=0,
            files={path: CapturedFile(data) for path, data in (files or {}).items()},
            tool_calls=(),
            starting=task.file_bytes,
        )
        return [assertion for assertion in task.assertions if not evaluate(assertion, evidence)]

    return judge
