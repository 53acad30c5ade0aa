"""A report as JSON, as tables in a terminal, or as Markdown."""

import json
from collections.abc import Iterable, Iterator, Sequence

from assay.cli.json_values import without_nan
from assay.cli.render_evaluation import evaluation_lines
from assay.cli.render_intervals import bounds_rows, interval_rows, mean_interval
from assay.cli.render_noise import agreement_lines, noise_rows
from assay.cli.render_rows import regrade_table, run_table, task_table
from assay.cli.render_usage import usage_lines
from assay.cli.table import clean, render_table, some_of
from assay.engine.report import GateCounts, GroupReport, JobReport, Trouble
from assay.engine.report_intervals import GroupBounds
from assay.engine.report_json import job_json
from assay.evidence.run import State
from assay.formats.counting import counted
from assay.stats.attempts import Estimate

_ALWAYS = (State.PASSED, State.PARTIAL, State.FAILED, State.UNUSABLE, State.BROKEN)
_STATES = {True: " · finished", False: " · not finished", None: ""}


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
        yield _block(group, report, markdown)
    yield ""
    shown = [state for state in State if report.states[state] or state in _ALWAYS]
    titles = ("runs", "total", *(state.value.replace("_", " ") for state in shown))
    yield render_table(titles, _count_rows(report, shown), right=True, markdown=markdown)
    yield from _row_lines(report, markdown)
    if report.troubles:
        yield ""
        titles = ("reason", "what", "runs", "state", "cause", "which")
        yield render_table(titles, map(_trouble_row, report.troubles), markdown=markdown)
    if report.evaluation is not None:
        yield from evaluation_lines(report.evaluation, markdown)
    yield from agreement_lines(report.agreement, markdown)
    if report.usage is not None:
        yield from usage_lines(report.usage, markdown)
    for note in report.notes:
        yield f"\n{'> ' if markdown else ''}note: {clean(note)}"


def _row_lines(report: JobReport, markdown: bool) -> Iterator[str]:
    if report.by == "task":
        yield ""
        yield task_table(report.task_rows, markdown)
    if report.by == "trial":
        yield ""
        yield run_table(report.runs, report.trials, markdown)
    if report.regrades:
        yield ""
        yield regrade_table(report.regrades, markdown)


def _block(group: GroupReport, report: JobReport, markdown: bool) -> str:
    """The numbers of one group under its name, which may be long."""
    measures = (*_measures(group, report.bounds.get(group.key)), *noise_rows(report.noise.get(group.key)))
    if markdown:
        return render_table((group.key, ""), measures, markdown=True)
    rows = render_table(("", ""), measures).splitlines()[1:]
    return "\n".join([clean(group.key), *(f"  {row}" for row in rows)])


def _measures(group: GroupReport, bounds: GroupBounds | None) -> Iterator[tuple[str, str]]:
    """The numbers of one group: ours, then harbor's."""
    if group.success is None:
        yield "mean", _undecided(group)
    else:
        yield "mean", f"{_number(group.mean)} of {counted(group.n, 'run')}{mean_interval(group.intervals)}"
        yield from bounds_rows(bounds)
        wanted = f"{group.success.key} ≥ {group.success.threshold:g}"
        yield wanted, _estimates("pass@", group.pass_at_k)
        yield wanted, _estimates("pass^", group.pass_hat_k)
        if group.intervals is not None:
            yield from interval_rows("pass@", group.pass_at_k, group.intervals.passes.at)
            yield from interval_rows("pass^", group.pass_hat_k, group.intervals.passes.hat)
    for one in group.keys:
        yield f"mean of {one.key}", f"{_number(one.mean)} of {counted(one.n, 'run')}"
    yield from _gate_rows(group.gates)
    for metric in group.harbor.metrics or [{}]:
        yield "score (harbor)", _named(metric.items()) or "none: the job configures no metric for this dataset"
    passes = [(f"pass@{k}", value) for k, value in group.harbor.pass_at_k.items()]
    yield "pass@k (harbor)", _named(passes) or "none: needs two attempts per task and rewards of 0 or 1"


def _gate_rows(gates: GateCounts | None) -> Iterator[tuple[str, str]]:
    """The three gates with their denominators, and where they disagree."""
    if gates is None:
        return
    for name, said in (("checks", gates.checks), ("judge", gates.judge), ("run", gates.run)):
        counts = ", ".join(f"{count} {word}" for word, count in said.items())
        yield f"gate: {name}", f"{counts}; of {counted(gates.runs, 'run')}"
    if gates.disagree:
        yield "gates disagree", f"{counted(len(gates.disagree), 'run')}: {some_of(gates.disagree)}"


def _undecided(group: GroupReport) -> str:
    keys = ", ".join(group.harbor.reward_stats)
    several = len(group.harbor.reward_stats) > 1
    return (
        f"none: several rewards and none decides; choose one with --key ({keys})"
        if several
        else "none: no run has a score"
    )


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


def _count_rows(report: JobReport, shown: Sequence[State]) -> Iterator[tuple[str, ...]]:
    for group in report.groups:
        yield (group.key, str(sum(group.states.values())), *(str(group.states[state]) for state in shown))
    if len(report.groups) != 1 or report.states != report.groups[0].states:
        yield ("all", str(sum(report.states.values())), *(str(report.states[state]) for state in shown))


def _trouble_row(trouble: Trouble) -> tuple[str, ...]:
    state, cause = trouble.state.value.replace("_", " "), trouble.cause or ""
    return trouble.reason, trouble.what, str(len(trouble.trials)), state, cause, some_of(trouble.trials)
