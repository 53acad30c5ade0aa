"""Answer requests for pages: which server they mean, who asks, may they, and from where.

People sign in with a key and get a session. Its secret is in a cookie that scripts can't read and other sites
can't send. Every change needs the session's token in its form and has to come from a page of this server.
"""

import hmac
import logging
from dataclasses import dataclass, replace
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route as StarletteRoute

from assay.adapters.service.page_source import StorePages
from assay.adapters.store.errors import StoreError
from assay.api.limits import read_body
from assay.api.pages.all_pages import PAGES
from assay.api.pages.calls import ServiceCall
from assay.api.pages.guard import is_own_form, known_host
from assay.api.problems import RefusedError
from assay.api.service import Service
from assay.core.errors import InputError
from assay.engine.service.keys import Key, Scope, digest_of
from assay.engine.service.sessions import form_token, is_form_token, session_of, sign_in
from assay.web.pages.home import SEEN
from assay.web.routing import (
    HEADERS,
    TOKEN_FIELD,
    Fields,
    PageAnswer,
    PageCall,
    answer_page,
    asset_answer,
    entries,
    route_at,
    trouble,
)
from assay.web.site import Site, Viewer

log = logging.getLogger("assay.pages")

BASE: Final = "/ui/"
COOKIE: Final = "assay_session"
MOST_BYTES: Final = 2 * 1024 * 1024
NOBODY: Final = Viewer(Scope.RUN)


@dataclass(frozen=True, slots=True)
class PageSettings:
    """``hosts`` are names of this server; ``enter`` is the token of a single user, whose key is ``enter_key``."""

    hosts: frozenset[str] = frozenset()
    enter: str | None = None
    enter_key: Key | None = None


class PageServer:
    """Serves the pages of a service."""

    def __init__(self, service: Service, settings: PageSettings, body_seconds: float) -> None:
        self._service = service
        self._settings = settings
        self._body_seconds = body_seconds
        self.site = Site(BASE, entries(PAGES), signed_in=True)

    def routes(self) -> list[StarletteRoute]:
        """The routes to add to the application."""
        return [
            StarletteRoute("/", self._first, methods=["GET"]),
            StarletteRoute("/ui", self._first, methods=["GET"]),
            StarletteRoute(BASE + "{place:path}", self._answer, methods=["GET", "POST"]),
        ]

    async def _first(self, request: Request) -> Response:
        request.scope["assay.route"] = "/"
        return Response(status_code=303, headers={**HEADERS, "Location": BASE})

    async def _answer(self, request: Request) -> Response:
        request.scope["assay.route"] = BASE
        if not known_host(request.headers.get("host", ""), self._settings.hosts):
            said = "this server isn't known by that name; start it with --page-host NAME\n"
            return _response(PageAnswer(said, 421, "text/plain"))
        place = request.scope["raw_path"].decode("ascii", "replace").partition("?")[0].removeprefix(BASE)
        if place.startswith("assets/"):
            return _response(asset_answer(place.removeprefix("assets/"), request.query_params.get("v", "")))
        try:
            content = await read_body(request, MOST_BYTES, self._body_seconds)
        except RefusedError as error:
            return Response(error.answer.body, error.answer.status, dict(HEADERS), error.answer.media_type)
        return _response(await run_in_threadpool(self._page, request, place, content))

    def _page(self, request: Request, place: str, content: bytes) -> PageAnswer:
        """Whatever breaks, the person gets a page."""
        call = PageCall(site=self.site, viewer=NOBODY, place=place)
        try:
            form = Fields.of(content.decode("utf-8", "replace")) if request.method == "POST" else Fields()
            return self._answer_allowed(request, place, Fields.of(request.url.query), form)
        except InputError as error:
            return trouble(call, 422, str(error))
        except StoreError as error:
            log.warning("the store can't be used: %s", error)
            return trouble(call, 503, "the store can't be reached; try again in a moment")
        except Exception:
            log.exception("a page broke")
            return trouble(call, 500, "the page broke; the log of the server says more")

    def _answer_allowed(self, request: Request, place: str, query: Fields, form: Fields) -> PageAnswer:
        changes = request.method == "POST"
        if changes and not is_own_form(request.headers):
            return PageAnswer("a change must come from a page of this server\n", 403, "text/plain")
        if place in _SIGNING and not (place == "sign-out" and not changes):
            return _SIGNING[place](self, request, query, form)
        secret = request.cookies.get(COOKIE, "")
        key = session_of(self._service.sessions, secret) if secret else None
        if key is None:
            asked = BASE + place + (f"?{request.url.query}" if request.url.query else "")
            onward = self.site.to("sign-in", {} if changes or not place else {"next": asked})
            # A script would put the form into a part of the page, so it is told to leave the page.
            if request.headers.get("hx-request") == "true":
                return PageAnswer("", headers={"HX-Redirect": onward})
            return PageAnswer("", 303, headers={"Location": onward})
        request.scope["assay.key"] = key
        if changes and not is_form_token(secret, form.get(TOKEN_FIELD)):
            return PageAnswer(
                "the form must have the token of this session; load the page again\n", 403, "text/plain"
            )
        viewer = Viewer(key.scope, key.organisation, key.name, form_token(secret))
        return self._dispatch(request, place, ServiceCall(
            site=self.site, viewer=viewer, query=query, form=form, place=place, service=self._service, key=key,
            reads=self._source(key.organisation),
            partial=request.headers.get("hx-request") == "true", seen=request.cookies.get(SEEN, ""),
        ))  # fmt: skip

    def _source(self, organisation: str) -> StorePages:
        one = self._service
        return StorePages(one.store, one.imports, one.blobs, one.jobs, organisation)

    def _dispatch(self, request: Request, place: str, call: ServiceCall) -> PageAnswer:
        found = route_at(PAGES, request.method, place)
        if found is None:
            return trouble(call, 404, "there is no page at this address")
        route, values = found
        request.scope["assay.route"] = BASE.rstrip("/") + route.path
        if call.key.scope not in route.scopes:
            return trouble(call, 403, f"a key of the scope {call.key.scope.value} can't do this")
        answer = answer_page(route, replace(call, path=values))
        if route.method != "GET" and answer.status < 400:
            self._note(request, call.key, route.name, values.get("id"))
        return answer

    def _note(self, request: Request, key: Key, action: str, target: str | None) -> None:
        self._service.audit.add(key, action, target, request.scope.get("assay.request"))

    def _sign_in(self, request: Request, query: Fields, form: Fields) -> PageAnswer:
        onward = self.site.inside(form.get("next") or query.get("next"))
        call = PageCall(site=Site(BASE), viewer=NOBODY, place="sign-in")
        if request.method != "POST":
            return call.page("sign_in.html", title="Sign in", next=onward, wrong="")
        try:
            found = sign_in(self._service.sessions, form.get("key").strip())
        except InputError as error:
            return call.page("sign_in.html", title="Sign in", status=403, next=onward, wrong=str(error))
        self._note(request, found.key, "sign_in", found.key.id)
        return _begin_session(request, found.secret, onward)

    def _enter(self, request: Request, query: Fields, form: Fields) -> PageAnswer:  # noqa: ARG002 - as the others
        """The address of a single user leads in."""
        known, key = self._settings.enter, self._settings.enter_key
        given = query.get("token").encode("utf-8", "replace")
        if known is None or key is None or not hmac.compare_digest(given, known.encode()):
            return PageAnswer("there is nothing here\n", 404, "text/plain")
        return _begin_session(request, self._service.sessions.begin(key).secret, BASE)

    def _sign_out(self, request: Request, query: Fields, form: Fields) -> PageAnswer:  # noqa: ARG002 - as the others
        secret = request.cookies.get(COOKIE, "")
        if secret and is_form_token(secret, form.get(TOKEN_FIELD)):
            self._service.sessions.end(digest_of(secret))
        gone = f"{COOKIE}=; Path={BASE}; Max-Age=0; HttpOnly; SameSite=Strict"
        return PageAnswer("", 303, headers={"Location": self.site.to("sign-in"), "Set-Cookie": gone})


_SIGNING: Final = {"sign-in": PageServer._sign_in, "sign-out": PageServer._sign_out, "enter": PageServer._enter}


def _begin_session(request: Request, secret: str, onward: str) -> PageAnswer:
    secure = "; Secure" if request.url.scheme == "https" else ""
    cookie = f"{COOKIE}={secret}; Path={BASE}; HttpOnly; SameSite=Strict{secure}"
    return PageAnswer("", 303, headers={"Location": onward, "Set-Cookie": cookie})


def _response(answer: PageAnswer) -> Response:
    headers, parts = {**HEADERS, **answer.headers}, answer.chunks
    if isinstance(parts, list):
        return Response(parts[0], answer.status, headers, answer.media_type)
    return StreamingResponse(parts, answer.status, headers, answer.media_type)
