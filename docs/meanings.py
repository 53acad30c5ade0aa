"""Descriptions of names without a docstring: plain values, and the fields of task.toml."""

# Appears on a page instead of a missing description. The check looks for it.
MISSING = "(no sentence in docs/meanings.py)"

VALUES = {
    "FINAL": "The reason codes for which a retry makes no sense. See [reason codes](reason-codes.md).",
    "MAX": "The largest reward.",
    "MEAN": "The mean of the rewards, which is harbor's default.",
    "METRICS": "Harbor's own metrics by name: `mean`, `max`, `min` and `sum`.",
    "MIN": "The smallest reward.",
    "REASON_CODES": "All reason codes. See [reason codes](reason-codes.md).",
    "RETRYABLE": "The reason codes for which a retry makes sense. See [reason codes](reason-codes.md).",
    "Files": "Files by name: their contents as text or bytes, None for one that the agent removed.",
    "Output": "What can be graded: a path, files by name, a diff, or an answer in words.",
    "Rewards": "Rewards by name. Harbor allows any number, NaN and infinity included.",
    "SUM": "The sum of the rewards.",
}

_PHASE = "`public` allows network access in this phase, `no-network` forbids it. Default: as in the environment."
_ARTIFACTS = "Paths of the workspace that are kept in the trial's artifacts, in addition to /logs/artifacts."
_AUTHORS = "The authors. Each has a `name` and may have an `email`."

# Descriptions of fields that are read but have no effect.
NO_EFFECT = frozenset({"", _AUTHORS})

TASK_FIELDS = {
    "schema_version": "The version of the format. `version` is an older name for it.",
    "task": "The name of the task.",
    "metadata": "Any values. Only `metadata.output` has an effect; see [below](#metadataoutput).",
    "verifier": "How the verifier runs.",
    "agent": "How the agent runs.",
    "environment": "Where both run.",
    "solution": "How the oracle runs.",
    "source": "",
    "multi_step_reward_strategy": "How the rewards of steps become those of the trial: their mean, or those of "
    "the last step that ran. The default is the mean.",
    "steps": "The steps of a multi-step task, in order. Each has a folder `steps/<name>`.",
    "artifacts": _ARTIFACTS,
    "task.name": "`organisation/name`. The name of the task in reports; the default is the folder's name.",
    "task.version": "",
    "task.description": "",
    "task.authors": _AUTHORS,
    "task.keywords": "",
    "environment.build_timeout_sec": "The time limit for building the image of `environment/Dockerfile`, in a "
    "container sandbox.",
    "environment.docker_image": "The image, if there is no `environment/Dockerfile`. It is used in a container "
    "sandbox and must be on the machine.",
    "environment.os": "Must be `linux`.",
    "environment.cpus": "The number of CPUs, 0.5 for half of one, if Assay can make control groups; otherwise "
    "not limited.",
    "environment.memory_mb": 'The memory limit of agent and verifier, each. `memory = "2G"` is an older form.',
    "environment.storage_mb": "The disk that agent and verifier may use, each; the default is 10240. "
    "Also the size limit of a single file, which is 4096 otherwise. "
    '`storage = "10G"` is an older form.',
    "environment.gpus": "Must be 0.",
    "environment.gpu_types": "",
    "environment.tpu": "",
    "environment.mcp_servers": "",
    "environment.env": "Environment variables for the agent and the verifier. A value `${NAME}` or "
    "`${NAME:-default}` is taken from the environment of `assay`; a task whose variable isn't set is refused.",
    "environment.skills_dir": "",
    "environment.healthcheck": "",
    "environment.workdir": "The working folder; the default is the Dockerfile's `WORKDIR`, or /workspace. Its "
    "topmost folder, /app of /app/src, belongs to the task: files of the system there are hidden.",
    "environment.network_mode": "`public` allows network access for the agent and the verifier. By default they "
    "have none. `allow_internet = true` is an older form.",
    "environment.allowed_hosts": "",
    "agent.timeout_sec": "The time limit of the agent; the default is 3600.",
    "agent.user": "The user in the sandbox: a number or `root`. Other names are refused, except in a container.",
    "agent.network_mode": _PHASE,
    "agent.allowed_hosts": "",
    "verifier.timeout_sec": "The time limit of the verifier. If it takes longer, there is no reward.",
    "verifier.env": "Environment variables for the verifier only, as in `environment.env`.",
    "verifier.user": "As `agent.user`.",
    "verifier.network_mode": _PHASE,
    "verifier.allowed_hosts": "",
    "verifier.environment_mode": "`separate` is the default. With `shared`, the verifier also gets what the "
    "agent left in its home, /tmp and the like. If `separate` is written down, `tests/Dockerfile` is the "
    "verifier's own image.",
    "verifier.environment": "An environment of the verifier's own, with the fields of `[environment]`; it means "
    "`separate`. Its image is `docker_image`, or that of `tests/Dockerfile`, and must have the tests. In it, the "
    "verifier gets the `artifacts` that the task declares, or the agent's folders if it declares none.",
    "verifier.collect": "",
    "solution.env": "Environment variables for the oracle.",
    "steps.name": "The name of the step and of its folder.",
    "steps.agent": "Settings of the agent for this step.",
    "steps.verifier": "Settings of the verifier for this step.",
    "steps.min_reward": "The lowest reward for the next step to run: a number for `reward`, or a table by key.",
    "steps.healthcheck": "",
    "steps.artifacts": _ARTIFACTS,
    "steps.agent.timeout_sec": "The time limit of the agent in this step; the default is that of the task.",
    "steps.agent.user": "The user in this step; the default is that of the task.",
    "steps.agent.network_mode": "The network access in this step; the default is that of the task.",
    "steps.agent.allowed_hosts": "",
    "steps.verifier.timeout_sec": "The time limit of the verifier of this step; the default is that of the task.",
    "steps.verifier.env": "Environment variables, in addition to the task's `verifier.env`.",
    "steps.verifier.user": "The user in this step; the default is that of the task.",
    "steps.verifier.network_mode": "The network access in this step; the default is that of the task.",
    "steps.verifier.allowed_hosts": "",
    "steps.verifier.environment_mode": "As in `[verifier]`, but it holds for all steps.",
    "steps.verifier.environment": "As `verifier.environment`, with `steps/<name>/tests/Dockerfile`.",
    "steps.verifier.collect": "",
}

_STEP = 'steps = [{{name = "one", {}}}]'

# Settings that are refused, as a line of TOML. The error message comes from the code.
REFUSED = {
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
    "verifier.collect": 'verifier.collect = [{command = "true"}]',
    "steps.healthcheck": _STEP.format('healthcheck = {command = "true"}'),
    "steps.agent.network_mode": _STEP.format('agent = {network_mode = "allowlist"}'),
    "steps.agent.allowed_hosts": _STEP.format('agent = {allowed_hosts = ["example.org"]}'),
    "steps.verifier.network_mode": _STEP.format('verifier = {network_mode = "allowlist"}'),
    "steps.verifier.allowed_hosts": _STEP.format('verifier = {allowed_hosts = ["example.org"]}'),
    "steps.verifier.collect": _STEP.format('verifier = {collect = [{command = "true"}]}'),
}
