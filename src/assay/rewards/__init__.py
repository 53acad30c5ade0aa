"""Rewards for a training loop: outputs of agents, graded in the process that trains, as ``assay run`` would.

>>> from assay import rewards
>>> with rewards.SyncGrader("examples/tasks/capital") as grader:
...     grading = grader.grade(rewards.Answer("Lima"))
>>> grading.reward, grading.state.value
(0.0, 'failed')
"""

from assay.evidence.run import Cause, State
from assay.rewards.graded import GradedOutput
from assay.rewards.grader import Environment, Episode, Grader, SyncGrader
from assay.rewards.monitor import HackMonitor
from assay.rewards.outputs import Answer, Diff, Files, Output

__all__ = [
    "Answer",
    "Cause",
    "Diff",
    "Environment",
    "Episode",
    "Files",
    "GradedOutput",
    "Grader",
    "HackMonitor",
    "Output",
    "State",
    "SyncGrader",
]
