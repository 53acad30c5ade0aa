"""Writes the example jobs in this folder, in harbor's layout. Run it again after changing it:

.venv/bin/python examples/make_jobs.py
"""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay import harbor

JOBS = Path(__file__).parent / "jobs"
AGENT = "solver"
MODEL = "model-x"


@dataclass(frozen=True)
class Attempt:
    """What became of one attempt: a reward, an error, or both."""

    reward: float | None
    error: str | None = None
    message: str = ""


PASS = Attempt(1)
FAIL = Attempt(0)
LATE = Attempt(1, "AgentTimeoutError", "Agent execution timed out after 600.0 seconds")
SILENT = Attempt(
    None, "RewardFileNotFoundError", "No reward file found at verifier/reward.txt or verifier/reward.json"
)


def main() -> None:
    shutil.rmtree(JOBS, ignore_errors=True)
    sorting = {
        "bubble": [PASS, PASS, PASS, PASS],
        "merge": [PASS, FAIL, PASS, LATE],
        "radix": [FAIL, FAIL, SILENT, PASS],
        "timsort": [FAIL, FAIL, FAIL, FAIL],
    }
    write_job("sorting", sorting)
    tamper(write_job("tampered", {"merge": [PASS, FAIL], "radix": [FAIL, FAIL]}))
    cut_short(write_job("half-written", {"merge": [PASS, FAIL, FAIL], "radix": [PASS, FAIL, FAIL]}))


def write_job(name: str, tasks: dict[str, list[Attempt]]) -> Path:
    """A finished job: every task's first attempt, then every second, as harbor plans them."""
    job = JOBS / name
    attempts = max(map(len, tasks.values()))
    planned = [(task, i) for i in range(attempts) for task in tasks]
    for number, (task, i) in enumerate(planned):
        write_trial(job, name, task, f"{task}__{name[:4]}{number:03d}", number, tasks[task][i])
    write_json(job / "config.json", job_config(name, attempts))
    write_json(job / "lock.json", {"schema_version": 1, "trials": [lock_entry(name, task) for task, _ in planned]})
    write_result(job, len(planned))
    return job


def write_trial(job: Path, dataset: str, task: str, name: str, number: int, attempt: Attempt) -> None:
    trial = job / name
    (trial / "verifier").mkdir(parents=True)
    if attempt.reward is not None:
        (trial / "verifier" / "reward.txt").write_text(f"{attempt.reward}\n")
    times = {"started_at": f"2026-01-05T09:{number:02d}:00Z", "finished_at": f"2026-01-05T09:{number:02d}:41Z"}
    result = {
        "id": f"00000000-0000-4000-8000-{number:012d}",
        "task_name": task,
        "trial_name": name,
        "trial_uri": f"file:///jobs/{job.name}/{name}",
        "task_id": {"path": f"{dataset}/{task}"},
        "source": dataset,
        "task_checksum": "0" * 64,
        "config": {
            "task": {"path": f"{dataset}/{task}", "source": dataset},
            "trial_name": name,
            "agent": {"name": AGENT, "model_name": f"example/{MODEL}"},
        },
        "agent_info": {"name": AGENT, "version": "1.0", "model_info": {"name": MODEL, "provider": "example"}},
        "agent_result": {"n_input_tokens": 1200 + number, "n_output_tokens": 300, "cost_usd": 0.01},
        "verifier_result": None if attempt.reward is None else {"rewards": {"reward": float(attempt.reward)}},
        "exception_info": exception(attempt),
        **times,
        "step_results": None,
    }
    write_json(trial / "result.json", result)


def exception(attempt: Attempt) -> dict[str, str] | None:
    if attempt.error is None:
        return None
    return {
        "exception_type": attempt.error,
        "exception_message": attempt.message,
        "exception_traceback": "",
        "occurred_at": "2026-01-05T09:00:40",
    }


def write_result(job: Path, n_total: int) -> None:
    read = harbor.read_job(job)
    stats = harbor.job_stats(read.trials, read.metrics.by_dataset, n_total=n_total)
    times = ("2026-01-05T09:00:00", "2026-01-05T10:00:00", "2026-01-05T10:00:00")
    result = harbor.JobResult("00000000-0000-4000-8000-00000000ffff", *times, n_total, stats)
    (job / "result.json").write_text(harbor.job_text(result))


def job_config(name: str, attempts: int) -> dict[str, Any]:
    return {
        "job_name": name,
        "n_attempts": attempts,
        "metrics": [],
        "agents": [{"name": AGENT, "model_name": f"example/{MODEL}"}],
        "datasets": [{"path": name}],
        "tasks": [],
    }


def lock_entry(dataset: str, task: str) -> dict[str, Any]:
    return {
        "task": {"name": task, "type": "local", "digest": f"sha256:{'0' * 64}", "path": f"{dataset}/{task}"},
        "agent": {"name": AGENT, "model_name": f"example/{MODEL}"},
    }


def tamper(job: Path) -> None:
    """One trial claims a reward that its verifier did not give, and the job's mean follows the claim."""
    trial = next(job.glob("radix__*"))
    path = trial / "result.json"
    path.write_text(path.read_text().replace('"reward": 0.0', '"reward": 1.0'))
    write_result(job, 4)
    path = job / "result.json"
    path.write_text(path.read_text().replace('"mean": 0.5', '"mean": 0.75'))


def cut_short(job: Path) -> None:
    """What a crash leaves: a torn file, a trial without a result, one that never began, and somebody's notes."""
    trials = sorted(path for path in job.iterdir() if path.is_dir())
    torn = trials[0] / "result.json"
    torn.write_text(torn.read_text()[:400])
    (trials[1] / "result.json").unlink()
    shutil.rmtree(trials[-1])
    (job / "notes.txt").write_text("Machine went down at ten.\n")
    (job / "result.json").unlink()


def write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=4) + "\n")


if __name__ == "__main__":
    main()
