"""The outcome of a check whose evidence is rows: the weighted share of those that passed. All must pass."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Protocol

from assay.core.exact import exact_share
from assay.core.outcome import Scored

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
    share = _share(rules, rows) if failed else Fraction(1)
    summary = f"{what}: {len(rows) - len(failed)} of {len(rows)} fields as expected"
    if failed:
        summary += f", first {failed[0]}"
    return Scored(float(share), not failed, summary, {under: list(rows), **more}, share)


def nothing_to_score(rows: Sequence[Row], under: str, why: str, **more: object) -> Scored:
    """The outcome where there is nothing to look at, so that no row can pass."""
    return Scored(0.0, False, why, {under: list(rows), **more})


def _share(rules: Sequence[Weighted], rows: Sequence[Row]) -> Fraction:
    """Where no rule has a weight, there is nothing to share: some row has failed, so nothing is earned."""
    earned = ((rule.weight, Fraction(bool(row["passed"]))) for rule, row in zip(rules, rows, strict=True))
    return exact_share(earned) or Fraction()
