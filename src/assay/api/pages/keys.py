"""Keys of the organisation, and who did what. A secret is shown once, on the page that follows."""

from assay.api.pages.calls import ServiceCall, asked_for, list_page
from assay.api.routes.organisation import NewKey, issued_key
from assay.core.errors import InputError
from assay.engine.service.keys import Scope, rotate_key
from assay.web.declared_forms import ShownForm, blank_form, read_form
from assay.web.routing import PageAnswer, PageRoutes

routes: PageRoutes[ServiceCall] = PageRoutes()


@routes.add("GET", "/keys", Scope.ADMIN, word="Keys")
def keys(call: ServiceCall) -> PageAnswer:
    """All keys, the newest first, without their secrets."""
    return _keys(call, blank_form(NewKey))


@routes.add("POST", "/keys", Scope.ADMIN)
def add_key(call: ServiceCall) -> PageAnswer:
    """A new key, whose secret the next page shows and none after it."""
    new, form = read_form(NewKey, call.form)
    if new is None:
        return _keys(call, form)
    try:
        issued = issued_key(call.service, call.organisation, new)
    except InputError as error:
        return _keys(call, form.wrong("", str(error)))
    return call.go(call.site.to("keys"), issued.secret)


@routes.add("POST", "/keys/{id}/rotate", Scope.ADMIN)
def rotate(call: ServiceCall) -> PageAnswer:
    """A new secret in place of the old one, which ends at once."""
    issued = rotate_key(call.service.keys, call.organisation, call.path["id"])
    return call.go(call.site.to("keys"), issued.secret)


@routes.add("POST", "/keys/{id}/revoke", Scope.ADMIN)
def revoke(call: ServiceCall) -> PageAnswer:
    call.service.keys.revoke(call.organisation, call.path["id"], spare_last_admin=True)
    return call.go(call.site.to("keys"))


@routes.add("GET", "/audit", Scope.ADMIN)
def audit(call: ServiceCall) -> PageAnswer:
    """The audit log, newest first."""
    rows = call.service.audit.slice(call.organisation, asked_for(call))
    names = {one.id: one.name for one in call.service.keys.every(call.organisation)}
    return list_page(call, "who_did_what.html", "Who did what", rows, entries=rows.rows, names=names)


def _keys(call: ServiceCall, form: ShownForm) -> PageAnswer:
    rows = call.service.keys.slice(call.organisation, asked_for(call))
    now = call.service.host.now()
    return list_page(call, "keys.html", "Keys", rows, status=form.status, keys=rows.rows, now=now, form=form)
