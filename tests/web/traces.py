"""A trajectory that tests look at, with everything in it."""

import json
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
