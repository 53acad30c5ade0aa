"""Whatever is asked, the answer is one that the description of the API has."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from pydantic import TypeAdapter

from assay.api.app import ROUTES
from assay.api.examples import EXAMPLES
from assay.api.openapi import openapi
from assay.api.routing import STREAM, WATCH
from tests.api.clinic import Clinic, clinic_of, serve_on
from tests.api.conftest import database
from tests.sampling import SEARCHING, sampled

# Schemathesis has no lines of JSON to send, and no patience for events; other tests do.
NOT_ASKED = ["record_lines", "watch_work"]
ANY: dict[str, Any] = {"suppress_health_check": list(HealthCheck), "deadline": None}


@cache
def described() -> Any:
    """The API as Schemathesis reads it, which takes a second to import."""
    import schemathesis  # noqa: PLC0415

    return schemathesis.openapi.from_dict(openapi(ROUTES)).exclude(operation_id=NOT_ASKED)


@pytest.fixture(scope="module")
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clinic]:
    """A server with something in it."""
    where = database("sqlite", request, tmp_path_factory.mktemp("any"))
    with serve_on(where) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        made = clinic_of(served, client, "any")
        made.post(f"/v1/task-runs/{made.run({'label': 'x', 'assertion': {}})}/complete")
        yield made


def ask(case: Any, filled: Clinic) -> None:
    from schemathesis.checks import not_a_server_error  # noqa: PLC0415
    from schemathesis.specs.openapi import checks  # noqa: PLC0415

    headers = {"Authorization": f"Bearer {filled.keys['admin']}"}
    answer = case.call(base_url=str(filled.client.base_url).rstrip("/"), headers=headers)
    assert answer.status_code < 500 or answer.status_code == 503
    described_so = (
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_schema_conformance,
    )
    case.validate_response(answer, checks=[not_a_server_error, *described_so])


@pytest.mark.parametrize("name", sampled((one.name for one in ROUTES if one.name not in NOT_ASKED), 8))
def test_any_request(name: str, filled: Clinic) -> None:
    operation = described().find_operation_by_id(name)

    @settings(max_examples=3, **ANY)
    @given(case=operation.as_strategy())
    def any_request(case: Any) -> None:
        ask(case, filled)

    any_request()


if SEARCHING:
    # Schemathesis' plugin adds requests at every border of the description.
    @described().parametrize()  # type: ignore[untyped-decorator]
    @settings(max_examples=20, **ANY)
    def test_every_request(case: Any, filled: Clinic) -> None:
        ask(case, filled)


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
