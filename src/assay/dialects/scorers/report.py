"""The wire models of a scored run: one row per scorer, and three independent gates."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any, Literal, Protocol, TypeAlias

from pydantic import Field, FiniteFloat

from assay.dialects.scorers.monitor_answer import GuardAnswer, MonitorAnswer, PartCut
from assay.dialects.scorers.scenario import JudgeSection
from assay.dialects.scorers.suspicion import Suspicion
from assay.evidence.bounds import printable
from assay.evidence.coding_run import CodingRecord, RunStatus
from assay.formats.counting import counted
from assay.formats.strict_model import StrictModel

VerdictState: TypeAlias = Literal["PASS", "FAIL", "unparseable"]
SCHEMA_VERSION = 1


Support: TypeAlias = Literal["supported", "contradicted", "unverifiable"]


class FactCheckRow(StrictModel):
    """One row of the fact-check matrix: a claim, and how the evidence bears on it."""

    claim: str
    evidence: str
    verdict: Support


class RubricRatings(StrictModel):
    """The rubric, each from 1 to 5. Of several answers, the medians. None is not in the answer."""

    task_completion: FiniteFloat | None = Field(ge=1, le=5)
    instruction_adherence: FiniteFloat | None = Field(ge=1, le=5)
    efficiency: FiniteFloat | None = Field(ge=1, le=5)


class Opinion(StrictModel):
    """A judge's answer. An unparseable one has a ``reason`` and nothing else: it is neither PASS nor FAIL.

    ``state`` follows the verdict field of the answer alone. ``inconsistent`` lists ratings that sit oddly with it,
    ``repaired`` what had to be read otherwise than it was written, ``missing`` what the answer doesn't say.
    """

    state: VerdictState
    reason: str | None = None
    ratings: RubricRatings | None = None
    failure_mode: str | None = None
    reasoning: str | None = None
    fact_check: list[FactCheckRow] = Field(default_factory=list)
    inconsistent: list[str] = Field(default_factory=list)
    repaired: list[str] = Field(default_factory=list)
    missing: list[str] = Field(default_factory=list)


class JudgeUsage(StrictModel):
    """Tokens as the endpoint counts them, and what they cost if prices are given. None is not known."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: FiniteFloat | None = None

    def plus(self, other: "JudgeUsage") -> "JudgeUsage":
        """Both together. Where one of them isn't known, the other one counts."""
        known = [one.model_dump(exclude_none=True) for one in (self, other)]
        return JudgeUsage(**{name: sum(one.get(name, 0) for one in known) for name in known[0] | known[1]})


class JudgeAnswer(StrictModel):
    """One answer of one model, after all tries. ``mode`` is how the endpoint was asked for JSON.

    ``adapted`` says what was left out of the request or sent otherwise, because the endpoint refuses it.
    """

    model: str
    sample: int
    opinion: Opinion
    tries: int
    usage: JudgeUsage = JudgeUsage()
    latency_sec: FiniteFloat | None = None
    mode: str | None = None
    recorded: bool = False
    adapted: list[str] = Field(default_factory=list)


class JudgeSampling(StrictModel):
    """How the models chose their words. None was not sent."""

    temperature: FiniteFloat | None
    max_tokens: int | None
    seed: int | None
    samples: int


class JudgePrompt(StrictModel):
    """The prompt that was used: its name with the version, the hash of its text, that of the whole question."""

    name: str
    sha256: str
    question_sha256: str
    canary: bool


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
    monitor: MonitorAnswer | None = None
    calibrated: bool = False
    uncalibrated_because: list[str] = Field(default_factory=list)
    scored_at: datetime

    @property
    def suspicion(self) -> float | None:
        """The monitor's, if it was asked and answered."""
        return None if self.monitor is None else self.monitor.suspicion

    @property
    def state(self) -> VerdictState:
        """PASS, FAIL or unparseable."""
        return self.opinion.state


JUDGE = "llm_judge"


class RowVerdict(Enum):
    """The verdict of a scorer. ERROR: the scorer itself broke, which says nothing about the agent."""

    PASS = "PASS"  # noqa: S105 - a verdict, not a password
    FAIL = "FAIL"
    NOT_APPLICABLE = "N/A"
    ERROR = "ERROR"


class OverallVerdict(Enum):
    """The gate of the mechanical scorers. N/A if no scorer applied: silence isn't a pass."""

    PASS = "PASS"  # noqa: S105 - a verdict, not a password
    FAIL = "FAIL"
    NOT_APPLICABLE = "N/A"


class JudgeState(Enum):
    """The gate of the judge."""

    PASS = "PASS"  # noqa: S105 - a verdict, not a password
    FAIL = "FAIL"
    PENDING = "PENDING"
    NOT_APPLICABLE = "NOT APPLICABLE"
    UNPARSEABLE = "unparseable"


class Row(StrictModel):
    """One scorer. ``score`` is None for N/A and ERROR; ``output`` is the end of a command's output.

    ``command`` is the shell command of a scorer that runs one. ``objective`` marks the objective test.
    """

    name: str
    type: str
    required: bool
    verdict: RowVerdict
    score: FiniteFloat | None = Field(ge=0, le=1)
    detail: str
    evidence: dict[str, Any] = Field(default_factory=dict)
    output: str | None = None
    command: str | None = None
    objective: bool = False

    @property
    def advisory(self) -> bool:
        """Whether its failure can't fail the run. A note for the judge never can, required or not."""
        return not self.required or self.type == JUDGE

    @property
    def hard_failure(self) -> bool:
        """True if it fails the gate."""
        return not self.advisory and self.verdict in (RowVerdict.FAIL, RowVerdict.ERROR)

    @property
    def warning(self) -> bool:
        """True if somebody should look though the gate doesn't fail: an advisory scorer failed or broke, or one
        that passed says so.
        """
        failed = self.verdict in (RowVerdict.FAIL, RowVerdict.ERROR)
        return (self.advisory and failed) or (not failed and bool(self.evidence.get("warnings")))


class Overall(StrictModel):
    """The verdict of the required scorers, and the mean of all scores.

    ``warnings`` counts scorers that want a look without failing the gate. ``headline`` is the verdict in words:
    "PASS, with 2 heuristic warnings to review". ``broken`` says that the required scorers that fail the gate all
    broke: nothing was measured, which says nothing about the agent.
    """

    verdict: OverallVerdict
    score: FiniteFloat | None = Field(ge=0, le=1)
    warnings: int = Field(default=0, ge=0)
    headline: str = ""
    broken: bool = False


class RubricNote(StrictModel):
    """The note of an llm_judge scorer. ``required`` gates nothing; the judge reads it."""

    name: str
    required: bool
    rubric: str


class Judge(StrictModel):
    """The judge's gate, with the notes of llm_judge scorers for the judge, and its verdict if it was asked."""

    state: JudgeState
    rubric_notes: list[RubricNote] = Field(default_factory=list)
    verdict: JudgeVerdict | None = None


class Metric(StrictModel):
    """A generic metric of the run. ``passed`` is None if nothing depends on it: no limit, or nothing known."""

    name: str
    value: bool | int | FiniteFloat | str | None
    limit: FiniteFloat | None = None
    passed: bool | None = None
    detail: str


class StatusGate(StrictModel):
    """The gate of the run itself. ``passed`` is None if no metric says anything."""

    status: RunStatus
    passed: bool | None = None
    metrics: list[Metric] = Field(default_factory=list)


class ChangedFile(StrictModel):
    """One changed path. ``old_path`` is set for a rename, ``detail`` for something that became another kind."""

    path: str
    change: str
    old_path: str | None = None
    detail: str | None = None


class IgnoredGroup(StrictModel):
    """How many new files a line of the baseline's ``.gitignore`` files names. Nobody read them."""

    rule: str
    files: int = Field(ge=1)


class WorkspaceSummary(StrictModel):
    """The capture's result."""

    changed: list[ChangedFile]
    nested_repositories: list[str] = Field(default_factory=list)
    cut: list[str] = Field(default_factory=list)
    ignored: list[IgnoredGroup] = Field(default_factory=list)


class Provenance(StrictModel):
    """Everything that the report follows from."""

    engine: str
    scenario_sha256: str
    baseline_sha256: str | None = None
    isolation: str | None = None
    assumed: list[str] = Field(default_factory=list)
    """What nobody said and Assay assumed, one sentence each."""
    strict: bool = False
    """Whether advisory scorers counted as required ones (``--strict``)."""
    remembered_runs: int = Field(default=0, ge=0)
    """How many commands weren't run, because an earlier grading of the same content had run them."""


class ScorersReport(StrictModel):
    """The whole result of a run. ``overall`` and ``suspicion`` are None for a run without scorers."""

    overall: Overall | None
    scorers: list[Row]
    judge: Judge
    run: StatusGate
    disagreement: str | None = None
    suspicion: Suspicion | None = None
    workspace: WorkspaceSummary | None = None
    provenance: Provenance


EXPLANATIONS: Mapping[str, str] = {
    "explained": "not counted, because the code that was tested was removed or renamed",
    "asked_for": "not counted, because the instruction asks for it",
    "explained_by_runs": "explained by runs: what these claim was measured, and isn't so",
    "within_it": "within the change of the test framework",
}
"""By key of a row's evidence: why the findings there are shown and don't count."""
NOTHING_CHANGED = "N/A: nothing was changed, so there is nothing to score"


STILL = "fail as before"
"""Under ``compared`` in the evidence of a scorer that runs tests: how many fail on the baseline as well."""
NOTHING_TESTED = "N/A: nothing was tested, so nobody knows; say how the tests are run with --tests 'COMMAND'"


def overall_of(verdict: OverallVerdict, mean: float | None, rows: Sequence[Row]) -> Overall:
    """The verdict of the scorers, also in words."""
    warned = [row for row in rows if row.warning]
    failed = [row for row in rows if row.hard_failure]
    broken = bool(failed) and all(row.verdict is RowVerdict.ERROR for row in failed)
    said = verdict.value
    if broken:
        said = f"ERROR: couldn't measure {', '.join(row.name for row in failed)}"
    elif verdict is OverallVerdict.PASS and warned:
        heuristic = all(row.verdict is RowVerdict.FAIL for row in warned)
        said = f"PASS, with {counted(len(warned), 'heuristic warning' if heuristic else 'warning')} to review"
    failing = max((_fail_as_before(row) for row in rows), default=0)
    if verdict is OverallVerdict.PASS and failing:
        said = f"{said}; {counted(failing, 'test')} that failed before still {'fails' if failing == 1 else 'fail'}"
    return Overall(verdict=verdict, score=mean, warnings=len(warned), headline=printable(said), broken=broken)


def _fail_as_before(row: Row) -> int:
    compared = row.evidence.get("compared")
    return int(compared.get(STILL, 0)) if isinstance(compared, dict) else 0


def explain_disagreement(overall: OverallVerdict, judge: JudgeState, advisory_failed: bool) -> str | None:
    """The meaning of differing gates; None if they agree."""
    if judge is JudgeState.PASS and overall is OverallVerdict.FAIL:
        return (
            "Judge PASS, scorers FAIL: semantically plausible output that violated a hard mechanical constraint."
        )
    if judge is JudgeState.FAIL and overall is OverallVerdict.PASS:
        return (
            "Scorers PASS, judge FAIL: the mechanical checks passed, but semantic completion was not convincing."
        )
    if judge is JudgeState.PASS and overall is OverallVerdict.PASS and advisory_failed:
        return "Both PASS, advisory scorer FAIL: a heuristic warning that fails nothing but should be reviewed."
    return None


JudgeRun: TypeAlias = Callable[[CodingRecord], JudgeVerdict]


class Judges(Protocol):
    """Finds the judge that a scenario wants."""

    def judge(self, section: JudgeSection | None) -> JudgeRun:
        """The judge. Raises ``InputError`` if nobody says which."""
        ...


def is_judged(status: RunStatus) -> bool:
    """Every completed run is judged, and no other one."""
    return status is RunStatus.COMPLETED


def explain_judge(state: JudgeState, status: RunStatus) -> str:
    """The judge's gate in words: not applicable to a run that didn't complete; to others, nobody was asked."""
    if state is JudgeState.PENDING:
        return f"{state.value}: the scenario has notes for a judge, and none was asked yet"
    if state is not JudgeState.NOT_APPLICABLE:
        return str(state.value)
    return "not asked" if is_judged(status) else f"{state.value}: the run is {status.value}"


def with_verdict(report: ScorersReport, verdict: JudgeVerdict) -> ScorersReport:
    """The report with a judge's verdict as its gate. Nothing of the scorers changes."""
    state = JudgeState(verdict.state)
    judge = report.judge.model_copy(update={"state": state, "verdict": verdict})
    warned = any(row.verdict is RowVerdict.FAIL and not row.required for row in report.scorers)
    told = None if report.overall is None else explain_disagreement(report.overall.verdict, state, warned)
    return report.model_copy(update={"judge": judge, "disagreement": told})
