"""What a judge says about a run. Nothing here asks a model."""

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias


class Support(Enum):
    """What the evidence says about a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNVERIFIABLE = "unverifiable"


@dataclass(frozen=True, slots=True)
class FactCheck:
    """One row of the fact-check matrix: a claim, and what the evidence shows."""

    claim: str
    evidence: str
    verdict: Support


@dataclass(frozen=True, slots=True)
class Scores:
    """The rubric, each from 1 to 5."""

    task_completion: float
    instruction_adherence: float
    efficiency: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """PASS or FAIL, as the verdict field of an answer has it and nothing else.

    ``inconsistent`` says which of the scores sit oddly with it, one sentence each.
    """

    passed: bool
    scores: Scores
    failure_mode: str | None
    reasoning: str
    fact_check: tuple[FactCheck, ...]
    inconsistent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unparseable:
    """There is no verdict: neither PASS nor FAIL."""

    why: str


Judgement: TypeAlias = Verdict | Unparseable
