"""Whatever is asked, the answer is one that the description of the API has."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from pydantic import TypeAdapter
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from assay.api.app import ROUTES
from assay.api.examples import EXAMPLES
from assay.api.openapi import openapi
from assay.api.routing import STREAM, WATCH
from tests.api.clinic import Clinic, clinic_of, serve_on
from tests.api.conftest import database

pytestmark = pytest.mark.xdist_group("postgres")
CHECKS: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
# Schemathesis has no lines of JSON to send, and no patience for events; other tests do.
SCHEMA = schemathesis.openapi.from_dict(openapi(ROUTES)).exclude(operation_id=["record_lines", "watch_work"])


@pytest.fixture(scope="module")
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clinic]:
    """A server with something in it."""
    where = database("sqlite", request, tmp_path_factory.mktemp("any"))
    with serve_on(where) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        made = clinic_of(served, client, "any")
        made.post(f"/v1/task-runs/{made.run({'label': 'x', 'assertion': {}})}/complete")
        yield made


@SCHEMA.parametrize()
@settings(max_examples=5, suppress_health_check=list(HealthCheck), deadline=None)
def test_any_request(case: Any, filled: Clinic) -> None:
    headers = {"Authorization": f"Bearer {filled.keys['admin']}"}
    answer = case.call(base_url=str(filled.client.base_url).rstrip("/"), headers=headers)
    assert answer.status_code < 500 or answer.status_code == 503
    case.validate_response(answer, checks=CHECKS)


def test_the_description_is_what_is_served(clinic: Clinic) -> None:
    found = clinic.client.get("/openapi.json").json()
    assert found["openapi"].startswith("3.1")
    assert set(found["paths"]) == set(openapi(ROUTES)["paths"])
    assert clinic.client.get("/docs").status_code == 200


def test_every_body_has_an_example_that_can_be_used() -> None:
    taking = {one.name: one for one in ROUTES if one.body not in (None, bytes, STREAM, WATCH)}
    assert set(EXAMPLES) == set(taking)
    for name, route in taking.items():
        TypeAdapter(route.body).validate_json(json.dumps(EXAMPLES[name]))
