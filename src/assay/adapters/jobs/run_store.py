"""Runs in folders, with their judgements as numbered files beside them.

``assay score --keep`` writes the folder of a run: run.json with everything that a judge reads, and report.json.
The folder of a trial is a run too, as far as it has what a judge reads; its remarks name what the agent could have
written there.
"""

import json
import os
from typing import Final

import msgspec

from assay.adapters.jobs.agent_record import read_agent_record
from assay.adapters.jobs.job_folder import JUDGEMENTS
from assay.adapters.jobs.run_scoring import load_coding_run, read_scored
from assay.adapters.machine.atomic_write import write_text
from assay.adapters.machine.numbered_files import append_numbered
from assay.adapters.machine.record_files import parse_record, read_records
from assay.adapters.machine.safe_read import read_below
from assay.core.errors import InputError
from assay.dialects.harbor.trial_file import TrialDecoder, TrialFileError
from assay.dialects.scorers.report import JudgeVerdict, ScorersReport
from assay.dialects.scorers.scenario import JudgeSection
from assay.engine.service.coding_rows import KeptRecord
from assay.evidence.bounds import json_text
from assay.evidence.coding_run import CodingRecord, RunStatus, ScorerRow, Speaker, Trajectory
from assay.evidence.files import Content
from assay.judge.judge_stored import JudgedCase

RUN: Final = "run.json"
RESULT: Final = "result.json"
REPORT: Final = "report.json"
SECTION: Final = "judge.json"
LIMIT: Final = 256 * 2**20
BY_AGENT: Final = "the task was read from a file that the agent could have changed"


def keep_run(folder: str, run: CodingRecord, report: ScorersReport, section: JudgeSection | None) -> None:
    """Write the folder of a run, which is new. Raises ``InputError`` if it can't be written."""
    try:
        os.makedirs(folder)
        write_text(f"{folder}/{REPORT}", report.model_dump_json(indent=2) + "\n")
        if section is not None:
            write_text(f"{folder}/{SECTION}", section.model_dump_json(indent=2) + "\n")
        if report.judge.verdict is not None:
            LocalCases().keep(folder, report.judge.verdict)
        write_text(f"{folder}/{RUN}", json.dumps(json_text(msgspec.to_builtins(run))) + "\n")
    except OSError as error:
        raise InputError(f"the run can't be kept in {folder}: {error.strerror}") from error


def kept_record(folder: str) -> KeptRecord:
    """What a list shows of a kept run beside its report; nothing without a record that can be read."""
    try:
        return msgspec.json.decode(_content(folder, RUN) or b"{}", type=KeptRecord)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return KeptRecord()


def run_folders(paths: list[str]) -> list[str]:
    """The folders of runs: each path, or the runs in it. Raises ``InputError`` for what is neither."""
    found: list[str] = []
    for path in paths:
        if not os.path.isdir(path):
            raise InputError(f"a run must be a folder, got {path}, which isn't one")
        inner = [f"{path}/{name}" for name in sorted(os.listdir(path)) if _is_run(f"{path}/{name}")]
        if not inner and not _is_run(path):
            raise InputError(f"{path} must be the folder of a run or of several, but has no {RUN} or {RESULT}")
        found += inner or [path]
    return list(dict.fromkeys(found))


def _is_run(path: str) -> bool:
    return os.path.isfile(f"{path}/{RUN}") or os.path.isfile(f"{path}/{RESULT}")


class LocalCases:
    """Fulfils ``RunStore`` with folders."""

    def read(self, place: str) -> JudgedCase:
        data = _content(place, RUN)
        if data is None:
            return _read_scored_case(place) or _trial(place)
        try:
            run = msgspec.json.decode(data, type=CodingRecord)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(f"{place}/{RUN} isn't a run that 'assay score --keep' wrote: {error}") from error
        report, section = _content(place, REPORT), _content(place, SECTION)
        found = None if report is None else parse_record(report, ScorersReport, f"{place}/{REPORT}")
        judge = None if section is None else parse_record(section, JudgeSection, f"{place}/{SECTION}")
        overall = None if found is None or found.overall is None else found.overall.verdict
        return JudgedCase(place, run, overall, judge)

    def judgements(self, place: str) -> list[JudgeVerdict]:
        """Those that were kept. Before them comes the one that a scoring in the folder of a job was given."""
        scored = [one.report.judge.verdict for one in read_scored(place)]
        return [*(one for one in scored if one is not None), *read_records(place, JUDGEMENTS, JudgeVerdict)]

    def keep(self, place: str, verdict: JudgeVerdict) -> None:
        append_numbered(place, JUDGEMENTS, verdict.model_dump_json(indent=2) + "\n")


def _read_scored_case(place: str) -> JudgedCase | None:
    """The run of a seeded task, by its newest scoring; None if it was not scored."""
    records = read_scored(place)
    if not records:
        return None
    overall, newest = records[-1].report.overall, records[-1]
    return JudgedCase(
        place, load_coding_run(place), None if overall is None else overall.verdict, newest.scenario.judge
    )


def _trial(place: str) -> JudgedCase:
    """The run in the folder of a trial: no diff and no scorers, but what the verifier said."""
    data = _content(place, RESULT)
    try:
        trial = TrialDecoder().decode(data or b"")
    except TrialFileError as error:
        raise InputError(f"{place}/{RESULT} isn't the result of a trial: {error}") from error
    agent = read_agent_record(f"{place}/agent", agent=trial.agent)
    written = read_below(place, ("agent", "instruction.md"), LIMIT)
    asked = (
        written.data.decode(errors="replace") if isinstance(written, Content) else _first_request(agent.trajectory)
    )
    if asked is None:
        raise InputError(f"{place} must have agent/instruction.md or a trajectory with the task, but has neither")
    failed = trial.exception_type is not None
    run = CodingRecord(
        instruction=asked,
        expected_outcome="completion",
        status=RunStatus.FAILED if failed else RunStatus.COMPLETED,
        trajectory=agent.trajectory,
        final_response=agent.final_response,
        agent_end=agent.end,
        outputs=agent.outputs,
        rows=() if trial.rewards is None else (_verifier(trial.rewards),),
        remarks=(*agent.remarks, BY_AGENT),
    )
    return JudgedCase(place, run)


def _verifier(rewards: object) -> ScorerRow:
    return ScorerRow("verifier", "verifier", True, "N/A", None, f"rewards: {json.dumps(rewards, default=str)}")


def _first_request(trajectory: Trajectory | None) -> str | None:
    steps = () if trajectory is None else trajectory.steps
    return next((step.text for step in steps if step.speaker is Speaker.USER and step.text.strip()), None)


def _content(place: str, name: str) -> bytes | None:
    found = read_below(place, (name,), LIMIT)
    return found.data if isinstance(found, Content) else None
