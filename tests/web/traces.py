"""Trajectories that tests look at: small ones with subagents and continuations, and one of any size."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def atif(steps: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A trajectory in harbor's format."""
    about = {"name": "coder", "version": "1", "model_name": "example-1"}
    return {"schema_version": "ATIF-v1.4", "session_id": "s", "agent": about, "steps": steps, **more}


def step(number: int, source: str, message: str, **more: Any) -> dict[str, Any]:
    return {"step_id": number, "source": source, "message": message, **more}


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


def large_atif(size: int, step_bytes: int = 5000) -> Iterator[str]:
    """The text of a trajectory of about so many bytes, piece by piece."""
    whole = json.dumps(atif([]))
    before, _, after = whole.partition('"steps": []')
    yield f'{before}"steps": ['
    text = "one two three " * (step_bytes // 14)
    for number in range(1, size // step_bytes + 1):
        comma = "" if number == 1 else ","
        result = {"results": [{"source_call_id": "c", "content": f"line {number} {text}"}]}
        call = {"tool_call_id": "c", "function_name": "bash", "arguments": {"command": f"run {number}"}}
        yield comma + json.dumps(
            step(number, "agent", f"step number {number}", tool_calls=[call], observation=result)
        )
    yield f"]{after}"


def large_diff(size: int) -> Iterator[str]:
    """The text of a diff of about so many bytes."""
    body = "".join(f"+a line of the diff, number {number}\n" for number in range(400))
    for number in range(size // (len(body) + 120)):
        path = f"src/file_{number}.py"
        head = f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"
        yield f"{head}@@ -0,0 +1,400 @@\n{body}"
