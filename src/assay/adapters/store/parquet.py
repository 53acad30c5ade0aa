"""The content of a store as Parquet, a file for each table, for those who analyse runs with other programs.

JSON is text in these files, times are in UTC, and numbers are those of the database. Files of runs and secrets are
left out.
"""

import json
import os
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import JSON, Boolean, Float, Integer, LargeBinary, Table, select

from assay.adapters.store.bulk import batches
from assay.adapters.store.columns import UtcTime
from assay.adapters.store.errors import StoreRefusalError
from assay.adapters.store.store import Store
from assay.adapters.store.tables import metadata
from assay.core.errors import install_hint

BATCH: Final = 10_000
# Keys, secrets and the content of files are no data to analyse.
LEFT_OUT: Final = frozenset(
    {"keys", "sources", "webhooks", "stored_answers", "blobs", "blob_parts", "run_texts", "run_totals"}
)


def export_parquet(store: Store, folder: str) -> list[str]:
    """Write a new folder; returns the names of the tables. Raises ``StoreRefusalError`` if it can't be written."""
    try:
        import pyarrow  # type: ignore[import-untyped]  # noqa: PLC0415 - an extra, and large
        import pyarrow.parquet  # type: ignore[import-untyped]  # noqa: PLC0415
    except ImportError as error:
        raise StoreRefusalError(f"Parquet needs more packages: {install_hint('parquet')}") from error
    try:
        os.mkdir(folder, mode=0o700)
    except OSError as error:
        raise StoreRefusalError(f"{folder} must be a new folder: {error.strerror}") from error
    tables = [table for table in metadata.sorted_tables if table.name not in LEFT_OUT]
    with store.snapshot() as connection:
        for table in tables:
            schema = pyarrow.schema([(column.name, _type(pyarrow, column.type)) for column in table.columns])
            with pyarrow.parquet.ParquetWriter(f"{folder}/{table.name}.parquet", schema) as writer:
                order = list(table.primary_key.columns)
                rows = connection.execute(select(table).order_by(*order)).yield_per(BATCH)
                for some in batches(rows, BATCH):
                    writer.write_batch(pyarrow.record_batch(_columns(table, some), schema=schema))
    return [table.name for table in tables]


def _type(pyarrow: Any, kind: Any) -> Any:
    match kind:
        case UtcTime():
            return pyarrow.timestamp("us", tz="UTC")
        case Boolean():
            return pyarrow.bool_()
        case Integer():
            return pyarrow.int64()
        case Float():
            return pyarrow.float64()
        case LargeBinary():
            return pyarrow.large_binary()
    return pyarrow.large_string()


def _columns(table: Table, some: Sequence[Any]) -> list[list[Any]]:
    found = [list(values) for values in zip(*some, strict=True)]
    return [
        [None if value is None else json.dumps(value) for value in values]
        if isinstance(column.type, JSON)
        else values
        for column, values in zip(table.columns, found, strict=True)
    ]
