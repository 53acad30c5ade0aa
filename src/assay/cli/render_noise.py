"""The noise of a job and the agreement of its raters, as lines for people and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from assay.cli.render_intervals import ends_words, interval_json
from assay.cli.table import render_table
from assay.engine.report_agreement import RaterAgreement
from assay.engine.report_noise import GroupNoise
from assay.formats.counting import counted
from assay.stats.interval import CantSay
from assay.stats.noise import VarianceParts

SHOWN = 3


def noise_json(found: GroupNoise | None) -> dict[str, Any] | None:
    """All about the noise of a group; None if nothing was repeated."""
    if found is None:
        return None
    parts = found.parts
    return {
        "variance": None if isinstance(parts, CantSay) else asdict(parts) | {"total": parts.total},
        "reason": parts.reason if isinstance(parts, CantSay) else None,
        "with_a_steady_verifier": interval_json(found.steady),
        "runs_graded_again": found.runs_graded_again,
        "flaky_verifiers": [
            {"task": one.name, "changed": one.changed, "looks": one.looks, "rate": one.rate}
            | interval_json(one.interval)
            for one in found.verifiers
        ],
        "flaky_tasks": [
            {"task": one.task, "successes": one.successes, "attempts": one.attempts} | interval_json(one.interval)
            for one in found.tasks
        ],
    }


def noise_rows(found: GroupNoise | None) -> Iterator[tuple[str, str]]:
    """The noise in a few lines."""
    if found is None:
        return
    if not isinstance(found.parts, CantSay) and found.parts.total > 0:
        again = found.runs_graded_again
        yield "variance", _shares(found.parts) + (f" (by {counted(again, 'run')} graded again)" if again else "")
    if found.tasks:
        named = [
            f"{one.task} {one.successes} of {one.attempts} ({ends_words(one.interval)})" for one in found.tasks
        ]
        yield "flaky tasks", _some(named)
    if found.verifiers:
        named = [
            f"{one.name} {one.changed} of {one.looks} gradings differ ({ends_words(one.interval)})"
            for one in found.verifiers
        ]
        yield "flaky verifiers", _some(named)
        if not isinstance(found.steady, CantSay):
            yield (
                "",
                f"with verifiers that don't waver, the interval of the mean would be {ends_words(found.steady)}",
            )


def _shares(parts: VarianceParts) -> str:
    named = (("tasks", parts.tasks), ("attempts", parts.attempts), ("verifier", parts.verifier))
    shares = [f"{name} {100 * value / parts.total:.0f} %" for name, value in named if value is not None]
    return f"{parts.total:.4f}: {', '.join(shares)}"


def _some(named: Sequence[str]) -> str:
    more = len(named) - SHOWN
    return "; ".join([*named[:SHOWN], *([f"and {more} more"] if more > 0 else [])])


def agreement_json(found: Sequence[RaterAgreement]) -> list[dict[str, Any]]:
    return [
        {
            "between": one.between,
            "measures": [
                {"measure": each.measure, "value": each.value, "items": each.items} | interval_json(each.interval)
                for each in one.measures
            ],
        }
        for one in found
    ]


def agreement_lines(found: Sequence[RaterAgreement], markdown: bool) -> Iterator[str]:
    """A table with a row for each measure."""
    if not found:
        return
    rows = [
        (
            one.between,
            each.measure,
            "-" if each.value is None else f"{each.value:.4f}",
            f"can't be said: {each.interval.reason}"
            if isinstance(each.interval, CantSay)
            else ends_words(each.interval),
            str(each.items),
        )
        for one in found
        for each in one.measures
    ]
    yield ""
    yield render_table(("agreement", "measure", "value", "95 %", "runs"), rows, markdown=markdown)
