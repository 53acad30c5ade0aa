"""EvaluationResults of runs. They are only added."""

from collections.abc import Mapping
from typing import Any

from assay.adapters.store import limits
from assay.adapters.store.coding_tables import evaluation_results
from assay.adapters.store.run_tables import runs
from assay.adapters.store.service.paging import AddedRows, PageRequest, Rows, mine, one


class StoredEvaluations(AddedRows):
    """Where results are kept. They are only added."""

    def add(
        self, organisation: str, run: str, origin: str, result: Mapping[str, Any], reason_code: str | None
    ) -> dict[str, Any]:
        checked = limits.checked_data(result, "the result")
        values = {"run": run, "origin": origin, "result": checked, "reason_code": reason_code}
        with self._store.writing() as connection:
            identity = self._insert(connection, evaluation_results, "eval", organisation, **values)
        return self.result(organisation, identity)

    def run_of(self, organisation: str, job: str, name: str) -> str:
        """The id of a trial. Raises ``NotFoundError``."""
        return str(one(self._store.rows(mine(runs, organisation, job=job, name=name)), "run").id)

    def result(self, organisation: str, identity: str) -> dict[str, Any]:
        """Raises ``NotFoundError``."""
        return result_of_row(self._one(evaluation_results, organisation, identity, "evaluation result"))

    def page(self, organisation: str, run: str | None, asked: PageRequest) -> Rows[dict[str, Any]]:
        return self._page(evaluation_results, organisation, asked, run=run).each(result_of_row)


def result_of_row(row: Any) -> dict[str, Any]:
    same = {name: getattr(row, name) for name in ("id", "origin", "result", "reason_code", "created_at")}
    return {**same, "run_id": row.run}
