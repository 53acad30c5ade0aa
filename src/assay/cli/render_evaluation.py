"""The gradings and annotations of a report, as text for people."""

from collections.abc import Iterator

from assay.cli.table import clean, render_table, some_of
from assay.engine.evaluation_report import Change, EvaluationReport
from assay.engine.reviews import Review
from assay.formats.counting import counted


def evaluation_lines(report: EvaluationReport, markdown: bool) -> Iterator[str]:
    """The lines of the report. Parts with no content are left out."""
    yield ""
    yield _gradings(report)
    if report.taxonomy:
        rows = [(g.category, g.source, str(len(g.trials)), some_of(g.trials)) for g in report.taxonomy]
        yield ""
        yield render_table(("failure", "found by", "trials", "which"), rows, markdown=markdown)
    if report.reasons:
        reasons = [(g.reason_code, str(len(g.trials)), some_of(g.trials)) for g in report.reasons]
        yield ""
        yield render_table(("no usable reward in the grading", "trials", "which"), reasons, markdown=markdown)
    if report.changes:
        yield ""
        yield render_table(
            ("graded again", "first", "latest", "grading"), map(_change_row, report.changes), markdown=markdown
        )
    for trial in report.flaky:
        yield f"\nflaky verifier: {clean(trial)} got different rewards for the same output"
    if report.reviews:
        titles = ("reviewed", "reviewer", "says", "reward", "contradicts", "notes")
        yield ""
        yield render_table(titles, map(_review_row, report.reviews), markdown=markdown)


def _gradings(report: EvaluationReport) -> str:
    parts = [
        f"{counted(report.graded, 'trial')} graded, {report.graded_again} graded again, showing the {report.used}",
        f"unparseable outputs: {report.unparseable}" if report.unparseable else "",
        f"schema violations: {report.schema_violations}" if report.schema_violations else "",
        f"no usable reward: {report.incomplete}" if report.incomplete else "",
    ]
    return "gradings: " + "; ".join(part for part in parts if part)


def _change_row(change: Change) -> tuple[str, str, str, str]:
    name = change.trial if change.step is None else f"{change.trial} step {change.step}"
    return name, _number(change.first), _number(change.latest), str(change.number)


def _review_row(review: Review) -> tuple[str, str, str, str, str, str]:
    contradicts = ", ".join(review.contradicts)
    return (
        review.trial,
        review.reviewer_id,
        review.judgment,
        _number(review.reward),
        contradicts,
        review.notes or "",
    )


def _number(value: float | None) -> str:
    return "no reward" if value is None else f"{value:g}"
