"""Adapters to other people's training loops, one a file. None of them imports its loop before it is used.

A dataset has many tasks, so all of them share ``Graders``, which makes each task ready once.
"""

from assay.rewards.loops.graders import Graders
from assay.rewards.loops.inspect_ai import inspect_scorer
from assay.rewards.loops.trl import trl_reward
from assay.rewards.loops.verifiers import verifiers_reward
from assay.rewards.loops.verl import verl_score

__all__ = ["Graders", "inspect_scorer", "trl_reward", "verifiers_reward", "verl_score"]
