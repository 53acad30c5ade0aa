"""Playgrounds of organisations: their records, files and sources."""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, Subquery, delete, insert, select, union_all

from assay.adapters.sources.files.folder import missing
from assay.adapters.store import limits, writing
from assay.adapters.store.records import EVER
from assay.adapters.store.service.paging import AddedRows, PageRequest, Rows, mine, of_row, one
from assay.adapters.store.service_tables import blobs, files, replaced_files, sources
from assay.adapters.store.store import Store
from assay.adapters.store.tables import playgrounds
from assay.core.errors import InputError
from assay.dialects.criteria.resources import NewPlayground, PlaygroundResource, Written
from assay.engine.criteria.watched_sources import Playground, Record
from assay.engine.service.errors import NotFoundError
from assay.evidence.playground import StoredFile

PATH_BYTES: Final = 1000


class StoredPlaygrounds(AddedRows):
    """Playgrounds of organisations."""

    def add(self, organisation: str, new: NewPlayground) -> PlaygroundResource:
        now = self._host.now()
        playground = Playground(self._host.new_id("play"), new.run_start or now, data=new.data)
        with self._store.writing() as connection:
            writing.add_playground(connection, playground, organisation)
        return self.playground(organisation, playground.id)

    def playground(self, organisation: str, identity: str) -> PlaygroundResource:
        """Raises ``NotFoundError``."""
        row = self._one(playgrounds, organisation, identity, "playground")
        return of_row(PlaygroundResource, row, sources=self._kinds([row.id]).get(row.id, []))

    def page(self, organisation: str, asked: PageRequest) -> Rows[PlaygroundResource]:
        rows = self._page(playgrounds, organisation, asked)
        kinds = self._kinds([row.id for row in rows.rows])
        return rows.each(lambda row: of_row(PlaygroundResource, row, sources=kinds.get(row.id, [])))

    def record(self, organisation: str, identity: str, records: Iterable[Record]) -> int:
        """Add records, all or none. Returns how many."""
        with self._store.writing() as connection:
            self._check(connection, organisation, identity)
            return writing.add_all(connection, identity, records, self._host.now())

    def put_file(self, organisation: str, identity: str, path: str, content: bytes, at: datetime) -> StoredFile:
        """A file in a playground. One with the same path is replaced."""
        checked = checked_path(path)
        digest = hashlib.sha256(content).hexdigest()
        values = {"playground": identity, "path": checked, "size": len(content), "modified": at, "blob": digest}
        with self._store.writing() as connection:
            self._check(connection, organisation, identity)
            writing.added(connection, blobs, {"digest": digest, "content": content})
            same = (files.c.playground == identity) & (files.c.path == checked)
            writing.keep_replaced(connection, files, replaced_files, [same], at)
            connection.execute(delete(files).where(same))
            connection.execute(insert(files).values(values))
        return StoredFile(checked, len(content), at)

    def set_source(
        self, organisation: str, identity: str, kind: str, settings: Written, secrets: bytes | None
    ) -> None:
        changed: dict[str, object] = {"settings": settings, "secrets": secrets}
        with self._store.writing() as connection:
            self._check(connection, organisation, identity)
            writing.put(connection, sources, {"playground": identity, "kind": kind, **changed}, changed)

    def remove_source(self, organisation: str, identity: str, kind: str) -> None:
        named = (sources.c.playground == identity) & (sources.c.kind == kind)
        with self._store.writing() as connection:
            self._check(connection, organisation, identity)
            if not connection.execute(delete(sources).where(named)).rowcount:
                raise NotFoundError("there is no such source")

    def sources(self, organisation: str, identity: str) -> dict[str, tuple[Written, bytes | None]]:
        """Settings and encrypted secrets of each kind of source."""
        self.playground(organisation, identity)
        return self.sources_of(identity)

    def sources_of(self, identity: str) -> dict[str, tuple[Written, bytes | None]]:
        rows = self._store.rows(select(sources).where(sources.c.playground == identity))
        return {row.kind: (row.settings, row.secrets) for row in rows}

    def _kinds(self, identities: list[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        if identities:
            query = select(sources.c.playground, sources.c.kind).where(sources.c.playground.in_(identities))
            for playground, kind in self._store.rows(query.order_by(sources.c.kind)):
                found.setdefault(playground, []).append(kind)
        return found

    @staticmethod
    def _check(connection: Connection, organisation: str, identity: str) -> None:
        one(connection.execute(mine(playgrounds, organisation, id=identity)).all(), "playground")


class StoredFiles:
    """Fulfils ``FileSource`` with the files that were put into a playground, as of a moment."""

    def __init__(self, store: Store, playground: str, until: datetime = EVER) -> None:
        self._store = store
        self._files = _files_at(playground, until)

    def files(self) -> Iterator[StoredFile]:
        query = select(self._files).order_by(self._files.c.path)
        return (StoredFile(row.path, row.size, row.modified) for row in self._store.rows(query))

    def chunks(self, path: str) -> Iterator[bytes]:
        of_file = blobs.join(self._files, self._files.c.blob == blobs.c.digest)
        query = select(blobs.c.content).select_from(of_file).where(self._files.c.path == path)
        found = self._store.rows(query)
        if not found:
            raise missing(path)
        yield found[0].content


def _files_at(playground: str, until: datetime) -> Subquery:
    """Files as they are, unless they are newer, and those that were replaced later as they were."""
    wanted = ("path", "size", "modified", "blob")
    now, then = (
        select(*(table.c[name] for name in wanted)).where(
            table.c.playground == playground, table.c.modified <= until
        )
        for table in (files, replaced_files)
    )
    return union_all(now, then.where(replaced_files.c.replaced_at > until)).subquery()


def checked_path(path: str) -> str:
    """A path below the playground's prefix. Raises ``InputError``."""
    parts = limits.checked_name(path, "the path of a file", PATH_BYTES).split("/")
    if any(part in ("", ".", "..") for part in parts) or "\\" in path:
        raise InputError("the path of a file must be relative, without empty parts, '.', '..' or a backslash")
    return path
