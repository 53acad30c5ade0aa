"""A run with everything that a run can have, and answers about it."""

import json
from typing import Any

from assay.evidence.judge_case import AgentOutput, JudgeCase, ObjectiveTest, RubricNote, ScorerResult, Step

DIFF = """\
diff --git a/calc.py b/calc.py
--- a/calc.py
+++ b/calc.py
@@ -1,2 +1,2 @@
 def add(a, b):
-    return a - b
+    return a + b
"""
CASE = JudgeCase(
    task="Fix add in calc.py.",
    turns=("Fix add.", "And don't touch the tests."),
    trajectory=(
        Step("agent", "I read calc.py."),
        Step("agent", '{"command": "cat calc.py"}', "call"),
        Step("tool", "def add(a, b):\n    return a - b\n", "result"),
    ),
    final_response="Fixed; all tests pass.",
    diff=DIFF,
    objective=ObjectiveTest("tests", "python3 -m unittest", "PASS", "exit code 0", "OK\n"),
    scorers=(
        ScorerResult("tests", "command", True, "PASS", 1.0, "exit code 0"),
        ScorerResult("skips", "no_new_skips", False, "FAIL", 0.5, "1 new skip"),
    ),
    notes=(RubricNote("readable", True, "Is it readable?"), RubricNote("small", False, "Is it small?")),
    agent_output=AgentOutput("working\n", "a warning\n", 0),
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
