"""A report as JSON, as tables in a terminal, or as Markdown."""

import json
from collections.abc import Iterable, Iterator, Sequence

from assay.cli.json_values import without_nan
from assay.cli.render_evaluation import evaluation_lines, summary_words
from assay.cli.render_intervals import bounds_rows, interval_rows, mean_interval
from assay.cli.render_noise import agreement_lines, noise_rows
from assay.cli.render_rows import (
    regrade_table,
    task_table,
    trial_table,
)
from assay.cli.render_usage import usage_lines
from assay.cli.table import clean, render_table, some_of
from assay.engine.report import GroupReport, JobReport, Trouble
from assay.engine.report_json import counts_json, job_json
from assay.stats.attempts import Estimate

_STATES = {True: " · finished", False: " · not finished", None: ""}

_COUNTS = (
    ("total", "total"),
    ("scored", "scored"),
    ("scored_though_errored", "scored though\nerrored"),
    ("errored", "errored,\nno reward"),
    ("missing", "missing"),
    ("invalid", "invalid"),
    ("cancelled", "cancelled"),
)


def as_json(reports: Sequence[JobReport]) -> str:
    """One JSON object. NaN and infinity, which JSON can't hold, become null."""
    return json.dumps({"jobs": [without_nan(job_json(report)) for report in reports]}, indent=2, allow_nan=False)


def as_text(reports: Sequence[JobReport], *, markdown: bool) -> str:
    """Tables for people, one job after another."""
    return "\n\n".join("\n".join(_lines(report, markdown)) for report in reports)


def _lines(report: JobReport, markdown: bool) -> Iterator[str]:
    title = f"{clean(report.job)} · {clean(report.title)}{_STATES[report.finished]}"
    yield f"## {title}" if markdown else title
    for group in report.groups:
        yield ""
        extra = (*bounds_rows(report.bounds.get(group.key)), *noise_rows(report.noise.get(group.key)))
        yield _block(group, extra, markdown)
    yield ""
    titles = ("trials", *(title for _, title in _COUNTS))
    yield render_table(titles, _count_rows(report), right=True, markdown=markdown)
    yield from _row_lines(report, markdown)
    if report.troubles:
        yield ""
        titles = ("problem", "trials", "reward", "reason code", "which")
        yield render_table(titles, map(_trouble_row, report.troubles), markdown=markdown)
    if report.evaluation is not None:
        yield from evaluation_lines(report.evaluation, markdown)
    yield from agreement_lines(report.agreement, markdown)
    if report.usage is not None:
        yield from usage_lines(report.usage, markdown)
    for note in report.notes:
        yield f"\n{'> ' if markdown else ''}note: {clean(note)}"


def _row_lines(report: JobReport, markdown: bool) -> Iterator[str]:
    if report.task_rows is not None:
        yield ""
        yield task_table(report.task_rows, markdown)
    if report.trial_rows is not None:
        yield ""
        yield trial_table(report.trial_rows, markdown)
    if report.regrades:
        yield ""
        yield regrade_table(report.regrades, markdown)


def _block(group: GroupReport, extra: Sequence[tuple[str, str]], markdown: bool) -> str:
    """The numbers of one group under its name, which may be long."""
    measures = (*_measures(group), *extra)
    if markdown:
        return render_table((group.key, ""), measures, markdown=True)
    rows = render_table(("", ""), measures).splitlines()[1:]
    return "\n".join([clean(group.key), *(f"  {row}" for row in rows)])


def _measures(group: GroupReport) -> Iterator[tuple[str, str]]:
    """The numbers of one group, harbor's first."""
    for metric in group.harbor.metrics or [{}]:
        yield "score (harbor)", _named(metric.items()) or "none: the job configures no metric for this dataset"
    passes = [(f"pass@{k}", value) for k, value in group.harbor.pass_at_k.items()]
    yield "pass@k (harbor)", _named(passes) or "none: needs two attempts per task and rewards of 0 or 1"
    if group.evaluation is not None:
        yield "evaluation", summary_words(group.evaluation)
    if group.success is None:
        yield "success", _undecided(group)
        return
    trials = f"{group.n_averaged} trial{'' if group.n_averaged == 1 else 's'}"
    sure = mean_interval(group.intervals)
    yield "mean of scored", f"{_number(group.mean_of_scored)} ({group.success.key}, {trials}){sure}"
    wanted = f"{group.success.key} ≥ {group.success.threshold:g}"
    yield wanted, _estimates("pass@", group.pass_at_k)
    yield wanted, _estimates("pass^", group.pass_hat_k)
    if group.intervals is not None:
        yield from interval_rows("pass@", group.pass_at_k, group.intervals.passes.at)
        yield from interval_rows("pass^", group.pass_hat_k, group.intervals.passes.hat)


def _undecided(group: GroupReport) -> str:
    keys = ", ".join(group.harbor.reward_stats)
    return f"not decided: choose a reward with --key ({keys})" if keys else "not decided: no trial has a reward"


def _named(numbers: Iterable[tuple[str, object]]) -> str:
    return "  ".join(f"{name} {_number(value)}" for name, value in numbers)


def _estimates(sign: str, estimates: Sequence[Estimate]) -> str:
    return "  ".join(f"{sign}{one.k} {_number(one.value)}{_of_tasks(one)}" for one in estimates)


def _of_tasks(estimate: Estimate) -> str:
    """How many tasks an estimate covers, if it doesn't cover all of them."""
    if not estimate.tasks_with_too_few_attempts:
        return ""
    return f" ({estimate.tasks} of {estimate.tasks + estimate.tasks_with_too_few_attempts} tasks)"


def _number(value: object) -> str:
    if value is None:
        return "null"
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _count_rows(report: JobReport) -> Iterator[tuple[str, ...]]:
    for group in report.groups:
        yield (group.key, *map(str, counts_json(group.counts).values()))
    if len(report.groups) != 1 or report.counts != report.groups[0].counts:
        yield ("all", *map(str, counts_json(report.counts).values()))


def _trouble_row(trouble: Trouble) -> tuple[str, ...]:
    kept = "none" if trouble.unscored else "kept"
    return trouble.what, str(len(trouble.trials)), kept, trouble.reason_code, some_of(trouble.trials)
