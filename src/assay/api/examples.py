"""Examples of bodies, by the name of the route that takes them. A test holds them against the models."""

from typing import Any, Final

_ASSERTION: Final = {
    "assert": "portal-state-match",
    "correlate_by": {"resource": "appointments", "key": "visit-9"},
    "assertions": [{"path": "status", "expected": "booked"}],
}
_CRITERION: Final = {"label": "the visit is booked", "axis": "correctness", "weight": 2, "assertion": _ASSERTION}
_TASK: Final = {
    "name": "book a visit",
    "instruction": "Book a visit for June 5th at 3:30.",
    "data": {"patient": {"mrn": "00412"}},
    "timeout_s": 600,
    "criteria": [_CRITERION],
}

_ANNOTATION: Final = {"reviewer_id": "ana", "judgment": "fail", "categories": ["wrong unit"]}
_SCENARIO: Final = {
    "name": "fix the calculator",
    "user_instruction": "add() subtracts. Fix it.",
    "workspace_seed": {
        "type": "archive",
        "path": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    },
    "scorers": [
        {"name": "tests", "type": "command", "command": "python3 -m unittest"},
        {"name": "guard", "type": "tests_unmodified", "paths": ["tests/test_calc.py"]},
    ],
}

EXAMPLES: Final[dict[str, Any]] = {
    "create_task": _TASK,
    "replace_task": _TASK,
    "create_criterion": _CRITERION,
    "replace_criterion": _CRITERION,
    "try_out_criterion": {"criterion": _CRITERION, "playground_id": "play_0649a4f2c1b3e85d0c7f2a9b4e6d8c1f3a"},
    "create_benchmark": {"slug": "visits", "name": "Booking visits"},
    "create_version": {"tasks": ["task_0649a4f2c1b3e85d0c7f2a9b4e6d8c1f3a"]},
    "create_benchmark_run": {"benchmark": "visits@1", "scored": True},
    "create_task_run": {"task_id": "task_0649a4f2c1b3e85d0c7f2a9b4e6d8c1f3a", "scored": True},
    "create_whole_benchmark": {"slug": "visits", "tasks": [_TASK]},
    "lint_criteria": {"criteria": [_CRITERION], "data": {"patient": {"mrn": "00412"}}},
    "create_webhook": {"url": "https://bench.example/assay", "events": ["benchmark_run.ended"]},
    "replace_retention": {"days": 90},
    "cancel": {"reason": "the agent is gone"},
    "fail": {"reason": "the agent crashed"},
    "create_playground": {"data": {"patient": {"mrn": "00412"}}},
    "record_events": {
        "type": "hl7_outbound",
        "payload": "MSH|^~\\&|A|B|C|D|20260601||SIU^S12|1|P|2.5\rPID|1||00412\r",
    },
    "record_rows": [{"resource": "appointments", "key": "visit-9", "data": {"status": "booked"}}],
    "record_turns": [{"number": 1, "speaker": "agent", "text": "Your visit is booked."}],
    "record_responses": {"payload_base64": "SVNBKjAwKg=="},
    "put_source": {"url": "https://fhir.example/r4", "token": "the server's token"},
    "create_key": {"name": "ci", "scope": "grader", "expires_at": "2030-01-01T00:00:00Z"},
    "create_scenario": _SCENARIO,
    "replace_scenario": _SCENARIO,
    "put_judge": {"url": "https://models.example/v1", "models": ["careful-1"], "token": "the endpoint's key"},
    "create_coding_run": {"agent": "my-agent", "model": "big-1", "job": "nightly", "metadata": {"seed": "7"}},
    "complete_coding": {"status": "completed", "turns": [{"exit_code": 0, "duration_sec": 81.5}]},
    "grade_run_again": {"judge_only": False},
    "create_evaluation_result": {
        "run_id": "run_0649a4f2c1b3e85d0c7f2a9b4e6d8c1f3a",
        "verifier": {"reward_json": '{"reward": 0.75}', "details_json": '{"units": 0.5, "dose": 1}'},
    },
    "annotate_run": _ANNOTATION,
    "annotate_task_run": _ANNOTATION,
}
