"""The record of a coding run that was scored once: what was scored, by what, and the report. Never changed."""

from datetime import datetime
from typing import Literal

from pydantic import Field, FiniteFloat

from assay.dialects.scorers.report import ScorersReport
from assay.dialects.scorers.scenario import Scenario
from assay.formats.strict_model import StrictModel


class AgentEnded(StrictModel):
    """How the agent's program ended in one turn."""

    turn: str | None = None
    exit_code: int | None
    timed_out: bool = False
    out_of_memory: bool = False
    signal: int | None = None
    duration_sec: FiniteFloat = Field(ge=0)
    limit_sec: FiniteFloat | None = None


class Scoring(StrictModel):
    """One scoring of one run. A second scoring is a second record beside it.

    ``scenario`` is the frozen copy that decided. The diff is kept in a file of its own beside the record.
    """

    format: Literal[1] = 1
    number: int = Field(ge=1)
    task: str
    scenario: Scenario
    scored_at: datetime
    turns: list[AgentEnded] = Field(default_factory=list)
    workspace_sha256: str | None = None
    diff_sha256: str | None = None
    diff_cut: bool = False
    previous: str | None = None
    report: ScorersReport
