"""The outcome of a check whose evidence is rows: the weighted share of those that passed. All must pass."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from assay.core.outcome import Scored
from assay.core.total import total

Row = Mapping[str, object]


class Weighted(Protocol):
    """What a row is about."""

    @property
    def weight(self) -> float: ...


def scored_rows(rules: Sequence[Weighted], rows: Sequence[Row], under: str, what: str, **more: object) -> Scored:
    """The outcome for ``what``: a row for each rule, with its ``path`` and whether it ``passed``.

    Evidence has the rows under the name ``under``, beside ``more``.
    """
    failed = [str(row["path"]) for row in rows if not row["passed"]]
    score = _share(rules, rows) if failed else 1.0
    summary = f"{what}: {len(rows) - len(failed)} of {len(rows)} fields as expected"
    if failed:
        summary += f", first {failed[0]}"
    return Scored(score, not failed, summary, {under: list(rows), **more})


def nothing_to_score(rows: Sequence[Row], under: str, why: str, **more: object) -> Scored:
    """The outcome where there is nothing to look at, so that no row can pass."""
    return Scored(0.0, False, why, {under: list(rows), **more})


def _share(rules: Sequence[Weighted], rows: Sequence[Row]) -> float:
    """Where no rule has a weight, there is nothing to share: some row has failed, so nothing is earned."""
    whole = total(rule.weight for rule in rules)
    passed = total(rule.weight for rule, row in zip(rules, rows, strict=True) if row["passed"])
    return passed / whole if whole else 0.0
