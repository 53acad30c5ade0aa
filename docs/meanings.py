"""Sentences for what has no docstring in the code: reason codes and plain values."""

# Stands on a page in place of a sentence that nobody wrote. The check looks for it.
MISSING = "(no sentence in docs/meanings.py)"

REASONS = {
    "harbor_agent_timeout_error": "The agent ran out of time. Its verifier may have given a reward all the same.",
    "harbor_broker_connection_failed": "The broker between runner and sandbox could not be reached.",
    "harbor_cancelled_error": "The trial was cancelled.",
    "harbor_environment_start_timeout_error": "The environment did not start in time.",
    "harbor_nonzero_exit": "The command that ran the job ended with an exit code other than 0.",
    "harbor_result_invalid": "The outcome line contradicts itself, or its score is not a number from 0 to 1.",
    "harbor_result_malformed": "The job's result.json, or the outcome line, can't be read.",
    "harbor_result_missing": "There is no result.json, or no outcome line.",
    "harbor_result_partial": "The outcome line has no status or no score.",
    "harbor_reward_empty": "The reward file has no bytes.",
    "harbor_reward_missing": "There is no reward: no reward file, or a result without one.",
    "harbor_reward_parse_error": "The reward file can't be read as rewards, or must not be read at all.",
    "harbor_submission_code_failed": "The code that was submitted, the agent itself, failed to install or run.",
    "harbor_trial_failed": "The trial failed in a way that no other code describes.",
    "harbor_trial_result_malformed": "The trial's result.json is there and can't be used.",
    "harbor_trial_result_missing": "The trial was planned or begun and has no result.json.",
    "harbor_verifier_timeout_error": "The verifier ran out of time.",
    "terminal_bench_broker_ref_missing": "The job has no reference to its broker.",
    "terminal_bench_job_dir_missing": "The job's folder is not there.",
    "terminal_bench_lease_expired": "The lease under which the job ran has expired.",
}

VALUES = {
    "FINAL": "The reason codes that another try would not change. See [reason codes](reason-codes.md).",
    "MAX": "The largest reward.",
    "MEAN": "The mean of the rewards, which is harbor's default.",
    "METRICS": "Harbor's own metrics by name: `mean`, `max`, `min` and `sum`.",
    "MIN": "The smallest reward.",
    "REASON_CODES": "All reason codes. See [reason codes](reason-codes.md).",
    "RETRYABLE": "The reason codes that are worth another try. See [reason codes](reason-codes.md).",
    "Rewards": "Rewards by name. Harbor allows any number, NaN and infinity included.",
    "SUM": "The sum of the rewards.",
}
