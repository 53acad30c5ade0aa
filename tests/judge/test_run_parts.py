"""What a judge reads about a run, part by part."""

import dataclasses
import json
from typing import Any

import pytest

from assay.dialects.scorers.monitor_answer import PartCut
from assay.evidence.coding_run import CodingRecord, SessionTurn, Subagent, Tail
from assay.judge.bounds import PromptBounds, bounds_within
from assay.judge.run_parts import run_parts
from tests.judge.cases import DIFF, OBJECTIVE, RUN, diff_of, plain_run, trajectory_of


def parts(run: CodingRecord, bounds: PromptBounds | None = None) -> dict[str, list[dict[str, Any]]]:
    made = run_parts(run, bounds or PromptBounds())
    return {part.label: [json.loads(one) for one in part.lines] for part in made.parts}


def test_a_run_with_everything() -> None:
    found = parts(RUN)
    assert list(found) == [
        "task",
        "user turns",
        "trajectory",
        "diff",
        "objective test",
        "scorer results",
        "run metrics",
        "agent output",
        "final response",
        "remarks on the record",
        "notes of the author",
    ]
    assert found["task"] == [{"text": "Fix add in calc.py."}]
    assert [(one["step"], one["from"], one["kind"]) for one in found["trajectory"]] == [
        ("1", "user", "message"),
        ("2", "agent", "reasoning"),
        ("2", "agent", "message"),
        ("2", "agent", "call of bash"),
        ("2", "agent", "result"),
        ("helper/1", "agent", "message"),
    ]
    assert found["trajectory"][3]["text"] == '{"command": "cat calc.py"}'


@pytest.mark.statement("scorers.multi-turn")
def test_in_a_session_every_turn_is_read() -> None:
    assert parts(RUN)["user turns"] == [
        {"turn": 1, "user": "Fix add in calc.py."},
        {"turn": 1, "agent": "Done."},
        {"turn": 2, "user": "And don't touch the tests."},
        {"turn": 2, "agent": "Fixed; all tests pass."},
    ]


def test_the_same_text_is_read_once() -> None:
    text = "I did it, and here is how. " * 20
    output = (Tail("stdout.txt", f"{text}\n"), Tail("stderr.txt", "a warning"))
    turns = (SessionTurn(1, "Do it.", text), SessionTurn(2, "Thanks.", "Welcome."))
    run = plain_run(trajectory=trajectory_of("Hm.", text), outputs=output, final_response=text, turns=turns)
    found = parts(run)
    assert json.dumps(found).count("I did it") == 20
    assert [one.get("same_as") for one in (*found["agent output"], *found["final response"])] == [
        "trajectory, step 2",
        None,
        "trajectory, step 2",
    ]
    assert found["user turns"][1] == {"turn": 1, "same_as": "trajectory, step 2"}
    assert found["user turns"][3] == {"turn": 2, "agent": "Welcome."}


def test_a_text_that_is_cut_is_read_once_too() -> None:
    text = "".join(f"line {number} of what it printed\n" for number in range(1500))
    output = (Tail("agent-stdout.txt", text[-32_000:], True), Tail("agent-stderr.txt", "a warning"))
    found = parts(plain_run(trajectory=trajectory_of(text), outputs=output, final_response=text.strip()))
    assert json.dumps(found).count("line 1490 of") == 1
    assert [one.get("same_as") for one in (*found["agent output"], *found["final response"])] == [
        "trajectory, step 1",
        None,
        "trajectory, step 1",
    ]


def test_more_of_a_text_than_was_read_before_is_read() -> None:
    long = "It is long. " * 1500
    turns = (SessionTurn(1, "Do it.", long), SessionTurn(2, "Thanks.", "Welcome."))
    found = parts(plain_run(turns=turns, final_response=long))
    assert "cut_here" in found["user turns"][1]
    assert found["final response"] == [{"text": long}]


@pytest.mark.statement("scorers.judge-reads-diff")
def test_the_diff_with_its_hash() -> None:
    found = parts(RUN)["diff"]
    assert found[0] == {"file": "calc.py", "diff": DIFF}
    assert found[1]["whole_diff"]["sha256"] == diff_of(DIFF).sha256


@pytest.mark.statement("scorers.judge-reads-test")
def test_the_objective_test_and_its_command() -> None:
    test = {"name": "tests", "command": "python3 -m unittest", "verdict": "PASS", "detail": "exit code 0"}
    assert parts(RUN)["objective test"] == [{**test, "output": "OK\n"}]


@pytest.mark.statement("scorers.judge-reads-scorers")
def test_every_scorer_is_a_row() -> None:
    row = {"name": "skips", "type": "no_new_skips", "required": False, "verdict": "FAIL", "score": 0.5}
    assert [one["name"] for one in parts(RUN)["scorer results"]] == ["tests", "skips"]
    assert parts(RUN)["scorer results"][1] == {**row, "detail": "1 new skip"}


@pytest.mark.statement("scorers.judge-reads-notes")
def test_the_notes_of_llm_judge_scorers() -> None:
    assert parts(RUN)["notes of the author"] == [
        {"name": "readable", "required": True, "note": "Is it readable?"},
        {"name": "small", "required": False, "note": "Is it small?"},
    ]


@pytest.mark.statement("scorers.judge-reads-output")
def test_the_output_of_the_agent_and_its_exit_code() -> None:
    assert parts(RUN)["agent output"] == [
        {"exit_code": 0, "timed_out": False, "signal": None},
        {"stream": "stdout.txt", "beginning_missing": False, "text": "working\n"},
        {"stream": "stderr.txt", "beginning_missing": True, "text": "a warning\n"},
    ]


def test_a_run_without_a_workspace_has_no_part_for_it() -> None:
    assert list(parts(plain_run(final_response="Hello."))) == ["task", "final response"]


def test_one_turn_is_no_session() -> None:
    assert "user turns" not in parts(plain_run(turns=(SessionTurn(1, "Say hello.", None),)))


def test_a_run_that_changed_nothing_has_an_empty_diff() -> None:
    assert parts(plain_run(diff=diff_of("")))["diff"][0]["whole_diff"]["files"] == 0


def test_of_a_long_trajectory_the_beginning_and_the_end_are_shown() -> None:
    run = plain_run(trajectory=trajectory_of(*(f"step {number} " + "x" * 400 for number in range(1, 1001))))
    made = run_parts(run, PromptBounds())
    found = [json.loads(one) for one in made.parts[1].lines]
    (gap,) = [one["not_shown"] for one in found if "not_shown" in one]
    first, last = int(gap["from"]), int(gap["to"])
    assert [one["step"] for one in found if "step" in one] == [
        str(number) for number in (*range(1, first), *range(last + 1, 1001))
    ]
    assert found[first - 1] == {"not_shown": gap}
    assert 50 < first < last < 950
    assert made.cuts == [
        PartCut(part="trajectory", name=f"steps {first} to {last}", lines=gap["lines"], bytes=gap["bytes"])
    ]


def test_a_long_step_does_not_push_out_the_others() -> None:
    found = parts(plain_run(trajectory=trajectory_of("first", "x" * 10**6, "last")))["trajectory"]
    assert [one.get("text") for one in found][::2] == ["first", "last"]
    assert found[1]["cut_here"]["bytes"] > 900_000


def test_bounds_too_narrow_for_the_last_step() -> None:
    run = plain_run(trajectory=trajectory_of("first", "x" * 1000, "y" * 1000))
    found = parts(run, dataclasses.replace(PromptBounds(), trajectory=150))["trajectory"]
    assert [next(iter(one)) for one in found] == ["not_shown", "step"]


def test_names_that_an_agent_chose_are_bounded_too() -> None:
    deep = trajectory_of("looked")
    for _ in range(20):
        deep = dataclasses.replace(trajectory_of("asked"), subagents=(Subagent("n" * 10_000, deep),))
    files = "".join(f"diff --git a/{at}{'x' * 4000} b/{at}{'x' * 4000}\n+1\n" for at in range(300))
    made = run_parts(plain_run(trajectory=deep, diff=diff_of(files)), PromptBounds())
    assert sum(len(one) for part in made.parts for one in part.lines) < 2 * PromptBounds().total
    assert all(len(one["file"]) <= 200 for one in parts(plain_run(diff=diff_of(files)))["diff"] if "file" in one)


def test_the_end_of_an_output_is_what_is_kept() -> None:
    output = dataclasses.replace(OBJECTIVE, output="x\n" * 10_000 + "FAILED")
    (test,) = parts(dataclasses.replace(RUN, objective=output))["objective test"]
    assert test["output_after_the_cut"].endswith("FAILED")
    assert test["output"] == ""


def test_everything_at_once_stays_within_the_bounds() -> None:
    long = "y\n" * 10**6
    run = plain_run(
        long,
        turns=(SessionTurn(1, long, None), SessionTurn(2, long, None)),
        trajectory=trajectory_of(*[long] * 20),
        final_response=long,
        diff=diff_of(long),
        notes=tuple(dataclasses.replace(note, rubric=long) for note in RUN.notes),
        rows=tuple(dataclasses.replace(row, detail=long) for row in RUN.rows),
        objective=dataclasses.replace(OBJECTIVE, command=long, output=long, detail=long),
        outputs=(Tail("a", long), Tail("b", long)),
        remarks=(long,),
    )
    for limit in (8_000, 100_000, 10**9):
        bounds = bounds_within(limit)
        made = run_parts(run, bounds)
        # Each line break is two characters in a record, and the test's bounds count three times.
        most = 2 * (bounds.total + 2 * bounds.test) + 10_000
        assert sum(len(one) for part in made.parts for one in part.lines) < most
