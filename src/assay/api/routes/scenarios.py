"""Coding scenarios with their versions, the archives that they are seeded from, and the judge that reads runs."""

from typing import Any, Final

from pydantic import Field, field_validator

from assay.adapters.service_coding import check_archive
from assay.adapters.service_judges import TOKEN, place
from assay.adapters.service_sources import check_host
from assay.adapters.store.service.scenarios import scenario_of_row, version_of_row
from assay.api.answers import Answer, shown, shown_page, unchanging
from assay.api.routing import Call, Routes
from assay.core.errors import InputError, MeasurementError
from assay.dialects.scorers.resources import ArchiveResource, Name, ScenarioResource, ScenarioVersion
from assay.dialects.scorers.scenario import Scenario
from assay.dialects.scorers.strict import StrictModel
from assay.engine.service.coding_policy import PREFIX, check_scenario
from assay.engine.service.errors import NotFoundError
from assay.engine.service.keys import Scope
from assay.formats.endpoint_url import base_url

routes = Routes()
WRITE = (Scope.ADMIN, Scope.GRADER)
READ = (Scope.ADMIN, Scope.GRADER, Scope.READER)
ARCHIVE_BYTES: Final = 64 * 1024 * 1024


class OrganisationJudge(StrictModel):
    """The language model that reads coding runs. ``token`` is sent as a bearer token, and never shown again.

    ``url`` is the base of an endpoint that speaks OpenAI's chat completions; loopback addresses are refused.
    """

    url: str = Field(min_length=1, max_length=2000)
    models: list[Name] = Field(min_length=1, max_length=16)
    token: str | None = Field(default=None, min_length=1, max_length=10_000)

    @field_validator("url")
    @classmethod
    def _base(cls, written: str) -> str:
        return base_url(written, "a judge")


class JudgeResource(StrictModel):
    """The judge of an organisation, without its token."""

    url: str
    models: list[str]
    has_token: bool


@routes.add(
    "POST",
    "/archives",
    *WRITE,
    body=bytes,
    answer=ArchiveResource,
    status=201,
    also=(409,),
    most_bytes=ARCHIVE_BYTES,
)
def create_archive(call: Call) -> Answer:
    """Send a tar or zip archive of files, for a scenario's workspace_seed. The same one twice is kept once."""
    call.service.coding.check_on()
    check_archive(call.content)
    return shown(call.service.coding.scenarios.add_archive(call.organisation, call.content), 201)


@routes.add("GET", "/archives/{path}", *READ, answer=ArchiveResource, also=(404,))
def get_archive(call: Call) -> Answer:
    """An archive that was sent, by its path."""
    digest = call.path["path"].removeprefix(PREFIX)
    return unchanging(call.service.coding.scenarios.archive(call.organisation, digest))


@routes.add("POST", "/scenarios", *WRITE, body=Scenario, answer=ScenarioResource, status=201, also=(409,))
def create_scenario(call: Call) -> Answer:
    """Add a coding scenario, as scenario files have it, but without repositories and folders of the service."""
    coding = call.service.coding
    coding.check_on()
    check_scenario(call.body, coding.policy)
    return shown(coding.scenarios.add(call.organisation, call.body), 201)


@routes.add("GET", "/scenarios", *READ, answer=ScenarioResource, lists=True)
def list_scenarios(call: Call) -> Answer:
    """Scenarios with their newest versions, the newest scenario first."""
    asked = call.page
    rows = call.service.coding.scenarios.page(call.organisation, asked)
    return shown_page([scenario_of_row(row) for row in rows.rows], rows, asked.limit)


@routes.add("GET", "/scenarios/{id}", *READ, answer=ScenarioResource, also=(404,))
def get_scenario(call: Call) -> Answer:
    """A scenario with its newest version."""
    return shown(call.service.coding.scenarios.scenario(call.organisation, call.path["id"]))


@routes.add("PUT", "/scenarios/{id}", *WRITE, body=Scenario, answer=ScenarioResource, also=(404, 409))
def replace_scenario(call: Call) -> Answer:
    """Change a scenario: a new version, unless nothing is different. Seeded tasks stay as they are."""
    coding = call.service.coding
    coding.check_on()
    check_scenario(call.body, coding.policy)
    return shown(coding.scenarios.replace(call.organisation, call.path["id"], call.body))


@routes.add("DELETE", "/scenarios/{id}", *WRITE, status=204, also=(404,))
def remove_scenario(call: Call) -> Answer:
    """Remove a scenario. Its versions can still be read, and tasks that were seeded from it stay."""
    call.service.coding.scenarios.remove(call.organisation, call.path["id"])
    return Answer(204, b"")


@routes.add("GET", "/scenarios/{id}/versions", *READ, answer=ScenarioVersion, lists=True)
def list_scenario_versions(call: Call) -> Answer:
    """The versions of a scenario, the newest first."""
    asked = call.page
    rows = call.service.coding.scenarios.versions(call.organisation, call.path["id"], asked)
    return shown_page([version_of_row(row) for row in rows.rows], rows, asked.limit)


@routes.add("GET", "/scenarios/{id}/versions/{version}", *READ, answer=ScenarioVersion, also=(404,))
def get_scenario_version(call: Call) -> Answer:
    """One version of a scenario. It never changes."""
    written = call.path["version"]
    if not (written.isascii() and written.isdecimal() and len(written) < 10):
        raise NotFoundError("there is no such version")
    found = call.service.coding.scenarios.version(call.organisation, call.path["id"], int(written))
    return unchanging(found)


@routes.add("PUT", "/judge", Scope.ADMIN, body=OrganisationJudge, answer=JudgeResource)
def put_judge(call: Call) -> Answer:
    """Name the judge that reads the organisation's coding runs. Its token is encrypted, and never shown again."""
    service, told = call.service, call.body
    try:
        check_host(told.url, service.policy)
    except MeasurementError as error:
        raise InputError(f"url must be an address that the service may ask: {error}") from error
    settings = {"url": told.url, "models": told.models}
    sealed = None if told.token is None else service.secrets.seal({TOKEN: told.token}, place(call.organisation))
    service.coding.judges.put(call.organisation, settings, sealed)
    return shown(_judge(settings, sealed))


@routes.add("GET", "/judge", *READ, answer=JudgeResource, also=(404,))
def get_judge(call: Call) -> Answer:
    """The organisation's judge, without its token."""
    found = call.service.coding.judges.find(call.organisation)
    if found is None:
        raise NotFoundError("there is no judge")
    return shown(_judge(*found))


@routes.add("DELETE", "/judge", Scope.ADMIN, status=204, also=(404,))
def remove_judge(call: Call) -> Answer:
    """Forget the organisation's judge, and its token."""
    call.service.coding.judges.remove(call.organisation)
    return Answer(204, b"")


def _judge(settings: dict[str, Any], sealed: bytes | None) -> dict[str, Any]:
    return {"url": settings["url"], "models": settings["models"], "has_token": sealed is not None}
