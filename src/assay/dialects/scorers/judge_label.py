"""The wire model of a person's word on a run, as a line of a file."""

from typing import Literal

from pydantic import Field

from assay.dialects.scorers.strict import StrictModel

_RATING = Field(default=None, ge=1, le=5)


class LabelLine(StrictModel):
    """What one person says about one run, which is named by its folder. ``defer`` doesn't decide."""

    run: str = Field(min_length=1)
    annotator: str = Field(min_length=1)
    verdict: Literal["PASS", "FAIL", "defer"]
    failure_mode: str | None = None
    task_completion: int | None = _RATING
    instruction_adherence: int | None = _RATING
    efficiency: int | None = _RATING
