"""The evaluation side of a report for people."""

from collections.abc import Iterator

from assay.cli.table import clean, render_table, some_of
from assay.engine.evaluation_report import Change, Disagreement, EvaluationReport


def evaluation_lines(report: EvaluationReport, markdown: bool) -> Iterator[str]:
    """Only what there is something to say about."""
    yield ""
    yield _gradings(report)
    if report.taxonomy:
        rows = [(g.category, g.source, str(len(g.trials)), some_of(g.trials)) for g in report.taxonomy]
        yield ""
        yield render_table(("failure", "found by", "trials", "which"), rows, markdown=markdown)
    if report.reasons:
        reasons = [(g.reason_code, str(len(g.trials)), some_of(g.trials)) for g in report.reasons]
        yield ""
        yield render_table(("no reward, or not the verifier's", "trials", "which"), reasons, markdown=markdown)
    if report.changes:
        yield ""
        yield render_table(
            ("graded again", "first", "latest", "grading"), map(_change_row, report.changes), markdown=markdown
        )
    for trial in report.flaky:
        yield f"\nflaky verifier: {clean(trial)} got different rewards for the same output"
    if report.disagreements:
        titles = ("reviewer and verifier differ", "reviewer", "says", "reward", "notes")
        yield ""
        yield render_table(titles, map(_disagreement_row, report.disagreements), markdown=markdown)


def _gradings(report: EvaluationReport) -> str:
    which = "the run's own" if report.used == "first" else "the newest"
    found = [
        f"trials graded {report.graded}, again {report.graded_again}; shown: {which}",
        f"outputs unparseable {report.unparseable}" if report.unparseable else "",
        f"against their schema {report.schema_violations}" if report.schema_violations else "",
        f"without a usable reward {report.incomplete}" if report.incomplete else "",
    ]
    return "gradings: " + "; ".join(part for part in found if part)


def _change_row(change: Change) -> tuple[str, str, str, str]:
    name = change.trial if change.step is None else f"{change.trial} step {change.step}"
    return name, _number(change.first), _number(change.latest), str(change.number)


def _disagreement_row(one: Disagreement) -> tuple[str, str, str, str, str]:
    return one.trial, one.reviewer_id, one.judgment, _number(one.reward), one.notes or ""


def _number(value: float | None) -> str:
    return "no reward" if value is None else f"{value:g}"
