"""A completed run for people: the verdict, the axes, the criteria, and the evidence of each."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from assay.cli.output.table import clean, render_table
from assay.dialects.criteria.models import Completion, CriterionRun

LONGEST: Final = 60
# These compare with nothing.
UNARY: Final = ("exists", "notExists", "empty", "notEmpty")


def lines(done: Completion) -> Iterator[str]:
    yield f"{done.verdict.value.upper()}  score {done.score:.4f}\n"
    axes = [[clean(name), f"{axis.score:.4f}", f"{axis.weight:g}"] for name, axis in done.axes.items()]
    yield render_table(["axis", "score", "weight"], axes, right=True) + "\n"
    runs = [
        (_mark(one.passed), f"{one.score:.2f}", clean(one.label), clean(one.details))
        for one in done.criterion_runs
    ]
    yield render_table(["", "score", "criterion", "details"], runs)
    for run in done.criterion_runs:
        yield from _evidence(run)


def _evidence(run: CriterionRun) -> Iterator[str]:
    """One line for each rule, whatever the check calls its results."""
    results = [row for rows in run.evidence.values() if isinstance(rows, list) for row in rows]
    rows = [row for row in results if isinstance(row, dict) and ("path" in row or "phrase" in row)]
    if rows:
        yield f"\n{clean(run.label)}"
    for row in rows:
        yield clean(f"  {_phrase(row) if 'phrase' in row else _field(row)}")


def _field(row: Mapping[str, Any]) -> str:
    operator = row.get("operator")
    wanted = [operator] if operator is not None else []
    if operator not in UNARY:
        wanted.append(_short(row.get("expected")))
    return f"{_mark(row.get('passed'))}  {row['path']}: expected {' '.join(wanted)}, {_describe_actual(row)}"


def _describe_actual(row: Mapping[str, Any]) -> str:
    if "error" in row:
        return str(row["error"])
    return "is absent" if row.get("absent") else f"is {_short(row.get('actual'))}"


def _phrase(row: Mapping[str, Any]) -> str:
    found, forbidden = bool(row.get("found")), bool(row.get("forbidden"))
    wanted = row["phrase"] if isinstance(row["phrase"], list) else [row["phrase"]]
    unsure = row.get("error")
    said = f"said in turn {row.get('turn')}" if found else str(unsure or "not said")
    words = " or ".join(_short(one) for one in wanted)
    mark = _mark(found != forbidden and not unsure)
    return f"{mark}  {'forbidden ' if forbidden else ''}{words}: {said}{_opinion(row)}"


def _opinion(row: Mapping[str, Any]) -> str:
    """The judge's opinion of a phrase that was not found; empty where it was not asked."""
    opinion = row.get("paraphrase")
    if not isinstance(opinion, dict):
        return ""
    if opinion.get("said") is None:
        return f" (the judge has no opinion: {opinion.get('why')})"
    if not opinion["said"]:
        return " (nor in other words, according to the judge)"
    where = f"in turn {opinion.get('turn')}: {_short(opinion.get('quote'))}"
    return f" (but in other words, according to the judge, {where})"


def _mark(passed: object) -> str:
    return "ok" if passed else "--"


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
