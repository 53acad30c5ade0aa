"""All pages of the service, in the order of the navigation."""

from typing import Final

from assay.api.pages import (
    benchmarks,
    keys,
    playgrounds,
    review,
    scenarios,
    task_runs,
    tasks,
    uploads,
)
from assay.api.pages.calls import ServiceCall
from assay.web.reading import READING
from assay.web.routing import PageRoute

PAGES: Final[tuple[PageRoute[ServiceCall], ...]] = (
    *READING,
    *review.routes.all,
    *scenarios.routes.all,
    *task_runs.routes.all,
    *benchmarks.routes.all,
    *tasks.routes.all,
    *playgrounds.routes.all,
    *keys.routes.all,
    *uploads.routes.all,
)
