"""Outputs as promptfoo writes them, made small here."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from passfloor.errors import ImportRefused
from passfloor.importers.interface import Asked, Log
from passfloor.importers.promptfoo import PromptfooImporter


def row(
    test: int, case: str, success: bool = True, *, prompt: int = 0, provider: str = "p", **members: Any
) -> dict[str, Any]:
    return {
        "id": f"{test}/{prompt}",
        "testIdx": test,
        "promptIdx": prompt,
        "promptId": f"prompt {prompt}",
        "prompt": {"raw": "x", "label": f"label {prompt}"},
        "provider": {"id": provider, "label": ""},
        "vars": {"case": case},
        "testCase": {"vars": {"case": case}, "assert": [{"type": "contains"}], "options": {}},
        "success": success,
        "failureReason": 0 if success else 1,
        "score": int(success),
        "response": {"output": "x"},
    } | members


def repeats(*cases: tuple[str, tuple[bool, ...]], start: int = 0, **members: Any) -> list[dict[str, Any]]:
    flat = [(case, success) for case, successes in cases for success in successes]
    return [row(start + i, case, success, **members) for i, (case, success) in enumerate(flat)]


def output(
    tmp_path: Path, rows: list[dict[str, Any]], *, repeat: int | None = 2, version: Any = 3, **results: Any
) -> Path:
    path = tmp_path / "out.json"
    whole = {
        "evalId": "eval-x",
        "results": {"version": version, "prompts": [], "results": rows, **results},
        "config": {"description": "nightly"},
        "runtimeOptions": {} if repeat is None else {"repeat": repeat},
    }
    path.write_text(json.dumps(whole))
    return path


def json_lines(tmp_path: Path, rows: list[dict[str, Any]]) -> Path:
    path = tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path


def opened(path: Path, **asked: Any) -> Log:
    return PromptfooImporter().read(path, Asked(**asked))


AB = (("a", (True, False)), ("b", (True, True)))


def test_rows_that_agree_in_test_and_variables_are_repeats(tmp_path: Path, counts: Any, codes: Any) -> None:
    log = opened(output(tmp_path, repeats(*AB)))
    assert counts(log) == {"case=a": (2, 1), "case=b": (2, 2)}
    assert codes(log) == set()
    assert (log.suite, log.subject.name) == ("nightly", "p")
    assert [record.index for record in log.records()] == [0, 1, 0, 1]
    assert PromptfooImporter().recognise(tmp_path / "out.json")


def test_combinations_of_variables_stand_between_the_repeats(tmp_path: Path, counts: Any) -> None:
    rows = [row(i, case, success) for i, (case, success) in enumerate([("x", True), ("y", False)] * 2)]
    assert counts(opened(output(tmp_path, rows))) == {"case=x": (2, 2), "case=y": (2, 0)}


def test_rows_are_numbered_by_their_test_number_however_they_are_ordered(tmp_path: Path) -> None:
    rows = repeats(("a", (True, False)))
    log = opened(output(tmp_path, rows[::-1]))
    assert [(record.index, json.loads(record.text)["success"]) for record in log.records()] == [
        (1, False),
        (0, True),
    ]


def test_a_group_that_is_no_multiple_of_repeat_lacks_the_rest(
    tmp_path: Path, counts: Any, codes: Any
) -> None:
    log = opened(output(tmp_path, repeats(("a", (True, True)), ("b", (True,))), repeat=2))
    assert counts(log) == {"case=a": (2, 2), "case=b": (2, 1)}
    assert codes(log) == {"uneven"}


def test_a_test_written_twice_is_one_task_and_is_said(tmp_path: Path, counts: Any, codes: Any) -> None:
    log = opened(output(tmp_path, repeats(("a", (True, True, False, True))), repeat=2))
    assert counts(log) == {"case=a": (4, 3)}
    assert codes(log) == {"same_tests"}


def test_tests_that_cannot_be_told_apart_are_refused(tmp_path: Path) -> None:
    rows = [each | {"vars": {}, "testCase": {"assert": [1]}} for each in repeats(*AB)]
    with pytest.raises(ImportRefused, match="neither vars nor a description"):
        opened(output(tmp_path, rows, repeat=2))


def test_a_repeat_of_a_test_of_its_own_overrides_that_of_the_eval(tmp_path: Path, counts: Any) -> None:
    rows = repeats(*AB)
    for each in rows[2:]:
        each["testCase"]["options"] = {"repeat": 3}
    assert counts(opened(output(tmp_path, rows, repeat=2))) == {"case=a": (2, 1), "case=b": (3, 2)}


def test_numbers_without_a_row_are_tests_that_are_missing(tmp_path: Path, counts: Any, codes: Any) -> None:
    rows = [*repeats(("a", (True, False))), *repeats(("b", (True, True)), start=4)]
    log = opened(output(tmp_path, rows))
    assert counts(log) == {"case=a": (2, 1), "case=b": (2, 2), "(unnamed test 1)": (2, 0)}
    assert codes(log) == {"missing_rows"}


def test_a_test_for_other_providers_leaves_no_gap(tmp_path: Path, counts: Any) -> None:
    rows = [*repeats(("a", (True, False))), *repeats(("b", (True, True)), start=4)]
    for each in rows:
        each["testCase"]["providers"] = ["p"]
    assert counts(opened(output(tmp_path, rows))) == {"case=a": (2, 1), "case=b": (2, 2)}


def test_providers_are_never_mixed(tmp_path: Path, counts: Any) -> None:
    rows = [each for prompt, name in enumerate("pq") for each in repeats(*AB, prompt=prompt, provider=name)]
    path = output(tmp_path, rows)
    with pytest.raises(
        ImportRefused, match=r"2 columns \(provider and prompt\) in one log \(p, q\).*--agent"
    ):
        opened(path)
    assert opened(path, agent="q").subject.name == "q"
    assert counts(opened(path, agent="q")) == {"case=a": (2, 1), "case=b": (2, 2)}


def test_prompts_of_one_provider_are_never_mixed(tmp_path: Path) -> None:
    rows = [each for prompt in (0, 1) for each in repeats(*AB, prompt=prompt)]
    path = output(tmp_path, rows)
    with pytest.raises(ImportRefused, match=r"p#0, p#1"):
        opened(path)
    with pytest.raises(ImportRefused, match="'p' is 2 of the columns"):
        opened(path, agent="p")
    assert len(list(opened(path, agent="p#1").records())) == 4
    assert opened(path, agent="label 1").subject.name == "p#1"


def test_replayed_rows_are_no_independent_attempts(tmp_path: Path, counted: Any) -> None:
    rows = repeats(*AB)
    rows[1]["response"] = {"output": "x", "cached": True}
    rows[3]["metadata"] = {"cachedResponse": {"x": 1}}
    found = counted(opened(output(tmp_path, rows)))
    assert found.cached == 2
    assert "cached" in {note.code for note in found.notes}


def test_lines_do_not_tell_their_repeat(tmp_path: Path, counts: Any, codes: Any) -> None:
    log = opened(json_lines(tmp_path, repeats(("a", (True, False)), ("b", (True,)))))
    assert log.planned is None
    assert counts(log) == {"case=a": (2, 1), "case=b": (2, 1)}
    assert codes(log) == {"repeat_unknown"}
    assert log.suite == "out"
    assert PromptfooImporter().recognise(tmp_path / "out.jsonl")


def test_a_last_line_that_is_cut_is_left_out_and_said(tmp_path: Path, codes: Any) -> None:
    path = json_lines(tmp_path, repeats(*AB))
    path.write_text(path.read_text()[:-40])
    log = opened(path)
    assert codes(log) == {"repeat_unknown", "cut"}
    assert len(list(log.records())) == 3
    path.write_text(path.read_text().replace('{"id": "1/0"', '{"id" "1/0"'))
    with pytest.raises(ImportRefused, match="row 2: not JSON"):
        opened(path)


def test_two_evals_in_one_file_are_refused_with_both_rows(tmp_path: Path, counts: Any) -> None:
    path = json_lines(tmp_path, repeats(*AB) * 2)
    with pytest.raises(ImportRefused, match="rows 1 and 5 both have testIdx 0 and promptIdx 0"):
        opened(path)
    assert counts(opened(path, keep="last")) == {"case=a": (2, 1), "case=b": (2, 2)}
    assert next(iter(opened(path, keep="last").records())).where == "out.jsonl: row 5"
    assert next(iter(opened(path, keep="first").records())).where == "out.jsonl: row 1"


@pytest.mark.parametrize("version", [1, 2])
def test_an_old_version_is_refused_with_the_reason(tmp_path: Path, version: int) -> None:
    with pytest.raises(ImportRefused, match=rf"of version {version}, whose rows do not say which test"):
        opened(output(tmp_path, [{"prompt": {}, "success": True}], version=version))


@pytest.mark.parametrize("version", [4, "3", None, True])
def test_a_version_unknown_here_is_refused(tmp_path: Path, version: Any) -> None:
    with pytest.raises(ImportRefused, match=r"results\.version.*expected 3"):
        opened(output(tmp_path, repeats(*AB), version=version))


def test_the_figures_of_the_column_are_published(tmp_path: Path) -> None:
    metrics = {"testPassCount": 3, "testFailCount": 1, "testErrorCount": 0}
    prompts = [{"metrics": metrics}]
    log = opened(output(tmp_path, repeats(*AB), prompts=prompts))
    assert [(each.name, each.value) for each in log.published] == [("success rate", Fraction(3, 4))]
    stats = {"successes": 3, "failures": 1, "errors": 0}
    log = opened(output(tmp_path, repeats(*AB), stats=stats))
    assert [(each.value, each.where) for each in log.published] == [
        (Fraction(3, 4), "results.stats: 3 passed, 1 failed, 0 errors")
    ]


def test_counts_that_do_not_fit_the_rows_are_said(tmp_path: Path, codes: Any) -> None:
    stats = {"successes": 3, "failures": 1, "errors": 1}
    assert codes(opened(output(tmp_path, repeats(*AB), stats=stats))) == {"missing_rows"}


def test_rows_that_nothing_judged_are_said(tmp_path: Path, codes: Any) -> None:
    rows = repeats(*AB)
    for each in rows[:2]:
        del each["testCase"]["assert"]
    assert codes(opened(output(tmp_path, rows))) == {"no_assertions"}


def test_names_of_tests_that_would_be_alike_get_more(tmp_path: Path, counts: Any) -> None:
    rows = repeats(("a", (True,)), ("b", (True,)), ("c", (True,)), ("c", (True,)))
    for each, description in zip(rows, ("same", "same", "other", ""), strict=True):
        each["testCase"]["description"] = description
    rows[3]["testCase"]["vars"] = {"hidden": 1}
    names = list(counts(opened(output(tmp_path, rows, repeat=1))))
    assert names == ["same [case=a]", "same [case=b]", "other", "case=c"]
    rows[2]["testCase"]["description"] = ""
    names = list(counts(opened(output(tmp_path, rows, repeat=1))))
    assert names[2] == "case=c"
    assert names[3].startswith("case=c #")


def test_numbers_of_variables_are_told_apart_from_their_text(tmp_path: Path, counts: Any) -> None:
    rows = [row(0, "a", vars={"x": 0.5}), row(1, "a", vars={"x": "1/2"})]
    assert len(counts(opened(output(tmp_path, rows, repeat=1)))) == 2


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "no promptfoo output"),
        ("[]", "no promptfoo output"),
        ("{}", "no promptfoo output"),
        ('{"a": 1}', "no promptfoo output"),
        ('{"evalId": "x"}', "no rows|no results.version"),
        ('{"evalId": "x", "results": {"version": 3, "results": []}}', "holds no rows"),
        ('{"evalId": "x", "results": {"version": 3, "results": [{"testIdx": 0', "cut"),
        ('{"evalId": "x", "results": {"version": 3, "results": [3]}}', "row 1 is no JSON object"),
        ('{"evalId": "x", "results": {"version": 3, "results": [{"testIdx": 0}]}}', "is no row of version 3"),
        ('{"testIdx": 0, "promptIdx": 0}\n', "is no row of version 3"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(tmp_path: Path, text: str, match: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(ImportRefused, match=match) as caught:
        opened(path)
    assert "\n" not in str(caught.value)
    PromptfooImporter().recognise(path)


def test_what_is_no_output_is_not_recognised(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"testIdx": 1, "promptIdx": 2, "testCase"')
    (tmp_path / "y.json").write_text('["testIdx", "promptIdx", "testCase"]')
    for path in (tmp_path, tmp_path / "y.json", tmp_path / "absent"):
        assert PromptfooImporter().recognise(path) is None
    with pytest.raises(ImportRefused, match="--pass-values means nothing"):
        opened(output(tmp_path, repeats(*AB)), pass_values=("A",))


def test_a_threshold_and_a_named_score_are_sealed_in_the_rule(tmp_path: Path) -> None:
    log = opened(output(tmp_path, repeats(*AB)), threshold=Fraction(1, 2), scorer="tone")
    assert log.rule == {"scorer": "tone", "threshold": "0.5"}


def test_tasks_of_the_universe_that_are_not_there_are_missing(tmp_path: Path, counts: Any) -> None:
    names = tmp_path / "all.txt"
    names.write_text("case=a\ncase=b\nq\n")
    assert counts(opened(output(tmp_path, repeats(*AB))), Asked(universe=names))["q"] == (2, 0)


def test_another_version_is_refused_also_where_it_stands_behind_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    whole = {"evalId": "x", "results": {"results": repeats(*AB), "version": 4}, "runtimeOptions": {}}
    path.write_text(json.dumps(whole))
    with pytest.raises(ImportRefused, match=r"results\.version '4': expected 3"):
        opened(path)
