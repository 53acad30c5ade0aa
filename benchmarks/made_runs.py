"""A store with many runs, made quickly: rows without their indexes first, and then all indexes at once."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from sqlalchemy import insert, text

from assay.adapters.store.run_tables import run_axes, run_metadata, run_texts, runs
from assay.adapters.store.runs.totals import Changes, apply
from assay.adapters.store.store import Store

BATCH = 10_000
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
WORDS = [f"word{n}" for n in range(5000)]
# One run in so many has words to search.
WORDED = 5


def fill(store: Store, organisation: str, count: int) -> None:
    """So many runs of 500 tasks, 20 models and 200 jobs: trials, coding runs and task runs."""
    indexes = [one for table in (runs, run_axes, run_metadata) for one in table.indexes]
    with store.writing() as connection:
        for one in indexes:
            one.drop(connection)
        chance, rows, changes = random.Random(7), _rows(organisation, count), Changes()
        while some := list(islice(rows, BATCH)):
            connection.execute(insert(runs), some)
            changes.add_all(some)
            _beside(connection, organisation, some, chance)
        apply(connection, organisation, changes)
        for one in indexes:
            one.create(connection)
    with store.writing() as connection:
        connection.execute(text("ANALYZE"))


def _rows(organisation: str, count: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(1)
    for number in range(count):
        kind = ("trial", "trial", "trial", "trial", "coding")[number % 5] if number % 20 else "task_run"
        score = None if number % 10 == 9 else float(number % 3 == 0) if number % 5 else chance.random()
        state = "unusable" if score is None else "passed" if score >= 1 else "partial" if score else "failed"
        coding = kind == "coding"
        checks = ("PASS", "FAIL", "N/A")[number % 3] if coding else None
        judge = ("PASS", "FAIL", "PENDING", "unparseable")[number % 4 if number % 1000 else 3] if coding else None
        at = BEGIN + timedelta(seconds=number * 17)
        yield {
            "id": f"run_{number:014x}{chance.getrandbits(80):020x}",
            "organisation": organisation,
            "kind": kind,
            "job": f"job-{number * 200 // count:03d}",
            "name": f"task-{number % 500:03d}__{number:07d}",
            "task": f"task-{number % 500:03d}",
            "agent": f"agent-{number % 12}",
            "model": f"model-{number % 20}" if number % 40 else None,
            "dataset": f"set-{number % 5}",
            "state": "broken" if number % 1000 == 3 else state,
            "rewards": None if score is None else f'{{"reward": {score!r}}}',
            "score": score,
            "reason": "agent_timeout" if score is None else None,
            "cause": "agent" if score is None else None,
            "exception_type": None,
            "cost_usd": chance.random(),
            "started_at": at.isoformat(),
            "finished_at": None,
            "digest": f"{number:064x}",
            "shown_digest": None,
            "created_at": at,
            "checks": checks,
            "judge": judge,
            "run_status": "completed" if number % 50 else "failed",
            "run_metrics_passed": number % 7 != 0 if coding else None,
            "validity": "valid" if number % 30 else "unparseable",
            "failure_mode": f"mode-{number % 11}" if judge == "FAIL" else None,
            "began_at": at,
            "duration_sec": chance.expovariate(1 / 300),
            "tokens": chance.randrange(1_000_000),
            "metadata": {"seed": number % 10_000},
            "axes": {"safety": (number % 101) / 100} if number % 3 == 0 else {},
            "gates_disagree": {checks, judge} == {"PASS", "FAIL"},
            "reviewers": int(number % 500 == 0),
            "reviewer_disagrees": number % 5000 == 0,
            "counted": True,
        }


def _beside(connection: Any, organisation: str, some: list[dict[str, Any]], chance: random.Random) -> None:
    mine = [(organisation, row["id"], row) for row in some]
    axes = [
        {"organisation": org, "run": run, "axis": axis, "score": score}
        for org, run, row in mine
        for axis, score in row["axes"].items()
    ]
    connection.execute(insert(run_axes), axes)
    known = [
        {"organisation": org, "run": run, "key": "seed", "value": str(row["metadata"]["seed"])}
        for org, run, row in mine
    ]
    connection.execute(insert(run_metadata), known)
    texts = [
        {"organisation": org, "run": run, "text": " ".join(["common", *chance.choices(WORDS, k=40)])}
        for org, run, _ in mine[::WORDED]
    ]
    connection.execute(insert(run_texts), texts)
