"""Seed and grade coding runs of a service, in folders that are gone afterwards.

Archives and logs come from tenants. They are unpacked by the code that unpacks what agents leave, within caps;
commands run in the sandbox only.
"""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from assay.adapters.jobs.agent_record import read_agent_record
from assay.adapters.jobs.run_scoring import diff_of, end_of, ended
from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.machine.trees import pack_tree, unpack_tree
from assay.adapters.tasks.remembered_commands import RunsFor
from assay.adapters.tasks.scoring_files import LocalScoringFiles
from assay.adapters.tasks.seeded_names import TASK, WORKSPACE
from assay.adapters.tasks.seeded_task import load_seeded, read_record
from assay.adapters.tasks.seeding_files import LocalSeedingFiles
from assay.adapters.workspace.archives import Caps, check_archive
from assay.adapters.workspace.patched import apply_patch
from assay.core.errors import InputError, MeasurementError
from assay.dialects.scorers.report import Judges
from assay.dialects.scorers.scenario import Scenario
from assay.dialects.scorers.scored_run import AgentEnded, Scoring
from assay.engine.coding.coding_record import session
from assay.engine.coding.score_coding_run import Candidate, score_by_task
from assay.engine.coding.score_trials import ScoredWorkspace, judge_workspace
from assay.engine.coding.seed_task import seed_task
from assay.engine.sandbox import Sandbox
from assay.engine.service.coding_policy import ORIGIN, PREFIX
from assay.engine.service.coding_runs import CodingResult, LeftByAgent
from assay.engine.service.coding_tasks import SeededTask
from assay.evidence.coding_run import AgentEnd, AgentRecord, Diff, RunStatus
from assay.evidence.workspace import ResultMemory

# What an archive may hold when it is unpacked. The archive itself is limited by the size of a body.
CAPS: Final = Caps(512 * 2**20, 100_000, "the archive")
# Each may take as much of the disk as the caps allow.
_CHECKED_AT_ONCE: Final = threading.BoundedSemaphore(4)
JudgesOf = Callable[[str], AbstractContextManager[Judges | None]]


def check_sent_archive(content: bytes) -> None:
    """Raises ``InputError`` for an archive that can't be used."""
    with _CHECKED_AT_ONCE, temporary_folder(0o700) as place:
        check_archive(_write(place, "archive", content), CAPS)


def patched_archive(task: bytes, patch: bytes) -> bytes:
    """The workspace that a task begins with, and a patch on it, as an archive. Raises ``InputError``."""
    with _CHECKED_AT_ONCE, temporary_folder(0o700) as place:
        root = _folder(place, "workspace")
        unpack_tree(_write(place, "workspace.tar.gz", task), root)
        apply_patch(patch, root, "the patch")
        whole = f"{place}/whole.tar.gz"
        if pack_tree(root, whole).left_out:
            raise InputError("the patched workspace must be smaller: it has too many files, or too large ones")
        return _read(whole)


@dataclass(frozen=True, slots=True)
class ServiceGrader:
    """Fulfils ``CodingGrader`` on this machine. ``runs`` remembers commands, for each organisation apart."""

    sandbox: Callable[[], Sandbox]
    judges: JudgesOf
    now: Callable[[], datetime]
    runs: ResultMemory | None = None

    def seed(self, scenario: Scenario, archive: bytes | None) -> SeededTask:
        with temporary_folder(0o711) as place:
            base, target = _folder(place, "base"), f"{place}/task"
            if archive is not None:
                seed = scenario.workspace_seed
                _write(base, getattr(seed, "path", PREFIX), archive)
            made = seed_task(scenario, ORIGIN, target, LocalSeedingFiles(base, self.sandbox, CAPS), self.now)
            whole = f"{place}/task.tar.gz"
            if pack_tree(target, whole).left_out:
                raise InputError("the seeded workspace must be smaller: it has too many files, or too large ones")
            if os.path.getsize(whole) > CAPS.bytes:
                raise InputError(f"the seeded task must have at most {CAPS.bytes} bytes")
            return SeededTask(read_record(target), made.notes, _read(whole), _read(f"{target}/{WORKSPACE}"))

    def grade(self, organisation: str, left: LeftByAgent) -> CodingResult:
        with temporary_folder(0o711) as place:
            try:
                scored, records, turns = self._score(organisation, place, left)
            except InputError as error:
                # Uploads were checked when they came, so this is not about what the agent did.
                raise MeasurementError(f"the run can't be graded: {error}") from error
        return self._ask_judge(organisation, scored, records, turns)

    def judge(self, organisation: str, left: LeftByAgent, before: Scoring, diff: Diff | None) -> CodingResult:
        with temporary_folder(0o711) as place:
            records = _records(place, left.logs, before.scenario, before.turns)
        scored = ScoredWorkspace(before.scenario, before.report, diff)
        return self._ask_judge(organisation, scored, records, before.turns, needed=True)

    def _ask_judge(
        self,
        organisation: str,
        scored: ScoredWorkspace,
        records: Sequence[AgentRecord],
        turns: Sequence[AgentEnded],
        *,
        needed: bool = False,
    ) -> CodingResult:
        with self.judges(organisation) as judges:
            if needed and judges is None:
                raise MeasurementError("there is no judge to ask")
            told = judge_workspace(scored, records, judges)
        return CodingResult(told.scenario, told.report, told.diff, turns)

    def _score(
        self, organisation: str, place: str, left: LeftByAgent
    ) -> tuple[ScoredWorkspace, list[AgentRecord], list[AgentEnded]]:
        task = _unpacked_task(place, left.task)
        scenario = load_seeded(task).scenario
        turns = _turns(scenario, left.ending.turns)
        records = _records(place, left.logs, scenario, turns)
        seen: list[Diff] = []
        runs = None if self.runs is None else RunsFor(self.runs, organisation)
        show = seen.append
        files = LocalScoringFiles(self.sandbox, lambda captured: show(diff_of(captured)), caps=CAPS, runs=runs)
        workspace = None if left.workspace is None else _write(place, "workspace", left.workspace)
        attempt = Candidate(workspace, RunStatus(left.ending.status), False, session(records))
        report = score_by_task(task, attempt, files)
        return ScoredWorkspace(scenario, report, seen[0] if seen else None), records, turns


def _unpacked_task(place: str, archive: bytes) -> str:
    """The folder of a seeded task. What is in the archive was written by this service."""
    folder = _folder(place, "task")
    unpack_tree(_write(place, "task.tar.gz", archive), folder)
    if not os.path.isfile(f"{folder}/{TASK}"):
        raise MeasurementError("the seeded task is not whole any more")
    return folder


def _turns(scenario: Scenario, told: Sequence[AgentEnded]) -> list[AgentEnded]:
    """How the agent ended in each turn, with the time that it had."""
    limit = scenario.limits.time_s
    names = turn_names(scenario)
    found = []
    for number, name in enumerate(names):
        end = end_of(told[number]) if number < len(told) else None
        if end is not None and end.limit_sec is None and limit is not None:
            end = replace(end, limit_sec=float(limit))
        found.append(ended(name, end))
    return found


def turn_names(scenario: Scenario) -> list[str | None]:
    """The folders of the agent's logs: one for each turn; None for a run without turns."""
    count = len(scenario.requests)
    return [None] if count == 1 else [f"turn-{number}" for number in range(1, count + 1)]


def _records(
    place: str, logs: Mapping[str, bytes], scenario: Scenario, turns: Sequence[AgentEnded]
) -> list[AgentRecord]:
    folder = _folder(place, "agent")
    for name, content in logs.items():
        _write(folder, name, content)
    ends: list[AgentEnd | None] = [end_of(one) for one in turns]
    return [
        read_agent_record(folder if name is None else f"{folder}/{name}", end)
        for name, end in zip(turn_names(scenario), ends, strict=False)
    ]


def _folder(place: str, name: str) -> str:
    os.makedirs(f"{place}/{name}", exist_ok=True)
    return f"{place}/{name}"


def _write(folder: str, name: str, content: bytes) -> str:
    """A file in a new folder. ``name`` was checked: it is relative and has no ``..``."""
    path = f"{folder}/{name}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "xb") as file:
        file.write(content)
    return path


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
