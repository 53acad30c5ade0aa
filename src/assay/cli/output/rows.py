"""The rows of a report by task or by trial, and the trials of a job that grades another one again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from assay.cli.output.table import render_table
from assay.dialects.harbor.trial import NO_SECONDS, Seconds, Trial, Usage
from assay.engine.jobs.trial_additions import Regrade
from assay.engine.report.rows_report import TaskReportRow, UsageReport
from assay.evidence.run import Run
from assay.formats.counting import counted

Number = TypeVar("Number", int, float)
_GATES = ("checks", "judge", "run gate")
_MEASURES = ("time", "agent", "verifier", "input\ntokens", "output\ntokens", "cost")


def run_table(runs: Sequence[Run], trials: Mapping[str, Trial], markdown: bool) -> str:
    """One line per run. The gates of coding runs, and rewards beside the score, are shown where there are any."""
    gated = any(run.kind == "coding" or run.judge is not None for run in runs)
    titles = ("run", "state", "score", "rewards", "reason", "cause", *(_GATES if gated else ()), *_MEASURES)
    cells = [
        (
            run.name,
            run.state.value.replace("_", " "),
            "" if run.score is None else f"{run.score:g}",
            _rewards(run.rewards),
            run.reason or "",
            run.cause or "",
            *((run.checks or "", run.judge or "", run.run_status or "") if gated else ()),
            *_time_and_usage(trials.get(run.name)),
        )
        for run in runs
    ]
    return render_table(titles, cells, markdown=markdown)


def _time_and_usage(trial: Trial | None) -> tuple[str, ...]:
    seconds = NO_SECONDS if trial is None or trial.seconds is None else trial.seconds
    return (*time_cells(seconds), *usage_cells(None if trial is None else trial.usage))


def task_table(rows: Sequence[TaskReportRow], markdown: bool) -> str:
    """One line per task in each group."""
    several = len({row.group for row in rows}) > 1
    group = ("group",) if several else ()
    titles = ("task", *group, "runs", "scored", "passed", "mean", "reasons", *_MEASURES)
    cells = [
        (
            row.task,
            *((row.group,) if several else ()),
            str(row.runs),
            str(row.scored),
            str(row.passed) if row.scored else "",
            "" if row.mean is None else f"{row.mean:.4f}",
            ", ".join(f"{count} {reason}" for reason, count in row.reasons.items()),
            *time_cells(row.seconds),
            *usage_cells(row.usage),
        )
        for row in rows
    ]
    return render_table(titles, cells, markdown=markdown)


def regrade_table(regrades: Sequence[Regrade], markdown: bool) -> str:
    """The trials of a job that grades another one again, with the rewards before and after."""
    rows = []
    for one in regrades:
        old, new = _outcome(one.old, one.old_failure), _outcome(one.new, one.new_failure)
        rows.append((one.trial, one.source or "", one.problem or old, new, "changed" if one.changed else ""))
    return render_table(("graded again", "source", "old", "new", ""), rows, markdown=markdown)


def _outcome(rewards: Mapping[str, float] | None, failure: str | None) -> str:
    return _rewards(rewards) or failure or "none"


def _rewards(rewards: Mapping[str, float] | None) -> str:
    if rewards is None:
        return ""
    if list(rewards) == ["reward"]:
        return f"{rewards['reward']:g}"
    return ", ".join(f"{key} {value:g}" for key, value in rewards.items())


def usage_lines(report: UsageReport, markdown: bool) -> Iterator[str]:
    """The lines of the report. What no trial reports is left out."""
    lines = [line for line in (_usage(report), _time(report)) if line]
    if lines:
        yield ""
        yield from (f"{line}  " if markdown else line for line in lines)
    if report.by_model:
        rows = []
        for model, usage in report.by_model.items():
            tokens = (usage.n_input_tokens, usage.n_cache_tokens, usage.n_output_tokens)
            rows.append((model, *map(_count, tokens), money(usage.cost_usd)))
        titles = ("model", "input tokens", "cached", "output tokens", "cost")
        yield "\n" + render_table(titles, rows, right=True, markdown=markdown)


def _usage(report: UsageReport) -> str:
    usage = report.usage
    parts = []
    if report.trials_with_tokens:
        cached = f" ({_count(usage.n_cache_tokens)} cached)" if usage.n_cache_tokens else ""
        parts.append(
            f"{_count(usage.n_input_tokens)} input tokens{cached}, {_count(usage.n_output_tokens)} output tokens"
            f" ({counted(report.trials_with_tokens, 'trial')})"
        )
    if report.trials_with_cost:
        parts.append(f"cost {money(usage.cost_usd)} ({counted(report.trials_with_cost, 'trial')})")
    return "; ".join(parts)


def _time(report: UsageReport) -> str:
    mean = report.mean
    if mean.total is None:
        return ""
    named = {"agent": mean.agent, "verifier": mean.verifier}
    phases = ", ".join(f"{name} {seconds(value)}" for name, value in named.items() if value is not None)
    detail = f": {phases}" if phases else ""
    return f"time per trial {seconds(mean.total)} ({counted(report.trials_with_times, 'trial')}){detail}"


def usage_cells(usage: Usage | None) -> tuple[str, str, str]:
    """Input tokens, output tokens and cost, blank where nobody counted."""
    if usage is None:
        return "", "", ""
    read, written, cost = usage.n_input_tokens, usage.n_output_tokens, usage.cost_usd
    return _blank(read, _count), _blank(written, _count), _blank(cost, money)


def time_cells(times: Seconds) -> tuple[str, str, str]:
    """The length of a trial, of its agent and of its verifier, blank where unknown."""
    return _blank(times.total, seconds), _blank(times.agent, seconds), _blank(times.verifier, seconds)


def _blank(value: Number | None, written: Callable[[Number], str]) -> str:
    return "" if value is None else written(value)


def _count(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"


def money(dollars: float | None) -> str:
    """An amount of dollars with at least two and at most four decimals."""
    if dollars is None:
        return "unknown"
    return f"${dollars:,.2f}" if abs(dollars) >= 1 or dollars == 0 else f"${dollars:.4f}"


def seconds(length: float | None) -> str:
    """A length of time in its two largest units: 3.2 s, 4 min 5 s, 2 h 3 min."""
    if length is None:
        return "unknown"
    if length < 60:
        return f"{length:.1f} s"
    minutes, rest = divmod(round(length), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
