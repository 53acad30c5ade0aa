"""What Ray adds to an item of work in pieces of 100: CPU of the driver and of all that it starts.

Needs Ray, which is in the environment of ``make loops``. Starting the cluster isn't counted, because two amounts
of work are compared.
"""

import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec

from benchmarks.made_job import MadeJobs
from benchmarks.measure import Result, sized, spent_by_tree

PIECE, FEW, MANY = 100, sized(2_000, 200), sized(42_000, 400)
GOAL_MS = 0.1


def run(_jobs: MadeJobs) -> Iterator[Result]:
    """An empty item on Ray, in pieces of 100, above a plain loop; not measured without Ray."""
    if find_spec("ray") is None:
        yield Result("an item on Ray", 0.0, "", detail="not measured: needs Ray, as in `make loops`")
        return
    few, many = _on_ray(FEW), _on_ray(MANY)
    here = _here(MANY - FEW)
    items = MANY - FEW
    detail = f"{here / items * 1e6:.2f} µs here"
    yield Result("an empty item on Ray", (many - few - here) / items * 1e3, "ms of CPU", GOAL_MS, detail)


def count(piece: Sequence[str]) -> int:
    """The work."""
    return sum(1 for _ in piece)


def _pieces(items: int) -> list[list[str]]:
    return [[str(number) for number in range(start, start + PIECE)] for start in range(0, items, PIECE)]


def _on_ray(items: int) -> float:
    """CPU seconds until the answers are there, and the cluster is gone."""
    from assay.adapters.jobs.ray_pieces import work_on_ray  # noqa: PLC0415 - it needs Ray

    before = spent_by_tree()
    answers = work_on_ray(_pieces(items), count, lambda _run, _why: 0, 1)
    done = next(answers)
    while (more := next(answers, None)) is not None:
        done += more
        last = spent_by_tree()  # The cluster ends with the last answer, and takes what it used with it.
    assert done == items
    return last - before


def _here(items: int) -> float:
    began = time.process_time()
    assert sum(map(count, _pieces(items))) == items
    return time.process_time() - began
