"""Several agents at once: p-values corrected for their number, and the ranks that the data allow."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Ranks(NamedTuple):
    """The best and the worst rank that an agent may have."""

    best: int
    worst: int


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction: the chance of even one false alarm among all of them stays below the level."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for place, index in enumerate(order):
        largest = max(largest, min(1.0, p_values[index] * (len(p_values) - place)))
        adjusted[index] = largest
    return adjusted


def rank_ranges(agents: int, better: Mapping[int, set[int]]) -> list[Ranks]:
    """The range of ranks of each agent. ``better`` has those that each agent was shown to be better than."""
    beaten_by = {agent: sum(agent in beaten for beaten in better.values()) for agent in range(agents)}
    return [Ranks(1 + beaten_by[agent], agents - len(better.get(agent, ()))) for agent in range(agents)]
