"""A report as JSON, as tables in a terminal, or as Markdown."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from assay.cli.output.rows import regrade_table, run_table, task_table, usage_lines
from assay.cli.output.table import clean, render_table, some_of, without_nan
from assay.engine.report.evaluation_report import EvaluationReport, GradingChange, RaterAgreement
from assay.engine.report.intervals import GroupBounds, GroupNoise
from assay.engine.report.report import GroupReport, JobReport
from assay.engine.report.report_json import job_json
from assay.engine.report.run_groups import GateCounts, Trouble
from assay.evidence.run import State
from assay.formats.counting import counted
from assay.stats.interval import CantSay, Interval
from assay.stats.means import Bounds
from assay.stats.noise import VarianceParts
from assay.stats.passes import Estimate, PassRate

_ALWAYS = (State.PASSED, State.PARTIAL, State.FAILED, State.UNUSABLE, State.BROKEN)
_STATES = {True: " · finished", False: " · not finished", None: ""}
_TROUBLES = ("reason", "what", "runs", "state", "cause", "which")
_AGREEMENT = ("agreement", "measure", "value", "95 %", "runs")
SHOWN = 3
# Of the keys of rewards, of which a verifier may write as many as it likes.
KEYS_SHOWN = 30


def as_json(reports: Sequence[JobReport]) -> str:
    return json.dumps(as_values(reports), indent=2, allow_nan=False)


def as_values(reports: Sequence[JobReport]) -> dict[str, Any]:
    """Plain values. NaN and infinity, which JSON can't hold, become None."""
    return {"jobs": [without_nan(job_json(report)) for report in reports]}


def as_text(reports: Sequence[JobReport], *, markdown: bool) -> str:
    """Tables for people, one job after another."""
    return "\n\n".join("\n".join(_lines(report, markdown)) for report in reports)


def _lines(report: JobReport, markdown: bool) -> Iterator[str]:
    title = f"{clean(report.job)} · {clean(report.title)}{_STATES[report.finished]}"
    yield f"## {title}" if markdown else title
    for group in report.groups:
        yield f"\n{_block(group, report, markdown)}"
    shown = [state for state in State if report.states[state] or state in _ALWAYS]
    titles = ("runs", "total", *(state.value.replace("_", " ") for state in shown))
    yield "\n" + render_table(titles, _count_rows(report, shown), right=True, markdown=markdown)
    if report.by == "task":
        yield f"\n{task_table(report.task_rows, markdown)}"
    if report.by == "trial":
        yield f"\n{run_table(report.runs, report.trials, markdown)}"
    if report.regrades:
        yield f"\n{regrade_table(report.regrades, markdown)}"
    yield from _tables(markdown, (_TROUBLES, list(map(_trouble_row, report.troubles))))
    if report.evaluation is not None:
        yield from _evaluation_lines(report.evaluation, markdown)
    yield from _tables(markdown, (_AGREEMENT, list(_agreement_rows(report.agreement))))
    if report.usage is not None:
        yield from usage_lines(report.usage, markdown)
    for note in report.notes:
        yield f"\n{'> ' if markdown else ''}note: {clean(note)}"


def _tables(markdown: bool, *tables: tuple[Sequence[str], Sequence[Sequence[str]]]) -> Iterator[str]:
    """Each with an empty line before it. One without rows is left out."""
    yield from (f"\n{render_table(titles, rows, markdown=markdown)}" for titles, rows in tables if rows)


def _block(group: GroupReport, report: JobReport, markdown: bool) -> str:
    """The numbers of one group under its name, which may be long."""
    measures = (*_measures(group, report.bounds.get(group.key)), *_noise_rows(report.noise.get(group.key)))
    if markdown:
        return render_table((group.key, ""), measures, markdown=True)
    rows = render_table(("", ""), measures).splitlines()[1:]
    return "\n".join([clean(group.key), *(f"  {row}" for row in rows)])


def _measures(group: GroupReport, bounds: GroupBounds | None) -> Iterator[tuple[str, str]]:
    """The numbers of one group: ours, then harbor's."""
    if group.success is None:
        yield "mean", _undecided_message(group)
    else:
        interval = "" if group.intervals is None else f", {_interval_words(group.intervals.mean.interval)}"
        yield "mean", f"{_number(group.mean)} of {counted(group.n, 'run')}{interval}"
        yield from _bounds_rows(bounds)
        wanted = f"{group.success.key} ≥ {group.success.threshold:g}"
        yield wanted, _estimates("pass@", group.pass_at_k)
        yield wanted, _estimates("pass^", group.pass_hat_k)
        if group.intervals is not None:
            yield from _interval_rows("pass@", group.pass_at_k, group.intervals.passes.at)
            yield from _interval_rows("pass^", group.pass_hat_k, group.intervals.passes.hat)
    for one in group.keys[:KEYS_SHOWN]:
        yield f"mean of {one.key}", f"{_number(one.mean)} of {counted(one.n, 'run')}"
    if len(group.keys) > KEYS_SHOWN:
        yield "", f"and {counted(len(group.keys) - KEYS_SHOWN, 'more key')}, which --json has"
    yield from _gate_rows(group.gates)
    for metric in group.harbor.metrics or [{}]:
        named = _format_named(metric.items())
        yield "score (harbor)", named or "none: the job configures no metric for this dataset"
    passes = [(f"pass@{k}", value) for k, value in group.harbor.pass_at_k.items()]
    yield "pass@k (harbor)", _format_named(passes) or "none: needs two attempts per task and rewards of 0 or 1"


def _gate_rows(gates: GateCounts | None) -> Iterator[tuple[str, str]]:
    """The three gates with their denominators, and where they disagree."""
    if gates is None:
        return
    for name, said in (("checks", gates.checks), ("judge", gates.judge), ("run", gates.run)):
        counts = ", ".join(f"{count} {word}" for word, count in said.items())
        yield f"gate: {name}", f"{counts}; of {counted(gates.runs, 'run')}"
    if gates.disagree:
        yield "gates disagree", f"{counted(len(gates.disagree), 'run')}: {some_of(gates.disagree)}"


def _undecided_message(group: GroupReport) -> str:
    if len(group.harbor.reward_stats) < 2:
        return "none: no run has a score"
    keys = some_of(list(group.harbor.reward_stats), KEYS_SHOWN)
    return f"none: several rewards and none decides; choose one with --key ({keys})"


def _format_named(numbers: Iterable[tuple[str, object]]) -> str:
    named = [f"{name} {_number(value)}" for name, value in numbers]
    more = len(named) - KEYS_SHOWN
    return "  ".join(named[:KEYS_SHOWN]) + (f"  and {more:,} more" if more > 0 else "")


def _estimates(sign: str, estimates: Sequence[Estimate]) -> str:
    values = ("-" if one.value is None else _number(one.value) for one in estimates)
    return "  ".join(
        f"{sign}{one.k} {value}{_of_tasks(one)}" for one, value in zip(estimates, values, strict=True)
    )


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


def _evaluation_lines(report: EvaluationReport, markdown: bool) -> Iterator[str]:
    """The lines of the report. Parts with no content are left out."""
    yield "\n" + _gradings(report)
    failures = [(g.category, g.source, str(len(g.trials)), some_of(g.trials)) for g in report.taxonomy]
    reasons = [(g.reason_code, str(len(g.trials)), some_of(g.trials)) for g in report.reasons]
    changes = [(_run(one), _reward(one.first), _reward(one.latest), str(one.number)) for one in report.changes]
    yield from _tables(
        markdown,
        (("failure", "found by", "trials", "which"), failures),
        (("no usable reward in the grading", "trials", "which"), reasons),
        (("graded again", "first", "latest", "grading"), changes),
    )
    for trial in report.flaky:
        yield f"\nflaky verifier: {clean(trial)} got different rewards for the same output"
    reviews = [
        (g.trial, g.reviewer_id, g.judgment, _reward(g.reward), ", ".join(g.contradicts), g.notes or "")
        for g in report.reviews
    ]
    yield from _tables(markdown, (("reviewed", "reviewer", "says", "reward", "contradicts", "notes"), reviews))


def _gradings(report: EvaluationReport) -> str:
    parts = [
        f"{counted(report.graded, 'trial')} graded, {report.graded_again} graded again, showing the {report.used}",
        f"unparseable outputs: {report.unparseable}" if report.unparseable else "",
        f"schema violations: {report.schema_violations}" if report.schema_violations else "",
        f"no usable reward: {report.incomplete}" if report.incomplete else "",
    ]
    return "gradings: " + "; ".join(part for part in parts if part)


def _run(change: GradingChange) -> str:
    return change.trial if change.step is None else f"{change.trial} step {change.step}"


def _reward(value: float | None) -> str:
    return "no reward" if value is None else f"{value:g}"


def _interval_words(found: Interval | CantSay) -> str:
    """An interval in a line of text."""
    if isinstance(found, CantSay):
        return f"interval can't be said: {found.reason}"
    return f"{100 * found.level:g} % {_ends(found)}"


def _ends(found: Interval) -> str:
    return f"{found.low:.4f} to {found.high:.4f}"


def _interval_rows(
    sign: str, estimates: Sequence[Estimate], rates: Sequence[PassRate]
) -> Iterator[tuple[str, str]]:
    """The intervals of the estimates that a report shows."""
    by_k = {rate.k: rate for rate in rates}
    shown = [by_k[one.k] for one in estimates if one.k in by_k]
    if not shown:
        return
    unsaid = {one.interval.reason for one in shown if isinstance(one.interval, CantSay)}
    parts = [f"{sign}{one.k} {_ends_or_not(one.interval)}" for one in shown]
    level = next((one.interval.level for one in shown if isinstance(one.interval, Interval)), None)
    if level is None:
        yield f"{sign}k interval", f"can't be said: {', '.join(sorted(unsaid))}"
    else:
        yield f"{sign}k, {100 * level:g} %", "  ".join(parts)


def _ends_or_not(found: Interval | CantSay) -> str:
    return "can't be said" if isinstance(found, CantSay) else _ends(found)


def _bounds_rows(found: GroupBounds | None) -> Iterator[tuple[str, str]]:
    """The possible effect of open runs on the mean."""
    if found is None:
        return
    bounds = found.bounds
    if isinstance(bounds, CantSay):
        yield "bounds", f"can't be said: {bounds.reason}"
    elif bounds.broken or bounds.uncontrolled:
        yield "bounds", f"{bounds.low:.4f} to {bounds.high:.4f}, whatever {_open_words(bounds)} would have got"
    if found.unplaced:
        yield "", f"{counted(found.unplaced, 'broken run')} of the job may belong here too"


def _open_words(bounds: Bounds) -> str:
    """The runs that bounds are about."""
    parts = []
    if bounds.broken:
        parts.append(counted(bounds.broken, "broken run"))
    if bounds.uncontrolled:
        parts.append(f"{counted(bounds.uncontrolled, 'unusable run')} without a control")
    return " and ".join(parts)


def _noise_rows(found: GroupNoise | None) -> Iterator[tuple[str, str]]:
    """The noise in a few lines."""
    if found is None:
        return
    if not isinstance(found.parts, CantSay) and found.parts.total > 0:
        again = found.runs_graded_again
        yield "variance", _shares(found.parts) + (f" (by {counted(again, 'run')} graded again)" if again else "")
    if found.tasks:
        named = [f"{one.task} {one.successes} of {one.attempts} ({_ends(one.interval)})" for one in found.tasks]
        yield "flaky tasks", _some(named)
    if found.verifiers:
        named = [
            f"{one.name} {one.changed} of {one.looks} gradings differ ({_ends(one.interval)})"
            for one in found.verifiers
        ]
        yield "flaky verifiers", _some(named)
        if not isinstance(found.steady, CantSay):
            yield "", f"with verifiers that don't waver, the interval of the mean would be {_ends(found.steady)}"


def _shares(parts: VarianceParts) -> str:
    named = (("tasks", parts.tasks), ("attempts", parts.attempts), ("verifier", parts.verifier))
    shares = [f"{name} {100 * value / parts.total:.0f} %" for name, value in named if value is not None]
    return f"{parts.total:.4f}: {', '.join(shares)}"


def _some(named: Sequence[str]) -> str:
    more = len(named) - SHOWN
    return "; ".join([*named[:SHOWN], *([f"and {more} more"] if more > 0 else [])])


def _agreement_rows(agreement: Sequence[RaterAgreement]) -> Iterator[tuple[str, ...]]:
    """A row for each measure."""
    for one in agreement:
        for each in one.measures:
            value = "-" if each.value is None else f"{each.value:.4f}"
            found = each.interval
            ends = f"can't be said: {found.reason}" if isinstance(found, CantSay) else _ends(found)
            yield one.between, each.measure, value, ends, str(each.items)
