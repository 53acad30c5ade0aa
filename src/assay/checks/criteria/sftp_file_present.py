"""Checks the files that an agent left below the playground's prefix: on an SFTP server, in a bucket or a folder.

``pattern`` (or ``glob``, or ``path``) is a glob: ``*`` stays within a folder, ``**`` stands for any number of
folders, and upper and lower case differ. ``since: run_start`` looks only at files that changed in this run, and
``cardinality`` limits how many files there may be. Without anything else, one file is enough.

``size`` has a ``min`` and a ``max`` in bytes, ``checksum`` the hexadecimal digest by ``sha256``, ``sha1`` or
``md5``, and ``contains`` one or several texts. ``fields`` are rules with paths of the file's ``format``, which is
guessed from the ending of the pattern unless you give it:

- ``text``: ``content``, ``line.3``, ``line.*``
- ``json``: dotted, or JSONPath if they begin with ``$``
- ``csv``: ``amount`` and ``*.amount`` for every row, ``2.amount`` for the second; the first line names the columns
- ``xml``, which is never guessed: ``ClinicalDocument/id/@root``, ``**/given``, ``id[2]``, ``code[@code="8480-6"]``
- ``hl7`` and ``x12``: as in hl7-structural and x12-response; ``BTS-1`` and the like are those of a file of batches

All rules are checked on the same file; of several files, the one that scores best counts. Size, checksum and texts
work for files of any size. Fields are checked in files of up to 64 MiB (16 MiB for XML, HL7 and X12) and fail in
larger ones.
"""

import heapq
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final, Literal

from assay.core.outcome import Outcome, Scored
from assay.core.rollup import nothing_to_score, scored_rows
from assay.evidence.bounds import printable
from assay.evidence.playground import Escapes, FileSource, PlaygroundState, StoredFile, accepted_at, older_note
from assay.formats.field_rules.rule import Cardinality, FieldRule, absent_rows
from assay.formats.file_content.rules import FORMATS, Demands, Size, guess_format, rows, unread_rows
from assay.formats.file_content.text import Passage, pass_through
from assay.formats.globs import check_glob, in_glob, matches_glob
from assay.formats.json_paths import escape_for

KEY: Final = "fieldResults"
CHANGED: Final = "it changed while it was read"
SHOWN: Final = 50
MAX_READ: Final = 1000
_PLAIN: Final = re.compile(r"[A-Za-z0-9_-]+")
_QUOTABLE: Final = re.compile(r"[^'\"\\\x00-\x1f]+")


def in_path(value: str) -> str:
    """A value in a path of any format but JSONPath, or in the glob if that is called path."""
    if _PLAIN.fullmatch(value):
        return value
    if not _QUOTABLE.fullmatch(value):
        raise ValueError("a value in a path must not have quotes, backslashes or control characters")
    return f'"{value}"'


@dataclass(frozen=True, slots=True)
class SftpFilePresent:
    """``fields`` are field rules."""

    kind: ClassVar[str] = "sftp-file-present"
    escapes: ClassVar[Escapes] = {
        "pattern": lambda _: in_glob,
        "glob": lambda _: in_glob,
        "path": lambda path: escape_for(path) if path.startswith("$") else in_path,
    }

    pattern: str | None = None
    glob: str | None = None
    path: str | None = None
    size: Size | None = None
    since: Literal["run_start"] | None = None
    cardinality: Cardinality | None = None
    format: Literal["text", "json", "csv", "xml", "hl7", "x12"] | None = None
    fields: tuple[FieldRule, ...] = ()
    checksum: dict[str, str] | None = None
    contains: str | list[str] | None = None

    def __post_init__(self) -> None:
        if sum(one is not None for one in (self.pattern, self.glob, self.path)) != 1:
            raise ValueError("sftp-file-present needs exactly one of pattern, glob and path")
        if self.path is not None and '"' in self.path:
            raise ValueError("a path can't have quotes, or a value that needs them; use pattern instead")
        check_glob(self._glob)
        for rule in self.fields:
            FORMATS[self._format(self._glob)].reader.check_path(rule.path)
        demanded = self._demands.rules
        if demanded and self.cardinality is not None and self.cardinality.max == 0:
            raise ValueError("cardinality.max is 0, so nothing else can be required of a file")

    def run(self, evidence: PlaygroundState) -> Outcome:
        source = evidence.files
        named = [one for one in source.files() if matches_glob(one.path, self._glob)]
        meant = sorted((one for one in named if self._in_time(one, evidence)), key=lambda one: one.path)
        shown = [printable(one.path) for one in meant[:SHOWN]]
        more = {"paths": shown, "count": len(meant), **_as_of(meant, accepted_at(evidence))}
        complaint = self._complaint(len(meant))
        if complaint is not None:
            said = complaint + older_note(0 if meant else len(named))
            return nothing_to_score(absent_rows(self._demands.rules), KEY, said, **more)
        if not self._demands.rules:
            return Scored(1.0, True, f"{len(meant)} of {self._what}", {KEY: [], **more})
        return self._best(source, meant, more)

    @property
    def _glob(self) -> str:
        return self.pattern or self.glob or self.path or ""

    @property
    def _what(self) -> str:
        return f"files like {self._glob}{' changed in this run' if self.since else ''}"

    @property
    def _demands(self) -> Demands:
        texts = [self.contains] if isinstance(self.contains, str) else self.contains or []
        return Demands(self.size, self.checksum or {}, texts, self.fields)

    def _format(self, name: str) -> str:
        return self.format or guess_format(name)

    def _in_time(self, file: StoredFile, evidence: PlaygroundState) -> bool:
        return self.since is None or _changed_since(evidence.run_start, file.modified)

    def _complaint(self, count: int) -> str | None:
        if self.cardinality is not None and not self.cardinality.allows(count):
            return self.cardinality.complaint(count, self._what)
        needed = self.cardinality is None or bool(self._demands.rules)
        return f"there are no {self._what}" if not count and needed else None

    def _best(self, source: FileSource, meant: list[StoredFile], more: Mapping[str, object]) -> Scored:
        """The first that is all right, or the best. Of very many, those that changed last are looked at."""
        best: Scored | None = None
        for file in _looked_at(meant):
            outcome = self._score_file(source, file, more)
            if best is None or outcome.score > best.score or outcome.passed:
                best = outcome
            if outcome.passed:
                break
        if best is None:
            raise ValueError("there is no file to check")
        return best

    def _score_file(self, source: FileSource, file: StoredFile, more: Mapping[str, object]) -> Scored:
        # The paths of the rules were checked against the format of the pattern.
        demands, file_format = self._demands, self._format(self._glob)
        try:
            passage = _passage(source, file, demands, file_format) if demands.needs_content else None
            found, why = rows(demands, file.size, passage, file_format)
        except OSError as error:
            found, why = unread_rows(demands, file.size), f"the file can't be read: {error.strerror or error}"
        name = printable(file.path)
        reason = {} if why is None else {"unreadable": why}
        what = name if why is None else f"{name} ({why})"
        return scored_rows(demands.rules, found, KEY, what, path=name, **more, **reason)


def _as_of(meant: list[StoredFile], accepted: datetime | None) -> dict[str, str]:
    """On an SFTP server, times are what the sender of a file says, so nothing can be left out by them."""
    late = next((one for one in meant if accepted is not None and one.modified > accepted), None)
    said = (
        f"{printable(late.path)} changed after the completion was accepted; it counts as it is now" if late else ""
    )
    return {"as_of": said} if late else {}


def _changed_since(start: datetime, modified: datetime) -> bool:
    """SFTP and some stores tell whole seconds: a file of the first second must not look older than the run."""
    return modified >= (start if modified.microsecond else start.replace(microsecond=0))


def _passage(source: FileSource, file: StoredFile, demands: Demands, file_format: str) -> Passage:
    passage = pass_through(_up_to(file.size, source.chunks(file.path)), demands.wanted(file_format))
    if passage.size != file.size:
        raise OSError(CHANGED)
    return passage


def _up_to(size: int, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """A file that grows while it is read must not be read for ever."""
    for chunk in chunks:
        size -= len(chunk)
        if size < 0:
            raise OSError(CHANGED)
        yield chunk


def _looked_at(meant: list[StoredFile]) -> Iterable[StoredFile]:
    return meant if len(meant) <= MAX_READ else heapq.nlargest(MAX_READ, meant, key=lambda one: one.modified)
