"""Grade a task run by its criteria, or try one of them against a playground while it is being written."""

import json
import threading
from collections import OrderedDict
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Final, Protocol

from assay.core.errors import InputError, MeasurementError
from assay.dialects.criteria.models import Completion, CriterionRun
from assay.dialects.criteria.resources import Snapshot, TaskRun, Written
from assay.engine.criteria.bounded_evidence import criterion_of
from assay.engine.criteria.complete_run import (
    CompiledCriteria,
    OpenPlayground,
    Stamp,
    Unusable,
    ask,
    compile_criteria,
)
from assay.engine.criteria.watched_sources import Playground
from assay.engine.service.playgrounds import Playgrounds
from assay.evidence.playground import Clock

MOST_COMPILED: Final = 256
TRIED: Final = "tried"
"""The id of a criterion run that is stored nowhere."""


class OpenPlaygrounds(Protocol):
    """Opens playgrounds of the store."""

    def playground(self, identity: str) -> Playground:
        """Raises ``InputError`` if there is none with that id."""

    def opened(
        self, playground: Playground, sources: bool, until: datetime | None
    ) -> AbstractContextManager[OpenPlayground]:
        """The records of a playground as of a moment, and the ``sources`` beside them if these are asked.

        Raises ``InputError`` for a source whose settings can't be used, ``MeasurementError`` for one that is down.
        """

    def new_clock(self) -> Clock: ...


class CompiledTasks:
    """Criteria of frozen tasks, compiled once. The ones that were not used for longest are forgotten."""

    def __init__(self, most: int = MOST_COMPILED) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, str], CompiledCriteria] = OrderedDict()

    def criteria(self, snapshot: Snapshot, data: dict[str, object]) -> CompiledCriteria:
        """``data`` is what the playground adds to the data of the task."""
        key = snapshot.digest, json.dumps(data, sort_keys=True) if data else ""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        written = [criterion_of(one, number) for number, one in enumerate(snapshot.criteria)]
        made = compile_criteria(written, {**snapshot.data, **data})
        with self._lock:
            self._known[key] = made
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        return made


class Grader:
    """Implements ``GradeRun``. The playground's data overrides the task's."""

    def __init__(self, playgrounds: Playgrounds, opening: OpenPlaygrounds) -> None:
        self._playgrounds = playgrounds
        self._host = playgrounds.host
        self._opening = opening
        self._tasks = CompiledTasks()

    def __call__(self, organisation: str, run: TaskRun, snapshot: Snapshot) -> Completion:  # noqa: ARG002
        """Raises ``MeasurementError`` if a source can't be asked, also if that is because of how it is set."""
        try:
            return self._completion(run, snapshot)
        except InputError as error:
            raise MeasurementError(f"a source of the playground can't be used: {error}") from error

    def _completion(self, run: TaskRun, snapshot: Snapshot) -> Completion:
        stored = self._opening.playground(run.playground_id)
        criteria = self._tasks.criteria(snapshot, dict(stored.data))
        accepted = run.completion_requested_at
        stamp = Stamp(self._host.now(), lambda: self._host.new_id("crun"), run.id, accepted)
        return self._ask(criteria, stored, run.started_at or stored.run_start, stamp)

    def try_out(self, organisation: str, playground: str, written: Written, data: Written) -> CriterionRun:
        """How a criterion comes out as it is written now. One that can't be used fails and says why, as in a run.

        ``data`` is that of its task. Raises ``NotFoundError`` for a playground of somebody else, ``InputError``
        for a source whose settings can't be used, and ``MeasurementError`` for one that is down.
        """
        self._playgrounds.row(self._playgrounds.storage, organisation, playground)
        stored = self._opening.playground(playground)
        criteria = compile_criteria([criterion_of(written, 0)], {**data, **stored.data})
        [run] = self._ask(
            criteria, stored, stored.run_start, Stamp(self._host.now(), lambda: TRIED)
        ).criterion_runs
        return run

    def _ask(self, criteria: CompiledCriteria, stored: Playground, start: datetime, stamp: Stamp) -> Completion:
        playground = Playground(stored.id, start, stored.fhir_base, stored.file_source, stored.data)
        with self._opening.opened(playground, criteria.may_wait, stamp.accepted_at) as opened:
            return ask(criteria, opened.state, stamp, opened.judge, self._opening.new_clock())


def problem_with(written: Written, data: Written) -> str | None:
    """Why a criterion can't be used as it is written; None if it can."""
    [placed] = compile_criteria([criterion_of(written, 0)], data).checks
    return placed.check.why if isinstance(placed.check, Unusable) else None
