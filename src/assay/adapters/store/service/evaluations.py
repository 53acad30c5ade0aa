"""EvaluationResults of runs. They are only added."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.engine import Row

from assay.adapters.store import limits
from assay.adapters.store.coding_tables import evaluation_results
from assay.adapters.store.run_tables import runs
from assay.adapters.store.service.paging import PageRequest, Rows, page
from assay.adapters.store.store import Store
from assay.engine.service.errors import NotFoundError
from assay.engine.service.host import ServiceHost


class StoredEvaluations:
    """Fulfils ``EvaluationStore``."""

    def __init__(self, store: Store, host: ServiceHost) -> None:
        self._store = store
        self._host = host

    def add(
        self, organisation: str, run: str, origin: str, result: Mapping[str, Any], reason_code: str | None
    ) -> dict[str, Any]:
        values = {
            "id": self._host.new_id("eval"),
            "organisation": organisation,
            "run": run,
            "origin": origin,
            "result": limits.checked_data(result, "the result"),
            "reason_code": reason_code,
            "created_at": self._host.now(),
        }
        with self._store.writing() as connection:
            connection.execute(insert(evaluation_results).values(values))
        return self.result(organisation, str(values["id"]))

    def run_of(self, organisation: str, job: str, name: str) -> str:
        """The id of a trial. Raises ``NotFoundError``."""
        mine = (runs.c.organisation == organisation) & (runs.c.job == job) & (runs.c.name == name)
        rows = self._store.rows(select(runs.c.id).where(mine))
        if not rows:
            raise NotFoundError("there is no such run")
        return str(rows[0].id)

    def result(self, organisation: str, identity: str) -> dict[str, Any]:
        """Raises ``NotFoundError``."""
        known = identity if limits.is_text(identity) else ""
        table = evaluation_results
        mine = (table.c.organisation == organisation) & (table.c.id == known)
        rows = self._store.rows(select(table).where(mine))
        if not rows:
            raise NotFoundError("there is no such evaluation result")
        return result_of_row(rows[0])

    def page(self, organisation: str, run: str | None, asked: PageRequest) -> Rows:
        query = select(evaluation_results).where(evaluation_results.c.organisation == organisation)
        if run is not None:
            query = query.where(evaluation_results.c.run == run)
        return page(self._store, query, evaluation_results.c.id, asked)


def result_of_row(row: "Row[*tuple[Any, ...]]") -> dict[str, Any]:
    return {
        "id": row.id,
        "run_id": row.run,
        "origin": row.origin,
        "result": row.result,
        "reason_code": row.reason_code,
        "created_at": row.created_at,
    }
