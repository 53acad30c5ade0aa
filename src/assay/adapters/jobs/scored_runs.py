"""The scorings of a run: numbered records beside its result, each with the diff that was scored."""

import hashlib
import os

from assay.adapters.jobs.agent_record import read_agent_record
from assay.adapters.jobs.job_folder import SCORES
from assay.adapters.machine.atomic_write import write_text
from assay.adapters.machine.numbered_files import (
    file_name,
    numbers_in,
    read_all_numbered,
    read_numbered,
    write_numbered,
)
from assay.adapters.machine.record_files import parse_record
from assay.adapters.machine.safe_read import read_below
from assay.core.errors import InputError
from assay.dialects.scorers.scored_run import AgentEnded, Scoring
from assay.engine.coding.coding_record import coding_run
from assay.evidence.coding_run import AgentEnd, AgentRecord, CodingRecord, Diff, ProcessEnd
from assay.evidence.files import Content

FOLDER = SCORES
_MAX_DIFF = 64 * 2**20


def last_number(trial: str) -> tuple[int, str | None]:
    """The number of the newest record and its hash; 0 and None if there is none."""
    numbers = numbers_in(trial, FOLDER)
    if not numbers:
        return 0, None
    return numbers[-1], hashlib.sha256(read_numbered(trial, FOLDER, numbers[-1])).hexdigest()


def write_scored(trial: str, record: Scoring, diff: Diff | None) -> None:
    """Keep a record under its number, with its diff. Raises ``NumberTakenError`` if the number is in use."""
    os.makedirs(f"{trial}/{FOLDER}", exist_ok=True)
    if diff is not None:
        write_text(f"{trial}/{FOLDER}/{_diff_name(record)}", diff.text.encode("utf-8", "replace").decode())
    write_numbered(trial, FOLDER, record.number, record.model_dump_json(indent=2) + "\n")


def read_scored(trial: str) -> list[Scoring]:
    """All scorings of a run, the oldest first. Raises ``InputError`` for one that can't be read."""
    return [
        parse_record(data, Scoring, f"{trial}/{FOLDER}/{file_name(number)}")
        for number, data in read_all_numbered(trial, FOLDER).items()
    ]


def load_coding_run(trial: str) -> CodingRecord:
    """A run that was scored, as a judge reads it: by its newest record. Raises ``InputError`` if there is none."""
    records = read_scored(trial)
    if not records:
        raise InputError(f"{trial} must be a run that was scored, but it has no {FOLDER}; run 'assay score' on it")
    newest = records[-1]
    agent = agent_records(trial, newest)
    return coding_run(newest.scenario, newest.report, agent, _diff(trial, newest))


def agent_records(trial: str, record: Scoring) -> list[AgentRecord]:
    """What the agent left about itself, turn by turn."""
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
    found = read_below(trial, (FOLDER, _diff_name(record)), _MAX_DIFF)
    if not isinstance(found, Content) or hashlib.sha256(found.data).hexdigest() != record.diff_sha256:
        raise InputError(
            f"{trial}/{FOLDER}/{_diff_name(record)} is missing or was changed since the run was scored"
        )
    return Diff(found.data.decode(errors="replace"), record.diff_sha256, record.diff_cut)


def _diff_name(record: Scoring) -> str:
    return f"{record.number:04d}.diff"
