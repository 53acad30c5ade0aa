"""Playgrounds: what their systems recorded, their sources, and records to begin with."""

from typing import Any

from assay.api.pages.calls import ServiceCall, add_list
from assay.api.routes.playgrounds import SETTINGS, set_source, sources_of
from assay.core.errors import InputError
from assay.dialects.criteria.resources import NewPlayground
from assay.engine.criteria.load_playground import no_file, records_of
from assay.engine.service.errors import NotFoundError
from assay.web.declared_forms import ShownForm, fill_form, read_form
from assay.web.routing import CHANGE, READ, PageAnswer, PageRoutes
from assay.web.task_run_view import view_records

routes: PageRoutes[ServiceCall] = PageRoutes()
# The name isn't kept by the store, so nobody is asked for it.
add_list(routes, "playgrounds", lambda service: service.playgrounds, NewPlayground, leave_out=("name",))


@routes.add("GET", "/playgrounds/{id}", *READ)
def playground(call: ServiceCall) -> PageAnswer:
    """One playground with its sources and records."""
    return _playground(call)


@routes.add("POST", "/playgrounds/{id}/records", *CHANGE)
def add_records(call: ServiceCall) -> PageAnswer:
    """Record lines of JSON: all or none."""
    text = call.form.get("records")
    found = call.service.playgrounds.get(call.organisation, call.path["id"])
    try:
        records = list(records_of(text.encode(), "line", no_file, call.service.host.now()))
        if not records:
            raise InputError("there must be at least one line")
        call.service.playgrounds.record(call.organisation, found.id, records)
    except InputError as error:
        return _playground(call, records=text, wrong=str(error))
    return call.go(call.site.to(f"playgrounds/{found.id}"))


@routes.add("POST", "/playgrounds/{id}/sources/{kind}", *CHANGE)
def put_source(call: ServiceCall) -> PageAnswer:
    """Set a source. A secret that was sent is never shown again."""
    kind = call.path["kind"]
    if kind not in SETTINGS:
        raise NotFoundError("there is no such source")
    found = call.service.playgrounds.get(call.organisation, call.path["id"])
    # A source has a token, and so has every form: their names must differ.
    new, shown = read_form(SETTINGS[kind], call.form, prefix=f"{kind}.")
    if new is not None:
        try:
            set_source(call.service, call.organisation, found.id, kind, new)
            return call.go(call.site.to(f"playgrounds/{found.id}"))
        except InputError as error:
            shown = shown.wrong("url", str(error))
    return _playground(call, forms={kind: shown})


@routes.add("POST", "/playgrounds/{id}/sources/{kind}/remove", *CHANGE)
def remove_source(call: ServiceCall) -> PageAnswer:
    call.service.playgrounds.remove_source(call.organisation, call.path["id"], call.path["kind"])
    return call.go(call.site.to(f"playgrounds/{call.path['id']}"))


def _playground(
    call: ServiceCall, *, forms: dict[str, ShownForm] | None = None, records: str = "", wrong: str = ""
) -> PageAnswer:
    service = call.service
    found = service.playgrounds.get(call.organisation, call.path["id"])
    sources = sources_of(service, call.organisation, found.id)
    known: dict[str, dict[str, Any]] = {one.kind: one.settings for one in sources}
    shown = {kind: fill_form(model, known.get(kind, {})) for kind, model in SETTINGS.items()}
    return call.page(
        "playground.html",
        title="Playground",
        status=422 if forms or wrong else 200,
        playground=found,
        sources=sources,
        contents=view_records(service.records, found.id),
        forms_of={**shown, **(forms or {})},
        records=records,
        wrong=wrong,
    )
