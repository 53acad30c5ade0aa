"""Reason codes in a sentence each, for pages and for their reference."""

from typing import Final

HARBOR: Final = {
    "harbor_agent_timeout_error": "The agent ran out of time. The trial may still have a reward.",
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
    "harbor_submission_code_failed": "The submitted code, which is the agent, failed to install or run.",
    "harbor_trial_failed": "The trial failed in a way that no other code describes.",
    "harbor_trial_result_malformed": "The trial's result.json exists but can't be used.",
    "harbor_trial_result_missing": "The trial was planned or started but has no result.json.",
    "harbor_verifier_timeout_error": "The verifier ran out of time.",
    "terminal_bench_broker_ref_missing": "The job has no reference to its broker.",
    "terminal_bench_job_dir_missing": "The job's folder doesn't exist.",
    "terminal_bench_lease_expired": "The lease under which the job ran has expired.",
}
"""Codes of harbor's jobs."""

INGESTION: Final = {
    "reward_boolean": "The reward is `true` or `false`, not a number.",
    "reward_duplicate_key": "reward.json has the same key twice.",
    "reward_empty": "The reward file has no bytes.",
    "reward_for_schema_violation": "The output violates its schema, and the caller of `ingest` passed "
    "`schema_forbids_reward=True`. `assay run` and `assay grade` don't.",
    "reward_for_unparseable_output": "The output is missing or can't be parsed, but the verifier gave a reward "
    "above 0. `validity.errors` keeps that reward.",
    "reward_before_time_out": "The verifier wrote a reward, but ran out of time before it ended.",
    "reward_before_disk_limit": "The verifier wrote a reward, but used more disk than it may before it ended.",
    "reward_before_kill": "The verifier wrote a reward, but was killed before it ended. Only under the profile "
    "`strict`.",
    "reward_after_startup_files": "The agent left start-up files where the verifier shares its environment. Only "
    "under the profile `strict`.",
    "reward_files_disagree": "reward.json and reward.txt have different rewards. Only under the profile `strict`.",
    "download_failed": "The verifier couldn't download what it needs, nor on the untouched workspace.",
    "sandbox_failed": "The sandbox couldn't run the verifier on what the agent left.",
    "reward_key_missing": "reward.json is an object without the key `reward`.",
    "reward_malformed": "The reward file is not JSON, not an object, or, as reward.txt, not a number.",
    "reward_missing": "There is neither reward.json nor reward.txt.",
    "reward_not_a_number": "The value of `reward` is a string, a list, an object or null.",
    "reward_not_finite": "The reward is NaN or infinite.",
    "reward_out_of_range": "The reward is below 0 or above 1.",
    "reward_refused": "The path of the reward file has something that must not be read: a link, a pipe, a folder.",
}
"""Codes of rewards that can't be used."""

OWN: Final = {
    "cancelled": "Somebody ended it.",
    "measurement_broken": "The machine failed while the run was measured.",
    "no_deciding_key": "It has several rewards, and none of them decides.",
    "no_judge": "No scorer applies, and no judge has given a verdict.",
    "output_unparseable": "The output is missing or can't be parsed.",
    "run_failed": "The run itself failed before the agent was done.",
    "timed_out": "Its time was over before the agent handed in.",
    "verification_disabled": "Verification was disabled, so there is no reward.",
}
"""Codes of the states that Assay decides."""

WORDS: Final = HARBOR | INGESTION | OWN
