"""New files under the baseline's own ignore rules, such as a virtual environment or caches.

Nobody reads them one by one and no command sees them, so nothing in them can act. The rules are those of the
``.gitignore`` files of the baseline: what an agent writes into such a file ignores nothing.
"""

import functools
from collections import defaultdict
from collections.abc import Iterable

from assay.adapters.workspace.walk import parse_record
from assay.evidence.baseline import Baseline
from assay.evidence.workspace import EntryKind, IgnoredFiles
from assay.formats.gitignore import NAME, IgnoreRules
from assay.formats.source_text import source_text


class Ignored:
    """What of a walk is ignored. The rules are read when the first path comes that the baseline doesn't have."""

    def __init__(self, baseline: Baseline) -> None:
        self._baseline = baseline
        self._found: dict[str, list[str]] = defaultdict(list)

    def told_apart(self, rows: Iterable[bytes]) -> tuple[frozenset[bytes], frozenset[bytes]]:
        """The records of ignored new files, and the others."""
        aside: set[bytes] = set()
        others: set[bytes] = set()
        for row in rows:
            path = parse_record(row).path
            rule = self._rules.rule_for(path) if self._baseline.entry(path) is None else None
            (others if rule is None else aside).add(row)
            if rule is not None:
                self._found[rule].append(path)
        return frozenset(aside), frozenset(others)

    def has_folder(self, path: str) -> bool:
        """Whether a folder that has a repository of its own is ignored with everything in it."""
        return self._rules.folder_rule(path) is not None

    @property
    def files(self) -> tuple[IgnoredFiles, ...]:
        return tuple(IgnoredFiles(rule, tuple(sorted(paths))) for rule, paths in sorted(self._found.items()))

    @functools.cached_property
    def _rules(self) -> IgnoreRules:
        texts: dict[str, str] = {}
        for path in self._baseline.paths():
            folder, _, name = path.rpartition("/")
            entry = self._baseline.entry(path) if name == NAME else None
            if entry is not None and entry.kind is EntryKind.FILE:
                texts[folder] = source_text(self._baseline.read(path)) or ""
        return IgnoreRules(texts)
