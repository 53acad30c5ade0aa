"""The public interface to harbor 0.13.1, with the same results bit for bit.

>>> from assay import harbor
>>> harbor.pass_at_k(5, 1, 2)
0.3999999999999999
>>> harbor.MEAN.compute([{"reward": 1}, {"reward": 0}, None])
{'mean': 0.3333333333333333}
"""

import os

from assay.adapters.jobs.job_folder import DiskJobFolder, read_reward_files
from assay.core.pass_at_k import chance_of_a_success
from assay.dialects.harbor.errors import (
    RewardError,
    RewardFileEmptyError,
    RewardFileNotFoundError,
    RewardFileRefusedError,
    RewardNestingError,
    RewardValidationError,
    VerifierOutputParseError,
)
from assay.dialects.harbor.job_config import metrics_for
from assay.dialects.harbor.job_stats import (
    MAX,
    MEAN,
    METRICS,
    MIN,
    SUM,
    EvalStats,
    JobResult,
    JobStats,
    Metric,
    eligible_k,
    job_stats,
    pass_at_k_of_group,
)
from assay.dialects.harbor.job_text import job_text
from assay.dialects.harbor.outcome_line import BenchmarkOutcome, ParsedOutcome, outcome_of, parse_outcome
from assay.dialects.harbor.reasons import (
    FINAL,
    REASON_CODES,
    RETRYABLE,
    failure_cause,
    normalise_reason,
    reason_of_exception,
    reward_valid,
)
from assay.dialects.harbor.rewards import (
    Profile,
    RewardReading,
    Rewards,
    Step,
    Strategy,
    TrialRewards,
    parse_reward_files,
    stops_after,
    trial_rewards,
)
from assay.dialects.harbor.trial import Trial, Usage, UsageSum
from assay.dialects.harbor.verifier_result import dump_verifier_result, validate_rewards
from assay.engine.jobs.job import Job, Problem
from assay.engine.jobs.job import read_job as _read_job

STRICT_LIMIT = 1024 * 1024


def read_rewards(
    verifier_dir: str | os.PathLike[str], profile: Profile | str = Profile.HARBOR_0_13_1
) -> RewardReading:
    """Read the rewards in a verifier's folder. Raises a ``RewardError`` if they can't be used.

    It follows no links, never blocks, and reads at most 16 MB (1 MB with the profile ``strict``).
    """
    chosen = Profile(profile)
    if chosen is Profile.STRICT:
        return parse_reward_files(read_reward_files(verifier_dir, limit=STRICT_LIMIT), chosen)
    return parse_reward_files(read_reward_files(verifier_dir, order=chosen.order), chosen)


def pass_at_k(n: int, c: int, k: int) -> float:
    """Harbor's estimate that at least one of ``k`` attempts succeeds, from ``c`` successes in ``n`` attempts.

    Harbor uses it only for ``k`` up to ``n``. With fewer than ``k`` failures it is always 1.0.
    """
    return chance_of_a_success(n, c, k)


def read_job(path: str | os.PathLike[str]) -> Job:
    """Read a job folder: its trials in harbor's order, and the trials that can't be counted, with the reasons."""
    return _read_job(DiskJobFolder(path))


__all__ = [
    "FINAL",
    "MAX",
    "MEAN",
    "METRICS",
    "MIN",
    "REASON_CODES",
    "RETRYABLE",
    "SUM",
    "BenchmarkOutcome",
    "EvalStats",
    "Job",
    "JobResult",
    "JobStats",
    "Metric",
    "ParsedOutcome",
    "Problem",
    "Profile",
    "RewardError",
    "RewardFileEmptyError",
    "RewardFileNotFoundError",
    "RewardFileRefusedError",
    "RewardNestingError",
    "RewardReading",
    "RewardValidationError",
    "Rewards",
    "Step",
    "Strategy",
    "Trial",
    "TrialRewards",
    "Usage",
    "UsageSum",
    "VerifierOutputParseError",
    "dump_verifier_result",
    "eligible_k",
    "failure_cause",
    "job_stats",
    "job_text",
    "metrics_for",
    "normalise_reason",
    "outcome_of",
    "parse_outcome",
    "pass_at_k",
    "pass_at_k_of_group",
    "read_job",
    "read_rewards",
    "reason_of_exception",
    "reward_valid",
    "stops_after",
    "trial_rewards",
    "validate_rewards",
]
