"""The page of everything that ``assay tasks check`` may find."""

from collections.abc import Iterator

from assay.engine.tasks.rules.kinds import KINDS, FindingKind
from docs.markdown import table


def task_findings() -> Iterator[str]:
    """A table of problems that reading finds, one of those that running finds, and one of notes."""
    yield "# Findings on tasks"
    yield (
        "What `assay tasks check` may say, by kind. A problem makes the exit code 1. A note doesn't, and only "
        "`--notes` and `--json` show it. [Check your tasks](../howto/check-your-tasks.md) says how to go about it."
    )
    yield "## Problems found by reading"
    yield _table(kind for kind in KINDS.values() if kind.found_by == "reading" and not kind.is_note)
    yield "## Problems found by running, with `--run`"
    yield _table(kind for kind in KINDS.values() if kind.found_by == "running")
    yield "## Notes"
    yield _table(kind for kind in KINDS.values() if kind.is_note)


def _table(kinds: Iterator[FindingKind]) -> str:
    return table(("kind", "meaning"), [(f"`{kind.name}`", kind.meaning) for kind in kinds])
