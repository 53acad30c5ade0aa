"""Attacks every pattern of ours, and some that are known to be slow, and prints which of them are."""

import json
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from tests.patterns.attack import Attack, attacks
from tests.patterns.collect import ANCHORED, Used, patterns
from tests.patterns.samples import KNOWN_SLOW, MATCHED_ELSEWHERE, SHORT_PIECES
from tests.patterns.steps import TooManyStepsError, steps
from tests.sampling import sampled

_LENGTH = 600
_SHORT = 2_000
_HANGS = 1.0
_MANY_ATTACKS = 12
# Four times the text takes four times the steps, or sixteen times where they grow with the square.
_FIRST, _FIRST_GROWTH = (6, 24), 5.5
_SECOND, _MOST_GROWTH = (25, 100), 7.0


class _HangError(Exception):
    pass


def slow(used: Used) -> str | None:
    """The attack that makes a pattern take more than its share of steps; None where there is none.

    Steps are counted, so that the answer is the same on a busy machine; only what doesn't come to an end is timed.
    """
    short = used.where.startswith(SHORT_PIECES)
    length = _SHORT if short else _LENGTH
    tried = attacks(used.pattern, searched=used.searched)
    for attack in sampled(tried, 1 + len(tried) // _MANY_ATTACKS):
        if _hangs(used, attack.text(length // len(attack.repeated))) or not (short or _is_linear(used, attack)):
            return repr(attack)
    return None


def _is_linear(used: Used, attack: Attack) -> bool:
    return not (_grows(used, attack, _FIRST, _FIRST_GROWTH) and _grows(used, attack, _SECOND, _MOST_GROWTH))


def _grows(used: Used, attack: Attack, times: tuple[int, int], most: float) -> bool:
    try:
        few, many = (steps(used.pattern, attack.text(number), used.methods) for number in times)
    except TooManyStepsError:
        return True
    return many > most * few


def _hangs(used: Used, text: str) -> bool:
    data = text.encode("latin-1", "replace") if isinstance(used.pattern.pattern, bytes) else text
    try:
        with _limit(_HANGS):
            for method in used.methods & ANCHORED:
                getattr(used.pattern, method)(data)
            if used.searched:
                for _ in used.pattern.finditer(data):
                    pass
    except _HangError:
        return True
    return False


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
        "examples": [used.where for used in examples if slow(used) is not None],
    }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
