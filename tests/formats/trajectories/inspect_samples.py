"""Logs of inspect as its documentation describes them, made for the tests."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

HEADER: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "eval": {
        "run_id": "r1",
        "created": "2026-03-01T10:00:00+00:00",
        "task": "sums",
        "task_id": "t1",
        "model": "openai/gpt-5",
        "dataset": {"name": "sums", "samples": 1},
        "config": {"epochs": 1},
    },
    "plan": {"name": "plan", "steps": [{"solver": "react", "params": {}}]},
}
SAMPLE: dict[str, Any] = {
    "id": "total",
    "epoch": 1,
    "input": "Make total() right.",
    "target": "",
    "messages": [
        {"id": "m0", "role": "system", "content": "You are a coding agent."},
        {"id": "m1", "role": "user", "content": "attachment://abc", "source": "input"},
        {
            "id": "m2",
            "role": "assistant",
            "content": [{"type": "reasoning", "reasoning": "Run the tests first."}, {"type": "text", "text": ""}],
            "tool_calls": [
                {"id": "c1", "function": "bash", "arguments": {"cmd": "pytest -q"}, "type": "function"}
            ],
        },
        {
            "id": "m3",
            "role": "tool",
            "content": "1 failed",
            "tool_call_id": "c1",
            "function": "bash",
            "error": {"type": "unknown", "message": "exit code 1"},
        },
        {"id": "m4", "role": "assistant", "content": "The sum began at 1; now it begins at 0."},
    ],
    "attachments": {"abc": "Make total() right."},
    "scores": {"includes": {"value": "C", "answer": "0", "explanation": "equal"}},
    "model_usage": {
        "openai/gpt-5": {
            "input_tokens": 2000,
            "output_tokens": 60,
            "total_tokens": 2060,
            "input_tokens_cache_read": 890,
            "total_cost": 0.02,
        }
    },
    "total_time": 12.5,
    "working_time": 11.0,
}


def eval_log(
    samples: Sequence[Mapping[str, Any]],
    header: Mapping[str, Any] = HEADER,
    more: Mapping[str, bytes] | None = None,
) -> bytes:
    """A log as inspect writes it: an archive with a header and one file for each sample."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({name: header[name] for name in ("version", "eval")}))
        for one in samples:
            archive.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one))
        for name, data in (more or {}).items():
            archive.writestr(name, data)
        archive.writestr("header.json", json.dumps(header))
    return file.getvalue()
