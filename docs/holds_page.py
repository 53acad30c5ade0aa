"""The page on what each sandbox holds, from what ``make holds`` measured last."""

import json
from collections.abc import Iterator
from pathlib import Path

from assay.adapters.sandbox.holds import HELD, HELD_EACH, HOLDS, NOT_HELD
from docs.markdown import from_docstring, table

MEASURED = Path(__file__).parent / "evidence" / "sandbox-holds.json"
_WORDS = {HELD: "no", NOT_HELD: "**yes**", HELD_EACH: "**yes**, by several processes"}


def holds_page() -> Iterator[str]:
    found = json.loads(MEASURED.read_text(encoding="utf-8"))
    sandboxes = found["sandboxes"]
    yield "# What each sandbox holds"
    yield from_docstring(_ABOUT.format(machine=found["machine"]))
    rows = (
        (what, *(_WORDS.get(one["holds"][name], one["holds"][name]) for one in sandboxes.values()))
        for name, what in HOLDS.items()
    )
    yield table(("can a command …", *sandboxes), rows)
    yield table(("", *sandboxes), [("limits are held by", *(one["limits"] for one in sandboxes.values()))])
    yield from_docstring(_NOTES)


_ABOUT = """
``assay doctor`` measures this on your machine: commands in each sandbox try to see, reach and use what they must
not. The same is measured before a job, at most once a day and boot, and recorded on every grading as
``provenance.isolation.measured``. A limit that is asked for but doesn't hold is recorded as ``none, as measured``.

The table was measured on one machine ({machine}). The container is one of podman with runc.
"""

_NOTES = """
Without control groups, which an ordinary user often can't make, the memory limit is one for each process, and the
number of processors is not limited.

*Disk* is watched, not walled off: a command that uses more than it may is stopped within about a second. Files
that were removed but are still open count. Files whose descriptors are on their way through a socket don't.

Everything shares the kernel. See [What a sandbox keeps apart](../explanation/sandboxes.md).
"""
