"""Ask every scorer about a workspace, and report the answers beside the two other gates."""

from dataclasses import asdict

from assay.core.grading import Placed, PlacedCheck, RunCheck, grade, run_here
from assay.core.outcome import Errored, MayBeObjective, NeedsCommands, NotApplicable, NoteForJudge, Outcome, Scored
from assay.core.rollup import Unscored, gate, weighted_mean
from assay.dialects.scorers.report import (
    NOTHING_CHANGED,
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
    headline,
    json_text,
)
from assay.engine.coding.run_metrics import MetricLimits, passed, run_metrics
from assay.evidence.coding_run import AgentRecord, MetricRow, RunStatus
from assay.evidence.workspace import Change, ChangeKind, Workspace, blind_spots


def score_run(
    checks: list[PlacedCheck[Workspace]],
    workspace: Workspace | None,
    provenance: Provenance,
    status: RunStatus = RunStatus.COMPLETED,
    run_check: RunCheck[Workspace] = run_here,
    agent: AgentRecord = AgentRecord(),  # noqa: B008 - frozen
    limits: MetricLimits = MetricLimits(),  # noqa: B008 - frozen
) -> ScorersReport:
    """Ask every scorer once. A run without a workspace, or by a scenario without scorers, has two gates only.

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
    objective = _objective(checks)
    rows = [_row(one, answer, one is objective) for one, answer in zip(checks, placed, strict=True)]
    overall = _overall(placed, rows, workspace)
    return ScorersReport(
        overall=overall,
        scorers=rows,
        judge=judge,
        run=run,
        disagreement=explain_disagreement(overall.verdict, judge.state, overall.warnings > 0),
        workspace=_summary(workspace),
        provenance=provenance,
    )


def _overall(placed: tuple[Placed, ...], rows: list[Row], workspace: Workspace) -> Overall:
    """The verdict of the required scorers. Without any change there is nothing that could have passed."""
    verdict = OverallVerdict(gate(placed).value)
    warnings = sum(row.warning for row in rows)
    if verdict is OverallVerdict.PASS and not (workspace.changes or blind_spots(workspace)):
        none = OverallVerdict.NOT_APPLICABLE
        return Overall(verdict=none, score=None, warnings=warnings, headline=NOTHING_CHANGED)
    mean = weighted_mean(placed, Unscored.LEFT_OUT)
    return Overall(verdict=verdict, score=mean, warnings=warnings, headline=headline(verdict, warnings))


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
    """What became of what, where a path is of another kind than before."""
    if change.kind is not ChangeKind.TYPE or change.before is None or change.after is None:
        return None
    return f"a {change.before.kind.value} became a {change.after.kind.value}"
