"""Small builders: trials and jobs as harbor writes them, runs as terminal-bench writes them, and a time limit."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.evidence.files import Absent, Content, File, RewardFiles

REPO = Path(__file__).resolve().parent.parent
DATA = REPO / "tests" / "data"
HARBOR_JOBS = DATA / "harbor_jobs"
HARBOR_VECTORS = DATA / "vectors" / "harbor"


def reward_files(*, json: bytes | None = None, text: bytes | None = None) -> RewardFiles:
    """What a verifier left, in memory."""
    return RewardFiles(json=_file("/v/reward.json", json), text=_file("/v/reward.txt", text))


def _file(path: str, data: bytes | None) -> File:
    return Absent(path) if data is None else Content(path, data)


def typed(value: object) -> tuple[str, str]:
    """A number with its type and its exact spelling: equality would let 1 pass for 1.0, and NaN for nothing."""
    return type(value).__name__, repr(value)


def typed_values(rewards: Mapping[str, object] | None) -> dict[str, tuple[str, str]] | None:
    return None if rewards is None else {key: typed(value) for key, value in rewards.items()}


def trial_record(name: str, **fields: Any) -> dict[str, Any]:
    """A trial's result.json. ``rewards`` and ``exception`` are short for what harbor nests."""
    task = fields.pop("task", name.partition("__")[0])
    agent = fields.pop("agent", "solver")
    model = fields.pop("model", None)
    exception = fields.pop("exception", None)
    record = {
        "task_name": task,
        "trial_name": name,
        "source": fields.pop("dataset", "ds"),
        "config": {"task": {"path": None, "name": task}, "agent": {"name": agent, "model_name": model}},
        "agent_info": {"name": agent, "model_info": {"name": model} if model else None},
        "agent_result": fields.pop("usage", None),
        "verifier_result": {"rewards": fields.pop("rewards")} if "rewards" in fields else None,
        "exception_info": exception
        and {"exception_type": exception, "exception_message": fields.pop("message", "")},
        "started_at": fields.pop("started_at", None),
    }
    steps = fields.pop("steps", None)
    record["step_results"] = steps and [{"step_name": step} for step in steps]
    return record | fields


def write_trial(job: Path, name: str, *, files: Mapping[str, str] | None = None, **fields: Any) -> Path:
    """A trial's folder. ``files`` maps paths in it to their text: ``verifier/reward.txt``."""
    folder = job / name
    folder.mkdir(parents=True)
    (folder / "result.json").write_text(json.dumps(trial_record(name, **fields)))
    for path, text in (files or {}).items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return folder


def write_lock(job: Path, planned: Sequence[tuple[str, str]]) -> None:
    """lock.json: the planned trials as pairs of task and agent."""
    trials = [{"task": {"name": task}, "agent": {"name": agent}} for task, agent in planned]
    (job / "lock.json").write_text(json.dumps({"schema_version": 1, "trials": trials}))


def write_config(job: Path, *, datasets: Sequence[str] = ("ds",), metrics: Sequence[str] = ()) -> None:
    """config.json: the declared datasets and metrics."""
    config = {
        "metrics": [{"type": name} for name in metrics],
        "datasets": [{"path": f"somewhere/{name}"} for name in datasets],
    }
    (job / "config.json").write_text(json.dumps(config))


def write_run_folder(folder: Path, results: Mapping[str, Any] | None, **metadata: Any) -> Path:
    """A run folder of terminal-bench: its metadata and, if given, its results.json."""
    folder.mkdir(parents=True)
    metadata = {"agent_name": "tb-agent", "model_name": "tb-model", "dataset_name": "tb-core"} | metadata
    (folder / "run_metadata.json").write_text(json.dumps(metadata))
    if results is not None:
        (folder / "results.json").write_text(json.dumps(results))
    return folder


def run_entry(task: str, attempt: int, *, resolved: bool | None, **fields: Any) -> dict[str, Any]:
    """One entry of a run folder's results.json."""
    return {
        "trial_name": f"{task}.{attempt}-of-5.run",
        "task_id": task,
        "is_resolved": resolved,
        "failure_mode": "unset",
        "total_input_tokens": 10,
        "total_output_tokens": 1,
    } | fields


def edit_json(path: Path, change: Callable[[Any], None]) -> None:
    """Change a JSON file in place, keeping harbor's layout."""
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content, indent=4, ensure_ascii=False))


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail rather than hang: a read that blocks is interrupted."""

    def too_late(_signal: int, _frame: object) -> None:
        raise TimeoutError(f"still waiting after {seconds} s")

    previous = signal.signal(signal.SIGALRM, too_late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


@contextmanager
def unprivileged() -> Iterator[None]:
    """Do without root's right to read everything."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


def python_of_version(version: str) -> str | None:
    """The path of a Python of this version on this machine."""
    found = subprocess.run(
        [str(REPO / "scripts/find-python"), version], capture_output=True, text=True, check=True
    )
    return next(iter(found.stdout.split()), None)
