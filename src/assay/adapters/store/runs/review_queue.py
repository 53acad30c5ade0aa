"""The review queue in the store, read from what the rows of runs say about their annotations."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import func, not_, or_, select, union_all

from assay.adapters.store.bulk import batches
from assay.adapters.store.run_tables import HAS_GATES, annotations, runs
from assay.adapters.store.runs.run_search import chosen_runs
from assay.adapters.store.runs.run_values import run_of_row
from assay.adapters.store.service.keyset import plus
from assay.adapters.store.store import Store
from assay.dialects.evaluation.models import Annotation
from assay.engine.explorer.review_queue import GateCount, Reviewed, Waiting
from assay.engine.explorer.run_query import RunQuery
from assay.evidence.run import Run, State

_OPEN = runs.c.state.in_((State.PENDING.value, State.RUNNING.value))
_DISAGREED = or_(runs.c.gates_disagree, runs.c.reviewer_disagrees)


class StoredReviews:
    """Runs and what reviewers said about them. ``asked`` says which runs belong to a queue."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def queue(self, organisation: str, asked: RunQuery, reviewer: str, limit: int) -> Sequence[Run]:
        """The next runs that have ended and that the reviewer hasn't judged, in the order of the queue.

        Each part is read by an index, so that a long list isn't sorted for its beginning: those on which somebody
        disagrees, who are few, and the others by how many have reviewed them.
        """
        judged = select(annotations.c.run).where(
            annotations.c.organisation == organisation,
            annotations.c.record["reviewer_id"].as_string() == reviewer,
        )
        mine = self._of((runs.c.id, runs.c.reviewers), organisation, replace(asked, sort="reviewers")).where(
            runs.c.id.not_in(judged), not_(_OPEN)
        )
        newest = mine.order_by(runs.c.id.desc()).limit(limit)
        rare = [select(runs.c.id).where(runs.c.organisation == organisation, one) for one in _DISAGREED.clauses]
        disagreed = (
            mine.where(runs.c.id.in_(union_all(*rare))).order_by(runs.c.reviewers, runs.c.id.desc()).limit(limit)
        )
        found = [(row.reviewers, 0, row) for row in self._store.rows(disagreed)]
        count, others = self._next_count(organisation, -1), 0
        while count is not None and others < limit:
            rows = self._store.rows(newest.where(runs.c.reviewers == count, not_(_DISAGREED)))
            found += [(count, 1, row) for row in rows]
            count, others = self._next_count(organisation, count), others + len(rows)
        # Both parts are in order, and a stable sort keeps that. Only the rows that are shown are read whole.
        chosen = [row.id for _, _, row in sorted(found, key=lambda one: one[:2])[:limit]]
        whole = {row.id: row for row in self._store.rows(select(runs).where(runs.c.id.in_(chosen)))}
        return [run_of_row(whole[one]._mapping) for one in chosen if one in whole]

    def _next_count(self, organisation: str, beyond: int) -> int | None:
        """The next number of reviewers that a run has."""
        mine = (runs.c.organisation == organisation) & (runs.c.reviewers > beyond)
        [[count]] = self._store.rows(select(func.min(runs.c.reviewers)).where(mine))
        return None if count is None else int(count)

    def waiting(self, organisation: str, asked: RunQuery) -> Waiting:
        counted = self._of((runs.c.reviewers, func.count()), organisation, asked).group_by(runs.c.reviewers)
        found = Counter({reviewers: int(count) for reviewers, count in self._store.rows(counted)})
        # Those that haven't ended are few, so taking them away is faster than passing them by.
        some = select(runs.c.id).where(runs.c.organisation == organisation, _OPEN)
        unended = self._store.rows(counted.where(runs.c.id.in_(some)))
        found.subtract({reviewers: int(count) for reviewers, count in unended})
        return Waiting(found.total(), found[0])

    def reviewed(self, organisation: str, asked: RunQuery, most: int) -> Sequence[Reviewed]:
        """Runs with annotations, the newest first, up to so many."""
        # SQLite would walk all runs in their order, to pass by those that nobody reviewed.
        newest = runs.c.id if self._store.is_postgres else plus(runs.c.id)
        chosen = self._of((runs.c.id,), organisation, asked).where(runs.c.reviewers > 0).order_by(newest.desc())
        whole = select(runs).where(runs.c.id.in_(chosen.limit(most))).order_by(runs.c.id.desc())
        rows = self._store.rows(whole)
        said = self._annotations([row.id for row in rows])
        return [Reviewed(run_of_row(row._mapping), said.get(row.id, [])) for row in rows]

    def one(self, run: Run) -> Reviewed:
        """A run with its annotations."""
        return Reviewed(run, self._annotations([run.id]).get(run.id, []))

    def gates(self, organisation: str, asked: RunQuery) -> Sequence[GateCount]:
        gates = (runs.c.checks, runs.c.judge)
        answered = self._of((*gates, func.count()), organisation, asked).where(HAS_GATES).group_by(*gates)
        found = [GateCount(checks, judge, int(count)) for checks, judge, count in self._store.rows(answered)]
        [[whole]] = self._store.rows(self._of((func.count(),), organisation, asked))
        return [*found, GateCount(None, None, int(whole) - sum(one.runs for one in found))]

    def _annotations(self, identities: Sequence[str]) -> dict[str, list[Annotation]]:
        found: dict[str, list[Annotation]] = {}
        for some in batches(identities, 500):
            these = annotations.c.run.in_(some)
            query = select(annotations.c.run, annotations.c.record).where(these).order_by(annotations.c.id)
            for run, record in self._store.rows(query):
                found.setdefault(run, []).append(Annotation.model_validate(record))
        return found

    def _of(self, columns: Any, organisation: str, asked: RunQuery) -> Any:
        return chosen_runs(self._store, organisation, columns, asked).query
