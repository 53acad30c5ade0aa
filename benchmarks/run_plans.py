"""The plans by which a database answers questions about runs."""

from collections.abc import Iterable, Iterator

from assay.adapters.store.run_tables import runs
from assay.adapters.store.runs.run_search import chosen_runs
from assay.adapters.store.service.keyset import ordered_queries
from assay.adapters.store.store import Store
from assay.engine.explorer.run_query import RunQuery


def scanned(store: Store, organisation: str, asked: Iterable[tuple[str, RunQuery]]) -> Iterator[str]:
    """Those that go through a whole table, or sort."""
    for name, query in asked:
        if query.group is None:
            plan = plan_of(store, organisation, query)
            if "SCAN runs" in plan or "Seq Scan on runs" in plan:
                yield f"{name}: {plan}"


def plan_of(store: Store, organisation: str, query: RunQuery) -> str:
    chosen = chosen_runs(store, organisation, runs.c, query)
    [first, *_] = ordered_queries(chosen.query, chosen.order)
    with store.snapshot() as connection:
        compiled = first.limit(query.page.limit).compile(
            connection, compile_kwargs={"literal_binds": True, "render_postcompile": True}
        )
        explain = "EXPLAIN" if store.is_postgres else "EXPLAIN QUERY PLAN"
        rows = connection.exec_driver_sql(f"{explain} {str(compiled).replace('%', '%%')}").all()
    return "; ".join(str(row[-1]).strip() for row in rows)
