"""Trajectories and diffs of any size, made piece by piece."""

import json
from collections.abc import Iterator
from typing import Any


def atif(steps: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A trajectory in harbor's format."""
    about = {"name": "coder", "version": "1", "model_name": "example-1"}
    return {"schema_version": "ATIF-v1.4", "session_id": "s", "agent": about, "steps": steps, **more}


def step(number: int, source: str, message: str, **more: Any) -> dict[str, Any]:
    return {"step_id": number, "source": source, "message": message, **more}


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
