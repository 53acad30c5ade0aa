"""The pages that only read runs: those of the service, and all of those for folders on this machine."""

from typing import Final

from assay.web.pages import compare, home, jobs, parts, run, runs
from assay.web.routing import PageCall, PageRoute

READING: Final[tuple[PageRoute[PageCall], ...]] = (
    *home.routes.all,
    *runs.routes.all,
    *run.routes.all,
    *jobs.routes.all,
    *compare.routes.all,
    *parts.routes.all,
)
