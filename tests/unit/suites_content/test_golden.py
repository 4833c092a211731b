"""golden-v1: right solutions pass, plausible wrong ones do not, and no assertion is idle."""

from passfloor.canonical import sha256_hex


def test_the_suite_has_its_five_tasks(golden, solutions):
    assert golden.version == "golden-v1"
    assert [task.id for task in golden.tasks] == list(solutions.RIGHT)


def test_a_right_solution_meets_every_assertion(golden, failed, right_way):
    task_id, way = right_way
    task = golden.by_id[task_id]
    assert failed(task, way(task.file_bytes)) == []


def test_a_wrong_solution_fails_an_assertion(golden, failed, wrong_way):
    task_id, way = wrong_way
    task = golden.by_id[task_id]
    assert failed(task, way(task.file_bytes)) != []


def test_the_starting_files_alone_meet_no_task(golden, failed):
    for task in golden.tasks:
        assert failed(task, task.file_bytes)


def test_an_empty_folder_meets_no_task(golden, failed):
    for task in golden.tasks:
        assert failed(task, {})


def test_every_wrong_solution_differs_from_the_right_one(golden, solutions):
    for task_id, ways in solutions.WRONG.items():
        files = golden.by_id[task_id].file_bytes
        assert len(ways) >= 3
        for way in ways.values():
            assert way(files) != solutions.RIGHT[task_id](files)


def test_guarded_files_are_guarded_as_they_stand_at_the_start(golden):
    for task in golden.tasks:
        for assertion in task.assertions:
            if assertion.kind == "file_sha256":
                assert sha256_hex(task.file_bytes[assertion.path]) == assertion.expected


def test_the_prompt_names_every_file_that_is_judged_and_not_there_yet(golden):
    for task in golden.tasks:
        for assertion in task.assertions:
            assert assertion.path in task.files or f"`{assertion.path}`" in task.description


def test_every_assertion_is_failed_by_some_wrong_solution(golden, solutions, failed):
    idle = []
    for task in golden.tasks:
        ways = solutions.WRONG[task.id].values()
        caught = [assertion for way in ways for assertion in failed(task, way(task.file_bytes))]
        idle += [(task.id, assertion) for assertion in task.assertions if assertion not in caught]
    assert idle == []


def test_every_task_has_steps_a_category_and_tags(golden):
    for task in golden.tasks:
        assert task.steps
        assert task.category
        assert task.tags
