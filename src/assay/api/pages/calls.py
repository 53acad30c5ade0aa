"""A request for a page of the service, and the lists that pages show."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from assay.api.service import Service
from assay.engine.explorer.list_slices import Slice, SliceRequest
from assay.engine.service.errors import ConflictError
from assay.engine.service.keys import Key
from assay.web.declared_forms import ShownForm, blank_form, read_form
from assay.web.routing import CHANGE, READ, PageAnswer, PageCall, PageRoutes

LIMIT = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class ServiceCall(PageCall):
    """A request by somebody who is signed in with ``key``."""

    service: Service
    key: Key

    @property
    def organisation(self) -> str:
        return self.key.organisation


def asked_for(call: ServiceCall) -> SliceRequest:
    return SliceRequest(LIMIT, call.query.get("cursor") or None)


def list_page(
    call: ServiceCall,
    template: str,
    title: str,
    rows: Slice[Any],
    query: Mapping[str, str] | None = None,
    **values: Any,
) -> PageAnswer:
    """A page that shows a part of a list, which a query may have narrowed down."""

    def at(cursor: str | None) -> str | None:
        return None if cursor is None else call.site.to(call.place, {**(query or {}), "cursor": cursor})

    return call.page(template, title=title, newer=at(rows.prev), older=at(rows.next), **values)


def grading_tabs(call: ServiceCall) -> list[tuple[str, str, str, None]]:
    """The lists of what was run beside the list of what can be run."""
    words = {"benchmarks": "Benchmarks", "benchmark-runs": "Benchmark runs", "task-runs": "Task runs"}
    return [(word, call.site.to(place), place, None) for place, word in words.items()]


def add_list(
    routes: PageRoutes[ServiceCall],
    place: str,
    resources: Callable[[Service], Any],
    model: type[BaseModel],
    *,
    leave_out: tuple[str, ...] = (),
    key: str = "id",
    tabs: Callable[[ServiceCall], Any] = lambda _call: None,
) -> None:
    """Declare the page of a list of resources, the newest first, with the form of a new one.

    ``place`` is its address, such as "tasks". ``key`` is the field by which a page of one is found.
    """
    title, word = place.capitalize(), place.removesuffix("s")

    def show(call: ServiceCall, form: ShownForm) -> PageAnswer:
        rows = resources(call.service).slice(call.organisation, asked_for(call))
        shown = {"listed": rows.rows, "form": form, "new": (place, word), "tabs": tabs(call)}
        return list_page(call, f"{place}.html", title, rows, status=form.status, **shown)

    def listed(call: ServiceCall) -> PageAnswer:
        return show(call, blank_form(model, leave_out))

    def add(call: ServiceCall) -> PageAnswer:
        new, form = read_form(model, call.form, leave_out)
        if new is None:
            return show(call, form)
        try:
            made = resources(call.service).add(call.organisation, new)
        except ConflictError as error:
            return show(call, form.wrong(key, str(error)))
        return call.go(call.site.to(f"{place}/{getattr(made, key)}"))

    listed.__name__, add.__name__ = place, f"add_{word}"
    routes.add("GET", f"/{place}", *READ, word=title)(listed)
    routes.add("POST", f"/{place}", *CHANGE)(add)
