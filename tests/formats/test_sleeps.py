"""How long a script sleeps at least: a table of scripts."""

import math

import pytest

from assay.formats.sleeps import python_sleeps, shell_sleeps


@pytest.mark.parametrize(
    ("script", "seconds"),
    [
        ("sleep 5", 5),
        ("sleep 2m\nsleep 1.5", 121.5),
        ("echo a && sleep 3; sleep 4", 7),
        ("sleep infinity", math.inf),
        ("for i in $(seq 1 30); do\n  sleep 2\ndone", 60),
        ("for i in {1..4}; do sleep 2; done", 8),
        ("for ((i = 0; i < 5; i++)); do\n  sleep 3\ndone", 15),
        ("for name in a b c; do sleep 2; done", 6),
        ("while [ $i -lt 10 ]; do sleep 2; i=$((i+1)); done", 20),
        ("for i in 1 2; do for j in 1 2 3; do sleep 1; done; done\nsleep 1", 7),
        ("python3 -c 'import time; time.sleep(9)'", 9),
        # Nobody knows whether, or for how long.
        ("if ready; then sleep 100; fi", 0),
        ("for i in $(seq 60); do ready && break; sleep 5; done", 0),
        ("until ready; do sleep 5; done", 0),
        ("ready || sleep 5", 0),
        ("sleep 600 &", 0),
        ("sleep $LONG", 0),
        ("timeout 5 sleep 100", 0),
        ("echo sleep 5", 0),
        ("", 0),
    ],
)
def test_a_script(script: str, seconds: float) -> None:
    slept = [total for _, total in shell_sleeps(script)]
    assert (slept[-1] if slept else 0) == seconds


def test_the_line_is_that_of_the_sleep() -> None:
    assert list(shell_sleeps("true\n\nsleep 2\n# x\nsleep 3")) == [(3, 2.0), (5, 5.0)]
    assert list(python_sleeps("import time\n\ntime.sleep(2.5)\n")) == [(3, 2.5)]
