"""A trajectory that tests look at, with everything in it."""

import json
from collections.abc import Collection
from pathlib import Path

from benchmarks.made_trace import atif, large_atif, large_diff, step

__all__ = ["atif", "large_atif", "large_diff", "step", "write_trace"]


def write_trace(agent: Path) -> None:
    """A trace with reasoning, tool calls, a subagent in another file, and a continuation."""
    agent.mkdir(parents=True, exist_ok=True)
    for old in agent.glob("trajectory*"):
        old.unlink()
    call = {"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "pytest -q"}}
    asked = {"tool_call_id": "c2", "function_name": "delegate", "arguments": {"task": "read the tests"}}
    answer = {"source_call_id": "c1", "content": "\u001b[31m1 failed\u001b[0m"}
    delegated = {
        "source_call_id": "c2",
        "content": "done",
        "subagent_trajectory_ref": [{"trajectory_path": "reader.json"}],
    }
    steps = [
        step(1, "user", "Make the tests pass."),
        step(2, "agent", "I run the tests.", reasoning_content="First look at what fails.", tool_calls=[call],
             observation={"results": [answer]}),
        step(3, "agent", "Somebody else reads them.", tool_calls=[asked], observation={"results": [delegated]}),
    ]  # fmt: skip
    first = atif(steps, continued_trajectory_ref="trajectory.cont-1.json")
    (agent / "trajectory.json").write_text(json.dumps(first))
    (agent / "trajectory.cont-1.json").write_text(json.dumps(atif([step(1, "agent", "All tests pass now.")])))
    (agent / "reader.json").write_text(json.dumps(atif([step(1, "agent", "The tests want a hyphen.")])))


def write_long_trace(agent: Path, count: int = 120, wrong: Collection[int] = (77,)) -> None:
    """A trace of many steps, some of which go wrong, with Markdown, times, tokens and a script in a call."""
    agent.mkdir(parents=True, exist_ok=True)
    command = "cat > sort.py <<'EOF'\ndef merge(left, right):\n    return left + right\nEOF\npytest -q"
    steps = [step(1, "user", "Make `merge` **stable**.\n\n- lose nothing", timestamp="2026-01-05T09:00:00Z")]
    for number in range(2, count):
        said = "Traceback (most recent call last)\nKeyError: 3" if number in wrong else "12 passed"
        call = {"tool_call_id": "c", "function_name": "bash", "arguments": {"command": command}}
        steps.append(
            step(number, "agent", "", tool_calls=[call], timestamp=f"2026-01-05T09:{number // 3 % 60:02d}:00Z",
                 observation={"results": [{"source_call_id": "c", "content": said}]},
                 metrics={"prompt_tokens": 1000, "completion_tokens": 40, "cached_tokens": 600, "cost_usd": 0.002})
        )  # fmt: skip
    steps.append(step(count, "agent", "**Done**: it is stable."))
    (agent / "trajectory.json").write_text(json.dumps(atif(steps)))
