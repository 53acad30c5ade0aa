"""Attacks every pattern of ours, and some that are known to be slow, and prints which of them are."""

import json
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time
from types import FrameType

from tests.patterns.attack import Attack, attacks
from tests.patterns.collect import ANCHORED, Used, patterns
from tests.patterns.samples import KNOWN_SLOW, MATCHED_ELSEWHERE, SHORT_PIECES
from tests.patterns.steps import steps

_LENGTH = 3_000
_SHORT = 2_000
# The attacks that are tried on so long a text are chosen on a quarter of it.
_SHORTER = 4
_HANGS = 1.0
_LONG = 0.5
_TRIES = 3
_NOISE = 0.005
_FEW, _MANY = 25, 100
# Four times the text takes four times the steps, or sixteen times where they grow with the square.
_MOST_GROWTH = 7
_WORST = 3


class _HangError(Exception):
    pass


def slow(used: Used, most: int = _WORST) -> str | None:
    """The attack that makes a pattern take more than its share of steps; None where there is none.

    The time that an attack takes only says which ones are worth counting the steps of.
    """
    short = used.where.startswith(SHORT_PIECES)
    length = _SHORT // _SHORTER if short else _LENGTH
    costs = [
        (_least_cost(used, attack.text(length // len(attack.repeated))), attack)
        for attack in attacks(used.pattern, searched=used.searched)
    ]
    worst = sorted(costs, key=lambda cost: -cost[0])[:most]
    too_slow = _takes_long if short else _grows
    return next((repr(attack) for cost, attack in worst if cost >= _HANGS or too_slow(used, attack)), None)


def _takes_long(used: Used, attack: Attack) -> bool:
    return _cost(used, attack.text(_SHORT // len(attack.repeated))) >= _LONG


def _grows(used: Used, attack: Attack) -> bool:
    few, many = (steps(used.pattern, attack.text(times), used.methods) for times in (_FEW, _MANY))
    return many > _MOST_GROWTH * few


def _least_cost(used: Used, text: str) -> float:
    """What a busy machine adds to an attack that is soon over would make it look worse than the worst."""
    cost = _cost(used, text)
    return cost if cost >= _NOISE else min(cost, *(_cost(used, text) for _ in range(_TRIES - 1)))


def _cost(used: Used, text: str) -> float:
    data = text.encode("latin-1", "replace") if isinstance(used.pattern.pattern, bytes) else text
    before = process_time()
    try:
        with _limit(_HANGS):
            for method in used.methods & ANCHORED:
                getattr(used.pattern, method)(data)
            if used.searched:
                for _ in used.pattern.finditer(data):
                    pass
    except _HangError:
        return _HANGS
    return process_time() - before


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _hang(number: int, frame: FrameType | None) -> None:
    raise _HangError


def main() -> None:
    sys.setrecursionlimit(100_000)
    signal.signal(signal.SIGVTALRM, _hang)
    examples = [Used(name, re.compile(source), frozenset((method,))) for name, source, method in KNOWN_SLOW]
    ours = patterns()
    found = {
        "number": len(ours),
        "unknown": sorted(MATCHED_ELSEWHERE - {used.where for used in ours}),
        "slow": [f"{used.where}: {attack}" for used in ours if (attack := slow(used)) is not None],
        "examples": [used.where for used in examples if slow(used, 4 * _WORST) is not None],
    }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
