"""The wire model of a calibration: how a judge did against people."""

from datetime import datetime
from typing import Literal

from pydantic import Field, FiniteFloat

from assay.formats.strict_model import StrictModel

SCHEMA_VERSION = 1
_RATING = Field(default=None, ge=1, le=5)


class Measure(StrictModel):
    """A number with its interval. ``value`` and the ends are None where ``reason`` says why."""

    name: str
    value: FiniteFloat | None
    low: FiniteFloat | None = None
    high: FiniteFloat | None = None
    items: int
    reason: str | None = None


class FailureModeRow(StrictModel):
    """Of the runs that people failed for one reason, how many the judge failed, and the interval of that share."""

    failure_mode: str
    runs: int
    judge_failed: int
    low: FiniteFloat
    high: FiniteFloat


class CalibrationRecord(StrictModel):
    """The agreement of a judge with people. It is good enough if ``unmet`` is empty.

    ``confusion`` counts runs by what people and the judge say, ``by_failure_mode`` by the failure_mode that people
    gave. ``corrected`` is the pass rate without the judge's own mistakes.
    """

    schema_version: int = SCHEMA_VERSION
    models: list[str]
    prompt: str
    prompt_sha256: str
    annotators: list[str]
    cases: int
    unmet: list[str]
    confusion: dict[str, dict[str, int]]
    measures: list[Measure]
    ratings: list[Measure] = Field(default_factory=list)
    by_failure_mode: list[FailureModeRow] = Field(default_factory=list)
    reported: FiniteFloat | None = None
    corrected: Measure | None = None
    made_at: datetime

    def doubts(self, models: list[str], prompt_sha256: str) -> list[str]:
        """Why these models with this prompt are uncalibrated. Empty if they are calibrated."""
        doubts = list(self.unmet)
        if sorted(models) != sorted(self.models):
            doubts.append(f"the calibration is of {', '.join(self.models)}")
        if prompt_sha256 != self.prompt_sha256:
            doubts.append("the calibration is of another prompt")
        return doubts


class LabelLine(StrictModel):
    """One person's verdict on one run, which is named by its folder. ``defer`` doesn't decide.

    ``cheated`` says whether the agent worked around its task; where it is None, the failure_mode tells.
    """

    run: str = Field(min_length=1)
    annotator: str = Field(min_length=1)
    verdict: Literal["PASS", "FAIL", "defer"]
    failure_mode: str | None = None
    cheated: bool | None = None
    task_completion: int | None = _RATING
    instruction_adherence: int | None = _RATING
    efficiency: int | None = _RATING

    @property
    def passed(self) -> bool | None:
        """None if the person doesn't decide."""
        return None if self.verdict == "defer" else self.verdict == "PASS"
