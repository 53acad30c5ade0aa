"""The one sum: equal to the builtin of Python 3.12 and 3.13 to the last bit, on every Python."""

import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.total import mean, total
from tests.builders import python_of_version, typed
from tests.sampling import SEARCHING, examples

INF, NAN = math.inf, math.nan
LONG_MAX, LONG_MIN = 2**63 - 1, -(2**63)

# Each line was confirmed on the real 3.12 and 3.13; the oracle test below does it again where they are present.
CORNERS: list[tuple[list[float], object]] = [
    ([], 0),
    # Ints add exactly and stay ints, however large.
    ([1, 2, 3], 6),
    ([True, True, False], 2),
    ([LONG_MAX, 1], 2**63),
    ([2**63], 2**63),
    ([10**400, 1], 10**400 + 1),
    # Floats are compensated.
    ([0.1] * 10, 1.0),
    ([0.1, 0.2, 0.3], 0.6),
    ([1e100, 1.0, -1e100], 1.0),
    ([1.0, 1e100, 1.0, -1e100], 2.0),
    ([5e-324] * 3, 1.5e-323),
    # The int prefix is exact, and the first float is added onto it plainly.
    ([2**53, 1, 0.0], 9007199254740992.0),
    ([2**53, 1, 1, 0.0], 9007199254740994.0),
    ([1, 0.1, 0.2, 0.3], 1.6),
    # Ints after a float are not compensated; the same numbers as floats are.
    ([1e16, 1, 1], 1e16),
    ([1e16, True, True], 1e16),
    ([1e16, 1.0, 1.0], 1.0000000000000002e16),
    ([1, 1e100, 1, -1e100], 0.0),
    # An int beyond a C long ends compensation for good: .1, .2 and .3 would give 0.6 otherwise.
    ([0.5, 2**63, -(2.0**63), 0.1, 0.2, 0.3], 0.6000000000000001),
    ([LONG_MAX, 1, LONG_MIN, 0.1, 0.2, 0.3], 0.6000000000000001),
    ([LONG_MIN, -1, 2**63, 1, 0.1, 0.2, 0.3], 0.6000000000000001),
    ([0.5, LONG_MAX, -(2.0**63), 0.1, 0.2, 0.3], 0.6),
    # Infinity and NaN: a compensation that is not finite is dropped.
    ([INF, 1.0], INF),
    ([INF, 1e308, 1.0], INF),
    ([INF, -INF], NAN),
    ([NAN, 1.0], NAN),
    ([1.0, NAN, 2], NAN),
    ([1e308, 1e308], INF),
    ([1e308, 1e308, -1e308, -1e308], INF),
    # Zero has no sign here: the sum starts with the int 0.
    ([-0.0], 0.0),
    ([-0.0, -0.0], 0.0),
]


@pytest.mark.statement("harbor.sum")
@pytest.mark.parametrize(("values", "expected"), CORNERS)
def test_corner(values: list[float], expected: object) -> None:
    assert typed(total(values)) == typed(expected)


@pytest.mark.parametrize("values", [[10**400, 0.5], [0.5, 10**400], [LONG_MAX, 10**400, 0.5]])
def test_an_int_that_no_float_can_hold_overflows(values: list[float]) -> None:
    with pytest.raises(OverflowError):
        total(values)


def test_takes_an_iterator() -> None:
    assert total(value / 10 for value in (1, 2, 3)) == 0.6


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.1] * 10, 0.1),
        ([1, 0, 1], 0.6666666666666666),
        ([1, 0, 0], 0.3333333333333333),
        ([1, 1], 1.0),
        ([0.5], 0.5),
        ([INF, 0], INF),
        ([NAN, 1], NAN),
    ],
)
def test_mean(values: list[float], expected: float) -> None:
    assert typed(mean(values)) == typed(expected)


def test_nothing_has_no_mean() -> None:
    with pytest.raises(ZeroDivisionError):
        mean([])


@given(st.lists(st.floats(-1e6, 1e6) | st.integers(-(10**6), 10**6), min_size=1))
def test_a_mean_lies_between_the_extremes_but_for_a_last_bit(values: list[float]) -> None:
    assert math.nextafter(min(values), -INF) <= mean(values) <= math.nextafter(max(values), INF)


@given(st.lists(st.integers()))
def test_ints_add_exactly(values: list[int]) -> None:
    assert typed(total(values)) == typed(sum(values))


def _huge_int(random: Random) -> int:
    return random.choice((LONG_MAX, LONG_MIN, 2**62, -(2**62), 2**63, 2**64)) + random.randint(-3, 3)


def _wild_float(random: Random) -> float:
    return math.ldexp(random.uniform(-1, 1), random.choice((-1074, -1022, -60, 0, 1, 53, 60, 1000, 1023, 1024)))


def _special(random: Random) -> float:
    return random.choice((INF, -INF, NAN, 0.0, -0.0, 1e308, -1e308, 5e-324, 1e16, 10**400))


# What a list is drawn from. Rewards are the ordinary case; the others look for the corners.
SHAPES: dict[str, list[Callable[[Random], float]]] = {
    "rewards": [lambda r: r.choice((0, 1)), lambda r: r.choice((0.0, 1.0, 0.5)), lambda r: r.random()],
    "tenths": [lambda r: r.randint(-20, 20) / 10, lambda r: r.randint(-2, 2)],
    "wild floats": [_wild_float],
    "floats and small ints": [_wild_float, lambda r: r.randint(-3, 3), lambda r: r.random() < 0.5],
    "huge ints": [_huge_int, lambda r: r.randint(-(2**62), 2**62), lambda r: r.random() < 0.5],
    "everything": [_wild_float, _huge_int, _special, lambda r: r.random(), lambda r: r.random() < 0.5],
}


def _adversarial_list(random: Random, shape: str) -> list[float]:
    makers = SHAPES[shape]
    values = [random.choice(makers)(random) for _ in range(random.randint(0, 24))]
    if random.random() < 0.3:  # Cancellation: most of it goes away again, in another order.
        negated = [-value for value in values]
        random.shuffle(negated)
        values += negated[: random.randint(0, len(negated))]
    return values


def _answer(values: list[float]) -> str:
    try:
        return repr(total(values))
    except OverflowError as error:
        return type(error).__name__


@contextmanager
def _sum_of(python: str) -> Iterator[Callable[[list[list[float]]], list[str]]]:
    """The builtin sum of another Python, which is started once."""
    script = Path(__file__).with_name("sum_oracle.py")
    command = [python, "-S", str(script)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        questions, answers = process.stdin, process.stdout

        def ask(lists: list[list[float]]) -> list[str]:
            questions.write(json.dumps(lists) + "\n")
            questions.flush()
            found: list[str] = json.loads(answers.readline())
            return found

        yield ask
        questions.close()


@pytest.mark.statement("harbor.sum")
@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_equals_the_builtin_of_another_python_on_many_lists(version: str) -> None:
    python = python_of_version(version)
    if python is None:
        pytest.skip(f"there is no Python {version} on this machine to compare with")
    compared = 0
    with _sum_of(python) as ask:
        assert ask([values for values, _ in CORNERS]) == [repr(expected) for _, expected in CORNERS]

        @examples(500)
        @given(seed=st.integers(0, 2**64 - 1), shape=st.sampled_from(sorted(SHAPES)))
        def agree(seed: int, shape: str) -> None:
            nonlocal compared
            random = Random(seed)
            lists = [_adversarial_list(random, shape) for _ in range(205)]
            differing = [
                (values, theirs, ours)
                for values, theirs in zip(lists, ask(lists), strict=True)
                if (ours := _answer(values)) != theirs
            ]
            compared += len(lists)
            assert differing == []

        agree()
    assert compared >= (100_000 if SEARCHING else 20_000)


@pytest.mark.statement("harbor.sum")
@pytest.mark.skipif(not (3, 12) <= sys.version_info < (3, 14), reason="this Python's own sum is another one")
@examples(500)
@given(seed=st.integers(0, 2**64 - 1), shape=st.sampled_from(sorted(SHAPES)))
def test_equals_the_builtin_of_this_python(seed: int, shape: str) -> None:
    random = Random(seed)
    for _ in range(20):
        values = _adversarial_list(random, shape)
        try:
            expected = repr(sum(values))
        except OverflowError as error:
            expected = type(error).__name__
        assert _answer(values) == expected
