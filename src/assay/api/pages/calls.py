"""A request for a page of the service, and the lists that pages show."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.api.service import Service
from assay.engine.explorer.list_slices import Slice, SliceRequest
from assay.engine.service.keys import Key
from assay.web.routing import PageAnswer, PageCall

LIMIT = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class ServiceCall(PageCall):
    """A request by somebody who is signed in with ``key``."""

    service: Service
    key: Key

    @property
    def organisation(self) -> str:
        return self.key.organisation


@dataclass(frozen=True, slots=True)
class Around:
    """The addresses of the newer and the older page."""

    newer: str | None
    older: str | None


def asked_for(call: ServiceCall) -> SliceRequest:
    return SliceRequest(LIMIT, call.query.get("cursor") or None)


def around(call: ServiceCall, rows: Slice[Any], query: Mapping[str, str] | None = None) -> Around:
    """The pages before and after this one of the same list."""

    def at(cursor: str | None) -> str | None:
        return None if cursor is None else call.site.to(call.place, {**(query or {}), "cursor": cursor})

    return Around(at(rows.prev), at(rows.next))


def list_page(call: ServiceCall, template: str, title: str, rows: Slice[Any], **values: Any) -> PageAnswer:
    """A page that shows a part of a list."""
    return call.page(template, title=title, around=around(call, rows), **values)


def grading_tabs(call: ServiceCall) -> list[tuple[str, str, str, None]]:
    """The lists of what was run beside the list of what can be run."""
    words = {"benchmarks": "Benchmarks", "benchmark-runs": "Benchmark runs", "task-runs": "Task runs"}
    return [(word, call.site.to(place), place, None) for place, word in words.items()]
