"""A part of a trace: its outline, the ways to any step, and subagents, at every size."""

import json
from typing import Any

import pytest

from assay.engine.explorer import trace_page
from assay.engine.explorer.trace_outline import arguments_of, first_line, is_error
from assay.engine.explorer.trace_page import LAST, LAST_STEPS, TracePart, TraceQuery, trace_part
from assay.evidence.coding_run import StatedUsage, ToolResult
from assay.evidence.files import HeldBytes
from tests.web.traces import atif, step

CALL = {"tool_call_id": "c", "function_name": "bash", "arguments": {"command": "make\nmake test"}}
INNER = {**atif([step(1, "agent", "I am the reader.")]), "trajectory_id": "reader"}


def trajectory(count: int = 100, **more: Any) -> dict[str, Any]:
    steps = [step(1, "user", "Fix it.")]
    for number in range(2, count + 1):
        said = "Traceback (most recent call last)\nKeyError" if number == 60 else "12 passed"
        result: dict[str, Any] = {"source_call_id": "c", "content": said}
        if number == 30:
            result["subagent_trajectory_ref"] = [{"trajectory_id": "reader"}]
        metrics = {"prompt_tokens": 100, "completion_tokens": 5, "cost_usd": 0.25}
        steps.append(
            step(number, "agent", "", tool_calls=[CALL], observation={"results": [result]}, metrics=metrics)
        )
    return atif(steps, **more)


def part(large: bool, monkeypatch: pytest.MonkeyPatch, value: Any, files: Any = None, **asked: Any) -> TracePart:
    """The same trajectory, read as a whole or piece by piece."""
    if large:
        monkeypatch.setattr(trace_page, "WHOLE", 10)
    beside = {name: HeldBytes(json.dumps(one).encode()) for name, one in (files or {}).items()}
    found = trace_part(HeldBytes(json.dumps(value).encode()), "trajectory.json", beside.get, TraceQuery(**asked))
    assert found is not None
    return found


@pytest.mark.parametrize("large", [False, True])
def test_steps_have_what_they_used_and_a_place(large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    found = part(large, monkeypatch, trajectory())
    assert found.request == "Fix it."
    assert found.steps[1].usage == StatedUsage(100, 5, None, 0.25)
    again = part(large, monkeypatch, trajectory(), place=found.place_of(7))
    assert (again.steps[0].number, again.steps[0].usage) == (7, StatedUsage(100, 5, None, 0.25))


def test_the_outline_of_a_small_trace_has_all_steps_and_marks_errors() -> None:
    found = part(False, pytest.MonkeyPatch(), trajectory())
    assert [row.number for row in found.outline] == list(range(1, 101))
    assert [row.number for row in found.outline if row.is_error] == [60]
    assert found.outline[1].line == "make"


def test_the_outline_of_a_long_trace_is_bounded_and_keeps_errors() -> None:
    found = part(False, pytest.MonkeyPatch(), trajectory(5000))
    numbers = [row.number for row in found.outline]
    assert len(numbers) < 200
    assert {1, 60, 5000} <= set(numbers)


@pytest.mark.parametrize("large", [False, True])
def test_the_last_steps_have_their_numbers(large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    found = part(large, monkeypatch, trajectory(), place=LAST)
    assert [one.number for one in found.steps] == list(range(101 - LAST_STEPS, 101))


@pytest.mark.parametrize("large", [False, True])
def test_the_last_steps_are_those_of_the_last_continuation(large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    more = {"more.json": atif([step(1, "agent", "All done.")])}
    found = part(large, monkeypatch, trajectory(continued_trajectory_ref="more.json"), more, place=LAST)
    assert (found.steps[-1].number, found.steps[-1].text) == (101, "All done.")


@pytest.mark.parametrize("large", [False, True])
def test_errors_are_found_without_the_other_steps(large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [one.number for one in part(large, monkeypatch, trajectory(), errors=True).steps] == [60]


@pytest.mark.parametrize("large", [False, True])
def test_a_subagent_inside_or_beside(large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = part(large, monkeypatch, trajectory(subagent_trajectories=[INNER]), subagent=("reader",))
    assert [one.text for one in inside.steps] == ["I am the reader."]
    beside = part(large, monkeypatch, trajectory(), {"reader": INNER}, subagent=("reader",))
    assert [one.text for one in beside.steps] == ["I am the reader."]
    nobody = part(large, monkeypatch, trajectory(), subagent=("nobody",))
    assert (nobody.steps, nobody.remarks) == ((), ("there is no such subagent",))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Traceback (most recent call last)", True),
        ("FAILED tests/test_a.py\n1 failed, 3 passed in 0.1s", True),
        ("Process exited with code 2", True),
        ("ValueError: no", True),
        ("bash: foo: command not found", True),
        ("exit code 0", False),
        ("0 failed, 3 passed", False),
        ("class MyError(Exception): ...", False),
        ("12 passed", False),
        ("", False),
    ],
)
def test_what_reads_like_an_error(text: str, wrong: bool) -> None:
    assert is_error(ToolResult(None, text)) is wrong
    assert is_error(ToolResult(None, text, failed=True))


def test_arguments_are_shown_as_the_texts_that_they_are() -> None:
    assert arguments_of('{"command": "a\\nb", "n": 3, "who": ["Seán"]}') == [
        ("command", "a\nb"),
        ("n", "3"),
        ("who", '["Seán"]'),
    ]
    assert arguments_of("not JSON") == [("", "not JSON")]
    assert arguments_of("") == []


def test_the_first_line_says_most() -> None:
    [one] = part(False, pytest.MonkeyPatch(), atif([step(1, "agent", "\n## Plan\n\nmore")])).steps
    assert first_line(one) == "Plan"
