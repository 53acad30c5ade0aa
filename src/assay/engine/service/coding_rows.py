"""A graded coding run as a run of the explorer: its gates, its reward, its files and what is searched of it."""

import json
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Final

from assay.dialects.scorers.report import ScorersReport
from assay.dialects.scorers.resources import CodingRun, CodingTask, UploadedFile
from assay.dialects.scorers.scored_run import AgentEnded, ScoredRun
from assay.engine.coding_scoring import rewards_of
from assay.engine.service.blobs import DIFF, FINAL_RESPONSE, LOG, TRAJECTORY, Blob, RunFile
from assay.engine.service.imported_runs import ImportedRun
from assay.engine.service.run_evidence import gates_of
from assay.evidence.coding_run import RunStatus

KIND: Final = "coding"
WORKSPACE: Final = "workspace"
BROKEN: Final = "MeasurementError"
# What a name of the agent's logs begins with, and what such a file is.
_KINDS: Final = {
    "trajectory.": TRAJECTORY,
    "messages.jsonl": TRAJECTORY,
    "final_response.": FINAL_RESPONSE,
    "response.": FINAL_RESPONSE,
    "stdout.txt": LOG,
    "stderr.txt": f"{LOG}/stderr",
}


def coding_row(
    run: CodingRun, task: CodingTask, record: ScoredRun, files: Iterable[RunFile], text: str
) -> ImportedRun:
    """The row of a run by one of its gradings. A broken measurement has no score, and says that it broke."""
    report = record.report
    reward, broken = score_of(report)
    gates = gates_of(report)
    known = {one.name: one.value for one in report.run.metrics}
    return ImportedRun(
        job=run.job,
        name=run.id,
        task=task.name or task.id,
        agent=run.agent,
        model=run.model,
        dataset=f"{task.scenario_id}@{task.scenario_version}",
        status=_status(report.run.status, broken, reward),
        rewards=None if reward is None else json.dumps({"reward": reward}),
        score=reward,
        reason_code=None,
        exception_type=None if broken is None else BROKEN,
        cost_usd=_number(known.get("cost_usd")),
        started_at=_started(run, record.turns),
        finished_at=None if run.ended_at is None else run.ended_at.isoformat(),
        kind=KIND,
        verdict=None if reward is None else gates.verdict,
        checks=gates.checks,
        judge=gates.judge,
        run_status=gates.run_status,
        run_metrics_passed=gates.run_metrics_passed,
        validity="valid" if broken is None else "not_completed",
        failure_mode=gates.failure_mode,
        duration_sec=_duration(record.turns),
        tokens=_whole(known.get("tokens")),
        measurement_broken=broken is not None,
        gates_disagree=gates.disagree,
        metadata={**run.metadata, "coding_task": task.id, "scenario_sha256": report.provenance.scenario_sha256},
        files=tuple(files),
        text=text,
    )


def score_of(report: ScorersReport) -> tuple[float | None, str | None]:
    """The reward of a run, and why the measurement broke, if it did: then there is no reward.

    An agent that gave up or ran out of time was run to its end. A run that failed was not: something around the
    agent broke. One that was cancelled counts for nobody.
    """
    if report.run.status is RunStatus.FAILED:
        return None, "the run failed before the agent was done"
    rewards, broken = rewards_of(report)
    if report.run.status is not RunStatus.COMPLETED or rewards is None or not rewards.rewards:
        return None, broken
    return float(rewards.rewards["reward"]), None


def named_files(uploads: Iterable[UploadedFile], beside: Mapping[str, Blob]) -> list[RunFile]:
    """The files of a run by what they are. A log that is nothing known has its path as its name."""
    named: dict[str, RunFile] = {}
    for one in uploads:
        folder, _, name = one.path.rpartition("/")
        kind = next((kind for start, kind in _KINDS.items() if name.startswith(start)), None)
        known = f"agent/{one.path}" if kind is None else f"{folder}/{kind}".removeprefix("/")
        free = known if known not in named else f"agent/{one.path}"
        named[free] = RunFile(free, Blob(one.sha256, one.size))
    return [*named.values(), *(RunFile(name, blob) for name, blob in beside.items())]


def diff_name(number: int) -> str:
    """The name of a grading's diff. The first one has the plain name."""
    return DIFF if number == 1 else f"{DIFF}/{number}"


def _status(status: RunStatus, broken: str | None, score: float | None) -> str:
    if status is RunStatus.CANCELLED:
        return "cancelled"
    return "errored" if broken is not None else "unscored" if score is None else "scored"


def _duration(turns: Iterable[AgentEnded]) -> float | None:
    known = [one.duration_sec for one in turns if one.exit_code is not None or one.timed_out]
    return sum(known) if known else None


def _started(run: CodingRun, turns: Iterable[AgentEnded]) -> str | None:
    duration = _duration(turns)
    if run.ended_at is None or duration is None:
        return run.created_at.isoformat()
    return (run.ended_at - timedelta(seconds=min(duration, 10 * 365 * 86400))).isoformat()


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
