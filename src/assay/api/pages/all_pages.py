"""All pages of the service, in the order of the navigation."""

from typing import Final

from assay.api.pages.calls import ServiceCall
from assay.web.reading import READING
from assay.web.routing import PageRoute

PAGES: Final[tuple[PageRoute[ServiceCall], ...]] = (*READING,)
