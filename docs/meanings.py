"""Sentences for what has no docstring in the code: reason codes, plain values, and the fields of task.toml."""

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

INGESTION = {
    "reward_boolean": "The reward is `true` or `false`, not a number.",
    "reward_duplicate_key": "reward.json says the same key twice.",
    "reward_empty": "The reward file has no bytes.",
    "reward_for_schema_violation": "The output violates its schema, and the caller of `ingest` asked for that to "
    "cost the reward. `assay run` and `assay grade` do not ask for it.",
    "reward_for_unparseable_output": "The output is not there or can't be parsed, and the verifier gave a reward "
    "above 0 all the same. What it gave is kept in `validity.errors`.",
    "reward_key_missing": "reward.json is an object without the key `reward`.",
    "reward_malformed": "The reward file is not JSON, not an object, or, as reward.txt, not a number.",
    "reward_missing": "There is neither reward.json nor reward.txt, or the verifier ran out of time.",
    "reward_not_a_number": "The value of `reward` is a text, a list, an object or null.",
    "reward_not_finite": "The reward is NaN or infinite.",
    "reward_out_of_range": "The reward is below 0 or above 1.",
    "reward_refused": "Something that must not be read stands in place of the file: a link, a pipe, a folder.",
}

_PHASE = "`public` gives this phase the network, `no-network` takes it away; without it, the environment's holds."
_ARTIFACTS = "Paths of the workspace that are kept in the trial's artifacts, beside /logs/artifacts."
_AUTHORS = "Who wrote it. Each has a `name` and may have an `email`."

# Of a field that is not refused, these say that it is read and that nothing follows from it.
NO_EFFECT = frozenset({"", _AUTHORS})

TASK_FIELDS = {
    "schema_version": "The version of the format. `version` is an older name for it.",
    "task": "The name under which the task is known.",
    "metadata": "Anything. Only `metadata.output` has a meaning; see [below](#metadataoutput).",
    "verifier": "How the verifier runs.",
    "agent": "How the agent runs.",
    "environment": "Where both run.",
    "solution": "How the oracle runs.",
    "source": "",
    "multi_step_reward_strategy": "How the rewards of steps become the trial's: their mean, or those of the last "
    "step that ran. Without it, the mean.",
    "steps": "The steps of a multi-step task, in their order. Each has a folder `steps/<name>`.",
    "artifacts": _ARTIFACTS,
    "task.name": "`organisation/name`. It names the task in reports; without `[task]`, the folder's name does.",
    "task.description": "",
    "task.authors": _AUTHORS,
    "task.keywords": "",
    "environment.build_timeout_sec": "The time for building the image of `environment/Dockerfile`, in a container "
    "sandbox.",
    "environment.docker_image": "The image, where there is no `environment/Dockerfile`. It is used in a container "
    "sandbox and has to be on the machine.",
    "environment.os": "`linux`.",
    "environment.cpus": "A share of the CPUs, where control groups can be made; elsewhere not limited.",
    "environment.memory_mb": 'The memory that the agent and the verifier may use, each. `memory = "2G"` is an '
    "older form.",
    "environment.storage_mb": "The largest size of a single file that they write; 4096 without it. "
    '`storage = "10G"` is an older form.',
    "environment.gpus": "0.",
    "environment.gpu_types": "",
    "environment.tpu": "",
    "environment.mcp_servers": "",
    "environment.env": "Environment variables for the agent and the verifier. A value `${NAME}` or "
    "`${NAME:-default}` is taken from the environment of `assay`; one that has no value stops the job.",
    "environment.skills_dir": "",
    "environment.healthcheck": "",
    "environment.workdir": "The working folder; without it, the Dockerfile's `WORKDIR`, or /workspace. Its "
    "uppermost folder, /app of /app/src, belongs to the task: what the system has there is hidden.",
    "environment.network_mode": "`public` gives the agent and the verifier the network. Without it there is none. "
    "`allow_internet = true` is an older form.",
    "environment.allowed_hosts": "",
    "agent.timeout_sec": "The time of the agent; 3600 without it.",
    "agent.user": "The user in the sandbox: a number, or `root`. Another name stops the job.",
    "agent.network_mode": _PHASE,
    "agent.allowed_hosts": "",
    "verifier.timeout_sec": "The time of the verifier. One that needs more has no reward.",
    "verifier.env": "Environment variables for the verifier alone, in the form of `environment.env`.",
    "verifier.user": "As `agent.user`.",
    "verifier.network_mode": _PHASE,
    "verifier.allowed_hosts": "",
    "verifier.environment_mode": "`separate` is accepted, and it is what happens without it too.",
    "verifier.environment": "",
    "solution.env": "Environment variables for the oracle.",
    "steps.name": "The name of the step and of its folder.",
    "steps.agent": "What is different for the agent in this step.",
    "steps.verifier": "What is different for the verifier of this step.",
    "steps.min_reward": "The least reward for the next step to be run: a number for `reward`, or a table by key.",
    "steps.healthcheck": "",
    "steps.artifacts": _ARTIFACTS,
    "steps.agent.timeout_sec": "The time of the agent in this step; the task's without it.",
    "steps.agent.user": "The user in this step; the task's without it.",
    "steps.agent.network_mode": "The network in this step; the task's without it.",
    "steps.agent.allowed_hosts": "",
    "steps.verifier.timeout_sec": "The time of the verifier of this step; the task's without it.",
    "steps.verifier.env": "Added to the task's `verifier.env`.",
    "steps.verifier.user": "The user in this step; the task's without it.",
    "steps.verifier.network_mode": "The network in this step; the task's without it.",
    "steps.verifier.allowed_hosts": "",
    "steps.verifier.environment_mode": "",
    "steps.verifier.environment": "",
}

_STEP = 'steps = [{{name = "one", {}}}]'

# What is refused, as a line of TOML. The sentence that it is refused with comes from the code.
REFUSED = {
    "schema_version": 'schema_version = "2.0"',
    "environment.os": 'environment.os = "windows"',
    "environment.gpus": "environment.gpus = 1",
    "environment.gpu_types": "environment = {gpu_types = ['H100']}",
    "environment.tpu": "environment.tpu = {}",
    "environment.mcp_servers": 'environment.mcp_servers = [{name = "x"}]',
    "environment.skills_dir": 'environment.skills_dir = "/skills"',
    "environment.healthcheck": 'environment.healthcheck.command = "true"',
    "environment.network_mode": 'environment.network_mode = "allowlist"',
    "environment.allowed_hosts": 'environment.allowed_hosts = ["example.org"]',
    "agent.network_mode": 'agent.network_mode = "allowlist"',
    "agent.allowed_hosts": 'agent.allowed_hosts = ["example.org"]',
    "verifier.network_mode": 'verifier.network_mode = "allowlist"',
    "verifier.allowed_hosts": 'verifier.allowed_hosts = ["example.org"]',
    "verifier.environment_mode": 'verifier.environment_mode = "shared"',
    "verifier.environment": "verifier.environment = {}",
    "steps.healthcheck": _STEP.format('healthcheck = {command = "true"}'),
    "steps.agent.network_mode": _STEP.format('agent = {network_mode = "allowlist"}'),
    "steps.agent.allowed_hosts": _STEP.format('agent = {allowed_hosts = ["example.org"]}'),
    "steps.verifier.network_mode": _STEP.format('verifier = {network_mode = "allowlist"}'),
    "steps.verifier.allowed_hosts": _STEP.format('verifier = {allowed_hosts = ["example.org"]}'),
    "steps.verifier.environment_mode": _STEP.format('verifier = {environment_mode = "shared"}'),
    "steps.verifier.environment": _STEP.format("verifier = {environment = {}}"),
}
