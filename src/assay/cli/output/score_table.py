"""A scored run for people: the gates, one row per scorer, and the details of every scorer that failed or broke."""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from assay.cli.output.table import clean, finding_words, render_table, some_of
from assay.dialects.scorers.report import (
    EXPLANATIONS,
    IgnoredGroup,
    JudgeVerdict,
    Opinion,
    Row,
    RowVerdict,
    ScorersReport,
    explain_judge,
)
from assay.formats.counting import counted

WIDTH = 110
CELL = 60
TILES = {
    "Task completion": "task_completion",
    "Instruction adherence": "instruction_adherence",
    "Efficiency": "efficiency",
}


def card(verdict: JudgeVerdict) -> Iterator[str]:
    """The lines of the card."""
    opinion = verdict.opinion
    yield f"Judge verdict  {opinion.state}{_panel(verdict)}{'' if verdict.calibrated else '  (uncalibrated)'}"
    if opinion.reason is not None:
        yield from _wrapped(opinion.reason)
    if opinion.ratings is not None:
        yield "  " + "   ".join(f"{name} {rating(getattr(opinion.ratings, key))}" for name, key in TILES.items())
    if opinion.failure_mode is not None:
        yield f"  failure_mode: {clean(opinion.failure_mode)}"
    yield from (f"  inconsistent: {clean(sentence)}" for sentence in opinion.inconsistent)
    for name, phrases in (("repaired", opinion.repaired), ("missing", opinion.missing)):
        if phrases:
            yield f"  {name}: {clean('; '.join(phrases))}"
    if opinion.reasoning is not None:
        yield from _wrapped(opinion.reasoning)
    yield from _matrix(opinion)
    yield from _guard(verdict)
    yield from _monitor(verdict)
    yield from _footprint(verdict)


def rating(value: float | None) -> str:
    """A rating as a tile shows it."""
    return "not given" if value is None else f"{value:g}/5"


def _panel(verdict: JudgeVerdict) -> str:
    votes = verdict.votes
    if len(verdict.answers) == 1:
        return ""
    return f", {votes.passes} PASS, {votes.fails} FAIL, {votes.unparseable} unparseable of {len(verdict.answers)}"


def _wrapped(text: str) -> Iterator[str]:
    yield from textwrap.wrap(clean(text), WIDTH, initial_indent="  ", subsequent_indent="  ")


def _matrix(opinion: Opinion) -> Iterator[str]:
    if opinion.fact_check:
        rows = [(_shortened(row.claim), row.verdict, _shortened(row.evidence)) for row in opinion.fact_check]
        yield textwrap.indent(render_table(["claim", "verdict", "what the evidence shows"], rows), "  ")


def _shortened(text: str) -> str:
    return text if len(text) <= CELL else f"{text[: CELL - 1]}…"


def _guard(verdict: JudgeVerdict) -> Iterator[str]:
    guard = verdict.guard
    if guard is None:
        return
    if guard.addressed is None:
        yield f"  guard: no answer ({clean(guard.reason or '')})"
    elif guard.addressed:
        yield f"  guard: a text addresses the evaluator: {clean(guard.quote)}"
    else:
        yield "  guard: no text addresses the evaluator"


def _monitor(verdict: JudgeVerdict) -> Iterator[str]:
    monitor = verdict.monitor
    if monitor is None:
        return
    if monitor.suspicion is None:
        yield f"  monitor: no answer ({clean(monitor.reason or '')})"
        return
    dropped = f", {counted(monitor.dropped, 'place')} without a quote that is there" if monitor.dropped else ""
    yield f"  monitor: suspicion {monitor.suspicion:g} of working around the task{dropped}"
    for row in monitor.places:
        step = "" if row.step is None else f"step {row.step}"
        where = step if row.file is None else row.file if row.line is None else f"{row.file}:{row.line}"
        yield f"    {' '.join(filter(None, (clean(where), row.kind)))}: {clean(_shortened(row.quote))}"


def _footprint(verdict: JudgeVerdict) -> Iterator[str]:
    if verdict.cut:
        size = sum(one.bytes for one in verdict.cut)
        names = [f"{one.part} {one.name}".strip() for one in verdict.cut]
        yield f"  not shown to the judge: {counted(size, 'byte')} ({clean(some_of(names))})"
    spent = [
        f"{counted(tokens, 'token')} {way}"
        for tokens, way in ((verdict.usage.tokens_in, "in"), (verdict.usage.tokens_out, "out"))
        if tokens is not None
    ]
    cost = [] if verdict.usage.cost is None else [f"cost {verdict.usage.cost:.4f}"]
    who = f"{', '.join(map(clean, verdict.models))} with {clean(verdict.prompt.name)}"
    yield f"  {', '.join([who, *spent, *cost, f'scored at {verdict.scored_at:%Y-%m-%d %H:%M:%S} UTC'])}"


SHOWN = 10
OUTPUT_LINES = 15
HASH = re.compile("[0-9a-f]{64}")
HASH_DIGITS = 12
_SHOWN_ALWAYS = (RowVerdict.FAIL, RowVerdict.ERROR)


def render(report: ScorersReport, everything: bool = False) -> str:
    return "\n".join(_lines(report, everything))


def _lines(report: ScorersReport, everything: bool) -> Iterator[str]:
    for sentence in report.provenance.assumed:
        yield f"assumed  {clean(sentence)}"
    yield from _gates(report)
    if report.scorers:
        yield from _scorers(report, everything)
    if report.judge.verdict is not None:
        yield ""
        yield from card(report.judge.verdict)
    if report.disagreement is not None:
        yield f"\n{report.disagreement}"


def _scorers(report: ScorersReport, everything: bool) -> Iterator[str]:
    yield "\n" + render_table(["scorer", "type", "verdict", "score", ""], [_row(row) for row in report.scorers])
    for row in report.scorers:
        if row.verdict in _SHOWN_ALWAYS or (everything and row.verdict is not RowVerdict.NOT_APPLICABLE):
            yield from _details(row)
        elif row.evidence.get("notes"):
            # Everybody must see what a scorer could not inspect, or that it guards less than it seems to.
            yield f"\nnote: {clean(row.name)}: {clean(row.detail)}"
        yield from _explained_lines(row)


def _gates(report: ScorersReport) -> Iterator[str]:
    if report.overall is None:
        why = "the run had no workspace" if report.workspace is None else "the scenario has none"
        yield f"scorers  none, because {why}"
    else:
        yield f"OVERALL  {clean(report.overall.headline or report.overall.verdict.value)}"
        if report.overall.score is not None:
            scores = sum(row.score is not None for row in report.scorers)
            yield f"mean     {report.overall.score:.4f} of {counted(scores, 'score')}"
        if report.suspicion is not None and report.suspicion.parts:
            parts = ", ".join(f"{clean(one.name)} {one.weight:g}" for one in report.suspicion.parts)
            yield f"suspect  {report.suspicion.score:.2f} of 1 ({parts})"
    yield f"judge    {explain_judge(report.judge.state, report.run.status)}"
    yield f"run      {report.run.status.value}{_metrics(report)}"
    if report.workspace is not None:
        yield f"changed  {counted(len(report.workspace.changed), 'file')}"
        became = [file for file in report.workspace.changed if file.detail is not None]
        for file in became[:SHOWN]:
            yield f"         {file.detail}: {clean(file.path)}"
        yield from _ignored_lines(report.workspace.ignored)
        for path in report.workspace.nested_repositories[:SHOWN]:
            yield f"         a repository inside the workspace: {clean(path)}"
        for sentence in report.workspace.cut[:SHOWN]:
            yield f"         not captured: {clean(sentence)}"
    yield from _runs_of_tests(report.scorers)
    runs = report.provenance.remembered_runs
    if runs:
        how = "an earlier grading of the same content ran it" if runs == 1 else "an earlier grading ran them"
        yield f"memory   {counted(runs, 'command')} not run again: {how}"


def _runs_of_tests(rows: Sequence[Row]) -> Iterator[str]:
    """How the tests ended, beside the baseline's, and the warnings of the scorers that ran them."""
    for row in rows:
        took = row.evidence.get("duration_sec")
        if isinstance(took, float) and (row.evidence.get("compared") or row.evidence.get("tests")):
            yield f"ran      {clean(row.name)}: {clean(row.detail)} ({took:.1f} s)"
        if row.verdict is RowVerdict.PASS:
            yield from (
                f"warning  {clean(row.name)}: {clean(str(one))}" for one in row.evidence.get("warnings", ())
            )


def _metrics(report: ScorersReport) -> str:
    """Whether the metrics of the run passed, and those that didn't."""
    if report.run.passed is None:
        return ""
    failed = [f"{one.name}: {one.detail}" for one in report.run.metrics if one.passed is False]
    return ", metrics passed" if report.run.passed else f", metrics failed ({clean('; '.join(failed))})"


def _ignored_lines(groups: Sequence[IgnoredGroup]) -> Iterator[str]:
    """One line for all files that nobody read."""
    if groups:
        most = sorted(groups, key=lambda one: -one.files)
        named = some_of([f"{clean(one.rule)} {one.files}" for one in most])
        count = counted(sum(one.files for one in groups), "new file")
        yield f"ignored  {count} that the baseline's .gitignore names ({named}): not read, not shown to commands"


def _row(row: Row) -> list[str]:
    score = "" if row.score is None else f"{row.score:.2f}"
    return [clean(row.name), row.type, row.verdict.value, score, "advisory" if row.advisory else ""]


def _details(row: Row) -> Iterator[str]:
    yield f"\n{clean(row.name)}: {clean(row.detail)}"
    yield from _findings(row.evidence.get("findings"))
    if row.output:
        yield from (f"  | {clean(line)}" for line in row.output.splitlines()[-OUTPUT_LINES:])


def _explained_lines(row: Row) -> Iterator[str]:
    """Findings that the change itself gives a reason for, that were asked for, or that runs contradict."""
    for key, why in EXPLANATIONS.items():
        explained = row.evidence.get(key)
        if isinstance(explained, list) and explained:
            yield f"\n{clean(row.name)}: {why}"
            yield from _findings(explained)


def _findings(found: object) -> Iterator[str]:
    if not isinstance(found, list):
        return
    for finding in found[:SHOWN]:
        yield from (f"  {clean(line)}" for line in _finding(finding))
    if len(found) > SHOWN:
        yield f"  and {len(found) - SHOWN} more"


def _finding(finding: Mapping[str, object]) -> Iterator[str]:
    """Where and what, then before and after on lines of their own."""
    where = ":".join(str(finding[key]) for key in ("path", "line") if finding.get(key) is not None)
    yield "  ".join(part for part in (where, *finding_words(finding)) if part)
    for label, key in (("before: ", "before"), ("after:  ", "after")):
        if finding.get(key):
            yield f"  {label}{_short(finding[key])}"


def _short(value: object) -> str:
    """Text as it is, and the beginning of a hash."""
    text = str(value)
    return text[:HASH_DIGITS] if HASH.fullmatch(text) else text
