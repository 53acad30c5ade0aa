"""Where the service keeps its things: rows of tables, asked for by the values of their columns.

The use cases decide what is kept, changed and refused. A store finds, adds and changes rows, and knows none of
these rules. What is read and listed in the same way everywhere is written once, in ``Resources``.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar

from pydantic import TypeAdapter

from assay.engine.criteria.watched_sources import Record
from assay.engine.explorer.imported_runs import Kept
from assay.engine.explorer.list_slices import Slice, SliceRequest
from assay.engine.service.errors import NotFoundError, OutdatedError
from assay.engine.service.host import ServiceHost

Row = Mapping[Any, Any]
Model = TypeVar("Model")
Item = TypeVar("Item")
EMPTY: Final = object()
"""Asks for rows that have no value in a column."""


@dataclass(frozen=True, slots=True)
class UpTo:
    """Asks for rows whose value in a column is at most this."""

    value: Any


@dataclass(frozen=True, slots=True)
class Between:
    """Asks for rows whose value in a column is at least ``least`` and below ``end``, where these are given."""

    least: Any = None
    end: Any = None


class RowReader(Protocol):
    """Finds rows. ``wanted`` are values of columns: a list is one of its values, and None is any value."""

    def find(self, table: str, /, **wanted: Any) -> Row | None:
        """The first row."""

    def every(self, table: str, /, *, order: str = "id", **wanted: Any) -> Sequence[Row]:
        """All rows, in the order of a column."""


class Transaction(RowReader, Protocol):
    """Changes that are all made, or none of them."""

    def lock(self, table: str, /, **wanted: Any) -> Row | None:
        """The first row, which nobody else changes before the transaction has ended."""

    def insert(self, table: str, new: Sequence[Row], /) -> None: ...

    def add(self, table: str, /, **values: Any) -> bool:
        """Insert a row unless one with its key is there. Returns whether it was inserted."""

    def put(self, table: str, key: Row, values: Row, new: Row | None = None, /) -> None:
        """Change the row with a key, or insert one, which has the values that are ``new`` as well."""

    def change(self, table: str, values: Row, /, **wanted: Any) -> Sequence[Row]:
        """Change rows, and return them as they are then."""

    def remove(self, table: str, /, **wanted: Any) -> int:
        """Remove rows, and return how many there were."""

    def remove_whole(self, table: str, identities: Collection[str], /) -> Sequence[str]:
        """Remove rows by their ids, with all that belongs to them and the files that only they named.

        Returns the hashes of files of runs that nothing names any more.
        """

    def record(self, playground: str, records: Iterable[Record], at: datetime) -> int:
        """Add records to a playground that is there, and return how many."""

    def list_run(
        self, organisation: str, identity: str | None, kept: Kept, at: datetime, *, beside: bool = True
    ) -> None:
        """Add a run to the explorer, or bring it up to date; ``beside`` also its files and the words in them.

        Without an id, it is the one of that name, which is there.
        """

    def note_run(self, organisation: str, identity: str, values: Row, /) -> None:
        """Change columns of a run of the explorer that has no result yet."""


class Storage(RowReader, Protocol):
    """Rows of all organisations."""

    def transaction(self, *, durable: bool = True) -> AbstractContextManager[Transaction]:
        """One that isn't ``durable`` may be lost with the power: for what nobody was told."""

    def slice(self, table: str, asked: SliceRequest, /, *, by: str = "id", **wanted: Any) -> Slice[Row]:
        """A part of a list, the newest first. ``by`` is a column that is unique in it and grows with time."""

    def count(self, table: str, by: Sequence[str], /, **wanted: Any) -> Mapping[tuple[Any, ...], int]:
        """How many rows there are for each combination of values of some columns."""


def renew_claims(storage: Storage, claims: list[str], until: datetime) -> None:
    """Keep claims on task runs and on work from running out."""
    with storage.transaction(durable=False) as rows:
        for table in ("task_runs", "work"):
            rows.change(table, {"claimed_until": until}, claim=claims)


# Tells those who want to know of an event, within a transaction: of which organisation, what, and the ids of it.
Announce = Callable[[Transaction, str, str, Row], None]


def unheard(_rows: Transaction, _organisation: str, _event: str, _told: Row) -> None:
    """Nobody wants to know."""


def tag_of(rows: Sequence[Row]) -> str:
    """The same for the same rows, and another one for others."""
    return hashlib.sha256(repr([sorted(row.items()) for row in rows]).encode()).hexdigest()[:32]


def require(row: Item | None, word: str) -> Item:
    """The row, which must be there. Raises ``NotFoundError``."""
    if row is None:
        raise NotFoundError(f"there is no such {word}")
    return row


def insert_owned(
    rows: Transaction, host: ServiceHost, table: str, prefix: str, organisation: str, **values: Any
) -> str:
    """Add a row of an organisation, with an id of its own, which is returned."""
    identity = host.new_id(prefix)
    rows.insert(table, [{"id": identity, "organisation": organisation, "created_at": host.now(), **values}])
    return identity


class Resources(Generic[Model]):
    """Things of one kind that organisations have: their table, the prefix of their ids, and what errors call them.

    ``other_key`` is a column by which one is found as well as by its id. ``renamed`` has the columns of fields
    that are called otherwise in the table. ``written`` is the table of new rows, where ``table`` joins several.
    """

    table: ClassVar[str]
    prefix: ClassVar[str]
    word: ClassVar[str]
    model: type[Model]
    written: ClassVar[str | None] = None
    other_key: ClassVar[str | None] = None
    renamed: ClassVar[Mapping[str, str]] = {}
    announce: Announce = staticmethod(unheard)

    def __init__(self, storage: Storage, host: ServiceHost) -> None:
        self.storage = storage
        self.host = host
        self._adapter: TypeAdapter[Model] = TypeAdapter(self.model)
        self._fields = tuple(getattr(self.model, "model_fields", None) or vars(self.model)["__dataclass_fields__"])

    def get(self, organisation: str, identity: str) -> Model:
        """Raises ``NotFoundError``."""
        return self.to_resources([self.row(self.storage, organisation, identity)])[0]

    def tagged(self, organisation: str, identity: str) -> tuple[Model, str]:
        """The same, with a tag that is another one once it has changed. Raises ``NotFoundError``."""
        row = self.row(self.storage, organisation, identity)
        return self.to_resources([row])[0], self.tag(self.storage, row)

    def tag(self, rows: RowReader, row: Row) -> str:  # noqa: ARG002 - kinds with parts look them up
        return tag_of([row])

    def check_tag(self, rows: Transaction, row: Row, expected: Collection[str] | None) -> None:
        """Raises ``OutdatedError`` for a row that was changed since its caller saw it, if the caller says so."""
        if expected is not None and self.tag(rows, row) not in expected:
            raise OutdatedError(f"the {self.word} was changed since: get it again, and change that")

    def slice(self, organisation: str, asked: SliceRequest, **wanted: Any) -> Slice[Model]:
        """A part of those with the values that are wanted, the newest first."""
        rows = self.storage.slice(self.table, asked, organisation=organisation, **wanted)
        return rows.all(self.to_resources(rows.rows))

    def row(self, rows: RowReader, organisation: str, identity: str) -> Row:
        """Raises ``NotFoundError``."""
        return self._find(rows.find, organisation, identity)

    def lock_row(self, rows: Transaction, organisation: str, identity: str) -> Row:
        """A row that nobody else changes before the transaction has ended. Raises ``NotFoundError``."""
        return self._find(rows.lock, organisation, identity)

    def _find(self, find: Callable[..., Row | None], organisation: str, identity: str) -> Row:
        keys = ("id",) if self.other_key is None else ("id", self.other_key)
        each = (find(self.table, organisation=organisation, **{key: identity}) for key in keys)
        return require(next(filter(None, each), None), self.word)

    def to_resources(self, rows: Sequence[Row]) -> list[Model]:
        """Rows as they are shown. Kinds that show more than their rows have it here."""
        return [self._resource(row) for row in rows]

    def _resource(self, row: Row, **more: Any) -> Model:
        same = {name: row[self.renamed.get(name, name)] for name in self._fields if name not in more}
        # As a database has them: the names of enums, and objects of JSON.
        return self._adapter.validate_python(same | more, strict=False, by_name=True)

    def _insert(self, rows: Transaction, organisation: str, **values: Any) -> str:
        """Add a row; returns its id."""
        return insert_owned(rows, self.host, self.written or self.table, self.prefix, organisation, **values)
