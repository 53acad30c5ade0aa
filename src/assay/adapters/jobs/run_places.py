"""The folders of single runs, as pages read them: a trial of a job, or a run that ``assay score --keep`` wrote.

What an agent could have written is opened safely. A file that can't be used is a remark, never an error.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from assay.adapters.jobs.agent_record import OUTPUTS, RESPONSES, TRAJECTORIES, session_file
from assay.adapters.jobs.job_folder import JUDGEMENTS, SCORES
from assay.adapters.jobs.run_scoring import agent_folder, read_scored, turns_of_trial
from assay.adapters.jobs.run_store import REPORT, LocalCases
from assay.adapters.machine.record_files import parse_record, read_records
from assay.adapters.machine.safe_read import names_in, open_below, read_file
from assay.core.errors import InputError
from assay.dialects.scorers.report import JudgeVerdict, ScorersReport
from assay.dialects.scorers.scored_run import Scoring
from assay.engine.explorer.blobs import (
    DIFF,
    FINAL_RESPONSE,
    INSTRUCTION,
    LOG,
    STDERR,
    STDOUT,
    TRAJECTORY,
    VERIFIER_OUTPUT,
)
from assay.engine.explorer.page_source import RunDetail
from assay.engine.explorer.trace_page import TracePart, TraceQuery, part_of, trace_part
from assay.engine.jobs.trial_additions import History
from assay.engine.run.trial_record import AGENT_LOG, ORACLE_LOG, STDERR_LOG, STDOUT_LOG
from assay.evidence.coding_run import CodingRecord
from assay.evidence.files import ByteSource, Content, HeldBytes, tail
from assay.evidence.run import Run

RESPONSE_LIMIT = 256 * 1024
REPORT_LIMIT = 64 * 2**20
# Which files are which, below the folder of a run or of one of its steps; the first that is there counts.
PLACES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    TRAJECTORY: ("agent", TRAJECTORIES),
    FINAL_RESPONSE: ("agent", RESPONSES),
    INSTRUCTION: ("agent", ("instruction.md",)),
    STDOUT: ("agent", (STDOUT_LOG, "stdout.txt")),
    STDERR: ("agent", (STDERR_LOG, "stderr.txt")),
    LOG: ("agent", (AGENT_LOG, ORACLE_LOG)),
    VERIFIER_OUTPUT: ("verifier", ("test-stdout.txt", "stdout.txt", "test-stderr.txt")),
}


@dataclass(frozen=True, slots=True)
class JobPlace:
    """A trial in the folder of a job, with what was added to it later."""

    path: str
    history: History | None

    def detail(self, line: Run) -> RunDetail:
        remarks: list[str] = []
        scored = self._read_scorings(remarks)
        return RunDetail(
            line,
            reports=[(one.scored_at, one.report) for one in scored],
            judged=self._last_judgement(scored, remarks),
            gradings=() if self.history is None else self.history.gradings,
            annotations=() if self.history is None else self.history.annotations,
            turns=[turn or "" for turn in turns_of_trial(self.path)],
            responses=list(self._responses()),
            remarks=remarks,
            instruction=_instruction(self.file(INSTRUCTION)),
        )

    def trace(self, turn: str, asked: TraceQuery) -> TracePart | None:
        if turn not in [one or "" for one in turns_of_trial(self.path)]:
            return None
        folder = agent_folder(self.path, turn or None)
        other = session_file(folder)
        for name in (*TRAJECTORIES, *([other] if other else []), *OUTPUTS):
            found = open_below(folder, (name,))
            if found is not None and found.size:
                return trace_part(found, name, lambda other: open_below(folder, other.split("/")), asked)
        return None

    def file(self, name: str) -> ByteSource | None:
        if name == DIFF:
            newest = max(names_in(f"{self.path}/{SCORES}", ".diff"), default=None)
            return None if newest is None else open_below(self.path, (SCORES, newest))
        turn, _, kind = name.rpartition("/")
        folder, names = PLACES[kind]
        place = f"{self.path}/steps/{turn}/{folder}" if turn else f"{self.path}/{folder}"
        found = (open_below(place, (one,)) for one in names)
        return next((one for one in found if one is not None and one.size), None)

    def _read_scorings(self, remarks: list[str]) -> Sequence[Scoring]:
        try:
            records = read_scored(self.path)
        except InputError as error:
            remarks.append(str(error))
            return []
        diff = self.file("diff") if records else None
        if records and records[-1].diff_sha256 is not None and _digest(diff) != records[-1].diff_sha256:
            remarks.append("the diff is missing or was changed since the run was scored")
        return records

    def _last_judgement(self, scored: Sequence[Scoring], remarks: list[str]) -> JudgeVerdict | None:
        """The judge's last verdict, if it isn't in the last scoring."""
        try:
            kept = read_records(self.path, JUDGEMENTS, JudgeVerdict)
        except InputError as error:
            remarks.append(str(error))
            return None
        verdicts = [one.report.judge.verdict for one in scored]
        last = next((one for one in (*kept[::-1], *verdicts[::-1]) if one is not None), None)
        return last if not verdicts or last != verdicts[-1] else None

    def _responses(self) -> Iterator[str]:
        """The final response of each turn; without a file of its own, the last message of the trace has it."""
        for turn in turns_of_trial(self.path):
            found = self.file(FINAL_RESPONSE if turn is None else f"{turn}/{FINAL_RESPONSE}")
            yield "" if found is None else tail(found, RESPONSE_LIMIT).decode(errors="replace").strip()


@dataclass(frozen=True, slots=True)
class KeptPlace:
    """A run that ``assay score --keep`` wrote, or a report by itself, as ``assay score --json`` prints it."""

    path: str

    def detail(self, line: Run) -> RunDetail:
        remarks: list[str] = []
        response, judged, report, instruction = None, None, None, ""
        try:
            report = read_report(self.path)
            run = self._run()
            if run is not None:
                response, instruction = run.final_response, run.instruction
                remarks += run.remarks
                judgements = LocalCases().judgements(self.path)
                judged = judgements[-1] if judgements else None
        except InputError as error:
            remarks.append(str(error))
        if report is not None and judged == report.judge.verdict:
            judged = None
        reports = [] if report is None else [(None, report)]
        return RunDetail(
            line, reports, judged, responses=[response or ""], remarks=remarks, instruction=instruction
        )

    def trace(self, turn: str, asked: TraceQuery) -> TracePart | None:
        run = None if turn else self._run()
        return None if run is None or run.trajectory is None else part_of(run.trajectory, asked)

    def file(self, name: str) -> ByteSource | None:
        run = self._run()
        if run is None:
            return None
        text = kept_output(run, name) if name != DIFF else "" if run.diff is None else run.diff.text
        return HeldBytes(text.encode(errors="replace")) if text else None

    def _run(self) -> CodingRecord | None:
        """None for a report by itself."""
        return LocalCases().read(self.path).run if os.path.isdir(self.path) else None


WorkPlace: TypeAlias = JobPlace | KeptPlace
"""The folder of one run."""


def _instruction(source: ByteSource | None) -> str:
    return "" if source is None else source.read(0, RESPONSE_LIMIT).decode(errors="replace").strip()


def kept_output(run: CodingRecord, kind: str) -> str:
    """The output of the agent on one stream, as a run holds it."""
    return next((one.text for one in run.outputs if one.name in PLACES[kind][1]), "")


def read_report(path: str) -> ScorersReport:
    """The report in the folder of a run that was kept, or by itself. Raises ``InputError``."""
    where = f"{path}/{REPORT}" if os.path.isdir(path) else path
    found = read_file(where, REPORT_LIMIT)
    if not isinstance(found, Content):
        raise InputError(f"{where} can't be read")
    return parse_record(found.data, ScorersReport, where)


def _digest(source: ByteSource | None) -> str | None:
    if source is None:
        return None
    found = hashlib.sha256()
    for at in range(0, source.size, 1 << 20):
        found.update(source.read(at, 1 << 20))
    return found.hexdigest()
