"""A run with everything that a run can have, and answers about it."""

import hashlib
import json
from typing import Any

from assay.evidence.coding_run import (
    AgentEnd,
    AuthorNote,
    CodingRecord,
    Diff,
    ExpectedOutcome,
    Form,
    MetricRow,
    ProcessEnd,
    RunStatus,
    ScorerRow,
    SessionTurn,
    Speaker,
    Subagent,
    Tail,
    ToolCall,
    ToolResult,
    Trajectory,
    TrajectoryStep,
)

DIFF = """\
diff --git a/calc.py b/calc.py
--- a/calc.py
+++ b/calc.py
@@ -1,2 +1,2 @@
 def add(a, b):
-    return a - b
+    return a + b
"""


def diff_of(text: str, cut: bool = False) -> Diff:
    return Diff(text, hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest(), cut)


def plain_run(task: str = "Say hello.", expected: ExpectedOutcome = "completion", **parts: Any) -> CodingRecord:
    """A run with nothing but its task, and these parts."""
    return CodingRecord(task, expected, RunStatus.COMPLETED, **parts)


def trajectory_of(*texts: str) -> Trajectory:
    return Trajectory(
        Form.TEXT, tuple(TrajectoryStep(at, Speaker.AGENT, text) for at, text in enumerate(texts, 1))
    )


OBJECTIVE = ScorerRow("tests", "command", True, "PASS", 1.0, "exit code 0", "python3 -m unittest", "OK\n")
RUN = CodingRecord(
    instruction="Fix add in calc.py.",
    expected_outcome="completion",
    status=RunStatus.COMPLETED,
    turns=(
        SessionTurn(1, "Fix add in calc.py.", "Done."),
        SessionTurn(2, "And don't touch the tests.", "Fixed; all tests pass."),
    ),
    trajectory=Trajectory(
        Form.ATIF,
        (
            TrajectoryStep(1, Speaker.USER, "Fix add in calc.py."),
            TrajectoryStep(
                2,
                Speaker.AGENT,
                "I read calc.py.",
                "Where is it?",
                (ToolCall("1", "bash", '{"command": "cat calc.py"}'),),
                (ToolResult("1", "def add(a, b):\n    return a - b\n"),),
            ),
        ),
        subagents=(Subagent("helper", Trajectory(Form.ATIF, (TrajectoryStep(1, Speaker.AGENT, "I looked."),))),),
    ),
    final_response="Fixed; all tests pass.",
    agent_end=AgentEnd(ProcessEnd(0), 12.5),
    outputs=(Tail("stdout.txt", "working\n"), Tail("stderr.txt", "a warning\n", cut=True)),
    diff=diff_of(DIFF),
    rows=(OBJECTIVE, ScorerRow("skips", "no_new_skips", False, "FAIL", 0.5, "1 new skip")),
    objective=OBJECTIVE,
    notes=(AuthorNote("readable", True, "Is it readable?"), AuthorNote("small", False, "Is it small?")),
    metrics=(MetricRow("exit_code", 0, None, True, "the agent ended by itself"),),
    remarks=("trajectory: 2 lines are no JSON",),
)
PASS: dict[str, Any] = {
    "reasoning": "The diff fixes add and the test passes.",
    "fact_check": [{"claim": "all tests pass", "evidence": "exit code 0", "verdict": "supported"}],
    "task_completion": 5,
    "instruction_adherence": 4,
    "efficiency": 3,
    "verdict": "PASS",
    "failure_mode": None,
}
FAIL: dict[str, Any] = {
    **PASS,
    "reasoning": "Nothing was fixed.",
    "task_completion": 1,
    "verdict": "FAIL",
    "failure_mode": "incomplete",
}


def said(answer: dict[str, Any] = PASS, **changed: Any) -> str:
    """An answer as a model writes it."""
    return json.dumps({**answer, **changed})
