"""Ask every scorer about a workspace, and report the answers beside the two other gates.

A type of scorer is the name of a file in ``checks``.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from assay import checks
from assay.core.errors import InputError
from assay.core.grading import Placed, PlacedCheck, Placement, RunCheck, grade, run_here
from assay.core.outcome import (
    Errored,
    GatingCheck,
    MayBeObjective,
    NeedsCommands,
    NotApplicable,
    NoteForJudge,
    Outcome,
    Scored,
)
from assay.core.rollup import Unscored, gate, weighted_mean
from assay.dialects.scorers.report import (
    NOTHING_CHANGED,
    NOTHING_TESTED,
    ChangedFile,
    IgnoredGroup,
    Judge,
    JudgeState,
    Metric,
    Overall,
    OverallVerdict,
    Provenance,
    Row,
    RowVerdict,
    RubricNote,
    ScorersReport,
    StatusGate,
    WorkspaceSummary,
    explain_disagreement,
    overall_of,
)
from assay.dialects.scorers.scenario import Scenario, Scorer, ShorthandError, written_out
from assay.dialects.scorers.suspicion import suspicion_of
from assay.engine.check_catalog import UnfitFieldError, class_in, make_check, modules_in
from assay.engine.schema_errors import about
from assay.evidence.bounds import json_text
from assay.evidence.coding_run import AgentEnd, AgentRecord, MetricRow, RunStatus, StatedUsage
from assay.evidence.workspace import Change, ChangeKind, Workspace, blind_spots
from assay.formats.counting import counted

COMMAND = "command"
CodingCheck = GatingCheck[Workspace]


def kinds() -> list[str]:
    """All types of scorers."""
    return list(modules_in(checks))


def check_class(kind: str) -> type[CodingCheck]:
    """The class of a type. Raises ``TypeError`` if it leaves out what it must declare."""
    found: type[CodingCheck] = class_in(checks, kind, kind)
    declared = vars(found).get("advisory")
    if not isinstance(declared, bool):
        must = "must declare 'advisory: ClassVar[bool]', True or False"
        raise TypeError(f"{found.__module__}.{found.__name__} {must}, got {declared!r}")
    return found


def required_by_default(kind: str) -> bool:
    """Whether a scorer of this type is required if the scenario doesn't say. Heuristics are not."""
    return not check_class(kind).advisory


def placed_checks(scenario: Scenario, origin: str) -> list[PlacedCheck[Workspace]]:
    """The checks and how they count. Raises ``InputError`` that names the file, the scorer and the field."""
    if scenario.tests is not None:
        raise InputError(f"{origin}: tests.hidden must be in a scenario file outside of the agent's repository")
    return [_placed(scorer, f"{origin}: scorers[{number}]") for number, scorer in enumerate(scenario.scorers)]


def frozen(scenario: Scenario, checks: list[PlacedCheck[Workspace]]) -> Scenario:
    """The scenario with the defaults of its scorers' types written out, so that new ones can't change it."""
    pairs = zip(scenario.scorers, checks, strict=True)
    scorers = [
        Scorer(type=scorer.type, name=scorer.name, required=one.placement.required, **_settings(one.check))
        for scorer, one in pairs
    ]
    return scenario.model_copy(update={"scorers": scorers})


def _settings(check: Any) -> dict[str, Any]:
    """The fields of a check as JSON has them. A field without a value is left out, as in a scenario."""
    values = json.loads(json.dumps(asdict(check)))
    return {name: value for name, value in values.items() if value is not None}


def all_required(checks: list[PlacedCheck[Workspace]]) -> list[PlacedCheck[Workspace]]:
    """The same checks, each of them required. A note for the judge still never fails a run."""
    return [replace(one, placement=replace(one.placement, required=True)) for one in checks]


def checked(scorer: Scorer) -> CodingCheck:
    """The check of one scorer. Raises ``UnfitFieldError`` that names the field."""
    if scorer.type not in kinds():
        raise UnfitFieldError("type", f"must be one of {', '.join(kinds())}, got {scorer.type!r}")
    try:
        kind = check_class(scorer.type)
        config = _written_out(kind, scorer.config)
    except ShorthandError as error:
        raise UnfitFieldError(error.field, str(error)) from error
    check: CodingCheck = make_check(kind, config)
    return check


def _placed(scorer: Scorer, where: str) -> PlacedCheck[Workspace]:
    try:
        check = checked(scorer)
    except UnfitFieldError as error:
        place = f"{where}.{error.field}" if error.field else where
        raise InputError(about(place, error.problem)) from error
    required = required_by_default(scorer.type) if scorer.required is None else scorer.required
    return PlacedCheck(Placement(scorer.name, required=required), check)


def _written_out(kind: type[CodingCheck], config: dict[str, Any]) -> dict[str, Any]:
    """A type that runs a command takes ``tests`` in one word, as far as it has the fields that this stands for."""
    declared = getattr(kind, "__dataclass_fields__", {})
    if "command" not in declared:
        return config
    return {name: value for name, value in written_out(config).items() if name in declared or name in config}


@dataclass(frozen=True, slots=True)
class MetricLimits:
    """A scenario's limits for a run. None is no limit."""

    time_s: float | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    steps: int | None = None


def run_metrics(agent: AgentRecord, changed: int | None, limits: MetricLimits) -> tuple[MetricRow, ...]:
    """A row for each metric. ``changed`` is the number of changed files; None for a run without a workspace.

    There are none if nobody recorded how the agent ended: a workspace alone says nothing about a run.
    """
    return () if agent.end is None else tuple(_rows(agent, agent.end, changed, limits))


def passed(metrics: Iterable[MetricRow]) -> bool | None:
    """Whether all metrics that have to hold do. None if one with a limit is unknown, and if there are none."""
    rows = list(metrics)
    if any(row.passed is False for row in rows):
        return False
    unknown = any(row.limit is not None and row.passed is None for row in rows)
    return None if unknown or not rows else True


def _rows(agent: AgentRecord, end: AgentEnd, changed: int | None, limits: MetricLimits) -> Iterator[MetricRow]:
    yield _exit_code(end)
    yield _time(end, limits)
    yield _result(agent, changed)
    trajectory = agent.trajectory
    usage = trajectory.usage if trajectory is not None else StatedUsage()
    yield _within("tokens", usage.tokens, limits.tokens)
    yield _within("cost_usd", usage.cost_usd, limits.cost_usd)
    yield _within("steps", trajectory.agent_steps() if trajectory is not None else None, limits.steps)


def _exit_code(end: AgentEnd) -> MetricRow:
    code = end.end.exit_code
    if end.end.timed_out:
        said = "the agent was stopped"
    elif code is None:
        said = f"the agent was killed by signal {end.end.signal}"
    else:
        said = f"the agent ended by itself with exit code {code}"
    return MetricRow("exit_code", code, None, code == 0 and not end.end.timed_out, said)


def _time(end: AgentEnd, limits: MetricLimits) -> MetricRow:
    known = [limit for limit in (end.limit_sec, limits.time_s) if limit is not None]
    limit = min(known) if known else None
    late = end.end.timed_out or (limit is not None and end.duration_sec > limit)
    said = "the agent ran out of time" if late else "the agent ended within its time"
    return MetricRow("time_s", round(end.duration_sec, 3), limit, not late, said)


def _result(agent: AgentRecord, changed: int | None) -> MetricRow:
    found = ["a final response"] if (agent.final_response or "").strip() else []
    found += [counted(changed, "changed file")] if changed else []
    said = " and ".join(found) or "neither a final response nor a change"
    return MetricRow("result", bool(found), None, bool(found), said)


def _within(name: str, value: float | None, limit: float | None) -> MetricRow:
    if value is None:
        return MetricRow(name, None, limit, None, "the agent doesn't state it")
    if limit is None:
        return MetricRow(name, value, None, None, "no limit")
    return MetricRow(name, value, limit, value <= limit, f"at most {limit:g}")


def score_run(
    checks: list[PlacedCheck[Workspace]],
    workspace: Workspace | None,
    provenance: Provenance,
    status: RunStatus = RunStatus.COMPLETED,
    run_check: RunCheck[Workspace] = run_here,
    agent: AgentRecord = AgentRecord(),  # noqa: B008 - frozen
    limits: MetricLimits = MetricLimits(),  # noqa: B008 - frozen
    must_be_tested: bool = False,
) -> ScorersReport:
    """Ask every scorer once. A run without a workspace, or by a scenario without scorers, has two gates only.

    With ``must_be_tested``, there is no PASS unless a required scorer ran a command that looked at the behaviour.
    ``run_check`` runs one scorer and raises if it takes too long, which is an ERROR of that scorer alone.
    """
    judge = _judge(checks, status)
    run = _run(status, run_metrics(agent, None if workspace is None else len(workspace.changes), limits))
    if workspace is None or not checks:
        summary = None if workspace is None else _summary(workspace)
        return ScorersReport(
            overall=None, scorers=[], judge=judge, run=run, workspace=summary, provenance=provenance
        )
    placed = grade(checks, workspace, run=run_check)
    if any(isinstance(one.outcome, Scored) and not one.outcome.passed for one in placed):
        from assay.engine.coding.excused import excuse  # noqa: PLC0415 - only where something may be excused

        placed = excuse(checks, placed, workspace)
    if provenance.strict:
        checks = all_required(checks)
        placed = tuple(replace(old, placement=one.placement) for old, one in zip(placed, checks, strict=True))
    objective = _objective(checks)
    rows = [_row(one, answer, one is objective) for one, answer in zip(checks, placed, strict=True)]
    overall = _overall(placed, rows, workspace, must_be_tested)
    return ScorersReport(
        overall=overall,
        scorers=rows,
        judge=judge,
        run=run,
        disagreement=explain_disagreement(overall.verdict, judge.state, overall.warnings > 0),
        suspicion=suspicion_of(rows),
        workspace=_summary(workspace),
        provenance=provenance,
    )


def _overall(placed: tuple[Placed, ...], rows: list[Row], workspace: Workspace, must_be_tested: bool) -> Overall:
    """The verdict of the required scorers. Without any change there is nothing that could have passed."""
    verdict = OverallVerdict(gate(placed).value)
    overall = overall_of(verdict, weighted_mean(placed, Unscored.LEFT_OUT), rows)
    if verdict is not OverallVerdict.PASS:
        return overall
    none = {"verdict": OverallVerdict.NOT_APPLICABLE, "score": None}
    if not (workspace.changes or blind_spots(workspace)):
        return overall.model_copy(update={**none, "headline": NOTHING_CHANGED})
    tested = any(row.required and row.command is not None and row.verdict is RowVerdict.PASS for row in rows)
    if must_be_tested and not tested:
        return overall.model_copy(update={**none, "headline": NOTHING_TESTED})
    return overall


def _judge(checks: list[PlacedCheck[Workspace]], status: RunStatus) -> Judge:
    """There is no judge yet. It is pending if the run is completed and a scorer has a note for the judge."""
    notes = [
        RubricNote(name=one.placement.name, required=one.placement.required, rubric=one.check.rubric)
        for one in checks
        if isinstance(one.check, NoteForJudge)
    ]
    waiting = bool(notes) and status is RunStatus.COMPLETED
    return Judge(state=JudgeState.PENDING if waiting else JudgeState.NOT_APPLICABLE, rubric_notes=notes)


def _run(status: RunStatus, metrics: tuple[MetricRow, ...]) -> StatusGate:
    return StatusGate(
        status=status,
        passed=passed(metrics),
        metrics=[Metric.model_validate(asdict(metric)) for metric in metrics],
    )


def _objective(checks: list[PlacedCheck[Workspace]]) -> PlacedCheck[Workspace] | None:
    """The objective test: the command that is marked as one, or the first required command."""
    commands = [one for one in checks if isinstance(one.check, MayBeObjective)]
    marked = (one for one in commands if isinstance(one.check, MayBeObjective) and one.check.objective)
    required = (one for one in commands if one.placement.required)
    return next(marked, None) or next(required, None)


def _row(one: PlacedCheck[Workspace], placed: Placed, objective: bool) -> Row:
    outcome, check = placed.outcome, one.check
    evidence = dict(outcome.evidence) if isinstance(outcome, Scored) else {}
    output = evidence.pop("output", None)
    return Row(
        name=placed.placement.name,
        type=check.kind,
        required=placed.placement.required,
        verdict=_verdict(outcome),
        score=float(outcome.score) if isinstance(outcome, Scored) else None,
        detail=json_text(outcome.summary),
        evidence=json_text(evidence) if not isinstance(outcome, Errored) else {"error_type": outcome.error_type},
        output=output if isinstance(output, str) else None,
        command=check.command if isinstance(check, NeedsCommands) else None,
        objective=objective,
    )


def _verdict(outcome: Outcome) -> RowVerdict:
    if isinstance(outcome, NotApplicable):
        return RowVerdict.NOT_APPLICABLE
    if isinstance(outcome, Errored):
        return RowVerdict.ERROR
    return RowVerdict.PASS if outcome.passed else RowVerdict.FAIL


def _summary(workspace: Workspace) -> WorkspaceSummary:
    changed = [
        ChangedFile(
            path=json_text(change.path),
            change=change.kind.value,
            old_path=None if change.old_path == change.path else json_text(change.old_path),
            detail=_became(change),
        )
        for change in workspace.changes
    ]
    return WorkspaceSummary(
        changed=changed,
        nested_repositories=json_text(workspace.nested_repositories),
        cut=json_text(workspace.cut),
        ignored=[IgnoredGroup(rule=json_text(one.rule), files=len(one.paths)) for one in workspace.ignored],
    )


def _became(change: Change) -> str | None:
    """A sentence on a path that is of another kind than before, or None."""
    if change.kind is not ChangeKind.TYPE or change.before is None or change.after is None:
        return None
    return f"a {change.before.kind.value} became a {change.after.kind.value}"
