"""The order of a job's trials (as planned by lock.json, then by start time, then by name), and who wrote the job.

The order matters: floats are added in this order, and result.json lists trials in it.

Since 0.6, lock.json names the version. Before, only the shape of result.json tells: it counts ``n_trials`` and
``n_errors`` instead of completed and errored trials, and pass@k is missing before 0.4. The numbers here were
looked up in the wheels.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from heapq import merge
from typing import Any, TypeAlias

import msgspec

from assay.dialects.harbor.rewards import Profile
from assay.dialects.harbor.trial import Trial, slot
from assay.evidence.files import ByteSource
from assay.formats.json_items import read_items

_NUMBER = re.compile(r"(\d{1,6})\.(\d{1,6})(?![\d])")


@dataclass(frozen=True, slots=True)
class HarborVersion:
    """A version of harbor. ``number`` is None if the job doesn't say which one wrote it."""

    number: str | None
    profile: Profile
    legacy_counts: bool = False
    has_pass_at_k: bool = True
    # A name such as org/data had its slash replaced in the keys of groups.
    dashed_keys: bool = False
    # Each dataset that a trial names has metrics, even if config.json doesn't declare it.
    every_source_counts: bool = False

    @property
    def title(self) -> str:
        """The version and the profile for the title of a report. Where one says both, it stands alone."""
        if self.number is None or f"harbor-{self.number}" == self.profile.value:
            return self.profile.value
        return f"harbor {self.number} ({self.profile.value})"


UNKNOWN = HarborVersion(None, Profile.HARBOR_0_13_1)


def stated_version(harbor: Any) -> HarborVersion | None:
    """The version in the entry ``harbor`` of a lock.json; None if there is none."""
    number = harbor.get("version") if isinstance(harbor, dict) else None
    return _of_number(number) if isinstance(number, str) else None


def version_of_record(recorded: Mapping[str, Any] | None) -> HarborVersion:
    """The version by the shape of a job's result, for jobs without a lock.json."""
    stats = None if recorded is None else recorded.get("stats")
    if not isinstance(stats, dict) or "n_completed_trials" in stats or "n_trials" not in stats:
        return UNKNOWN
    evals = stats.get("evals")
    groups = evals.values() if isinstance(evals, dict) else ()
    if any(isinstance(group, dict) and "pass_at_k" in group for group in groups):
        return HarborVersion("0.4 or 0.5", Profile.HARBOR_0_6, legacy_counts=True)
    return HarborVersion(
        "0.1 to 0.3", Profile.HARBOR_0_6, legacy_counts=True, has_pass_at_k=False, dashed_keys=True
    )


def _of_number(number: str) -> HarborVersion | None:
    match = _NUMBER.match(number)
    if match is None:
        return None
    release = (int(match[1]), int(match[2]))
    if release < (0, 7):
        return HarborVersion(number, Profile.HARBOR_0_6)
    if release < (0, 23):
        return HarborVersion(number, Profile.HARBOR_0_13_1, every_source_counts=release >= (0, 22))
    return HarborVersion(number, Profile.HARBOR_0_24, every_source_counts=True)


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
    """The plan in lock.json: the slots of the trials in order, and the version of harbor that it names."""

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
    slots = _Slots()
    for planned in found.trials:
        slots.add(planned)
    return Plan(slots.found, stated_version(found.harbor))


def read_large_plan(lock: ByteSource) -> Plan | None:
    """The plan in a lock.json that is read trial by trial; None if it has to be read as a whole."""
    slots, decode = _Slots(), msgspec.json.Decoder(_Planned).decode
    try:
        rest = read_items(lock, "trials", lambda item: slots.add(decode(item)))
        found = None if rest is None else msgspec.json.decode(rest, type=_Lock)
    except (ValueError, RecursionError):
        return None
    return None if found is None else Plan(slots.found, stated_version(found.harbor))


class _Slots:
    """The slots of planned trials. Equal ones are kept once."""

    def __init__(self) -> None:
        self.found: list[Slot] = []
        self._share = dict[Slot, Slot]().setdefault

    def add(self, planned: _Planned) -> None:
        task, agent = planned.task, planned.agent
        key = slot(task.path, task.name, agent.name, agent.import_path, agent.model_name)
        self.found.append(self._share(key, key))


def in_planned_order(trials: Iterable[Trial], plan: Iterable[Slot]) -> Ordered:
    """Fill the planned slots with the trials; trials that were not planned come last."""
    known = list(trials)
    order = TrialOrder()
    for trial in known:
        order.add(trial)
    positions, unfilled = order.planned(plan, lambda: [trial.name for trial in known])
    return Ordered([known[position] for position in positions], unfilled)


class TrialOrder:
    """Finds the order of trials from what little it keeps of each: its slot and its start."""

    def __init__(self) -> None:
        self._slots: dict[Slot, int] = {}
        self._of = array("I")
        self._starts = array("q")
        self._last = ""
        self._by_name = True

    def add(self, trial: Trial) -> None:
        self._of.append(self._slots.setdefault(trial.slot, len(self._slots)))
        self._starts.append((moment(trial.started_at) - _EPOCH) // _MICROSECOND)
        self._by_name &= self._last <= trial.name
        self._last = trial.name

    def planned(
        self, plan: Iterable[Slot], names: Callable[[], Sequence[str]]
    ) -> tuple[Sequence[int], list[Slot]]:
        """The positions of the trials in order, and the planned slots without one.

        ``names`` are asked for if the trials weren't added in the order of their names.
        """
        ordered = self._by_start(names)
        waiting = _Queues(len(self._slots), len(self._of))
        for position in ordered:
            waiting.put(self._of[position], position)
        filled, unfilled, taken = array("I"), [], bytearray(len(self._of))
        for planned in plan:
            number = self._slots.get(planned)
            position = -1 if number is None else waiting.take(number)
            if position < 0:
                unfilled.append(planned)
            else:
                filled.append(position)
                taken[position] = 1
        filled.extend(position for position in ordered if not taken[position])
        return filled, unfilled

    def _by_start(self, names: Callable[[], Sequence[str]]) -> Sequence[int]:
        """In the order of their start, then of their names. Sorted in parts, whose keys are gone afterwards."""
        start = self._starts.__getitem__
        count = len(self._starts)
        if not self._by_name:
            known = names()
            return sorted(range(count), key=lambda position: (start(position), known[position]))
        parts = [
            array("I", sorted(range(first, min(first + _SORTED, count)), key=start))
            for first in range(0, count, _SORTED)
        ]
        return array("I", merge(*parts, key=start))


class _Queues:
    """Many queues of positions in three arrays."""

    def __init__(self, queues: int, positions: int) -> None:
        self._first = array("i", [-1]) * queues
        self._last = array("i", [-1]) * queues
        self._next = array("i", [-1]) * positions

    def put(self, queue: int, position: int) -> None:
        if self._first[queue] < 0:
            self._first[queue] = position
        else:
            self._next[self._last[queue]] = position
        self._last[queue] = position

    def take(self, queue: int) -> int:
        """The position that was put first; -1 if there is none."""
        position = self._first[queue]
        if position >= 0:
            self._first[queue] = self._next[position]
        return position


_SORTED = 1 << 16
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def moment(text: str | None) -> datetime:
    """A time as harbor writes it, as UTC where it has no zone; the last of all times if it can't be read."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return _LAST
    return found if found.tzinfo else found.replace(tzinfo=UTC)
