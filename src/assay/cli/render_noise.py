"""The noise of a job and the agreement of its raters, as lines for people."""

from collections.abc import Iterator, Sequence

from assay.cli.render_intervals import ends_words
from assay.cli.table import render_table
from assay.engine.report_agreement import RaterAgreement
from assay.engine.report_noise import GroupNoise
from assay.formats.counting import counted
from assay.stats.interval import CantSay
from assay.stats.noise import VarianceParts

SHOWN = 3


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
