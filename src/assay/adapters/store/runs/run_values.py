"""Runs as rows of the explorer's tables, and back."""

import hashlib
import json
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from operator import attrgetter
from typing import Any, Final

from msgspec import structs
from sqlalchemy import Connection, Table, bindparam, delete

from assay.adapters.store.bulk import batches, insert_many
from assay.adapters.store.run_tables import run_axes, run_files, run_metadata, run_texts, runs
from assay.adapters.store.runs.totals import Changes
from assay.engine.criteria.stored_limits import is_text, without_nan, without_nul
from assay.engine.explorer.imported_runs import Kept
from assay.engine.jobs.job_runs import moment_of
from assay.evidence.run import Run, State

BATCH: Final = 1000
MOST_TOKENS: Final = 2**63 - 1
# Longer trajectories are searched at both ends.
SEARCHED_CHARACTERS: Final = 64 * 1024
WORD_CHARACTERS: Final = 100
VALUE_BYTES: Final = 500
_WORD: Final = re.compile(r"[^\W_]+")
_AS_THEY_ARE: Final = (
    *("kind", "job", "name", "task", "agent", "model", "dataset", "reason", "cause"),
    *("exception_type", "started_at", "finished_at", "checks", "judge", "run_status", "validity"),
    *("run_metrics_passed", "failure_mode", "suspicion", "gates_disagree"),
)
_TEXTS: Final = ("job", "name", "task", "agent", "dataset", "model", "reason", "exception_type")
_as_they_are: Final = attrgetter(*_AS_THEY_ARE)
_texts: Final = attrgetter(*_TEXTS)
_OTHERWISE: Final = ("state", "rewards", "metadata", "axes", "phases", "detail")
_SHOWN: Final = tuple(name for name in Run.__struct_fields__ if name not in _OTHERWISE)
# What only lists and the page of a run show.
_LISTED: Final = (
    *("run_metrics_passed", "validity", "suspicion", "began_at", "created_at"),
    *("reviewers", "reviewer_disagrees"),
)
_REPORTED: Final = tuple(name for name in _SHOWN if name not in _LISTED)
REPORTED: Final = [*(runs.c[name] for name in _REPORTED), runs.c.state, runs.c.rewards]
"""What reports on a job look at. Reading the rest of a run takes twice as long as all of these."""


def insert_runs(
    connection: Connection,
    organisation: str,
    new: Sequence[tuple[str, Kept]],
    now: datetime,
    changes: Changes,
) -> None:
    """Add runs under their ids, with their axes, metadata, files and texts. Their blobs must be kept already.

    ``changes`` has to be applied in the same transaction.
    """
    for some in batches(new, BATCH):
        rows = [run_values(organisation, one, run, now) for one, run in some]
        for row in rows:
            row["counted"] = True
        insert_many(connection, runs, rows)
        changes.add_all(rows)
        insert_beside(connection, organisation, some)


def insert_beside(
    connection: Connection,
    organisation: str,
    some: Sequence[tuple[str, Kept]],
    tables: Collection[Table] | None = None,
) -> None:
    """Add what has tables of its own: in all of them, or in some."""
    for table in _BESIDE if tables is None else tables:
        insert_many(
            connection,
            table,
            [
                {"organisation": organisation, "run": identity, **row}
                for identity, kept in some
                for row in _BESIDE[table](kept)
            ],
        )


def replace_beside(
    connection: Connection,
    organisation: str,
    identity: str,
    kept: Kept,
    changed: Collection[str],
    *,
    files: bool,
) -> None:
    """Write what has tables of its own anew: of the columns that ``changed``, and ``files`` with their words."""
    tables = [table for name, table in (("axes", run_axes), ("metadata", run_metadata)) if name in changed]
    tables += (run_files, run_texts) if files else ()
    for table in tables:
        connection.execute(_REMOVED[table], {"of": identity})
    insert_beside(connection, organisation, [(identity, kept)], tables)


def run_values(organisation: str, identity: str, kept: Kept, now: datetime) -> dict[str, object]:
    """The row of a run."""
    kept = storable(kept)
    run = kept.run
    return {
        "id": identity,
        "organisation": organisation,
        "created_at": now,
        "digest": kept.digest,
        "shown_digest": shown_digest(kept),
        **dict(zip(_AS_THEY_ARE, _as_they_are(run), strict=True)),
        "state": run.state.value,
        "rewards": _rewards_text(run),
        "failure_mode": None if run.failure_mode is None else without_nul(run.failure_mode),
        "score": _finite(run.score),
        "cost_usd": _finite(run.cost_usd),
        "duration_sec": _finite(run.duration_sec),
        "tokens": None if run.tokens is None or not 0 <= run.tokens <= MOST_TOKENS else run.tokens,
        "began_at": moment_of(run.started_at) or now,
        # No object is faster to write than an empty one.
        "metadata": without_nan(dict(run.metadata)) if run.metadata else None,
        "axes": without_nan(dict(run.axes)) if run.axes else None,
        "phases": without_nan(dict(run.phases)) if run.phases else None,
    }


def storable(kept: Kept) -> Kept:
    """The same run, with signs for characters that no text in a store may have: one of them keeps no run out.

    Almost all texts are plain, which one look at all of them tells.
    """
    texts = _texts(kept.run)
    together = "".join(filter(None, texts))
    if together.isascii() and "\0" not in together:
        return kept
    changed = {
        name: without_nul(text)
        for name, text in zip(_TEXTS, texts, strict=True)
        if text is not None and not is_text(text)
    }
    return structs.replace(kept, run=structs.replace(kept.run, **changed)) if changed else kept


def _rewards_text(run: Run) -> str | None:
    """As Python writes them, so that a report on what comes back has the same bits."""
    return None if run.rewards is None else json.dumps(dict(run.rewards))


def shown_digest(kept: Kept) -> str:
    """The hash of everything that is shown of a run beside its result, such as what a judge said of it later."""
    run = kept.run
    shown = [*_as_they_are(run), run.state.value, run.score, _rewards_text(run)]
    more = [run.duration_sec, run.tokens, dict(run.axes), dict(run.phases), dict(run.metadata), kept.text]
    files = [[one.name, one.blob.digest] for one in kept.files]
    # Python writes floats to the last bit, and objects in the order in which they were made.
    return hashlib.sha256(repr((shown, more, files)).encode(errors="backslashreplace")).hexdigest()


def _axis_rows(kept: Kept) -> Iterator[dict[str, object]]:
    for axis, score in kept.run.axes.items():
        known = _finite(score)
        if known is not None:
            yield {"axis": without_nul(axis), "score": known}


def _metadata_rows(kept: Kept) -> Iterator[dict[str, object]]:
    """Values that are lists or objects are shown, but can't be found."""
    for key, value in kept.run.metadata.items():
        text = value_text(value)
        if text is not None and len(text.encode()) <= VALUE_BYTES:
            yield {"key": without_nul(key), "value": text}


def _file_rows(kept: Kept) -> Iterator[dict[str, object]]:
    for file in kept.files:
        yield {"name": without_nul(file.name), "blob": file.blob.digest, "size": file.blob.size}


def _text_rows(kept: Kept) -> Iterator[dict[str, object]]:
    text = searchable_text(kept.text) if kept.text else ""
    if text:
        yield {"text": text}


_BESIDE: Final[Mapping[Table, Any]] = {
    run_axes: _axis_rows,
    run_metadata: _metadata_rows,
    run_files: _file_rows,
    run_texts: _text_rows,
}


_REMOVED: Final = {table: delete(table).where(table.c.run == bindparam("of")) for table in _BESIDE}


def value_text(value: object) -> str | None:
    """A value of the metadata as it is searched for: like JSON, but texts without quotes."""
    if isinstance(value, str):
        return without_nul(value)
    return json.dumps(value) if value is None or isinstance(value, bool | int | float) else None


def words(text: str) -> Iterator[str]:
    """The searchable words of a text, the same on both databases."""
    return (found[0][:WORD_CHARACTERS] for found in _WORD.finditer(text.lower()))


def searchable_text(text: str) -> str:
    if len(text) > SEARCHED_CHARACTERS:
        half = SEARCHED_CHARACTERS // 2
        text = f"{text[:half]} {text[-half:]}"
    return " ".join(words(text))


def _finite(value: float | None) -> float | None:
    """A number that both databases hold alike: SQLite has no -0.0. Rewards are kept as they are, as text."""
    return value + 0.0 if value is not None and math.isfinite(value) else None


def run_of_row(row: Mapping[Any, Any]) -> Run:
    """The run in a row, as it was decided."""
    return Run(
        **{name: row[name] for name in _SHOWN},
        state=State(row["state"]),
        rewards=None if row["rewards"] is None else json.loads(row["rewards"]),
        metadata=row["metadata"] or {},
        axes=row["axes"] or {},
        phases=row["phases"] or {},
    )


def reported_runs(rows: Iterable[Any]) -> list[Run]:
    """The runs in rows of the columns ``REPORTED``."""
    # Many runs of a job have the same rewards.
    rewards_in = cache(json.loads)
    return [
        Run(
            **dict(zip(_REPORTED, row, strict=False)),
            state=State(row.state),
            rewards=None if row.rewards is None else rewards_in(row.rewards),
        )
        for row in rows
    ]
