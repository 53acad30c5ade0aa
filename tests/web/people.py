"""People who look at the pages of a service: what they sign in with, and what they send."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import httpx

from assay.api.app import Settings
from assay.api.pages.server import COOKIE
from assay.api.service import Service
from assay.engine.service.keys import Owner, Scope, issue_key
from tests.api.clinic import serve_on
from tests.web.browser import Tab

ORGANISATION = "default"


@dataclass
class Desk:
    """A service with pages."""

    service: Service
    url: str
    keys: dict[Scope, str]
    clients: list[httpx.Client] = field(default_factory=list)
    sessions: dict[Scope, str] = field(default_factory=dict)

    def client(self, scope: Scope | None = None) -> "Person":
        """Somebody without a browser, signed in if a scope is given."""
        person = Person(self, httpx.Client(base_url=self.url, timeout=30, headers={"Origin": self.url}))
        self.clients.append(person.client)
        if scope is not None:
            answer = person.client.post("/ui/sign-in", data={"key": self.keys[scope]})
            assert answer.status_code == 303, answer.text
        return person

    def enter(self, tab: Tab, scope: Scope = Scope.READER) -> None:
        """Give a browser a session without the form, which has tests of its own."""
        if scope not in self.sessions:
            self.sessions[scope] = self.client(scope).client.cookies[COOKIE]
        tab.page.context.add_cookies([{"name": COOKIE, "value": self.sessions[scope], "url": f"{self.url}/ui/"}])

    def sign_in(self, tab: Tab, scope: Scope = Scope.READER) -> None:
        """Sign in with a browser, as a person does."""
        page = tab.open(f"{self.url}/ui/")
        page.get_by_label("Key").fill(self.keys[scope])
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(lambda url: "sign-in" not in url)


@dataclass
class Person:
    """Sends requests as a browser would."""

    desk: Desk
    client: httpx.Client

    def get(self, place: str, **more: str) -> httpx.Response:
        return self.client.get(f"/ui/{place}", headers=more)

    def token(self) -> str:
        """The token of the session's forms, as it is in a page."""
        text = self.get("parts").text
        return text.partition('name="token" value="')[2].partition('"')[0]

    def post(self, place: str, data: dict[str, str] | None = None, **more: str) -> httpx.Response:
        return self.client.post(f"/ui/{place}", data={"token": self.token(), **(data or {})}, headers=more)


@contextmanager
def desk_on(where: str, settings: Settings | None = None) -> Iterator[Desk]:
    """A service on a database that has its tables."""
    with serve_on(where, settings) as served:
        service = served.service
        keys = {
            scope: issue_key(service.keys, Owner(ORGANISATION), scope, f"a {scope.value}").secret
            for scope in (Scope.ADMIN, Scope.GRADER, Scope.READER)
        }
        ends = service.host.now() + timedelta(hours=1)
        token = issue_key(service.keys, Owner(ORGANISATION, "brun_x"), Scope.RUN, "token", ends)
        desk = Desk(service, served.url, {**keys, Scope.RUN: token.secret})
        yield desk
        for client in desk.clients:
            client.close()
