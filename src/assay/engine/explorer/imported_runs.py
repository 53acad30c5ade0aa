"""Bring the trials of a job into a store. What is imported twice is there once."""

import hashlib
import json
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from typing import Any, Final, Protocol, TypeAlias

import msgspec

from assay.dialects.harbor.trial import Trial
from assay.engine.explorer.blobs import KeptFile
from assay.engine.jobs.job import Job
from assay.engine.jobs.job_runs import TasksWithReward, run_of_trial, runs_of, runs_without_result
from assay.engine.jobs.trial_additions import History
from assay.evidence.run import Run

# How many runs are added in one transaction.
AT_ONCE: Final = 1000
RESULTLESS: Final = ("harbor_trial_result_missing", "harbor_trial_result_malformed")
"""The reasons of runs that have no result yet: one that comes later takes their place."""


class Kept(msgspec.Struct, frozen=True):
    """A run with what is kept beside it. ``text`` is searched for words, and not kept.

    ``content`` is the hash of what the run was read from, if its result is more than its own fields.
    ``known_task`` is the task as the digest has it, if people see another name.
    """

    run: Run
    gradings: Sequence[Mapping[str, Any]] = ()
    annotations: Sequence[Mapping[str, Any]] = ()
    files: Sequence[KeptFile] = ()
    text: str = ""
    content: str | None = None
    known_task: str | None = None

    @property
    def digest(self) -> str:
        """The hash of the run itself, without what was decided or added later."""
        run = self.run if self.known_task is None else msgspec.structs.replace(self.run, task=self.known_task)
        rewards = None if run.rewards is None else json.dumps(dict(run.rewards))
        parts = [*_digested(run), rewards, run.reason if run.reason in RESULTLESS else None]
        parts += [] if self.content is None else [self.content]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


_digested: Final = attrgetter(
    *("job", "name", "task", "agent", "model", "dataset", "exception_type", "cost_usd"),
    *("started_at", "finished_at"),
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The files and words beside the result of a run; the words are what is searched of it."""

    files: Sequence[KeptFile] = ()
    text: str = ""


FindEvidence: TypeAlias = Callable[[str], Evidence]
"""The evidence of a run by its name."""


class EvidenceSource(Protocol):
    """Where the evidence of runs is found."""

    def batch(self) -> AbstractContextManager[FindEvidence]:
        """Find the evidence of some runs. Their files are kept when this ends."""


@dataclass(frozen=True, slots=True)
class Imported:
    """How many runs are new, were there already, and replaced one that had no result before."""

    added: int
    known: int
    replaced: int

    def plus(self, other: "Imported") -> "Imported":
        return Imported(self.added + other.added, self.known + other.known, self.replaced + other.replaced)


class ImportStore(Protocol):
    """Where imported runs are kept."""

    def add_runs(self, organisation: str, runs: Iterable[Kept]) -> Imported:
        """All or none. Raises ``ConflictError`` for a run that was imported with another result.

        Of a run that is known already, what is shown beside its result is brought up to date.
        """

    def has_job(self, organisation: str, job: str) -> bool:
        """Whether there are runs of a job."""

    def remove_waiting(self, organisation: str, job: str, kept: Container[str]) -> None:
        """Take out runs of a job that had no result, and that aren't among those to be kept any more."""

    def refuse_changed(self, organisation: str, job: str, runs: Iterable[Kept]) -> None:
        """Raises ``ConflictError`` if one of the runs of a job was imported with another result."""


def import_job(
    store: ImportStore,
    organisation: str,
    job: Job,
    histories: Iterable[History],
    name: str | None = None,
    source: EvidenceSource | None = None,
) -> Imported:
    """Add the trials of a job, with their gradings and annotations. ``name`` is another name for the job.

    ``source`` keeps the files of trials. They are kept before the runs that have them, a few hundred at a time, so
    that nobody else who writes has to wait long. Raises ``ConflictError`` before anything is added if a run was
    imported with another result.
    """
    beside = {one.trial: one for one in histories}
    called = name or job.name
    if store.has_job(organisation, called):
        runs_now = runs_of(job, beside.values(), name=called)
        store.refuse_changed(organisation, called, map(Kept, runs_now))
        # A trial that was only planned has another name once it begins.
        store.remove_waiting(organisation, called, {run.name for run in runs_now})
    done, decided = Imported(0, 0, 0), TasksWithReward(job.trials)
    trials = iter(job.trials)
    while some := list(islice(trials, AT_ONCE)):
        with nullcontext(lambda _name: Evidence()) if source is None else source.batch() as find:
            runs = [
                _kept_trial(called, trial, beside.get(trial.name), find(trial.name), decided) for trial in some
            ]
        done = done.plus(store.add_runs(organisation, runs))
    return done.plus(store.add_runs(organisation, map(Kept, runs_without_result(job, called))))


def _kept_trial(
    job: str, trial: Trial, history: History | None, evidence: Evidence, decided: Container[str]
) -> Kept:
    return Kept(
        run_of_trial(job, trial, history, decided=decided),
        gradings=[] if history is None else [one.model_dump(mode="json") for one in history.gradings],
        annotations=[] if history is None else [one.model_dump(mode="json") for one in history.annotations],
        files=evidence.files,
        text=evidence.text,
    )
