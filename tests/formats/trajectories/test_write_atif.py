"""A trajectory in any form becomes one in harbor's, and is read back as the same."""

import json
from typing import Any

import pytest

from assay.evidence.coding_run import Form, Trajectory
from assay.formats.trajectories.atif import atif_of
from assay.formats.trajectories.messages import read_trajectory

CALL = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "List the files."},
    {"role": "assistant", "content": "I look.", "tool_calls": [CALL], "reasoning_content": "Hm."},
    {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
    {"role": "tool", "tool_call_id": "unknown", "content": "b.txt"},
    {"role": "assistant", "content": "There are two."},
    {"role": "exit", "content": "done"},
]


def read(value: Any) -> Trajectory:
    return read_trajectory(json.dumps(value).encode(), "x", lambda _name: None)


def test_tools_answer_in_the_step_that_called_them() -> None:
    written = atif_of(read({"messages": MESSAGES}), "mini", "2.0", "acme/tiny")
    assert [step["source"] for step in written["steps"]] == ["system", "user", "agent", "agent"]
    assert [step["step_id"] for step in written["steps"]] == [1, 2, 3, 4]
    called = written["steps"][2]
    assert called["tool_calls"] == [
        {"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "ls"}}
    ]
    assert called["observation"]["results"] == [
        {"source_call_id": "c1", "content": "a.txt"},
        {"content": "b.txt"},
    ]
    assert called["reasoning_content"] == "Hm."
    assert written["agent"] == {"name": "mini", "version": "2.0", "model_name": "acme/tiny"}
    assert written["final_metrics"] == {"total_steps": 4}


def test_it_is_read_back_with_the_same_words() -> None:
    before = read(MESSAGES)
    after = read(atif_of(before, "mini", None, None))
    assert after.form is Form.ATIF
    assert after.last_message == before.last_message
    assert after.agent_steps() == before.agent_steps()
    assert [step.calls for step in after.steps if step.calls] == [
        step.calls for step in before.steps if step.calls
    ]


@pytest.mark.parametrize(
    ("messages", "sources"),
    [
        ([{"role": "tool", "content": "first"}, {"role": "user", "content": "x"}], ["system", "user"]),
        ([{"role": "assistant", "content": "", "tool_calls": [{"id": None, "name": "f"}]}], ["agent"]),
    ],
)
def test_odd_records_are_written_all_the_same(messages: list[Any], sources: list[str]) -> None:
    written = atif_of(read(messages), "a", None, None)
    assert [step["source"] for step in written["steps"]] == sources
    assert json.loads(json.dumps(written)) == written


def test_plain_text_is_one_step() -> None:
    told = read_trajectory(b"# a chat\n\nsome text", "x.md", lambda _name: None)
    assert [step["message"] for step in atif_of(told, "a", None, None)["steps"]] == ["# a chat\n\nsome text"]


def test_usage_is_told_as_far_as_it_is_known() -> None:
    told = read([{"role": "assistant", "content": "x", "usage": {"input_tokens": 5, "output_tokens": 2}}])
    totals = {"total_prompt_tokens": 5, "total_completion_tokens": 2, "total_steps": 1}
    assert atif_of(told, "a", None, None)["final_metrics"] == totals
