"""The order of a job's trials: as planned by lock.json, then by start time, then by name.

The order matters: floats are added in this order, and result.json lists trials in it.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, TypeAlias

import msgspec

from assay.dialects.harbor.trial import Trial, slot
from assay.dialects.harbor.versions import HarborVersion, stated_version

Slot: TypeAlias = tuple[str, ...]

_LAST = datetime.max.replace(tzinfo=UTC)


class _Task(msgspec.Struct, gc=False):
    name: str
    path: str | None = None


class _Agent(msgspec.Struct, gc=False):
    name: str | None = None
    import_path: str | None = None
    model_name: str | None = None


class _Planned(msgspec.Struct, gc=False):
    task: _Task
    agent: _Agent


class _Lock(msgspec.Struct):
    trials: list[_Planned]
    harbor: Any = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What lock.json plans: the slots of the trials in order, and the version of harbor that it names."""

    slots: list[Slot]
    version: HarborVersion | None


@dataclass(frozen=True, slots=True)
class Ordered:
    """The trials in order, and the planned slots without a trial."""

    trials: list[Trial]
    unfilled: list[Slot]


def read_plan(lock: bytes) -> Plan:
    """The plan in a lock.json. Raises ``ValueError`` if it isn't a lock file."""
    found = msgspec.json.decode(lock, type=_Lock)
    shared: dict[Slot, Slot] = {}
    slots = (
        slot(t.task.path, t.task.name, t.agent.name, t.agent.import_path, t.agent.model_name) for t in found.trials
    )
    return Plan([shared.setdefault(planned, planned) for planned in slots], stated_version(found.harbor))


def in_planned_order(trials: Iterable[Trial], plan: Iterable[Slot]) -> Ordered:
    """Fill the planned slots with the trials; trials that were not planned come last."""
    waiting: dict[Slot, list[Trial]] = defaultdict(list)
    for trial in reversed(_by_start(trials)):
        waiting[trial.slot].append(trial)
    filled: list[Trial] = []
    unfilled: list[Slot] = []
    for planned in plan:
        if waiting.get(planned):
            filled.append(waiting[planned].pop())
        else:
            unfilled.append(planned)
    left = [trial for trials in waiting.values() for trial in trials]
    return Ordered(filled + _by_start(left), unfilled)


def _by_start(trials: Iterable[Trial]) -> list[Trial]:
    """In the order of their start, then of their names."""
    known = list(trials)
    # Harbor writes all times in one format, so they sort as strings; parsing them takes far longer.
    if all(
        trial.started_at and len(trial.started_at) == _USUAL and trial.started_at[-1] == "Z" for trial in known
    ):
        return sorted(known, key=attrgetter("started_at", "name"))
    return sorted(known, key=_start)


_USUAL = len("2026-01-05T09:00:00.000000Z")


def _start(trial: Trial) -> tuple[datetime, str]:
    return moment(trial.started_at), trial.name


def moment(text: str | None) -> datetime:
    """A time as harbor writes it, as UTC where it has no zone; the last of all times if it can't be read."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return _LAST
    return found if found.tzinfo else found.replace(tzinfo=UTC)
