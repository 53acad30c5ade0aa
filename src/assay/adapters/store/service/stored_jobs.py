"""A job as far as it can be had from the runs of a store. What its own files said isn't there."""

import json
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import select

from assay.adapters.store.limits import is_text
from assay.adapters.store.run_tables import runs
from assay.adapters.store.service.imported import UNUSABLE
from assay.adapters.store.store import Store
from assay.dialects.harbor.job_config import ConfiguredMetrics
from assay.dialects.harbor.metrics import MEAN
from assay.dialects.harbor.trial import Seconds, Trial, Usage
from assay.engine.job import Job, Problem
from assay.engine.service.errors import NotFoundError

MOST_RUNS: Final = 20_000
"""How many runs of a job are looked at."""
_COLUMNS: Final = tuple(
    runs.c[name]
    for name in (
        *("name", "task", "agent", "kind", "model", "dataset", "status", "validity", "rewards", "score"),
        *("reason_code", "exception_type", "cost_usd", "duration_sec", "started_at", "finished_at"),
    )
)


@dataclass(frozen=True, slots=True)
class StoredJob:
    """A job, and the names of its trials whose output was unusable."""

    job: Job
    unusable: frozenset[str]


def job_in_store(store: Store, organisation: str, name: str) -> StoredJob:
    """The job of that name. Raises ``NotFoundError``."""
    mine = (runs.c.organisation == organisation) & (runs.c.job == name)
    rows = (
        store.rows(select(*_COLUMNS).where(mine).order_by(runs.c.id).limit(MOST_RUNS + 1)) if is_text(name) else ()
    )
    trials: list[Trial] = []
    problems: list[Problem] = []
    unusable: list[str] = []
    notes: list[str] = []
    for count, row in enumerate(rows):
        if count == MOST_RUNS:
            notes.append(f"only the first {MOST_RUNS} runs are looked at")
            break
        if row.status == UNUSABLE:
            problems.append(Problem(row.name, row.reason_code or "", "it can't be counted"))
            continue
        trials.append(_trial(row))
        if row.validity == "unparseable":
            unusable.append(row.name)
    if not trials and not problems:
        raise NotFoundError("there is no such job")
    metrics = ConfiguredMetrics({trial.dataset: [MEAN] for trial in trials})
    return StoredJob(Job(name, trials, problems, metrics, recorded=None, notes=notes), frozenset(unusable))


def _trial(row: Any) -> Trial:
    """A coding run has a score instead of rewards."""
    rewards = None if row.rewards is None else json.loads(row.rewards)
    if rewards is None and row.score is not None:
        rewards = {"score": row.score}
    return Trial(
        name=row.name,
        task=row.task,
        agent=row.agent or row.kind,
        model=row.model,
        dataset=row.dataset or "adhoc",
        rewards=rewards,
        verified=rewards is not None,
        exception_type=row.exception_type,
        usage=None if row.cost_usd is None else Usage(cost_usd=row.cost_usd),
        started_at=row.started_at,
        finished_at=row.finished_at,
        seconds=Seconds(row.duration_sec),
    )
