"""The outcome of a job as one line for a program: written from result.json, and read back without trusting it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from assay.core.total import mean
from assay.dialects.harbor.reasons import normalise_reason

PREFIX = "BASE_BENCHMARK_RESULT="


@dataclass(frozen=True, slots=True)
class BenchmarkOutcome:
    """The content of the line. ``status`` depends on the number of errors, not on the score."""

    status: str
    score: float
    resolved: int = 0
    total: int = 0
    reason_code: str | None = None

    def line(self) -> str:
        """The line, with sorted keys."""
        fields = {
            "status": self.status,
            "score": self.score,
            "resolved": self.resolved,
            "total": self.total,
            "reason_code": self.reason_code,
        }
        return PREFIX + json.dumps(fields, sort_keys=True)


def outcome_of(result_json: bytes | None) -> BenchmarkOutcome:
    """The outcome of a job from the bytes of its result.json; None means that the file doesn't exist."""
    if result_json is None:
        return _failed_outcome("harbor_result_missing")
    try:
        return _outcome(json.loads(result_json.decode()))
    except Exception:  # noqa: BLE001 - the rule is: whatever goes wrong here, the result is malformed
        return _failed_outcome("harbor_result_malformed")


def outcome_of_finished(result_json: bytes | None) -> BenchmarkOutcome:
    """The same, but a job that is still running or was stopped has failed, whatever its trials got so far."""
    outcome = outcome_of(result_json)
    if result_json is None or outcome.reason_code is not None:
        return outcome
    data = json.loads(result_json.decode())
    running = "finished_at" in data and data["finished_at"] is None
    return _failed_outcome("harbor_result_partial") if running else outcome


def _outcome(data: Any) -> BenchmarkOutcome:
    stats = data.get("stats", {})
    n_total = int(data.get("n_total_trials") or 0)
    completed = int(stats.get("n_completed_trials") or 0)
    errored = int(stats.get("n_errored_trials") or 0)
    values = [
        value
        for group in stats.get("evals", {}).values()
        for metric in group.get("metrics", [])
        for value in _metric_values(metric)
    ]
    score = mean(values) if values else 0.0
    return BenchmarkOutcome(
        status="completed" if errored == 0 else "failed",
        score=score,
        resolved=round(score * n_total),
        total=n_total or completed + errored,
    )


def _metric_values(metric: Any) -> list[float]:
    """The mean if there is one; otherwise every value counts as a separate sample."""
    if "mean" in metric:
        return [float(metric["mean"])]
    return [float(value) for value in metric.values()]


@dataclass(frozen=True, slots=True)
class ParsedOutcome:
    """The outcome as read from a program's output: a usable score, or 0.0 with the reason why there is none."""

    status: str
    score: float
    reason_code: str | None
    payload: Mapping[str, Any] | None = None


def parse_outcome(stdout: str, *, exit_code: int = 0, timed_out: bool = False) -> ParsedOutcome:
    """Read the last outcome line in ``stdout``. A time-out or an exit code other than 0 discards its score.

    With an exit code other than 0, the reason that the line states is kept.
    """
    payload, reason = _last_payload(stdout)
    if timed_out:
        return ParsedOutcome("timed_out", 0.0, "timed_out", payload)
    if exit_code != 0:
        return ParsedOutcome("failed", 0.0, _stated_reason(payload) or "harbor_nonzero_exit", payload)
    if payload is None:
        return ParsedOutcome("failed", 0.0, reason)
    return _accept(payload)


def _last_payload(stdout: str) -> tuple[Mapping[str, Any] | None, str | None]:
    lines = [line for line in stdout.splitlines() if line.startswith(PREFIX)]
    if not lines:
        return None, "harbor_result_missing"
    try:
        payload = json.loads(lines[-1].removeprefix(PREFIX))
    except (ValueError, RecursionError):
        return None, "harbor_result_malformed"
    return (payload, None) if isinstance(payload, dict) else (None, "harbor_result_malformed")


def _accept(payload: Mapping[str, Any]) -> ParsedOutcome:
    status, score = payload.get("status"), payload.get("score")
    if not isinstance(status, str) or "score" not in payload:
        return ParsedOutcome("failed", 0.0, "harbor_result_partial", payload)
    if not _is_share(score) or status not in ("completed", "failed") or (status == "failed" and score > 0):
        return ParsedOutcome("failed", 0.0, "harbor_result_invalid", payload)
    return ParsedOutcome(status, float(score), _stated_reason(payload), payload)


def _stated_reason(payload: Mapping[str, Any] | None) -> str | None:
    stated = None if payload is None else payload.get("reason_code")
    return normalise_reason(stated) if isinstance(stated, str) else None


def _is_share(score: object) -> TypeGuard[float]:
    """Whether a score is a number from 0 to 1. A boolean and NaN are not."""
    return isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1


def _failed_outcome(reason_code: str) -> BenchmarkOutcome:
    return BenchmarkOutcome(status="failed", score=0.0, reason_code=reason_code)
