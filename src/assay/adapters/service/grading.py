"""Grade a task run of the service: its criteria against the playground of the store and the sources beside it."""

import json
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from typing import Final

from assay.adapters.machine.tracing import span
from assay.adapters.service.secret_box import SecretBox
from assay.adapters.service.sources import SourceOpener
from assay.adapters.sources.json_requests import Pace
from assay.adapters.sources.source_guard import SourcePolicy
from assay.adapters.store.records import EVER, Records
from assay.adapters.store.store import Store
from assay.core.errors import InputError, MeasurementError
from assay.dialects.criteria.models import AskedCriterion, Completion, CriterionRun
from assay.dialects.criteria.resources import Snapshot, TaskRun, Written
from assay.engine.criteria.complete_run import CompiledCriteria, Stamp, ask, compiled
from assay.engine.criteria.criterion_entries import criterion_of
from assay.engine.criteria.playground_store import Playground
from assay.engine.criteria.stored_playground import StoredPlayground
from assay.engine.criteria.verify_criteria import OpenPlayground
from assay.engine.service.host import ServiceHost
from assay.engine.service.playgrounds import Playgrounds
from assay.engine.service.try_criterion import TRIED

KEPT: Final = 256


class CompiledTasks:
    """Criteria of frozen tasks, compiled once. The ones that were not used for longest are forgotten."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, str], CompiledCriteria] = OrderedDict()

    def criteria(self, snapshot: Snapshot, data: dict[str, object]) -> CompiledCriteria:
        """``data`` is what the playground adds to the data of the task."""
        known = snapshot.digest, json.dumps(data, sort_keys=True) if data else ""
        with self._lock:
            found = self._known.get(known)
            if found is not None:
                self._known.move_to_end(known)
                return found
        written = [criterion_of(one, number) for number, one in enumerate(snapshot.criteria)]
        made = compiled(written, {**snapshot.data, **data})
        with self._lock:
            self._known[known] = made
            while len(self._known) > self._kept:
                self._known.popitem(last=False)
        return made


class StoreGrader:
    """Fulfils ``Grade``. A playground's data goes before that of the task, because it is nearer to the run."""

    def __init__(
        self,
        store: Store,
        host: ServiceHost,
        playgrounds: Playgrounds,
        secrets: SecretBox,
        policy: SourcePolicy,
    ) -> None:
        self._store = store
        self._host = host
        self._playgrounds = playgrounds
        self._sources = SourceOpener(store, playgrounds, secrets, policy)
        self._tasks = CompiledTasks()

    def __call__(self, organisation: str, run: TaskRun, snapshot: Snapshot) -> Completion:  # noqa: ARG002
        """Raises ``MeasurementError`` if a source can't be asked, also if that is because of how it is set."""
        with span("grade", assay__task_run=run.id, assay__criteria=len(snapshot.criteria)) as told:
            try:
                done = self._completion(run, snapshot)
            except InputError as error:
                raise MeasurementError(f"a source of the playground can't be used: {error}") from error
            told.add(assay__verdict=done.verdict.value)
            return done

    def _completion(self, run: TaskRun, snapshot: Snapshot) -> Completion:
        stored = self._store.playground(run.playground_id)
        asked = self._tasks.criteria(snapshot, dict(stored.data))
        start, accepted = run.started_at or stored.run_start, run.completion_requested_at
        with self._opened(stored, start, asked.may_wait, accepted or EVER) as playground:
            stamp = Stamp(self._host.now(), lambda: self._host.new_id("crun"), run.id, accepted)
            return ask(asked, playground.state, stamp, playground.judge, Pace())

    def tried(self, organisation: str, playground: str, criterion: AskedCriterion, data: Written) -> CriterionRun:
        """Fulfils ``TryOut``."""
        self._playgrounds.row(self._playgrounds.storage, organisation, playground)
        stored = self._store.playground(playground)
        asked = compiled([criterion], {**data, **stored.data})
        with self._opened(stored, stored.run_start, asked.may_wait) as opened:
            stamp = Stamp(self._host.now(), lambda: TRIED)
            [run] = ask(asked, opened.state, stamp, opened.judge, Pace()).criterion_runs
            return run

    @contextmanager
    def _opened(
        self, stored: Playground, start: datetime, may_wait: bool, until: datetime = EVER
    ) -> Iterator[OpenPlayground]:
        """Who doesn't wait for other systems reads all records over one connection. All are as of ``until``."""
        playground = Playground(stored.id, start, stored.fhir_base, stored.file_source, stored.data)
        with ExitStack() as stack:
            if not may_wait:
                records = stack.enter_context(self._store.reading(until))
                yield OpenPlayground(StoredPlayground(records, playground), {}, {})
                return
            found = self._sources.open(stack, playground, until)
            state = StoredPlayground(Records(self._store.rows, until=until), playground, found.fhir, found.files)
            yield OpenPlayground(state, {}, {}, found.judge)
