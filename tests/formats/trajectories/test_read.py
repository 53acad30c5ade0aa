"""Trajectories are told apart by their content, and no bytes break the reader."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evidence.coding_run import Form, Speaker, StatedUsage, Trajectory
from assay.formats.trajectories import atif, messages
from assay.formats.trajectories.messages import read_trajectory
from assay.formats.trajectories.values import MAX_TEXT

STEP = {"step_id": 1, "source": "agent", "message": "Done."}
USER = {"step_id": 1, "source": "user", "message": "Fix it."}


def atif_file(*steps: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    agent = {"name": "terminus-2", "version": "1", "model_name": "m"}
    return {"schema_version": "ATIF-v1.7", "agent": agent, "steps": list(steps), **fields}


def reading(files: Mapping[str, Any]) -> Callable[[str], bytes | None]:
    return lambda name: json.dumps(files[name]).encode() if name in files else None


def read(value: Any, files: Mapping[str, Any] | None = None) -> Trajectory:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return read_trajectory(data, "trajectory.json", reading(files or {}))


def lines(*items: Any) -> bytes:
    return "".join(f"{json.dumps(item)}\n" for item in items).encode()


@pytest.mark.statement("scorers.trajectory-formats")
def test_atif_with_calls_results_reasoning_and_usage() -> None:
    call = {"tool_call_id": "c1", "function_name": "bash", "arguments": {"cmd": "ls"}}
    result = {"source_call_id": "c1", "content": [{"type": "text", "text": "a.py"}, {"type": "image"}]}
    step = {
        **STEP,
        "step_id": 2,
        "reasoning_content": "Look first.",
        "tool_calls": [call],
        "observation": {"results": [result]},
        "metrics": {"prompt_tokens": 10, "completion_tokens": 5, "cached_tokens": 4, "cost_usd": 0.25},
        "timestamp": "2026-01-01T00:00:00Z",
    }
    found = read(atif_file(USER, step))
    assert (found.form, found.agent, found.model) == (Form.ATIF, "terminus-2", "m")
    assert [one.speaker for one in found.steps] == [Speaker.USER, Speaker.AGENT]
    last = found.steps[1]
    assert (last.number, last.text, last.reasoning, last.time) == (
        2, "Done.", "Look first.", "2026-01-01T00:00:00Z",
    )  # fmt: skip
    assert (last.calls[0].name, last.calls[0].arguments) == ("bash", '{"cmd": "ls"}')
    assert (last.results[0].call_id, last.results[0].text) == ("c1", "a.py\n[image]")
    assert found.usage == StatedUsage(10, 5, 4, 0.25)
    assert (found.usage.tokens, found.last_message, found.remarks) == (15, "Done.", ())


def test_the_totals_count_where_no_step_states_its_usage() -> None:
    totals = {"total_prompt_tokens": 7, "total_completion_tokens": 2, "total_cost_usd": 0.5}
    assert read(atif_file(STEP, final_metrics=totals)).usage == StatedUsage(7, 2, None, 0.5)


def test_a_continuation_is_read_without_the_steps_that_it_copied() -> None:
    copied = {**STEP, "message": "Before.", "is_copied_context": True}
    second = atif_file(copied, {**STEP, "message": "After."}, continued_trajectory_ref="c2.json")
    third = atif_file({**STEP, "message": "Last."})
    first = atif_file({**STEP, "message": "Before."}, continued_trajectory_ref="c1.json")
    found = read(first, {"c1.json": second, "c2.json": third})
    assert [(step.number, step.text) for step in found.steps] == [(1, "Before."), (2, "After."), (3, "Last.")]


def test_subagents_embedded_and_in_files_of_their_own() -> None:
    inner = atif_file({**STEP, "message": "inner"}, trajectory_id="sub-1")
    outer = atif_file({**STEP, "message": "other"})
    references = [{"trajectory_id": "sub-1"}, {"trajectory_path": "sub/2.json"}]
    result = {"content": "delegated", "subagent_trajectory_ref": references}
    main = atif_file({**STEP, "observation": {"results": [result]}}, subagent_trajectories=[inner])
    found = read(main, {"sub/2.json": outer})
    assert [(one.name, one.trajectory.steps[0].text) for one in found.subagents] == [
        ("sub-1", "inner"),
        ("sub/2.json", "other"),
    ]
    assert found.steps[0].results[0].subagents == ("sub-1", "sub/2.json")
    assert found.agent_steps() == 3


@pytest.mark.parametrize(
    ("files", "remark"),
    [
        ({}, "the continuation c.json is missing or can't be read"),
        ({"c.json": [1]}, "the continuation c.json isn't a trajectory"),
        (
            {"c.json": atif_file(STEP, continued_trajectory_ref="c.json")},
            "the continuation c.json was read before",
        ),
    ],
)
def test_a_continuation_that_leads_nowhere_is_a_remark(files: Mapping[str, Any], remark: str) -> None:
    found = read(atif_file(STEP, continued_trajectory_ref="c.json"), files)
    assert remark in found.all_remarks()
    assert found.steps[0].text == "Done."


def test_subagents_that_call_themselves_end() -> None:
    again = {"observation": {"results": [{"subagent_trajectory_ref": [{"trajectory_path": "s.json"}]}]}}
    loop = atif_file({**STEP, **again})
    found = read(loop, {"s.json": loop})
    assert "s.json: the subagent s.json was read before" in found.all_remarks()


def test_what_is_no_step_is_a_remark() -> None:
    found = read(atif_file(STEP, {"source": "martian", "message": "x"}, fields=1) | {"steps": [STEP, 7, {}]})
    assert found.remarks == ("2 steps can't be read",)


def test_too_many_steps_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atif, "MAX_STEPS", 2)
    monkeypatch.setattr(messages, "MAX_STEPS", 2)
    for value in (atif_file(STEP, STEP, STEP), [{"role": "assistant", "content": "x"}] * 3):
        found = read(value)
        assert (len(found.steps), found.remarks) == (2, ("only the first 2 steps are read",))


@pytest.mark.statement("scorers.trajectory-formats")
def test_openai_messages_on_lines() -> None:
    call = {"id": "c", "function": {"name": "bash", "arguments": '{"cmd":"ls"}'}}
    found = read(
        lines(
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Fix it."},
            {"role": "assistant", "content": None, "tool_calls": [call], "usage": {"prompt_tokens": 3}},
            {"role": "tool", "tool_call_id": "c", "content": "a.py"},
            {"role": "assistant", "content": "Done."},
        )
    )
    assert found.form is Form.MESSAGES
    assert [step.speaker.value for step in found.steps] == ["system", "user", "agent", "tool", "agent"]
    assert found.steps[2].calls[0].arguments == '{"cmd":"ls"}'
    assert found.steps[3].results[0].text == "a.py"
    assert (found.last_message, found.usage.tokens) == ("Done.", 3)


def test_anthropic_messages_in_events() -> None:
    thought = {"type": "thinking", "thinking": "Hm."}
    use = {"type": "tool_use", "id": "u", "name": "Bash", "input": {"command": "ls"}}
    result = {"type": "tool_result", "tool_use_id": "u", "content": [{"type": "text", "text": "a.py"}]}
    found = read(
        lines(
            {"type": "system", "subtype": "init"},
            {"type": "assistant", "message": {"role": "assistant", "model": "m", "content": [thought, use]}},
            {"type": "user", "message": {"role": "user", "content": [result]}},
            {
                "type": "assistant",
                "message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
            },
            {"type": "result", "result": "Done."},
        )
    )
    assert [step.speaker.value for step in found.steps] == ["agent", "tool", "agent"]
    assert (found.steps[0].reasoning, found.steps[0].calls[0].name, found.steps[0].text) == ("Hm.", "Bash", "")
    assert (found.steps[1].results[0].text, found.last_message, found.model) == ("a.py", "Done.", "m")


@pytest.mark.parametrize("wrapped", [True, False])
def test_messages_in_one_list(wrapped: bool) -> None:
    items = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    found = read({"messages": items} if wrapped else items)
    assert (found.form, found.last_message) == (Form.MESSAGES, "Hello")


def test_a_line_that_was_not_finished_is_a_remark() -> None:
    data = lines({"role": "assistant", "content": "a\u2028b"}) + b'{"role": "assis'
    found = read(data)
    assert ([step.text for step in found.steps], found.remarks) == (["a\u2028b"], ("1 line can't be read",))


@pytest.mark.statement("scorers.trajectory-formats")
@pytest.mark.parametrize("data", [b"I did it.\n", b'{"level": "info"}\n{"level": "warn"}\n', b"[1, 2]", b'"x"'])
def test_anything_else_is_plain_text(data: bytes) -> None:
    found = read(data)
    assert (found.form, found.last_message) == (Form.TEXT, data.decode())


def test_an_empty_file_has_no_steps() -> None:
    assert read(b" \n").steps == ()


def test_a_text_that_is_too_long_loses_its_middle() -> None:
    text = read(b"a" * (MAX_TEXT + 10) + b"end").last_message or ""
    assert text.endswith("end")
    assert "[cut: 13 characters are left out]" in text


def test_deep_nesting_and_half_characters_do_no_harm() -> None:
    assert read(b"[" * 100_000).form is Form.TEXT
    found = read(b'[{"role": "assistant", "content": "\\ud800"}]')
    assert (found.last_message or "").encode() == b"\\ud800"


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "steps",
                    "agent",
                    "schema_version",
                    "source",
                    "message",
                    "role",
                    "content",
                    "tool_calls",
                    "observation",
                    "results",
                    "metrics",
                    "function",
                    "subagent_trajectory_ref",
                    "trajectory_path",
                    "subagent_trajectories",
                    "trajectory_id",
                    "messages",
                    "type",
                    "text",
                    "usage",
                    "continued_trajectory_ref",
                    "final_metrics",
                    "arguments",
                    "is_copied_context",
                    "prompt_tokens",
                    "cost_usd",
                ]
            ),
            inner | st.sampled_from(["user", "agent", "assistant", "tool", "text", "tool_use", "a.json"]),
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(json_values, st.dictionaries(st.just("a.json"), json_values))
def test_no_value_breaks_the_reader(value: Any, files: dict[str, Any]) -> None:
    for data in (json.dumps(value).encode(), lines(value, {"role": "assistant", "content": "x"})):
        found = read_trajectory(data, "trajectory.json", reading(files))
        assert isinstance(found.agent_steps(), int)
        json.dumps([step.text for step in found.steps]).encode()


@given(st.binary())
def test_no_bytes_break_the_reader(data: bytes) -> None:
    assert isinstance(read_trajectory(data, "t", lambda _: data), Trajectory)


def test_the_readers_have_the_same_bound() -> None:
    assert atif.MAX_STEPS == messages.MAX_STEPS
