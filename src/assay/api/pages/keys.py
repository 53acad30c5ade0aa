"""Keys of the organisation, and who did what. A secret is shown once, on the page that answers."""

from assay.adapters.store.limits import checked_time
from assay.adapters.store.service.keys import key_of_row
from assay.api.pages.calls import ServiceCall
from assay.api.pages.lists import around, asked_for
from assay.api.routes.keys import NewKey
from assay.core.errors import InputError
from assay.engine.service.keys import Owner, Scope, issue_key, rotate_key
from assay.web.model_forms import ShownForm, blank, sent
from assay.web.routing import PageAnswer, PageRoutes

routes: PageRoutes[ServiceCall] = PageRoutes()


@routes.add("GET", "/keys", Scope.ADMIN, word="Keys")
def keys(call: ServiceCall) -> PageAnswer:
    """All keys, the newest first, without their secrets."""
    return _keys(call, blank(NewKey))


@routes.add("POST", "/keys", Scope.ADMIN)
def add_key(call: ServiceCall) -> PageAnswer:
    """A new key, whose secret is shown now and never again."""
    new = sent(NewKey, call.form)
    if new.value is None:
        return _keys(call, new.form, status=422)
    service, value = call.service, new.value
    try:
        if value.benchmark_run_id is not None:
            service.benchmarks.run(call.organisation, value.benchmark_run_id)
        ends = None if value.expires_at is None else checked_time(value.expires_at, "expires_at")
        owner = Owner(call.organisation, value.benchmark_run_id)
        issued = issue_key(service.keys, service.host, owner, Scope(value.scope), value.name, ends)
    except InputError as error:
        return _keys(call, new.form.wrong("", str(error)), status=422)
    return _keys(call, blank(NewKey), issued.secret)


@routes.add("POST", "/keys/{id}/rotate", Scope.ADMIN)
def rotate(call: ServiceCall) -> PageAnswer:
    """A new secret in place of the old one, which ends at once."""
    issued = rotate_key(call.service.keys, call.service.host, call.organisation, call.path["id"])
    return _keys(call, blank(NewKey), issued.secret)


@routes.add("POST", "/keys/{id}/revoke", Scope.ADMIN)
def revoke(call: ServiceCall) -> PageAnswer:
    call.service.keys.revoke_key(call.organisation, call.path["id"], call.service.host.now())
    return call.go(call.site.to("keys"))


@routes.add("GET", "/audit", Scope.ADMIN)
def audit(call: ServiceCall) -> PageAnswer:
    """Who did what, the newest first."""
    rows = call.service.audit.page(call.organisation, asked_for(call))
    names = {one.id: one.name for one in call.service.keys.all_keys(call.organisation)}
    return call.page(
        "who_did_what.html", title="Who did what", entries=rows.rows, names=names, around=around(call, rows)
    )


def _keys(call: ServiceCall, form: ShownForm, secret: str | None = None, status: int = 200) -> PageAnswer:
    rows = call.service.keys.keys(call.organisation, asked_for(call))
    return call.page(
        "keys.html",
        title="Keys",
        status=status,
        keys=[key_of_row(row) for row in rows.rows],
        now=call.service.host.now(),
        form=form,
        secret=secret,
        around=around(call, rows),
    )
