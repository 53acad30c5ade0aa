"""Orders mutants: those in code that the agent changed, then one of each function in turn."""

import hashlib
from collections.abc import Iterable, Iterator

from assay.detectors.effects.mutants import Mutant, SourceText, mutants_of
from assay.detectors.effects.reach import Reach
from assay.detectors.source_signs.roles import is_source, serves_build
from assay.detectors.test_code.paths import language_of
from assay.evidence.workspace import ChangeKind, UnreadableError, Workspace

MOST_FILES = 200


def source_files(evidence: Workspace, reach: Reach | None) -> list[str]:
    """Files of source in the workspace, the changed ones first; with a reach, only those that tests call."""
    changed = [change.path for change in evidence.changes if change.kind is not ChangeKind.DELETED]
    gone = {change.old_path for change in evidence.changes} - set(changed)
    others = [path for path in evidence.baseline_paths() if path not in gone and path not in set(changed)]
    found = (path for path in (*changed, *others) if is_source(path) and not serves_build(path))
    return [path for path in found if reach is None or reach.can_reach(path)][:MOST_FILES]


def mutants_in(evidence: Workspace, paths: Iterable[str]) -> list[tuple[Mutant, str]]:
    """All mutants of files, each with the text that it is made of. A file that can't be read has none."""
    found: list[tuple[Mutant, str]] = []
    for path in paths:
        data, language = evidence.after(path), language_of(path)
        if data is None or language is None:
            continue
        try:
            text = data.decode()
            made = evidence.read_apart(mutants_of, SourceText(path, language, text), list[Mutant])
        except (UnicodeDecodeError, UnreadableError):
            continue
        found += ((mutant, text) for mutant in made)
    return found


def in_order(found: list[tuple[Mutant, str]], changed: set[str], reach: Reach | None) -> list[tuple[Mutant, str]]:
    """Those of changed files first, and of each function one, before any function has its second.

    A function that raises is the first: a test that still passes doesn't test it. The order among the others is
    that of a hash: always the same, and nobody's choice.
    """
    wanted = [one for one in found if reach is None or reach.has(one[0])]
    wanted.sort(key=lambda one: (one[0].rule != "raises", _hash(one[0])))
    counts: dict[tuple[str, int], int] = {}
    ranked: list[tuple[bool, int, int, tuple[Mutant, str]]] = []
    for number, one in enumerate(wanted):
        place = one[0].path, one[0].function
        counts[place] = counts.get(place, 0) + 1
        # What is outside of functions is for all tests, and takes long.
        ranked.append((one[0].path not in changed, counts[place] + (not one[0].function), number, one))
    return [one for *_, one in sorted(ranked, key=lambda row: row[:3])]


def _hash(mutant: Mutant) -> bytes:
    return hashlib.sha256(f"{mutant.path}:{mutant.start}:{mutant.rule}:{mutant.new}".encode()).digest()


def shown(mutant: Mutant, text: str) -> Iterator[tuple[str, str]]:
    """The line of a mutant, before and after."""
    start = text.rfind("\n", 0, mutant.start) + 1
    end = text.find("\n", mutant.end)
    whole = text[start : end if end >= 0 else len(text)]
    mutated = text[start : mutant.start] + mutant.new + text[mutant.end : end if end >= 0 else len(text)]
    yield "before", whole.strip()
    yield "after", mutated.strip()
