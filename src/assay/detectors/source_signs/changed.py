"""The signs that a change brings into a file."""

from collections.abc import Callable, Iterable

from assay.detectors.source_signs.sign import Sign, new_signs
from assay.evidence.workspace import Change, Workspace
from assay.formats.source_text import added_lines, source_text


def signs_of_change(
    evidence: Workspace, change: Change, signs_in: Callable[[str, str], Iterable[Sign]]
) -> list[Sign]:
    """The signs that a file has and did not have. ``signs_in`` gets a text and those of its lines that are new."""
    after = source_text(evidence.after(change.path))
    before = source_text(evidence.before(change.old_path)) if change.before is not None else None
    if after is None or before == after:
        return []
    added = after if before is None else added_lines(before, after, context=0).text
    signs = list(signs_in(after, added))
    return signs if not signs or before is None else new_signs(signs_in(before, before), signs)
