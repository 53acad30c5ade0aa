"""Ask again until the answer is a pass or the time is up, because effects in other systems may show up late."""

from collections.abc import Callable
from typing import Final

from assay.core.outcome import Outcome, Scored

FIRST_PAUSE_SEC: Final = 0.25
LONGEST_PAUSE_SEC: Final = 5.0


def held_within(
    wait_sec: float,
    ask: Callable[[], Outcome],
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> Outcome:
    """The first answer that is a pass, or the last answer. The last question is asked when the time is up."""
    end = clock() + wait_sec
    pause = FIRST_PAUSE_SEC
    while True:
        outcome = ask()
        left = end - clock()
        if left <= 0 or (isinstance(outcome, Scored) and outcome.passed):
            return outcome
        sleep(min(pause, left))
        pause = min(pause * 2, LONGEST_PAUSE_SEC)
