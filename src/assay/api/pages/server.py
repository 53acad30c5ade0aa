"""Answer requests for pages: which server they mean, who asks, may they, and from where.

People sign in with a key and get a session. Its secret is in a cookie that scripts can't read and other sites
can't send. Every change needs the session's token in its form and has to come from a page of this server.
"""

import hmac
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route as StarletteRoute

from assay.adapters.service.page_source import StorePages
from assay.adapters.store.errors import StoreError
from assay.api.limits import read_body
from assay.api.openapi import ALWAYS
from assay.api.pages.all_pages import PAGES
from assay.api.pages.calls import ServiceCall
from assay.api.pages.guard import is_own_form, known_host
from assay.api.problems import RefusedError
from assay.api.routes.scenarios import ARCHIVE_BYTES
from assay.api.service import Service
from assay.core.errors import InputError
from assay.engine.service.keys import Key, Scope, digest_of
from assay.engine.service.sessions import form_token, is_form_token, session_of, sign_in
from assay.web.multipart import boundary_of, parts_of
from assay.web.pages.home import SEEN
from assay.web.rendering import render
from assay.web.routing import (
    HEADERS,
    ONCE,
    TOKEN_FIELD,
    Fields,
    PageAnswer,
    PageCall,
    answer_page,
    asset_answer,
    route_at,
    trouble,
)
from assay.web.site import Site, Viewer

log = logging.getLogger("assay.pages")

BASE: Final = "/ui/"
# Pages with what agents and clinical systems said: who reads them is noted.
EVIDENCE: Final = ("/runs/{id}", "/runs/{id}/steps", "/review/runs/{id}", "/task-runs/{id}", "/playgrounds/{id}")
COOKIE: Final = "assay_session"
MOST_BYTES: Final = 2 * 1024 * 1024
NOBODY: Final = Viewer(Scope.RUN)
UNKNOWN: Final = "this server isn't known by that name; start it with --page-host NAME\n"
SECRETS: Final = (TOKEN_FIELD, "secret", "credentials")
"""The last parts of names of fields that are never sent back."""
KEPT: Final = "kept."
"""Before the names of fields that a form had whose session was over."""


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
        self.site = Site(BASE, PAGES, signed_in=True)

    def routes(self) -> list[StarletteRoute]:
        """The routes to add to the application."""
        return [
            StarletteRoute("/", self._first, methods=["GET"]),
            StarletteRoute("/ui", self._first, methods=["GET"]),
            StarletteRoute(BASE + "{place:path}", self._answer, methods=["GET", "POST"]),
        ]

    def described(self, spec: Mapping[str, Any], *, schemas: bool) -> Callable[[Request], Awaitable[Response]]:
        """The pages that describe the API: ours alone, so that they work offline and run nobody else's script."""

        def rendered() -> str:
            groups: dict[str, list[tuple[str, str, Any]]] = {}
            for path, methods in spec["paths"].items():
                for method, one in methods.items():
                    groups.setdefault(path.split("/")[2], []).append((path, method, one))
            site, title = Site(BASE), "Schemas of the API" if schemas else "The HTTP API"
            call = PageCall(site=site, viewer=NOBODY)
            values = {"always": ALWAYS, "spec": spec, "groups": groups.items(), "schemas": schemas}
            return render("api.html", call=call, site=site, viewer=NOBODY, title=title, **values)

        page = cache(rendered)

        async def answer(request: Request) -> Response:
            if not known_host(request.headers.get("host", ""), self._settings.hosts):
                return _response(PageAnswer(UNKNOWN, 421, "text/plain"))
            return _response(PageAnswer(await run_in_threadpool(page)))

        return answer

    async def _first(self, request: Request) -> Response:
        request.scope["assay.route"] = "/"
        return Response(status_code=303, headers={**HEADERS, "Location": BASE})

    async def _answer(self, request: Request) -> Response:
        request.scope["assay.route"] = BASE
        if not known_host(request.headers.get("host", ""), self._settings.hosts):
            return _response(PageAnswer(UNKNOWN, 421, "text/plain"))
        place = request.scope["raw_path"].decode("ascii", "replace").partition("?")[0].removeprefix(BASE)
        if place.startswith("assets/"):
            accepted = request.headers.get("accept-encoding", "")
            version = request.query_params.get("v", "")
            return _response(asset_answer(place.removeprefix("assets/"), version, accepted))
        boundary = boundary_of(request.headers.get("content-type", ""))
        # Files are read only from those who are signed in.
        sends = boundary is not None and await run_in_threadpool(self._key_in, request) is not None
        try:
            content = await read_body(request, ARCHIVE_BYTES if sends else MOST_BYTES, self._body_seconds)
        except RefusedError as error:
            return Response(error.answer.body, error.answer.status, dict(HEADERS), error.answer.media_type)
        return _response(await run_in_threadpool(self._page, request, place, content, boundary))

    def _key_in(self, request: Request) -> Key | None:
        secret = request.cookies.get(COOKIE, "")
        return session_of(self._service.sessions, secret) if secret else None

    def _page(self, request: Request, place: str, content: bytes, boundary: bytes | None) -> PageAnswer:
        """Whatever breaks, the person gets a page."""
        call = PageCall(site=self.site, viewer=NOBODY, place=place)
        try:
            form, files = Fields(), dict[str, bytes]()
            if request.method == "POST" and boundary is not None:
                fields, files = parts_of(content, boundary)
                form = Fields(fields)
            elif request.method == "POST":
                form = Fields.of(content.decode("utf-8", "replace"))
            return self._answer_allowed(request, place, Fields.of(request.url.query), form, files)
        except InputError as error:
            return trouble(call, 422, str(error))
        except StoreError as error:
            log.warning("the store can't be used: %s", error)
            return trouble(call, 503, "the store can't be reached; try again in a moment")
        except Exception:
            number = request.scope.get("assay.request", "")
            log.exception("a page broke, request %s", number)
            return trouble(call, 500, f"this page broke (request {number}); the log of the server says more")

    def _answer_allowed(
        self, request: Request, place: str, query: Fields, form: Fields, files: Mapping[str, bytes]
    ) -> PageAnswer:
        changes = request.method == "POST"
        if changes and not is_own_form(request.headers):
            return PageAnswer("a change must come from a page of this server\n", 403, "text/plain")
        if place in _SIGNING and not (place == "sign-out" and not changes):
            return _SIGNING[place](self, request, query, form)
        secret, key = request.cookies.get(COOKIE, ""), self._key_in(request)
        if key is None:
            return self._ask_who(request, place, form) if changes else self._to_sign_in(request, place)
        request.scope["assay.key"] = key
        if changes and not is_form_token(secret, form.get(TOKEN_FIELD)):
            return PageAnswer(
                "the form must have the token of this session; load the page again\n", 403, "text/plain"
            )
        viewer = Viewer(key.scope, key.name, form_token(secret))
        return self._dispatch(request, place, ServiceCall(
            site=self.site, viewer=viewer, query=query, form=form, place=place, service=self._service, key=key,
            reads=self._source(key.organisation),
            partial=request.headers.get("hx-request") == "true", seen=request.cookies.get(SEEN, ""),
            once=request.cookies.get(ONCE, ""), files=files,
        ))  # fmt: skip

    def _to_sign_in(self, request: Request, place: str) -> PageAnswer:
        asked = BASE + place + (f"?{request.url.query}" if request.url.query else "")
        onward = self.site.to("sign-in", {"next": asked} if place else {})
        # A script would put the form into a part of the page, so it is told to leave the page.
        if request.headers.get("hx-request") == "true":
            return PageAnswer("", headers={"HX-Redirect": onward})
        return PageAnswer("", 303, headers={"Location": onward})

    def _ask_who(self, request: Request, place: str, form: Fields) -> PageAnswer:
        """Ask for the key with the form that was sent kept in the page. A script leaves the page for it."""
        if request.headers.get("hx-request") == "true":
            return PageAnswer("sign in again\n", 401, "text/plain")
        call = PageCall(site=Site(BASE), viewer=NOBODY, place="sign-in", form=_kept(form))
        return call.page("sign_in.html", title="Sign in", status=401, next=BASE, again=BASE + place, wrong="")

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
            self._note(request, call.key, route.name, values.get("id", place), denied=True)
            return trouble(call, 403, f"a key of the scope {call.key.scope.value} can't do this")
        answer = answer_page(route, replace(call, path=values))
        if (route.method != "GET" or route.path in EVIDENCE) and answer.status < 400:
            self._note(request, call.key, route.name, values.get("id", place))
        return answer

    def _note(self, request: Request, key: Key, action: str, target: str, *, denied: bool = False) -> None:
        self._service.audit.add(key, action, target, request.scope.get("assay.request"), denied=denied)

    def _sign_in(self, request: Request, query: Fields, form: Fields) -> PageAnswer:
        onward = self.site.inside(form.get("next") or query.get("next"))
        again = self.site.inside(form.get("again")) if form.get("again") else ""
        call = PageCall(site=Site(BASE), viewer=NOBODY, place="sign-in", form=_kept(form, KEPT))
        if request.method != "POST":
            return call.page("sign_in.html", title="Sign in", next=onward, again="", wrong="")
        try:
            found = sign_in(self._service.sessions, form.get("key").strip())
        except InputError as error:
            return call.page(
                "sign_in.html", title="Sign in", status=403, next=onward, again=again, wrong=str(error)
            )
        self._note(request, found.key, "sign_in", found.key.id)
        begun = _begin_session(request, found.secret, onward)
        if not again:
            return begun
        # The form is sent by the person, who may have changed, and with the token of the new session.
        viewer = Viewer(found.key.scope, found.key.name, form_token(found.secret))
        page = replace(call, viewer=viewer).page("send_again.html", title="Your form is still here", again=again)
        return replace(page, headers={"Set-Cookie": begun.headers["Set-Cookie"]})

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


def _kept(form: Fields, prefix: str = "") -> Fields:
    """The fields of a form without its token; with a prefix, only those that have it, without it."""
    return Fields(
        (name.removeprefix(prefix), value)
        for name, value in form.pairs()
        if name.rpartition(".")[2] not in SECRETS and name.startswith(prefix)
    )


def _begin_session(request: Request, secret: str, onward: str) -> PageAnswer:
    secure = "; Secure" if request.url.scheme == "https" else ""
    cookie = f"{COOKIE}={secret}; Path={BASE}; HttpOnly; SameSite=Strict{secure}"
    return PageAnswer("", 303, headers={"Location": onward, "Set-Cookie": cookie})


def _response(answer: PageAnswer) -> Response:
    headers, parts = {**HEADERS, **answer.headers}, answer.chunks
    if isinstance(parts, list):
        return Response(parts[0], answer.status, headers, answer.media_type)
    return StreamingResponse(parts, answer.status, headers, answer.media_type)
