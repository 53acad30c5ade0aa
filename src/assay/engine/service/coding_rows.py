"""A graded coding run as a run of the explorer: its gates, its reward, its files and what is searched of it."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

import msgspec

from assay.dialects.scorers.report import ScorersReport
from assay.dialects.scorers.resources import CodingRun, CodingTask, NewCodingRun, UploadedFile
from assay.dialects.scorers.scored_run import AgentEnded, Scoring
from assay.engine.explorer.blobs import DIFF, FINAL_RESPONSE, STDERR, STDOUT, TRAJECTORY, Blob, KeptFile
from assay.engine.explorer.imported_runs import Evidence, Kept
from assay.engine.jobs.job_runs import moment_of
from assay.engine.jobs.trial_additions import gate_facts, gates_of
from assay.evidence.bounds import printable
from assay.evidence.coding_run import AgentEnd, StatedUsage
from assay.evidence.run import Gates, Run, State, decide

KIND: Final = "coding"
_HASH: Final = 12
LONGEST_NAME: Final = 48
WORKSPACE: Final = "workspace"
# What a name of the agent's logs begins with, and what such a file is.
_KINDS: Final = {
    "trajectory.": TRAJECTORY,
    "messages.jsonl": TRAJECTORY,
    "final_response.": FINAL_RESPONSE,
    "response.": FINAL_RESPONSE,
    "stdout.txt": STDOUT,
    "stderr.txt": STDERR,
}


class KeptStep(msgspec.Struct, frozen=True):
    """The time of one step of a kept run."""

    time: str | None = None


class KeptTrace(msgspec.Struct, frozen=True):
    """The little of a kept trajectory that a list shows."""

    usage: StatedUsage = StatedUsage()
    steps: Sequence[KeptStep] = ()


class KeptRecord(msgspec.Struct, frozen=True):
    """The little of a kept run's record that a list shows. The rest, which may be large, is passed by."""

    instruction: str = ""
    trajectory: KeptTrace | None = None
    agent_end: AgentEnd | None = None

    def fields(self) -> dict[str, Any]:
        """Tokens, cost and times, as fields of its row."""
        trace = self.trajectory or KeptTrace()
        times = [step.time for step in trace.steps if moment_of(step.time) is not None] or [None]
        return {
            "tokens": trace.usage.tokens,
            "cost_usd": trace.usage.cost_usd,
            "started_at": times[0],
            "finished_at": times[-1],
            "began_at": moment_of(times[0]),
            "duration_sec": None if self.agent_end is None else self.agent_end.duration_sec,
        }


def coding_row(run: CodingRun, task: CodingTask, record: Scoring, files: Iterable[KeptFile], text: str) -> Kept:
    """The row of a run by one of its gradings."""
    report = record.report
    known = {one.name: one.value for one in report.run.metrics}
    fields = decision_fields(gates_of(report))
    row = Run(
        job=run.job,
        name=run.id,
        task=task.name or task.id,
        agent=run.agent,
        model=run.model,
        dataset=f"{task.scenario_id}@{task.scenario_version}",
        cost_usd=_number(known.get("cost_usd")),
        started_at=_start_text(run, record.turns),
        finished_at=None if run.ended_at is None else run.ended_at.isoformat(),
        duration_sec=_duration(record.turns),
        tokens=_whole(known.get("tokens")),
        metadata={**run.metadata, "coding_task": task.id, "scenario_sha256": report.provenance.scenario_sha256},
        rewards=None if fields["score"] is None else {"reward": fields["score"]},
        **fields,
    )
    return Kept(row, files=tuple(files), text=text)


def run_of_report(
    report: ScorersReport,
    job: str,
    name: str,
    gates: Gates | None = None,
    evidence: Evidence | None = None,
    record: KeptRecord = KeptRecord(),  # noqa: B008 - frozen
) -> Kept:
    """A scored run. Its task is called after the instruction; without one, the hash of the scenario stands for it.

    ``gates`` are given if a judge said something after the report.
    """
    evidence = evidence or Evidence()
    known_task = report.provenance.scenario_sha256[:_HASH]
    run = Run(
        job=job,
        name=name,
        task=task_name(record.instruction, known_task),
        **record.fields(),
        **decision_fields(gates or gates_of(report)),
    )
    # What a judge says may come later.
    content = hashlib.sha256(report.model_dump_json(exclude={"judge", "disagreement"}).encode()).hexdigest()
    return Kept(run, files=evidence.files, text=evidence.text, content=content, known_task=known_task)


def task_name(instruction: str, known: str) -> str:
    """A name for people: how the instruction begins, and as much of the hash as keeps it apart from others."""
    first = next((said for line in instruction.splitlines() if (said := line.strip("#>*- \t"))), "")
    shown = (
        first
        if len(first) <= LONGEST_NAME
        else f"{first[:LONGEST_NAME].rpartition(' ')[0] or first[:LONGEST_NAME]}…"
    )
    return printable(f"{shown} ({known[:4]})" if known else shown) if shown else known


def waiting_row(identity: str, new: NewCodingRun, task: str, name: str | None, dataset: str) -> Kept:
    """The row of a run that was just created."""
    row = Run(
        job=new.job,
        name=identity,
        task=name or task,
        agent=new.agent,
        model=new.model,
        dataset=dataset,
        kind=KIND,
        run_status=State.PENDING.value,
        metadata={**new.metadata, "coding_task": task},
    )
    return Kept(row)


def decision_fields(gates: Gates) -> dict[str, Any]:
    """The decision of a coding run's gates, as fields of its row."""
    decision = decide(gate_facts(gates))
    return {
        "kind": KIND,
        **msgspec.structs.asdict(decision),
        "checks": gates.checks,
        "judge": gates.judge,
        "run_status": gates.run_status,
        "run_metrics_passed": gates.run_metrics_passed,
        "validity": "not_completed" if decision.state is State.BROKEN else "valid",
        "failure_mode": gates.failure_mode,
        "suspicion": gates.suspicion,
        "gates_disagree": gates.disagree,
    }


def named_files(uploads: Iterable[UploadedFile], beside: Mapping[str, Blob]) -> list[KeptFile]:
    """The files of a run by what they are. A log that is nothing known has its path as its name."""
    named: dict[str, KeptFile] = {}
    for one in uploads:
        folder, _, name = one.path.rpartition("/")
        kind = next((kind for start, kind in _KINDS.items() if name.startswith(start)), None)
        known = f"agent/{one.path}" if kind is None else f"{folder}/{kind}".removeprefix("/")
        free = known if known not in named else f"agent/{one.path}"
        named[free] = KeptFile(free, Blob(one.sha256, one.size))
    return [*named.values(), *(KeptFile(name, blob) for name, blob in beside.items())]


def diff_name(number: int) -> str:
    """The name of a grading's diff. The first one has the plain name."""
    return DIFF if number == 1 else f"{DIFF}/{number}"


def _duration(turns: Iterable[AgentEnded]) -> float | None:
    known = [one.duration_sec for one in turns if one.exit_code is not None or one.timed_out]
    return sum(known) if known else None


def _start_text(run: CodingRun, turns: Iterable[AgentEnded]) -> str | None:
    duration = _duration(turns)
    if run.ended_at is None or duration is None:
        return run.created_at.isoformat()
    return (run.ended_at - timedelta(seconds=min(duration, 10 * 365 * 86400))).isoformat()


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
