"""The order of a job's trials (as planned by lock.json, then by start time, then by name), and who wrote the job.

The order matters: floats are added in this order, and result.json lists trials in it.

Since 0.6, lock.json names the version. Before, only the shape of result.json tells: it counts ``n_trials`` and
``n_errors`` instead of completed and errored trials, and pass@k is missing before 0.4. The numbers here were
looked up in the wheels.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, TypeAlias

import msgspec

from assay.dialects.harbor.rewards import Profile
from assay.dialects.harbor.trial import Trial, slot

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
