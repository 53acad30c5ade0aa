"""The wire models of a judge's verdict on a run: what it says, and everything that it rests on."""

from datetime import datetime
from typing import Literal, TypeAlias

from pydantic import Field, FiniteFloat

from assay.dialects.scorers.strict import StrictModel

VerdictState: TypeAlias = Literal["PASS", "FAIL", "unparseable"]
SCHEMA_VERSION = 1


class FactCheckRow(StrictModel):
    """One row of the fact-check matrix."""

    claim: str
    evidence: str
    verdict: Literal["supported", "contradicted", "unverifiable"]


class RubricRatings(StrictModel):
    """The rubric, each from 1 to 5. Of several answers, the medians."""

    task_completion: FiniteFloat = Field(ge=1, le=5)
    instruction_adherence: FiniteFloat = Field(ge=1, le=5)
    efficiency: FiniteFloat = Field(ge=1, le=5)


class Opinion(StrictModel):
    """What was said. An unparseable one has a ``reason`` and nothing else: it is neither PASS nor FAIL.

    ``state`` follows the verdict field of the answer alone. ``inconsistent`` lists ratings that sit oddly with it.
    """

    state: VerdictState
    reason: str | None = None
    ratings: RubricRatings | None = None
    failure_mode: str | None = None
    reasoning: str | None = None
    fact_check: list[FactCheckRow] = Field(default_factory=list)
    inconsistent: list[str] = Field(default_factory=list)


class JudgeUsage(StrictModel):
    """Tokens as the endpoint counts them, and what they cost if prices are given. None is not known."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: FiniteFloat | None = None


class JudgeAnswer(StrictModel):
    """One answer of one model, after all tries. ``mode`` is how the endpoint was asked for JSON."""

    model: str
    sample: int
    opinion: Opinion
    tries: int
    usage: JudgeUsage = JudgeUsage()
    latency_sec: FiniteFloat | None = None
    mode: str | None = None
    recorded: bool = False


class JudgeSampling(StrictModel):
    """How the models chose their words. None was not sent."""

    temperature: FiniteFloat | None
    max_tokens: int | None
    seed: int | None
    samples: int


class JudgePrompt(StrictModel):
    """Which prompt was used: its name with the version, the hash of its text, and that of the whole question."""

    name: str
    sha256: str
    question_sha256: str
    canary: bool


class PartCut(StrictModel):
    """What of a part the judge was not shown."""

    part: str
    name: str
    lines: int
    bytes: int


class GuardAnswer(StrictModel):
    """Whether any text addresses the evaluator. ``addressed`` is None if that isn't known, for a ``reason``."""

    addressed: bool | None
    quote: str = ""
    reason: str | None = None


class JudgeVotes(StrictModel):
    """How many answers say what, and the share that says what most say."""

    passes: int
    fails: int
    unparseable: int
    agreement: FiniteFloat


class JudgeVerdict(StrictModel):
    """The judgement of one run, made once. Judging again makes another one.

    ``calibrated`` says whether these models with this prompt were measured against people, and good enough;
    ``uncalibrated_because`` lists why not.
    """

    schema_version: int = SCHEMA_VERSION
    opinion: Opinion
    models: list[str]
    answers: list[JudgeAnswer]
    votes: JudgeVotes
    prompt: JudgePrompt
    sampling: JudgeSampling
    usage: JudgeUsage = JudgeUsage()
    cut: list[PartCut] = Field(default_factory=list)
    guard: GuardAnswer | None = None
    calibrated: bool = False
    uncalibrated_because: list[str] = Field(default_factory=list)
    scored_at: datetime

    @property
    def state(self) -> VerdictState:
        """PASS, FAIL or unparseable."""
        return self.opinion.state
