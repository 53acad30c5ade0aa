"""The files of a job folder as harbor writes them: every field, in harbor's order.

The functions make dictionaries; ``encode`` writes them as pydantic would.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic_core import to_json

from assay.dialects.harbor.rewards import Rewards
from assay.dialects.harbor.trial import NO_USAGE, Usage

HARBOR_VERSION = "0.13.1"

EXCLUDED_FROM_RETRY = (
    "AgentTimeoutError",
    "VerifierOutputParseError",
    "VerifierTimeoutError",
    "RewardFileNotFoundError",
    "RewardFileEmptyError",
)


def encode(value: object) -> str:
    """Indented by four, NaN and infinity as null, no newline at the end."""
    return to_json(value, indent=4, inf_nan_mode="null").decode()


def utc(moment: datetime | None) -> str | None:
    """A time as trials record it: UTC with a Z."""
    return None if moment is None else moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def local(moment: datetime | None) -> str | None:
    """A time as jobs record it: local time without a zone."""
    return None if moment is None else moment.astimezone().replace(tzinfo=None).isoformat()


def agent_config(
    name: str, model: str | None, kwargs: Mapping[str, Any], env: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "name": name,
        "import_path": None,
        "model_name": model,
        "skills": [],
        "override_timeout_sec": None,
        "override_setup_timeout_sec": None,
        "max_timeout_sec": None,
        "extra_allowed_hosts": [],
        "kwargs": dict(kwargs),
        "env": dict(env),
        "mcp_servers": [],
    }


def environment_config(backend: str) -> dict[str, Any]:
    return {
        "type": None,
        "import_path": f"assay.sandbox:{backend}",
        "force_build": False,
        "delete": True,
        "cpu_enforcement_policy": "auto",
        "memory_enforcement_policy": "auto",
        "override_cpus": None,
        "override_memory_mb": None,
        "override_storage_mb": None,
        "override_gpus": None,
        "override_tpu": None,
        "mounts": None,
        "extra_docker_compose": [],
        "env": {},
        "kwargs": {},
        "extra_allowed_hosts": [],
    }


def verifier_config() -> dict[str, Any]:
    return {"override_timeout_sec": None, "max_timeout_sec": None, "env": {}, "disable": False}


def task_reference(path: str, source: str | None) -> dict[str, Any]:
    return {
        "path": path,
        "git_url": None,
        "git_commit_id": None,
        "name": None,
        "ref": None,
        "overwrite": False,
        "download_dir": None,
        "source": source,
    }


_MULTIPLIERS = {
    "timeout_multiplier": 1.0,
    "agent_timeout_multiplier": None,
    "verifier_timeout_multiplier": None,
    "agent_setup_timeout_multiplier": None,
    "environment_build_timeout_multiplier": None,
}


def trial_config(
    *,
    task: dict[str, Any],
    name: str,
    folder: str,
    agent: dict[str, Any],
    environment: dict[str, Any],
    job_id: str,
) -> dict[str, Any]:
    return {
        "task": task,
        "trial_name": name,
        "trials_dir": folder,
        **_MULTIPLIERS,
        "agent": agent,
        "environment": environment,
        "verifier": verifier_config(),
        "artifacts": [],
        "extra_instruction_paths": [],
        "job_id": job_id,
    }


def retry_config(max_retries: int) -> dict[str, Any]:
    return {
        "max_retries": max_retries,
        "include_exceptions": None,
        "exclude_exceptions": list(EXCLUDED_FROM_RETRY),
        "wait_multiplier": 1.0,
        "min_wait_sec": 1.0,
        "max_wait_sec": 60.0,
    }


def job_config(
    *,
    name: str,
    jobs_dir: str,
    attempts: int,
    concurrent: int,
    max_retries: int,
    environment: dict[str, Any],
    agent: dict[str, Any],
    datasets: Sequence[str],
    tasks: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    return {
        "job_name": name,
        "jobs_dir": jobs_dir,
        "n_attempts": attempts,
        **_MULTIPLIERS,
        "debug": False,
        "n_concurrent_trials": concurrent,
        "quiet": False,
        "retry": retry_config(max_retries),
        "environment": environment,
        "verifier": verifier_config(),
        "metrics": [],
        "agents": [agent],
        "datasets": [_dataset(path) for path in datasets],
        "tasks": list(tasks),
        "artifacts": [],
        "extra_instruction_paths": [],
        "plugins": [],
    }


def _dataset(path: str) -> dict[str, Any]:
    return {
        "path": path,
        "name": None,
        "version": None,
        "ref": None,
        "registry_url": None,
        "registry_path": None,
        "overwrite": False,
        "download_dir": None,
        "task_names": None,
        "exclude_task_names": None,
        "n_tasks": None,
    }


def job_lock(
    *, created_at: datetime, invocation: Sequence[str], concurrent: int, max_retries: int, trials: list[Any]
) -> dict[str, Any]:
    retry = {key: value for key, value in retry_config(max_retries).items() if value is not None}
    return {
        "schema_version": 1,
        "created_at": utc(created_at),
        "harbor": {"version": HARBOR_VERSION, "is_editable": False},
        "invocation": list(invocation),
        "n_concurrent_trials": concurrent,
        "retry": retry,
        "trials": trials,
    }


def trial_lock(
    *, task: str, path: str, digest: str, source: str | None, agent: dict[str, Any], environment: dict[str, Any]
) -> dict[str, Any]:
    locked = {"name": task, "type": "local", "digest": f"sha256:{digest}", "source": source, "path": path}
    return {
        "task": _set(locked),
        "timeout_multiplier": 1.0,
        "agent": _set(agent),
        "skills": [],
        "environment": _set(environment),
        "verifier": _set(verifier_config()),
    }


def _set(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Only the fields that are set: lock files leave out the others."""
    return {key: value for key, value in fields.items() if value is not None}


def exception_info(kind: str, message: str, traceback: str, occurred_at: datetime) -> dict[str, Any]:
    return {
        "exception_type": kind,
        "exception_message": message,
        "exception_traceback": traceback,
        "occurred_at": local(occurred_at),
    }


def timing(started_at: datetime | None, finished_at: datetime | None) -> dict[str, Any] | None:
    if started_at is None:
        return None
    return {"started_at": utc(started_at), "finished_at": utc(finished_at)}


def verifier_result(rewards: Rewards | None) -> dict[str, Any]:
    return {"rewards": None if rewards is None else dict(rewards)}


def agent_result(usage: Usage = NO_USAGE, metadata: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The usage of an agent. What nobody counted is None: a command reports no tokens, and 0 would be wrong."""
    return {
        "n_input_tokens": usage.n_input_tokens,
        "n_cache_tokens": usage.n_cache_tokens,
        "n_output_tokens": usage.n_output_tokens,
        "cost_usd": usage.cost_usd,
        "rollout_details": None,
        "metadata": None if metadata is None else dict(metadata),
    }
