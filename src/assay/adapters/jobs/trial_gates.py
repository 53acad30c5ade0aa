"""The gates of a trial, without reading the rest of its records: reports and lists ask it of every trial."""

from dataclasses import replace
from typing import Final, Literal, TypeVar

import msgspec

from assay.adapters.machine.numbered_files import file_name, numbers_in, read_numbered
from assay.core.errors import InputError
from assay.engine.jobs.gates import Row, gates_of_rows
from assay.evidence.run import Gates

JUDGEMENTS: Final = "judgements"
SCORES: Final = "scores"


class _Overall(msgspec.Struct):
    verdict: str


class _Opinion(msgspec.Struct):
    state: Literal["PASS", "FAIL", "unparseable"]
    failure_mode: str | None = None


class _Judgement(msgspec.Struct):
    opinion: _Opinion


class _Judge(msgspec.Struct):
    state: str
    verdict: _Judgement | None = None


class _Status(msgspec.Struct):
    status: str
    passed: bool | None = None


class _Report(msgspec.Struct):
    judge: _Judge
    run: _Status
    scorers: tuple[Row, ...] = ()
    overall: _Overall | None = None


class _Scoring(msgspec.Struct):
    report: _Report


_Record = TypeVar("_Record", _Judgement, _Scoring)


def read_gates(trial: str) -> Gates | None:
    """The gates of the newest scoring with the newest verdict of a judge; None for a trial that has neither.

    Raises ``InputError`` for a record that can't be read.
    """
    scores, judgements = numbers_in(trial, SCORES), numbers_in(trial, JUDGEMENTS)
    if not scores and not judgements:
        return None
    scorings = [_read(trial, SCORES, number, _Scoring).report for number in scores]
    gates = _gates(scorings[-1]) if scorings else Gates()
    said = _read(trial, JUDGEMENTS, judgements[-1], _Judgement) if judgements else None
    # Scored again without a judge: the verdict on the run stays.
    said = said or next((one.judge.verdict for one in reversed(scorings) if one.judge.verdict is not None), None)
    if said is None:
        return gates
    return replace(gates, judge=said.opinion.state, failure_mode=said.opinion.failure_mode)


def _gates(report: _Report) -> Gates:
    return gates_of_rows(
        report.scorers,
        checks=None if report.overall is None else report.overall.verdict,
        judge=report.judge.state,
        run_status=report.run.status,
        run_metrics_passed=report.run.passed,
    )


def _read(trial: str, folder: str, number: int, kind: type[_Record]) -> _Record:
    try:
        return msgspec.json.decode(read_numbered(trial, folder, number), type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        path = f"{trial}/{folder}/{file_name(number)}"
        raise InputError(f"{path} isn't a record of a judge or a scoring that Assay wrote: {error}") from error
