"""The page on how often intervals cover, from what ``make coverage-check`` measured last."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs.markdown import from_docstring, table

MEASURED = Path(__file__).parent / "evidence" / "interval-coverage.json"
COVERED, ALARMS = (0.93, 0.97), (0.03, 0.06)
COLUMNS = ("mean", "naive mean", "pass@2", "pass@n", "pass^2", "pass^n", "difference")


def coverage_page() -> Iterator[str]:
    found = json.loads(MEASURED.read_text(encoding="utf-8"))
    yield "# How often intervals cover"
    yield from_docstring(_ABOUT.format(jobs=f"{found['jobs']:,}"))
    titles = ("tasks", "attempts", "rate", "likeness", "rewards", *COLUMNS, "false alarms")
    yield table(titles, map(_row, found["rows"]))
    yield "## Where they fall short"
    yield from_docstring(_SHORT)
    yield table(("shape", "what", "share", "promised"), _short(found["rows"]))


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    shape = row["shape"]
    kind = f"{shape['missing']:.0%} missing" if shape["missing"] else shape["kind"]
    sizes = (str(shape["tasks"]), str(shape["attempts"]), f"{shape['rate']:g}", f"{shape['likeness']:g}", kind)
    cells = tuple(_share(row["covered"].get(name), COVERED) for name in COLUMNS)
    return (*sizes, *cells, _share(row["false_alarms"], ALARMS))


def _share(share: float | None, band: tuple[float, float]) -> str:
    if share is None:
        return ""
    return f"{100 * share:.1f}" if band[0] <= share <= band[1] else f"*{100 * share:.1f}*"


def _short(rows: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        shape = row["shape"]
        name = f"{shape['tasks']} tasks, {shape['attempts']} attempts, rate {shape['rate']:g}, {shape['kind']}"
        for what, share in row["covered"].items():
            if what != "naive mean" and share is not None and not COVERED[0] <= share <= COVERED[1]:
                yield name, what, f"{100 * share:.1f} %", "yes" if row["promised"][what] else "no"
        alarms = row["false_alarms"]
        if alarms is not None and not ALARMS[0] <= alarms <= ALARMS[1]:
            yield name, "false alarms", f"{100 * alarms:.1f} %", "yes" if row["promised"]["difference"] else "no"


_ABOUT = """
An interval of 95 % promises that 95 of 100 such intervals hold the truth. ``make coverage-check`` tries that out:
it makes up agents whose truth is known, {jobs} jobs for each of 24 shapes, and counts. *rate* is the share of
attempts that succeed, *likeness* is how alike attempts at the same task are: 0 for not at all, 1 for all the same
(the intraclass correlation). *n* is the number of attempts. *naive mean* is what is published most: 1.96 standard
errors to either side of the mean, with all attempts taken as independent. *false alarms* is how often the test of
two agents without a difference says that there is one, at 5 %.

Numbers are percentages. A number in italics lies outside of 93 to 97 %, and for false alarms of 3 to 6 %.
"""

_SHORT = """
Intervals promise their level from 100 tasks on if at least ten tasks count for the rarer outcome; means,
differences and false alarms do from 30 tasks on if at least six count. Below that, few tasks can give only few
different answers, so that no method covers exactly 95 %. Most err on the safe side there: they cover more. The
exception is pass@k of 30 tasks of which nearly all pass: its intervals are too short. False alarms below 3 % are
safe: exact tests never give more of them than they should, and few tasks make them give fewer.

The line between what is promised and what isn't was drawn after a look at these numbers: a first one, at 30
tasks and five for the rarer outcome for all intervals, didn't hold in three places. The methods were chosen on
simulated agents of the same family, with other seeds. So read the table as a description of where they work,
not as a test they passed unseen.
"""
