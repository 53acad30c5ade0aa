"""Job folders in harbor's layout: as many trials as wanted, as large as wanted, the same ones in every run.

Only what a report reads is written: the job's own files and each trial's result.json.
"""

import json
import os
import random
import shutil
import string
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay import harbor

ATTEMPTS = 4
SEED = 13

_LETTERS = string.ascii_letters + string.digits
_TIMES = {"started_at": "2026-11-15T18:18:32.351780Z", "finished_at": "2026-11-15T18:18:32.352311Z"}
_FRAME = '  File "/opt/harbor/lib/python3.12/site-packages/harbor/trial/single_step.py", line 91, in _run\n'
_TRACEBACK = "Traceback (most recent call last):\n" + 10 * _FRAME
_ENVIRONMENT = {
    "force_build": False,
    "delete": True,
    "cpu_enforcement_policy": "auto",
    "memory_enforcement_policy": "auto",
    "extra_docker_compose": [],
    "env": {},
    "kwargs": {},
    "extra_allowed_hosts": [],
}
_AGENT = {
    "name": "solver",
    "model_name": "example/model-x",
    "skills": [],
    "extra_allowed_hosts": [],
    "kwargs": {},
    "env": {},
    "mcp_servers": [],
}


@dataclass(frozen=True, slots=True)
class MadeJobs:
    """The job folders of one run. Each is made when it is first asked for, and its result.json last."""

    root: Path

    def job(self, trials: int, *, padding: int = 0) -> Path:
        """A finished job of so many trials, each larger by ``padding`` bytes of rollout than the usual 3 KB."""
        job = self.root / f"job-{trials}-{padding}"
        if not (job / "result.json").exists():
            shutil.rmtree(job, ignore_errors=True)
            _write_job(job, trials, padding)
        return job


def _write_job(job: Path, trials: int, padding: int) -> None:
    job.mkdir()
    rng = random.Random(SEED)
    texts = _result_texts(padding)
    plan = [f"task-{number:06d}" for number in range(-(-trials // ATTEMPTS))] * ATTEMPTS
    for number, task in enumerate(plan[:trials]):
        name = f"{task}__{''.join(rng.choices(_LETTERS, k=7))}"
        text = rng.choice(texts).replace("@TASK@", task).replace("@TRIAL@", name).replace("@N@", f"{number:06d}")
        # Not pathlib: with 100,000 trials, its paths would cost more than the files.
        os.mkdir(f"{job}/{name}")
        with open(f"{job}/{name}/result.json", "w") as file:
            file.write(text)
    _write_json(job / "config.json", _job_config(job.name))
    (job / "lock.json").write_text("".join(_lock(plan[:trials])))
    _write_result(job, trials)


def _result_texts(padding: int) -> list[str]:
    """Twenty results, all as likely: two with an exception, of which one has a reward all the same."""
    timeout = _exception("AgentTimeoutError", "Agent execution timed out after 600.0 seconds")
    missing = _exception("RewardFileNotFoundError", "No reward file found at verifier/reward.txt")
    rewards = (0.0, 0.0, 1.0, 1.0, 0.5, 0.25, 0.7, 1, 0)
    scored = [_result({"reward": value}, None, padding) for value in rewards]
    return 2 * scored + [_result({"reward": 1.0}, timeout, padding), _result(None, missing, padding)]


def _exception(name: str, message: str) -> dict[str, str]:
    return {
        "exception_type": name,
        "exception_message": message,
        "exception_traceback": f"{_TRACEBACK}{name}: {message}\n",
        "occurred_at": "2026-11-15T18:18:36.324601",
    }


def _result(rewards: dict[str, float] | None, exception: dict[str, str] | None, padding: int) -> str:
    """A trial's result.json with marks where trials differ."""
    result = {
        "id": "43c24571-b44d-4162-8a65-0f1f95@N@",
        "task_name": "@TASK@",
        "trial_name": "@TRIAL@",
        "trial_uri": "file:///srv/harbor/jobs/made/@TRIAL@",
        "task_id": {"path": "ds/@TASK@"},
        "source": "ds",
        "task_checksum": "e0eee7c28bff114bfb9d6577037f963164e73c928751c8253733c17708fbfc1f",
        "config": _trial_config(),
        "agent_info": {
            "name": "solver",
            "version": "1.0.0",
            "model_info": {"name": "model-x", "provider": "example"},
        },
        "agent_result": {
            "n_input_tokens": 48210,
            "n_cache_tokens": 31044,
            "n_output_tokens": 2817,
            "cost_usd": 0.0731,
            "rollout_details": _rollout(padding),
            "metadata": None,
        },
        "verifier_result": None if rewards is None else {"rewards": rewards},
        "exception_info": exception,
        "started_at": "2026-11-15T18:18:32.@N@Z",
        "finished_at": "2026-11-15T18:18:52.@N@Z",
        "environment_setup": _TIMES,
        "agent_setup": _TIMES,
        "agent_execution": _TIMES,
        "verifier": _TIMES,
        "step_results": None,
    }
    return json.dumps(result, indent=4)


def _trial_config() -> dict[str, Any]:
    unset = (
        "override_cpus",
        "override_memory_mb",
        "override_storage_mb",
        "override_gpus",
        "override_tpu",
        "mounts",
    )
    limits = ("override_timeout_sec", "override_setup_timeout_sec", "max_timeout_sec")
    return {
        "task": {
            "path": "ds/@TASK@",
            **dict.fromkeys(("git_url", "git_commit_id", "name", "ref")),
            "overwrite": False,
            "download_dir": None,
            "source": "ds",
        },
        "trial_name": "@TRIAL@",
        "trials_dir": "jobs/made",
        "timeout_multiplier": 1.0,
        "agent_timeout_multiplier": None,
        "verifier_timeout_multiplier": None,
        "agent_setup_timeout_multiplier": None,
        "environment_build_timeout_multiplier": None,
        "agent": {**_AGENT, "import_path": None, **dict.fromkeys(limits)},
        "environment": {"type": "docker", "import_path": None, **_ENVIRONMENT, **dict.fromkeys(unset)},
        "verifier": {"override_timeout_sec": None, "max_timeout_sec": None, "env": {}, "disable": False},
        "artifacts": [],
        "extra_instruction_paths": [],
        "job_id": "b70482ca-0309-4cb9-b3c7-bb3828303247",
    }


def _rollout(padding: int) -> list[dict[str, Any]] | None:
    """Token ids and log-probabilities, one a line, of about as many bytes in all."""
    if not padding:
        return None
    count = padding // 60
    return [{"completion_token_ids": [list(range(count))], "logprobs": [[-0.125] * count]}]


def _job_config(name: str) -> dict[str, Any]:
    return {
        "job_name": name,
        "jobs_dir": "jobs",
        "n_attempts": ATTEMPTS,
        "environment": _ENVIRONMENT,
        "metrics": [],
        "agents": [_AGENT],
        "datasets": [{"path": "ds", "name": None}],
        "tasks": [],
    }


def _lock(plan: list[str]) -> Iterator[str]:
    """The text of lock.json, about 1200 bytes a trial."""
    entry = {
        "task": {
            "name": "@TASK@",
            "type": "local",
            "digest": f"sha256:{'0' * 64}",
            "source": "ds",
            "path": "ds/@TASK@",
        },
        "timeout_multiplier": 1.0,
        "agent": _AGENT,
        "skills": [],
        "environment": _ENVIRONMENT,
        "verifier": {"env": {}, "disable": False},
    }
    text = json.dumps(entry, indent=4).replace("\n", "\n        ")
    yield '{\n    "schema_version": 1,\n    "trials": [\n        '
    for number, task in enumerate(plan):
        yield (",\n        " if number else "") + text.replace("@TASK@", task)
    yield "\n    ]\n}"


def _write_result(job: Path, trials: int) -> None:
    """The job's result.json, derived from its trials: it names every one of them."""
    started, finished = "2026-11-15T18:18:26.936052", "2026-11-15T18:19:36.388984"
    found = harbor.read_job(job)
    stats = harbor.job_stats(found.trials, found.metrics.by_dataset, n_total=trials)
    text = harbor.job_text(harbor.JobResult("made", started, finished, finished, trials, stats))
    (job / "result.json").write_text(text)


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=4))
