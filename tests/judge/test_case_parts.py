"""What a judge reads about a run, part by part."""

import dataclasses
import json
from typing import Any

from assay.evidence.judge_case import JudgeCase, Step
from assay.judge.bounds import Bounds, Cut, bounds_within
from assay.judge.case_parts import case_parts
from tests.judge.cases import CASE, DIFF


def parts(case: JudgeCase, bounds: Bounds | None = None) -> dict[str, list[dict[str, Any]]]:
    made = case_parts(case, bounds or Bounds())
    return {part.label: [json.loads(one) for one in part.lines] for part in made.parts}


def test_a_run_with_everything() -> None:
    found = parts(CASE)
    assert list(found) == [
        "task",
        "user turns",
        "trajectory",
        "diff",
        "objective test",
        "scorer results",
        "agent output",
        "final response",
        "notes of the author",
    ]
    assert found["task"] == [{"text": "Fix add in calc.py."}]
    assert found["user turns"][1] == {"turn": 2, "text": "And don't touch the tests."}
    assert [(one["step"], one["from"], one["kind"]) for one in found["trajectory"]] == [
        (1, "agent", "message"),
        (2, "agent", "call"),
        (3, "tool", "result"),
    ]
    assert found["diff"][0] == {"file": "calc.py", "diff": DIFF}
    test = {"name": "tests", "command": "python3 -m unittest", "verdict": "PASS", "detail": "exit code 0"}
    assert found["objective test"] == [{**test, "output": "OK\n"}]
    row = {"name": "skips", "type": "no_new_skips", "required": False, "verdict": "FAIL", "score": 0.5}
    assert found["scorer results"][1] == {**row, "detail": "1 new skip"}
    assert found["agent output"] == [
        {"exit_code": 0},
        {"stream": "stdout", "text": "working\n"},
        {"stream": "stderr", "text": "a warning\n"},
    ]
    assert found["notes of the author"][0] == {"name": "readable", "required": True, "note": "Is it readable?"}


def test_a_run_without_a_workspace_has_no_part_for_it() -> None:
    assert list(parts(JudgeCase("Say hello.", final_response="Hello."))) == ["task", "final response"]


def test_a_run_that_changed_nothing_has_an_empty_diff() -> None:
    assert parts(JudgeCase("x", diff=""))["diff"][0]["whole_diff"]["files"] == 0


def test_of_a_long_trajectory_the_beginning_and_the_end_are_shown() -> None:
    steps = tuple(Step("agent", f"step {number} " + "x" * 400) for number in range(1, 1001))
    made = case_parts(dataclasses.replace(CASE, trajectory=steps), Bounds())
    found = [json.loads(one) for one in next(one for one in made.parts if one.label == "trajectory").lines]
    (gap,) = [one["steps_not_shown"] for one in found if "steps_not_shown" in one]
    assert [one["step"] for one in found if "step" in one] == [
        *range(1, gap["from"]),
        *range(gap["to"] + 1, 1001),
    ]
    assert 50 < gap["from"] < gap["to"] < 950
    assert Cut("trajectory", f"steps {gap['from']} to {gap['to']}", gap["lines"], gap["bytes"]) in made.cuts


def test_a_long_step_does_not_push_out_the_others() -> None:
    steps = (Step("agent", "first"), Step("tool", "x" * 10**6), Step("agent", "last"))
    found = parts(dataclasses.replace(CASE, trajectory=steps))["trajectory"]
    assert [one.get("text") for one in found][::2] == ["first", "last"]
    assert found[1]["cut_here"]["bytes"] > 900_000


def test_the_end_of_an_output_is_what_is_kept() -> None:
    output = dataclasses.replace(CASE.objective, output="x\n" * 10_000 + "FAILED")  # type: ignore[type-var]
    (test,) = parts(dataclasses.replace(CASE, objective=output))["objective test"]
    assert test["output_after_the_cut"].endswith("FAILED")
    assert test["output"] == ""


def test_everything_at_once_stays_within_the_bounds() -> None:
    long = "y\n" * 10**6
    case = JudgeCase(
        task=long,
        turns=(long, long),
        trajectory=tuple(Step("agent", long) for _ in range(20)),
        final_response=long,
        diff=long,
        notes=tuple(dataclasses.replace(note, rubric=long) for note in CASE.notes),
        scorers=tuple(dataclasses.replace(row, detail=long) for row in CASE.scorers),
        agent_output=dataclasses.replace(CASE.agent_output, stdout=long, stderr=long),  # type: ignore[type-var]
    )
    for limit in (8_000, 100_000, 10**9):
        bounds = bounds_within(limit)
        made = case_parts(case, bounds)
        # Each line break is two characters in a record.
        assert sum(len(one) for part in made.parts for one in part.lines) < 2 * bounds.total + 10_000
