"""Playgrounds of organisations: their records, files and sources."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

from assay.core.errors import InputError
from assay.dialects.criteria.resources import NewPlayground, PlaygroundResource, Written
from assay.engine.criteria import stored_limits
from assay.engine.criteria.watched_sources import Record
from assay.engine.service.errors import NotFoundError
from assay.engine.service.storage import Resources, Row
from assay.evidence.playground import StoredFile

PATH_BYTES: Final = 1000


class Playgrounds(Resources[PlaygroundResource]):
    """Playgrounds of organisations."""

    table, prefix, word, model = "playgrounds", "play", "playground", PlaygroundResource

    def to_resources(self, rows: Sequence[Row]) -> list[PlaygroundResource]:
        kinds: dict[str, list[str]] = {row["id"]: [] for row in rows}
        for source in self.storage.every("sources", order="kind", playground=list(kinds)):
            kinds[source["playground"]].append(source["kind"])
        return [self._resource(row, sources=kinds[row["id"]]) for row in rows]

    def add(self, organisation: str, new: NewPlayground) -> PlaygroundResource:
        start = stored_limits.checked_time(new.run_start or self.host.now(), "the start of the run")
        data = stored_limits.checked_data(new.data, "the data of a playground")
        with self.storage.transaction() as rows:
            identity = self._insert(rows, organisation, run_start=start, data=data)
        return self.get(organisation, identity)

    def record(self, organisation: str, identity: str, records: Iterable[Record]) -> int:
        """Add records, all or none. Returns how many."""
        with self.storage.transaction() as rows:
            self.row(rows, organisation, identity)
            return rows.record(identity, records, self.host.now())

    def put_file(self, organisation: str, identity: str, path: str, content: bytes) -> StoredFile:
        """A file in a playground. One with the same path is replaced; what it was is kept for runs before that."""
        _check_path(path)
        digest, now = hashlib.sha256(content).hexdigest(), self.host.now()
        same = {"playground": identity, "path": path}
        with self.storage.transaction() as rows:
            self.row(rows, organisation, identity)
            rows.add("blobs", digest=digest, content=content)
            before = rows.lock("files", **same)
            if before is not None:
                rows.insert("replaced_files", [{**before, "replaced_at": now}])
            rows.put("files", same, {"size": len(content), "modified": now, "blob": digest})
        return StoredFile(path, len(content), now)

    def set_source(
        self, organisation: str, identity: str, kind: str, settings: Written, secrets: bytes | None
    ) -> None:
        """Raises ``NotFoundError``."""
        with self.storage.transaction() as rows:
            self.row(rows, organisation, identity)
            named = {"playground": identity, "kind": kind}
            rows.put("sources", named, {"settings": settings, "secrets": secrets})

    def remove_source(self, organisation: str, identity: str, kind: str) -> None:
        """Raises ``NotFoundError``."""
        with self.storage.transaction() as rows:
            self.row(rows, organisation, identity)
            if not rows.remove("sources", playground=identity, kind=kind):
                raise NotFoundError("there is no such source")

    def sources(self, organisation: str, identity: str) -> dict[str, tuple[Written, bytes | None]]:
        """Settings and encrypted secrets of each kind of source. Raises ``NotFoundError``."""
        self.row(self.storage, organisation, identity)
        return self.sources_of(identity)

    def sources_of(self, identity: str) -> dict[str, tuple[Written, bytes | None]]:
        """The same for a playground that is known to be there."""
        rows = self.storage.every("sources", order="kind", playground=identity)
        return {row["kind"]: (row["settings"], row["secrets"]) for row in rows}


def _check_path(path: str) -> None:
    """A path below the playground's prefix. Raises ``InputError``."""
    parts = stored_limits.checked_name(path, "the path of a file", PATH_BYTES).split("/")
    if any(part in ("", ".", "..") for part in parts) or "\\" in path:
        raise InputError("the path of a file must be relative, without empty parts, '.', '..' or a backslash")
