"""Whatever is asked, the answer is one that the description of the API has."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from assay.adapters.service.coding_parts import CodingSetting
from assay.adapters.sources.source_guard import SourcePolicy, allowed_sources
from assay.api.app import ROUTES
from assay.api.examples import EXAMPLES
from assay.api.openapi import openapi
from assay.api.routing import STREAM, WATCH
from tests.api.clinic import Clinic, clinic_of, serve_on
from tests.api.conftest import database
from tests.api.one_of_everything import Everything, Given
from tests.api.one_of_everything import given as given_for
from tests.rewards.test_grader import INSTRUCTION, LIMIT, NUMBER
from tests.sampling import SEARCHING, sampled
from tests.tasks import write_task

# Schemathesis has no lines of JSON to send, and no patience for events; other tests do.
NOT_ASKED = ["record_lines", "watch_work"]
ASKED = {one.name: one for one in ROUTES if one.name not in NOT_ASKED}
ANSWERED = 0.9
TURN = b'{"record": "turn", "number": 2, "speaker": "agent", "text": "hi"}\n'
ANY: dict[str, Any] = {"suppress_health_check": list(HealthCheck), "deadline": None}


@cache
def described() -> Any:
    """The API as Schemathesis reads it, which takes a second to import."""
    import schemathesis  # noqa: PLC0415

    return schemathesis.openapi.from_dict(openapi(ROUTES)).exclude(operation_id=NOT_ASKED)


@pytest.fixture(scope="module")
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Everything]:
    """A server that can hold and grade everything."""
    folder = tmp_path_factory.mktemp("any")
    write_task(folder / "tasks" / "number", verifier=NUMBER, instruction=INSTRUCTION, toml=LIMIT, solution=None)
    with (
        serve_on(
            database("sqlite", request, folder),
            policy=SourcePolicy(allowed_sources(["127.0.0.0/8"])),
            coding=CodingSetting(graded_tasks=str(folder / "tasks")),
        ) as served,
        httpx.Client(base_url=served.url, timeout=60) as client,
    ):
        yield Everything(clinic_of(served, client, "any"))


def ask(case: Any, clinic: Clinic) -> int:
    """The status of the answer, which must be one that is described."""
    from schemathesis.checks import not_a_server_error  # noqa: PLC0415
    from schemathesis.specs.openapi import checks  # noqa: PLC0415

    headers = {"Authorization": f"Bearer {clinic.keys['admin']}"}
    answer = case.call(base_url=str(clinic.client.base_url).rstrip("/"), headers=headers)
    assert answer.status_code < 500 or answer.status_code == 503
    described_so = (
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_schema_conformance,
    )
    case.validate_response(answer, checks=[not_a_server_error, *described_so])
    return int(answer.status_code)


def request_of(name: str, filled: Everything) -> Given:
    return given_for(name, ASKED[name].path.replace(":path}", "}"), filled)


def about_what_is_there(name: str, filled: Everything) -> Any:
    """A request that the server can do."""
    known, operation = request_of(name, filled), described().find_operation_by_id(name)
    media = {} if known.body is None else {"body": known.body, "media_type": media_type(name)}
    return operation.Case(path_parameters=dict(known.path), query=dict(known.query), **media)


def media_type(name: str) -> str:
    return "application/octet-stream" if ASKED[name].body is bytes else "application/json"


def streamed(name: str, filled: Everything) -> int:
    """The status of an operation that Schemathesis isn't asked to try."""
    clinic, route = filled.clinic, next(one for one in ROUTES if one.name == name)
    place = filled.work() if name == "watch_work" else filled.playground()
    lines = None if name == "watch_work" else TURN
    return clinic.ask(route.method, f"/v1{route.path}".replace("{id}", place), content=lines).status_code


def test_nearly_all_operations_are_answered(filled: Everything) -> None:
    """Each is asked about what is there, by a key that can't be revoked."""
    statuses = {name: ask(about_what_is_there(name, filled), filled.clinic) for name in ASKED}
    statuses |= {name: streamed(name, filled) for name in NOT_ASKED}
    never = {name: status for name, status in statuses.items() if not 200 <= status < 300}
    print(f"answered with 2xx: {len(statuses) - len(never)} of {len(ROUTES)}; never: {never or 'none'}")
    assert len(statuses) == len(ROUTES)
    assert len(never) <= (1 - ANSWERED) * len(ROUTES), never
    assert never == {}
    assert filled.clinic.get("/v1/keys")


@pytest.mark.parametrize("name", sampled(ASKED, 8))
def test_any_request(name: str, filled: Everything) -> None:
    operation = described().find_operation_by_id(name)

    @settings(max_examples=20 if SEARCHING else 3, **ANY)
    @given(case=operation.as_strategy(), there=st.booleans())
    def any_request(case: Any, there: bool) -> None:
        if there:
            case.path_parameters = {**(case.path_parameters or {}), **request_of(name, filled).path}
        ask(case, filled.clinic)

    any_request()


if SEARCHING:
    # Schemathesis' plugin adds requests at every border of the description.
    @described().parametrize()  # type: ignore[untyped-decorator]
    @settings(max_examples=20, **ANY)
    def test_every_request(case: Any, filled: Everything) -> None:
        ask(case, filled.clinic)


def test_the_description_is_what_is_served(clinic: Clinic) -> None:
    found = clinic.client.get("/openapi.json").json()
    assert found["openapi"].startswith("3.1")
    assert set(found["paths"]) == set(openapi(ROUTES)["paths"])
    page = clinic.client.get("/docs")
    assert page.status_code == 200
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert [one for one in re.findall(r'(?:src|href)="([^"]*)"', page.text) if "//" in one] == []
    described = clinic.client.get("/openapi.json").json()["paths"]
    assert all(f"<code>{path}</code>" in page.text for path in described)
    schemas = clinic.client.get("/docs/schemas").text
    links = re.findall(r'href="/docs/schemas#([^"]*)"', page.text + schemas)
    assert links
    assert set(links) <= set(re.findall(r'id="([^"]*)"', schemas))


def test_every_body_has_an_example_that_can_be_used() -> None:
    taking = {one.name: one for one in ROUTES if one.body not in (None, bytes, STREAM, WATCH)}
    assert set(EXAMPLES) == set(taking)
    for name, route in taking.items():
        TypeAdapter(route.body).validate_json(json.dumps(EXAMPLES[name]))
