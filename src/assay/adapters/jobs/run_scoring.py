"""Score runs where their files are, and keep the results in their folders."""

import contextlib
import hashlib
import json
import os
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from assay.adapters.jobs.agent_record import read_agent_record
from assay.adapters.jobs.job_folder import SCORES
from assay.adapters.machine.atomic_write import write_text
from assay.adapters.machine.numbered_files import (
    numbers_in,
    read_numbered,
    write_numbered,
)
from assay.adapters.machine.record_files import read_records
from assay.adapters.machine.safe_read import is_folder, names_in, read_below
from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.machine.tree_walk import file_checksum
from assay.adapters.machine.trees import unpack_tree
from assay.adapters.tasks.scoring_files import LocalScoringFiles
from assay.adapters.tasks.seeded_names import is_seeded
from assay.adapters.tasks.seeded_task import load_seeded
from assay.adapters.tasks.workbench import ARCHIVE, MANIFEST
from assay.adapters.workspace.capture import Captured
from assay.adapters.workspace.diff import cumulative_diff
from assay.core.errors import InputError
from assay.dialects.scorers.hidden_tests import without_hidden_tests
from assay.dialects.scorers.scored_run import AgentEnded, Scoring
from assay.engine.coding.coding_record import coding_run, session
from assay.engine.coding.score_coding_run import Candidate, score_by_task
from assay.engine.coding.score_trials import ScoredWorkspace
from assay.engine.ports import NumberTakenError
from assay.engine.sandbox import Sandbox
from assay.evidence.coding_run import AgentEnd, AgentRecord, CodingRecord, Diff, ProcessEnd, RunStatus
from assay.evidence.files import Content
from assay.evidence.workspace import ResultMemory

_MAX_DIFF = 64 * 2**20


def last_number(trial: str) -> tuple[int, str | None]:
    """The number of the newest record and its hash; 0 and None if there is none."""
    numbers = numbers_in(trial, SCORES)
    if not numbers:
        return 0, None
    return numbers[-1], hashlib.sha256(read_numbered(trial, SCORES, numbers[-1])).hexdigest()


def write_scored(trial: str, record: Scoring, diff: Diff | None) -> None:
    """Keep a record under its number, with its diff. Raises ``NumberTakenError`` if the number is in use."""
    os.makedirs(f"{trial}/{SCORES}", exist_ok=True)
    if diff is not None:
        write_text(f"{trial}/{SCORES}/{_diff_name(record)}", diff.text.encode("utf-8", "replace").decode())
    write_numbered(trial, SCORES, record.number, record.model_dump_json(indent=2) + "\n")


def read_scored(trial: str) -> list[Scoring]:
    """All scorings of a run, the oldest first. Raises ``InputError`` for one that can't be read."""
    return read_records(trial, SCORES, Scoring)


def load_coding_run(trial: str) -> CodingRecord:
    """A run that was scored, as a judge reads it: by its newest record. Raises ``InputError`` if there is none."""
    records = read_scored(trial)
    if not records:
        raise InputError(f"{trial} must be a run that was scored, but it has no {SCORES}; run 'assay score' on it")
    newest = records[-1]
    agent = agent_records(trial, newest)
    return coding_run(newest.scenario, newest.report, agent, _diff(trial, newest))


def agent_records(trial: str, record: Scoring) -> list[AgentRecord]:
    """The agent's own records, turn by turn."""
    return [read_agent_record(agent_folder(trial, ended.turn), end_of(ended)) for ended in record.turns]


def agent_folder(trial: str, turn: str | None) -> str:
    return f"{trial}/agent" if turn is None else f"{trial}/steps/{turn}/agent"


def ended(turn: str | None, end: AgentEnd | None) -> AgentEnded:
    """How a turn ended, as it is recorded. Nothing is known about an agent that was not run here."""
    if end is None:
        return AgentEnded(turn=turn, exit_code=None, duration_sec=0.0)
    return AgentEnded(
        turn=turn,
        exit_code=end.end.exit_code,
        timed_out=end.end.timed_out,
        out_of_memory=end.end.out_of_memory,
        signal=end.end.signal,
        duration_sec=end.duration_sec,
        limit_sec=end.limit_sec,
    )


def end_of(record: AgentEnded) -> AgentEnd | None:
    """The other way round."""
    end = ProcessEnd(record.exit_code, record.timed_out, record.out_of_memory, record.signal)
    unknown = end == ProcessEnd(None)
    return None if unknown else AgentEnd(end, record.duration_sec, record.limit_sec)


def _diff(trial: str, record: Scoring) -> Diff | None:
    if record.diff_sha256 is None:
        return None
    found = read_below(trial, (SCORES, _diff_name(record)), _MAX_DIFF)
    if not isinstance(found, Content) or hashlib.sha256(found.data).hexdigest() != record.diff_sha256:
        raise InputError(
            f"{trial}/{SCORES}/{_diff_name(record)} is missing or was changed since the run was scored"
        )
    return Diff(found.data.decode(errors="replace"), record.diff_sha256, record.diff_cut)


def _diff_name(record: Scoring) -> str:
    return f"{record.number:04d}.diff"


@dataclass(frozen=True, slots=True)
class LocalScoring:
    """Scoring on this machine. ``strict`` makes advisory scorers count; ``runs`` remembers their commands."""

    sandbox: Callable[[], Sandbox]
    strict: bool = False
    runs: ResultMemory | None = None

    def agent_record(self, trial: str, turn: str | None, end: AgentEnd | None, agent: str) -> AgentRecord:
        return read_agent_record(agent_folder(trial, turn), end, agent)

    def score(
        self, task: str, workspace: str | None, agent: Sequence[AgentRecord], status: RunStatus
    ) -> ScoredWorkspace:
        seen: list[Diff] = []
        files = LocalScoringFiles(self.sandbox, lambda captured: seen.append(diff_of(captured)), runs=self.runs)
        attempt = Candidate(workspace, status, self.strict, session(agent))
        report = score_by_task(task, attempt, files)
        return ScoredWorkspace(load_seeded(task).scenario, report, seen[0] if seen else None)

    def keep(self, trial: str, task: str, scored: ScoredWorkspace, agent: Sequence[AgentRecord]) -> None:
        """Another process may add a record at the same time: then this one is the next."""
        while True:
            with contextlib.suppress(NumberTakenError):
                write_scored(trial, _record(trial, task, scored, agent), scored.diff)
                return


def diff_of(captured: Captured) -> Diff:
    text, cut = cumulative_diff(captured)
    data = text.encode("utf-8", "replace")
    return Diff(data.decode(), hashlib.sha256(data).hexdigest(), cut)


def turns_of_trial(trial: str) -> list[str | None]:
    """The names of a run's turns in their order; None alone for a run without turns."""
    if not is_folder(f"{trial}/steps"):
        return [None]
    return [*sorted(names_in(f"{trial}/steps"), key=lambda name: (len(name), name))]


def archive_of_trial(trial: str) -> str | None:
    """The workspace that a run kept at its end; None if it kept none."""
    turn = turns_of_trial(trial)[-1]
    archive = f"{trial}/{ARCHIVE}" if turn is None else f"{trial}/steps/{turn}/{ARCHIVE}"
    return archive if os.path.isfile(archive) else None


def _record(trial: str, task: str, scored: ScoredWorkspace, agent: Sequence[AgentRecord]) -> Scoring:
    number, previous = last_number(trial)
    archive = archive_of_trial(trial)
    turns = turns_of_trial(trial)
    return Scoring(
        number=number + 1,
        task=os.path.abspath(task),
        scenario=without_hidden_tests(scored.scenario),
        scored_at=datetime.now(UTC),
        turns=[ended(turn, one.end) for turn, one in zip(turns, agent, strict=False)],
        workspace_sha256=None if archive is None else file_checksum(archive),
        diff_sha256=None if scored.diff is None else scored.diff.sha256,
        diff_cut=scored.diff is not None and scored.diff.cut,
        previous=previous,
        report=scored.report,
    )


_LIMIT = 64 * 2**20
_CODE = re.compile(r"exit code (\d+)")
# Exceptions of a run that say that the agent never had its chance.
_FAILED = ("MeasurementError", "EnvironmentStartTimeoutError")


class KeptCodingWork:
    """A finished run. ``path`` is as the user wrote it."""

    def __init__(self, path: str) -> None:
        self.path = path.rstrip("/")

    def task_path(self) -> str:
        match self._json("config.json"):
            case {"task": {"path": str(task)}} if is_seeded(task):
                return task
            case {"task": {"path": str(task)}}:
                raise InputError(f"{task}, the task of {self.path}, isn't a seeded task; pass one with --task")
        raise InputError(f"{self.path}/config.json must name the task in task.path, but it doesn't")

    def status(self) -> RunStatus:
        kind = self._exception()[0]
        if kind == "CancelledError":
            return RunStatus.CANCELLED
        return RunStatus.FAILED if kind in _FAILED else RunStatus.COMPLETED

    def agent_records(self) -> list[AgentRecord]:
        before = read_scored(self.path)
        if before:
            return agent_records(self.path, before[-1])
        agent = self._json("result.json").get("agent_info")
        name = agent.get("name") if isinstance(agent, dict) else None
        return [
            read_agent_record(agent_folder(self.path, turn), self._end(), name if isinstance(name, str) else None)
            for turn in turns_of_trial(self.path)
        ]

    @contextlib.contextmanager
    def workspace(self, task: str) -> Iterator[str | None]:
        archive = archive_of_trial(self.path)
        if archive is None and os.path.isfile(f"{self.path}/artifacts/{MANIFEST}"):
            from assay.adapters.jobs.kept_artifacts import keep_as_workspace  # noqa: PLC0415 - few are harbor's own

            with contextlib.suppress(InputError):
                keep_as_workspace(self.path, [load_seeded(task).scenario.workdir])
            archive = archive_of_trial(self.path)
        if archive is None:
            yield None
            return
        with temporary_folder(0o700) as folder:
            try:
                unpack_tree(archive, folder)
            except (OSError, ValueError, EOFError, tarfile.TarError, zlib.error) as error:
                raise InputError(f"{archive} can't be unpacked: {error}") from error
            place = os.path.normpath(f"{folder}/{load_seeded(task).scenario.workdir}")
            inside = os.path.realpath(place) == place.replace(folder, os.path.realpath(folder), 1)
            yield place if inside and os.path.isdir(place) else None

    def _end(self) -> AgentEnd | None:
        """How the agent ended, as far as the result tells."""
        match self._json("result.json").get("agent_execution"):
            case {"started_at": str(start), "finished_at": str(finish)}:
                seconds = _seconds(start, finish)
            case _:
                return None
        kind, message = self._exception()
        if kind == "AgentTimeoutError":
            return AgentEnd(ProcessEnd(None, timed_out=True), seconds)
        if kind == "NonZeroAgentExitCodeError":
            code = _CODE.search(message)
            return AgentEnd(ProcessEnd(int(code[1]) if code else 1), seconds)
        return AgentEnd(ProcessEnd(0), seconds)

    def _exception(self) -> tuple[str | None, str]:
        match self._json("result.json").get("exception_info"):
            case {"exception_type": str(kind), "exception_message": str(message)}:
                return kind, message
        return None, ""

    def _json(self, name: str) -> dict[str, Any]:
        found = read_below(self.path, (name,), _LIMIT)
        try:
            value = json.loads(found.data) if isinstance(found, Content) else None
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise InputError(f"{self.path}/{name} must be a JSON object, but it can't be read as one")
        return value


def _seconds(start: str, finish: str) -> float:
    with contextlib.suppress(ValueError):
        begun, ended = (datetime.fromisoformat(text) for text in (start, finish))
        with contextlib.suppress(TypeError):
            return max((ended - begun).total_seconds(), 0.0)
    return 0.0
