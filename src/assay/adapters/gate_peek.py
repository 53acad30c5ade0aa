"""What the newest scoring of a run says of its gates, without reading the rest of the record."""

from typing import Any

import msgspec

from assay.adapters.judge_states import SCORES
from assay.adapters.numbered_files import numbers_in, read_numbered
from assay.core.errors import InputError
from assay.engine.trial_lines import Gates


class _Overall(msgspec.Struct):
    verdict: str
    score: float | None = None


class _Opinion(msgspec.Struct):
    state: str
    failure_mode: str | None = None


class _Verdict(msgspec.Struct):
    opinion: _Opinion


class _Judge(msgspec.Struct):
    state: str
    verdict: _Verdict | None = None


class _Run(msgspec.Struct):
    status: str
    passed: bool | None = None


class _Report(msgspec.Struct):
    judge: _Judge
    run: _Run
    overall: _Overall | None = None
    disagreement: str | None = None


class _Scored(msgspec.Struct):
    report: _Report


def gates_of_trial(trial: str) -> Gates | None:
    """None for a run without scorings, or with one that can't be read: its page says more."""
    try:
        numbers = numbers_in(trial, SCORES)
        return None if not numbers else _gates(read_numbered(trial, SCORES, numbers[-1]), _Scored)
    except InputError:
        return None


def gates_of_report(data: bytes) -> Gates | None:
    """The same of a report by itself."""
    return _gates(data, _Report)


def _gates(data: bytes, kind: Any) -> Gates | None:
    try:
        found = msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    report: _Report = found.report if isinstance(found, _Scored) else found
    said = report.judge.verdict
    return Gates(
        checks=None if report.overall is None else report.overall.verdict,
        judge=report.judge.state if said is None else said.opinion.state,
        run_status=report.run.status,
        run_metrics_passed=report.run.passed,
        failure_mode=None if said is None else said.opinion.failure_mode,
        score=None if report.overall is None else report.overall.score,
        disagree=report.disagreement is not None,
    )
