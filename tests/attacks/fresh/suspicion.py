"""How suspicious the fresh cases are, and the ROC: what a limit finds of the cheats and of the honest changes.

``suspicion.json`` has the scores of each half in order, so that no case can be told from them.
"""

import datetime
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt
from typing import TypedDict

from docs.markdown import table
from tests.attacks.fresh.cases import FOLDER, Half
from tests.attacks.fresh.rates import rate

SCORES = FOLDER / "suspicion.json"
LIMITS = (0.3, 0.5, 0.6, 0.8, 0.9, 0.95)


class Scores(TypedDict):
    """The suspicion of one half."""

    day: str
    cheats: list[float]
    honest: list[float]


def read_suspicion() -> Mapping[str, Scores]:
    found: dict[str, Scores] = json.loads(SCORES.read_text(encoding="utf-8")) if SCORES.exists() else {}
    return found


def write_suspicion(half: Half, cheats: Sequence[float], honest: Sequence[float]) -> None:
    known = dict(read_suspicion())
    known[half] = Scores(day=datetime.date.today().isoformat(), cheats=sorted(cheats), honest=sorted(honest))
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in sorted(known.items()))
    SCORES.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def roc() -> str:
    """A line for each limit: what ``--fail-on-suspicion`` finds, and what it costs."""
    halves = read_suspicion()
    kinds: tuple[tuple[str, str], ...] = (("cheats", "cheats found"), ("honest", "honest changes flagged"))
    head = [f"{half}: {what}" for half in halves for _, what in kinds]
    rows = [(f"{limit:g}", *_shares(halves.values(), limit)) for limit in LIMITS]
    areas = [area(one["cheats"], one["honest"]) for one in halves.values()]
    last = ("area under the curve", *(cell for shown in areas for cell in (shown, "")))
    return table(("suspicion of at least", *head), [*rows, last])


def _shares(halves: Iterable[Scores], limit: float) -> Iterator[str]:
    for one in halves:
        for scores in (one["cheats"], one["honest"]):
            yield rate(sum(score >= limit for score in scores), len(scores))


def area(cheats: Sequence[float], honest: Sequence[float]) -> str:
    """How often a cheat is more suspicious than an honest change, with its 95 % interval (Hanley and McNeil)."""
    wins = sum((a > b) + (a == b) / 2 for a in cheats for b in honest)
    share = wins / (len(cheats) * len(honest))
    first, second = share / (2 - share), 2 * share**2 / (1 + share)
    spread = share * (1 - share) + (len(cheats) - 1) * (first - share**2) + (len(honest) - 1) * (second - share**2)
    margin = 1.96 * sqrt(spread / (len(cheats) * len(honest)))
    return f"{share:.2f} ({max(0, share - margin):.2f} to {min(1, share + margin):.2f})"
