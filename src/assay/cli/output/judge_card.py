"""The Judge verdict card for people: status, ratings, fact-check matrix, reasoning, model and time."""

import textwrap
from collections.abc import Iterator

from assay.cli.output.table import clean, render_table, some_of
from assay.dialects.scorers.judge_record import JudgeVerdict, Opinion
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
        yield "  " + "   ".join(f"{name} {getattr(opinion.ratings, field):g}/5" for name, field in TILES.items())
    if opinion.failure_mode is not None:
        yield f"  failure_mode: {clean(opinion.failure_mode)}"
    yield from (f"  inconsistent: {clean(sentence)}" for sentence in opinion.inconsistent)
    if opinion.reasoning is not None:
        yield from _wrapped(opinion.reasoning)
    yield from _matrix(opinion)
    yield from _guard(verdict)
    yield from _footprint(verdict)


def _panel(verdict: JudgeVerdict) -> str:
    votes = verdict.votes
    if len(verdict.answers) == 1:
        return ""
    return f", {votes.passes} PASS, {votes.fails} FAIL, {votes.unparseable} unparseable of {len(verdict.answers)}"


def _wrapped(text: str) -> Iterator[str]:
    yield from textwrap.wrap(clean(text), WIDTH, initial_indent="  ", subsequent_indent="  ")


def _matrix(opinion: Opinion) -> Iterator[str]:
    if opinion.fact_check:
        rows = [(_short(row.claim), row.verdict, _short(row.evidence)) for row in opinion.fact_check]
        yield textwrap.indent(render_table(["claim", "verdict", "what the evidence shows"], rows), "  ")


def _short(text: str) -> str:
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
