"""Who may see which page, from where a change may come, and by which names the pages answer."""

import html
import re
from datetime import timedelta

import httpx
import pytest

from assay.api.app import Settings
from assay.api.pages.all_pages import PAGES
from assay.api.pages.calls import ServiceCall
from assay.api.pages.guard import is_loopback, is_own_form, known_host
from assay.api.pages.server import BASE, COOKIE, PageSettings
from assay.engine.service.keys import Owner, Scope, digest_of, issue_key
from assay.engine.service.sessions import form_token, session_of
from assay.web.routing import PageRoute, PageRoutes
from assay.web.site import Site
from tests.web.people import ORGANISATION, Desk, desk_on

ADMIN_ONLY = frozenset(("keys", "audit", "judge"))
"""Pages of keys, of who did what and of the judge."""


def test_a_page_without_a_rule_can_not_be_declared() -> None:
    with pytest.raises(TypeError, match="must say who may see it"):
        PageRoutes().add("GET", "/everything")


def test_the_rules_are_these() -> None:
    for page in PAGES:
        assert Scope.RUN not in page.scopes, page.path
        assert Scope.ADMIN in page.scopes, page.path
        assert page.method in ("GET", "POST"), page.path
        if page.path.strip("/").partition("/")[0] in ADMIN_ONLY:
            assert page.scopes == {Scope.ADMIN}, page.path
        else:
            assert (Scope.READER in page.scopes) == (page.method == "GET"), page.path


def test_no_two_pages_have_one_address() -> None:
    addresses = [(page.method, page.path) for page in PAGES]
    assert len(set(addresses)) == len(addresses)


@pytest.mark.parametrize("page", PAGES, ids=lambda one: f"{one.method} {one.path}")
def test_every_key_on_every_page(desk: Desk, page: PageRoute[ServiceCall]) -> None:
    """Whoever may not see it is refused before anything is looked for; whoever may is shown something."""
    place = page.path.strip("/").replace("{", "").replace("}", "")
    for scope in (Scope.ADMIN, Scope.GRADER, Scope.READER):
        person = desk.client(scope)
        found = person.get(place) if page.method == "GET" else person.post(place)
        if scope in page.scopes:
            assert found.status_code < 500, (scope, found.text)
            assert found.status_code != 403, (scope, found.text)
        else:
            assert found.status_code == 403, (scope, found.text)
    nobody = desk.client()
    found = nobody.get(place) if page.method == "GET" else nobody.post(place)
    if page.method == "GET":
        assert found.status_code == 303
        assert found.headers["location"].startswith("/ui/sign-in")
    else:
        assert found.status_code == 401
        assert "Sign in" in found.text


@pytest.mark.parametrize("page", [one for one in PAGES if one.method == "POST"], ids=lambda one: one.path)
def test_no_change_without_the_token_or_from_another_site(desk: Desk, page: PageRoute[ServiceCall]) -> None:
    place = page.path.strip("/").replace("{", "").replace("}", "")
    person = desk.client(Scope.ADMIN)
    for data in ({}, {"token": "x"}, {"token": desk.client(Scope.ADMIN).token()}):
        assert person.client.post(f"/ui/{place}", data=data).status_code == 403
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
        assert person.post(place, None, **headers).status_code == 403


def test_a_run_token_sees_nothing(desk: Desk) -> None:
    nobody = desk.client()
    found = nobody.client.post("/ui/sign-in", data={"key": desk.keys[Scope.RUN]})
    assert found.status_code == 403
    assert "a run token can&#39;t see pages" in found.text
    assert COOKIE not in nobody.client.cookies


@pytest.mark.parametrize("key", ["", "ask_", "ask_wrong", "nothing", "ask_\x00", "ask_é"])
def test_what_is_no_key_does_not_sign_in(desk: Desk, key: str) -> None:
    found = desk.client().client.post("/ui/sign-in", data={"key": key})
    assert found.status_code == 403
    assert "the key must be a valid one" in found.text


def test_the_cookie_is_for_this_site_and_no_script(desk: Desk) -> None:
    nobody = desk.client()
    found = nobody.client.post("/ui/sign-in", data={"key": desk.keys[Scope.READER]})
    cookie = found.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/ui/"} <= set(cookie.split("; "))
    secret = nobody.client.cookies[COOKIE]
    with desk.service.store.writing() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM sessions").all()
    assert digest_of(secret) in str(rows)
    assert secret not in str(rows)


def test_a_session_ends(desk: Desk) -> None:
    left, expired, revoked = desk.client(Scope.READER), desk.client(Scope.READER), desk.client()
    owner = Owner(ORGANISATION)
    issued = issue_key(desk.service.keys, owner, Scope.READER, "to be revoked")
    assert revoked.client.post("/ui/sign-in", data={"key": issued.secret}).status_code == 303
    assert left.post("sign-out").status_code == 303
    kept = left.client.cookies.get(COOKIE)
    assert kept is None
    digest = digest_of(expired.client.cookies[COOKIE])
    with desk.service.store.writing() as connection:
        past = str(desk.service.host.now() - timedelta(seconds=1))
        connection.exec_driver_sql("UPDATE sessions SET expires_at = ? WHERE digest = ?", (past, digest))
    assert expired.get("parts").status_code == 303
    assert revoked.get("parts").status_code == 200
    desk.service.keys.revoke(ORGANISATION, issued.key.id)
    assert revoked.get("parts").status_code == 303
    assert revoked.client.post("/ui/sign-in", data={"key": issued.secret}).status_code == 403


def test_a_form_whose_session_is_over_is_kept(desk: Desk) -> None:
    nobody = desk.client()
    entered = {"token": "of an old session", "name": 'a "task"', "instruction": "two\nlines <b>"}
    asked = nobody.client.post("/ui/tasks", data=entered)
    assert asked.status_code == 401
    fields = dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', asked.text))
    assert fields["again"] == "/ui/tasks"
    assert "of an old session" not in asked.text
    sent = {name: html.unescape(value) for name, value in fields.items()}
    assert 'name="kept.name"' in nobody.client.post("/ui/sign-in", data=sent | {"key": "wrong"}).text
    known = nobody.client.post("/ui/sign-in", data=sent | {"key": desk.keys[Scope.GRADER]})
    assert "Your form is still here" in known.text
    form = re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', known.text.partition("<main")[2])
    done = nobody.client.post("/ui/tasks", data={name: html.unescape(value) for name, value in form})
    assert done.status_code == 303, done.text
    made = nobody.client.get(done.headers["location"]).text
    assert "a &#34;task&#34;" in made
    assert "lines &lt;b&gt;" in made
    assert nobody.client.post("/ui/sign-out", data={"token": form[0][1]}).status_code == 303
    assert nobody.client.post("/ui/tasks", data=entered, headers={"HX-Request": "true"}).status_code == 401


def test_signing_out_ends_the_session_in_the_store(desk: Desk) -> None:
    person = desk.client(Scope.ADMIN)
    secret = person.client.cookies[COOKIE]
    assert person.client.post("/ui/sign-out", data={"token": "x"}).status_code == 303
    with httpx.Client(base_url=desk.url, cookies={COOKIE: secret}) as thief:
        assert thief.get("/ui/parts").status_code == 200
        thief.post("/ui/sign-out", data={"token": form_token(secret)}, headers={"Origin": desk.url})
        assert thief.get("/ui/parts", headers={"Cookie": f"{COOKIE}={secret}"}).status_code == 303


def test_the_way_back_after_signing_in(desk: Desk) -> None:
    nobody = desk.client()
    asked = nobody.client.get("/ui/runs?task=a%20b").headers["location"]
    assert asked == "/ui/sign-in?next=%2Fui%2Fruns%3Ftask%3Da%2520b"
    for onward, goes in (
        ("/ui/runs?task=a%20b", "/ui/runs?task=a%20b"),
        ("//evil.example", BASE),
        ("/ui//x", BASE),
    ):
        found = nobody.client.post("/ui/sign-in", data={"key": desk.keys[Scope.GRADER], "next": onward})
        assert found.headers["location"] == goes


def test_a_script_without_a_session_leaves_the_page(desk: Desk) -> None:
    found = desk.client().client.get("/ui/runs?task=a", headers={"HX-Request": "true"})
    assert (found.status_code, found.text) == (200, "")
    assert found.headers["hx-redirect"].startswith("/ui/sign-in?next=")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "[::1", ""])
def test_a_name_that_was_made_to_lead_here_is_refused(desk: Desk, host: str) -> None:
    found = desk.client(Scope.ADMIN).client.get("/ui/parts", headers={"Host": host})
    assert found.status_code in (400, 421)


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("localhost:8765", True),
        ("127.0.0.1", True),
        ("[::1]:80", True),
        ("10.0.0.8:9", True),
        ("assay.example", True),
        ("ASSAY.example:443", True),
        ("other.example", False),
        ("localhost.evil.example", False),
        ("1.2.3", False),
    ],
)
def test_names_of_the_server(host: str, known: bool) -> None:
    assert known_host(host, {"assay.example"}) is known


@pytest.mark.parametrize(
    ("headers", "own"),
    [
        ({}, False),
        ({"host": "a:1", "origin": "http://a:1"}, True),
        ({"host": "a", "origin": "https://a"}, True),
        ({"host": "a:1", "origin": "http://a:2"}, False),
        ({"host": "a", "origin": "http://a", "sec-fetch-site": "same-origin"}, True),
        ({"host": "a", "origin": "http://a", "sec-fetch-site": "same-site"}, False),
        ({"host": "a", "sec-fetch-site": "none"}, False),
        ({"host": "a", "origin": "http://["}, False),
    ],
)
def test_where_a_change_comes_from(headers: dict[str, str], own: bool) -> None:
    assert is_own_form(headers) is own


@pytest.mark.parametrize(
    ("host", "is_"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("10.0.0.8", False)]
)
def test_what_only_this_machine_reaches(host: str, is_: bool) -> None:
    assert is_loopback(host) is is_


def test_a_single_user_comes_in_by_the_address(desk: Desk) -> None:
    key = session_of(desk.service.sessions, desk.client(Scope.ADMIN).client.cookies[COOKIE])
    settings = Settings(pages=PageSettings(enter="secret", enter_key=key))
    with desk_on(desk.service.store.name.removeprefix("sqlite:///"), settings) as single:
        nobody = single.client()
        assert nobody.get("enter?token=guess").status_code == 404
        assert nobody.get("enter").status_code == 404
        assert nobody.get("enter?token=secret").headers["location"] == BASE
        assert nobody.get("parts").status_code == 200
    assert desk.client().get("enter?token=secret").status_code == 404


def test_every_page_has_a_strict_policy(desk: Desk) -> None:
    found = desk.client(Scope.READER).get("parts")
    policy = found.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    for word in ("<script>", "style=", "onclick", "javascript:"):
        assert word not in found.text


def test_a_form_that_is_too_large_or_has_too_many_fields(desk: Desk) -> None:
    person = desk.client(Scope.ADMIN)
    assert person.client.post("/ui/sign-in", content=b"x" * 3_000_000).status_code == 413
    assert person.client.post("/ui/sign-in", content=b"a=1&" * 3000).status_code == 422


def test_an_address_without_a_page(desk: Desk) -> None:
    person = desk.client(Scope.READER)
    for place in ("nothing", "runs/a/b/c", "assets/none.js", "assets/../server.py", "%2e%2e/x"):
        assert person.get(place).status_code == 404
    assert person.client.get("/").headers["location"] == "/ui/"


def test_files_of_pages_are_packed_and_pages_are_not(desk: Desk) -> None:
    person = desk.client(Scope.READER)
    assert person.client.get("/ui/assets/assay.js").headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in person.get("runs").headers


def test_addresses_stay_inside() -> None:
    site = Site("/ui/")
    assert site.inside("/ui/runs?x=1") == "/ui/runs?x=1"
    for one in ("http://evil.example", "//evil.example", "/ui/\\evil", "/runs", "/ui/\n", "javascript:1"):
        assert site.inside(one) == "/ui/"
