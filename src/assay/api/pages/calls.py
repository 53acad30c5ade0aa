"""A request for a page of the service."""

from dataclasses import dataclass

from assay.api.service import Service
from assay.engine.service.keys import Key
from assay.web.routing import PageCall


@dataclass(frozen=True, kw_only=True, slots=True)
class ServiceCall(PageCall):
    """A request by somebody who is signed in with ``key``."""

    service: Service
    key: Key

    @property
    def organisation(self) -> str:
        return self.key.organisation
