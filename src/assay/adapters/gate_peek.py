"""What the newest scoring of a run says of its gates, without reading the rest of the record."""

import msgspec

from assay.adapters.judge_states import SCORES
from assay.adapters.numbered_files import numbers_in, read_numbered
from assay.core.errors import InputError
from assay.engine.service.run_evidence import Gates


class _Overall(msgspec.Struct):
    verdict: str


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


class _Scored(msgspec.Struct):
    report: _Report


def gates_of_trial(trial: str) -> Gates | None:
    """None for a run without scorings, or with one that can't be read: its page says more."""
    try:
        numbers = numbers_in(trial, SCORES)
        return None if not numbers else _gates(read_numbered(trial, SCORES, numbers[-1]))
    except InputError:
        return None


def _gates(data: bytes) -> Gates | None:
    try:
        report = msgspec.json.decode(data, type=_Scored).report
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    said = report.judge.verdict
    return Gates(
        checks=None if report.overall is None else report.overall.verdict,
        judge=report.judge.state if said is None else said.opinion.state,
        run_status=report.run.status,
        run_metrics_passed=report.run.passed,
        failure_mode=None if said is None else said.opinion.failure_mode,
    )
