"""Fails if a file is missing after the run, is empty, or isn't a regular file.

A folder, a link (broken or not) and an empty file don't count as the file. Files that are empty by convention
(``__init__.py``, ``py.typed``, ``.gitkeep`` and the like) may be empty.
"""

from dataclasses import dataclass
from typing import ClassVar

from assay.core.outcome import Outcome, Scored
from assay.evidence.workspace import EntryKind, Workspace
from assay.formats.path_patterns import plain_path

_EMPTY_BY_CONVENTION = frozenset({"__init__.py", "py.typed", ".gitkeep", ".keep", ".nojekyll", ".npmignore"})

_NO_FILE = {
    EntryKind.LINK: "a link",
    EntryKind.FOLDER: "a folder",
    EntryKind.OTHER: "a pipe, a socket or a device",
}


@dataclass(frozen=True, slots=True)
class FileExists:
    """``path`` is relative to the workspace and stays inside it. ``allow_empty`` accepts any empty file."""

    kind: ClassVar[str] = "file_exists"
    advisory: ClassVar[bool] = False

    path: str
    allow_empty: bool = False

    def __post_init__(self) -> None:
        plain_path(self.path)

    def run(self, evidence: Workspace) -> Outcome:
        path = plain_path(self.path)
        complaint = self._complaint(evidence, path)
        seen: dict[str, object] = {"path": path}
        if complaint is None:
            return Scored(1.0, True, f"{path} exists", seen)
        # Without the note, an agent would be blamed for a path that no author means literally.
        notes = ["the path is exact: '*' is a character of its name"] if "*" in path else []
        found = {"findings": [{"rule": "missing", **seen}], **({"notes": notes} if notes else {})}
        return Scored(0.0, False, "; ".join([complaint, *notes]), {**seen, **found})

    def _complaint(self, evidence: Workspace, path: str) -> str | None:
        entry = evidence.entry(path)
        if entry is None:
            return f"{path} is missing"
        if entry.kind is not EntryKind.FILE:
            return f"{path} is {_NO_FILE[entry.kind]}, not a regular file"
        may_be_empty = self.allow_empty or path.rsplit("/", 1)[-1] in _EMPTY_BY_CONVENTION
        return None if entry.size or may_be_empty else f"{path} is empty"
