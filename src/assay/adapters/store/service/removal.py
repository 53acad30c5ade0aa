"""Remove rows with everything that belongs to them, as the foreign keys of the tables say.

Files that only they named are removed with them.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Column, Connection, Table, delete, select

from assay.adapters.store.bulk import one_of
from assay.adapters.store.run_tables import blob_index, blob_parts, run_files, runs
from assay.adapters.store.runs.totals import uncount
from assay.adapters.store.service_tables import (
    archives,
    blobs,
    coding_files,
    coding_runs,
    coding_tasks,
    files,
    jobs,
    replaced_files,
)
from assay.adapters.store.tables import metadata

# The columns with hashes of files, by where the files are.
_OF_RUNS: Final = (
    run_files.c.blob,
    coding_files.c.digest,
    coding_runs.c.workspace,
    coding_tasks.c.archive,
    coding_tasks.c.workspace,
    archives.c.digest,
    jobs.c.archive,
)
_FILES: Final[Mapping[Table, Sequence[Column[Any]]]] = {
    blob_index: _OF_RUNS,
    blobs: (files.c.blob, replaced_files.c.blob),
}


def remove_whole(connection: Connection, table: str, identities: Collection[str]) -> list[str]:
    """Remove rows by their ids. Returns the hashes of files of runs that nothing names any more."""
    named: dict[Table, set[str]] = {place: set() for place in _FILES}
    _remove(connection, metadata.tables[table].c.id, identities, named)
    lost = {place: _unnamed(connection, place, digests) for place, digests in named.items()}
    _delete(connection, blob_parts.c.digest, lost[blob_index])
    for place, digests in lost.items():
        _delete(connection, place.c.digest, digests)
    return lost[blob_index]


def _remove(connection: Connection, by: Any, values: Collection[str], named: dict[Table, set[str]]) -> None:
    """Remove the rows that have one of these values, those that refer to them first."""
    table, mine = by.table, one_of(by, list(values), connection.dialect)
    belonging = [
        key for other in metadata.sorted_tables for key in other.foreign_keys if key.column.table is table
    ]
    if belonging:
        identities = list(connection.scalars(select(table.c.id).where(mine)))
        for key in belonging if identities else ():
            _remove(connection, key.parent, identities, named)
        if table is runs:
            _uncount(connection, identities)
    for place, columns in _FILES.items():
        for column in columns:
            if column.table is table:
                named[place].update(filter(None, connection.scalars(select(column).where(mine))))
    connection.execute(delete(table).where(mine))


def _uncount(connection: Connection, identities: Collection[str]) -> None:
    mine = one_of(runs.c.id, list(identities), connection.dialect)
    for organisation in connection.scalars(select(runs.c.organisation).where(mine).distinct()).all():
        uncount(connection, organisation, identities)


def _unnamed(connection: Connection, place: Table, digests: Collection[str]) -> list[str]:
    left = set(digests)
    for column in _FILES[place]:
        left -= set(connection.scalars(select(column).where(one_of(column, list(left), connection.dialect))))
    return sorted(left)


def _delete(connection: Connection, column: Column[Any], values: Collection[str]) -> None:
    connection.execute(delete(column.table).where(one_of(column, list(values), connection.dialect)))
