"""A report as JSON, as tables in a terminal, or as Markdown."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

import msgspec

from assay.cli.json_values import without_nan
from assay.cli.render_evaluation import evaluation_lines, summary_words
from assay.cli.render_intervals import bounds_rows, interval_rows, intervals_json, mean_interval
from assay.cli.render_noise import agreement_json, agreement_lines, noise_json, noise_rows
from assay.cli.render_rows import (
    models_as_json,
    regrade_table,
    regrades_as_json,
    rows_as_json,
    task_table,
    trial_table,
)
from assay.cli.render_usage import usage_lines
from assay.cli.table import clean, render_table, some_of
from assay.engine.report import Denominators, GroupReport, JobReport, Trouble
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
    return json.dumps({"jobs": [without_nan(_job(report)) for report in reports]}, indent=2, allow_nan=False)


def as_text(reports: Sequence[JobReport], *, markdown: bool) -> str:
    """Tables for people, one job after another."""
    return "\n\n".join("\n".join(_lines(report, markdown)) for report in reports)


def _job(report: JobReport) -> dict[str, Any]:
    harbor = report.harbor
    return {
        "job": report.job,
        "profile": report.profile,
        "finished": report.finished,
        "counts": _counts(report.counts),
        "harbor": {
            "n_completed_trials": harbor.n_completed_trials,
            "n_errored_trials": harbor.n_errored_trials,
            "n_cancelled_trials": harbor.n_cancelled_trials,
            "n_input_tokens": harbor.usage.n_input_tokens,
            "n_cache_tokens": harbor.usage.n_cache_tokens,
            "n_output_tokens": harbor.usage.n_output_tokens,
            "cost_usd": harbor.usage.cost_usd,
        },
        "evals": {
            group.key: _group(group)
            | {"intervals": intervals_json(group.intervals, report.bounds.get(group.key), group.pass_at_k)}
            | {"noise": noise_json(report.noise.get(group.key))}
            for group in report.groups
        },
        "troubles": [asdict(trouble) for trouble in report.troubles],
        "evaluation": None if report.evaluation is None else asdict(report.evaluation),
        "agreement": agreement_json(report.agreement),
        "notes": report.notes,
    } | _parts(report)


def _parts(report: JobReport) -> dict[str, Any]:
    """What harbor doesn't say of every job, or what was asked for."""
    parts: dict[str, Any] = {"harbor_version": report.harbor_version}
    if report.usage is not None:
        parts["seconds_per_trial"] = msgspec.structs.asdict(report.usage.mean)
        parts["model_usage"] = models_as_json(report.usage.by_model)
    if report.regrades:
        parts["regrades"] = regrades_as_json(report.regrades)
    if report.trial_rows is not None:
        parts["trials"] = rows_as_json(report.trial_rows)
    if report.task_rows is not None:
        parts["tasks"] = rows_as_json(report.task_rows)
    return parts


def _group(group: GroupReport) -> dict[str, Any]:
    return {
        "harbor": {
            "n_trials": group.harbor.n_trials,
            "n_errors": group.harbor.n_errors,
            "metrics": group.harbor.metrics,
            "pass_at_k": {str(k): value for k, value in group.harbor.pass_at_k.items()},
        },
        "evaluation": None if group.evaluation is None else asdict(group.evaluation),
        "counts": _counts(group.counts),
        "tasks": group.tasks,
        "success": None if group.success is None else asdict(group.success),
        "mean_of_scored": group.mean_of_scored,
        "n_averaged": group.n_averaged,
        "pass_at_k": [asdict(estimate) for estimate in group.pass_at_k],
        "pass_hat_k": [asdict(estimate) for estimate in group.pass_hat_k],
    }


def _counts(counts: Denominators) -> dict[str, int]:
    return {name: getattr(counts, name) for name, _ in _COUNTS}


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
        yield (group.key, *map(str, _counts(group.counts).values()))
    if len(report.groups) != 1 or report.counts != report.groups[0].counts:
        yield ("all", *map(str, _counts(report.counts).values()))


def _trouble_row(trouble: Trouble) -> tuple[str, ...]:
    kept = "none" if trouble.unscored else "kept"
    return trouble.what, str(len(trouble.trials)), kept, trouble.reason_code, some_of(trouble.trials)
