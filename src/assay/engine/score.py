"""Ask every scorer about a workspace, and report the answers beside the two other gates."""

from assay.core.check import Check, NoteForJudge
from assay.core.grading import PlacedCheck, RunCheck, grade, run_here
from assay.core.outcome import Errored, NotApplicable, Outcome, Scored
from assay.core.placement import Placed
from assay.core.rollup import Unscored, gate, weighted_mean
from assay.dialects.scorers.report import (
    NOTHING_CHANGED,
    ChangedFile,
    Judge,
    JudgeState,
    Overall,
    OverallVerdict,
    Provenance,
    Row,
    RowVerdict,
    Run,
    RunStatus,
    ScorersReport,
    WorkspaceSummary,
    explain_disagreement,
    headline,
    json_text,
)
from assay.evidence.workspace import Workspace, blind_spots

COMMAND = "command"


def score_run(
    checks: list[PlacedCheck[Workspace]],
    workspace: Workspace | None,
    provenance: Provenance,
    status: RunStatus = RunStatus.COMPLETED,
    run_check: RunCheck[Workspace] = run_here,
) -> ScorersReport:
    """Ask every scorer once. A run without a workspace has no scorers, only the two other gates.

    ``run_check`` runs one scorer and raises if it takes too long, which is an ERROR of that scorer alone.
    """
    judge = _judge(checks, status)
    if workspace is None:
        return ScorersReport(overall=None, scorers=[], judge=judge, run=Run(status=status), provenance=provenance)
    placed = grade(checks, workspace, run=run_check)
    rows = [_row(one.check, answer) for one, answer in zip(checks, placed, strict=True)]
    overall = _overall(placed, rows, workspace)
    return ScorersReport(
        overall=overall,
        scorers=rows,
        judge=judge,
        run=Run(status=status),
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
    notes = [one.check.rubric for one in checks if isinstance(one.check, NoteForJudge)]
    waiting = bool(notes) and status is RunStatus.COMPLETED
    return Judge(state=JudgeState.PENDING if waiting else JudgeState.NOT_APPLICABLE, rubric_notes=notes)


def _row(check: Check[Workspace], placed: Placed) -> Row:
    outcome = placed.outcome
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
        )
        for change in workspace.changes
    ]
    return WorkspaceSummary(
        changed=changed,
        nested_repositories=json_text(workspace.nested_repositories),
        cut=json_text(workspace.cut),
    )
