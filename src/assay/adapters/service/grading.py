"""The playgrounds of the store, opened for the criteria of a task run, with the sources beside them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime

from assay.adapters.machine.tracing import span
from assay.adapters.service.sources import SourceOpener
from assay.adapters.sources.json_requests import Pace
from assay.adapters.store.records import EVER, Records
from assay.adapters.store.store import Store
from assay.dialects.criteria.models import Completion
from assay.dialects.criteria.resources import Snapshot, TaskRun
from assay.engine.criteria.complete_run import OpenPlayground
from assay.engine.criteria.stored_playground import StoredPlayground
from assay.engine.criteria.watched_sources import Playground
from assay.engine.service.grading import Grader


class TracedGrader(Grader):
    """Grades with a span in the trace of the request."""

    def __call__(self, organisation: str, run: TaskRun, snapshot: Snapshot) -> Completion:
        with span("grade", assay__task_run=run.id, assay__criteria=len(snapshot.criteria)) as traced:
            done = super().__call__(organisation, run, snapshot)
            traced.add(assay__verdict=done.verdict.value)
            return done


class OpenStoredPlaygrounds:
    """Implements ``OpenPlaygrounds``."""

    def __init__(self, store: Store, sources: SourceOpener) -> None:
        self._store = store
        self._sources = sources

    def playground(self, identity: str) -> Playground:
        return self._store.playground(identity)

    @contextmanager
    def opened(self, playground: Playground, sources: bool, until: datetime | None) -> Iterator[OpenPlayground]:
        """If no other system is asked, all records are read over one connection."""
        until = until or EVER
        with ExitStack() as stack:
            if not sources:
                records = stack.enter_context(self._store.reading(until))
                yield OpenPlayground(StoredPlayground(records, playground), {}, {})
                return
            found = self._sources.open(stack, playground, until)
            state = StoredPlayground(Records(self._store.rows, until=until), playground, found.fhir, found.files)
            yield OpenPlayground(state, {}, {}, found.judge)

    def new_clock(self) -> Pace:
        return Pace()
