"""Coding scenarios with their versions, the archives that they are seeded from, and the judge that reads runs."""

from typing import Any, Final

from pydantic import Field, field_validator

from assay.adapters.service.coding import check_sent_archive
from assay.adapters.service.judges import TOKEN, place
from assay.adapters.service.sources import check_host
from assay.api.answers import unchanging
from assay.api.routing import ApiCall, Routes
from assay.api.service import Service
from assay.core.errors import InputError, MeasurementError
from assay.dialects.scorers.resources import ArchiveResource, ScenarioResource, ScenarioVersion
from assay.dialects.scorers.scenario import Scenario
from assay.engine.service.coding_policy import PREFIX, check_scenario
from assay.engine.service.errors import NotFoundError
from assay.engine.service.keys import Scope
from assay.formats.endpoint_url import base_url
from assay.formats.strict_model import Name, StrictModel

routes = Routes()
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


@routes.post("/archives", ArchiveResource, body=bytes, status=201, also=(409,), most_bytes=ARCHIVE_BYTES)
def create_archive(call: ApiCall) -> Any:
    """Send a tar or zip archive of files, for a scenario's workspace_seed. The same one twice is kept once."""
    call.service.coding.check_on()
    check_sent_archive(call.content)
    return call.service.coding.archives.add(call.organisation, call.content)


@routes.get("/archives/{path}", ArchiveResource)
def get_archive(call: ApiCall) -> Any:
    """An archive that was sent, by its path."""
    digest = call.path["path"].removeprefix(PREFIX)
    return unchanging(call.service.coding.archives.get(call.organisation, digest))


def _check_scenario(call: ApiCall) -> None:
    """Raises ``ConflictError`` and ``InputError``."""
    call.service.coding.check_on()
    check_scenario(call.body, call.service.coding.policy)


routes.resource(
    "/scenarios",
    ScenarioResource,
    lambda service: service.coding.scenarios,
    body=Scenario,
    also=(409,),
    check=_check_scenario,
    create_scenario=(
        "Add a coding scenario, as scenario files have it, but without repositories and folders of the service."
    ),
    list_scenarios="Scenarios with their newest versions, the newest scenario first.",
    get_scenario="A scenario with its newest version.",
    replace_scenario=(
        "Change a scenario: a new version, unless nothing is different. Seeded tasks stay as they are."
    ),
    remove_scenario="Remove a scenario. Its versions can still be read, and tasks that were seeded from it stay.",
    tagged=True,
)
routes.resource(
    "/scenarios/{id}/versions",
    ScenarioVersion,
    lambda service: service.coding.versions,
    list_scenario_versions="The versions of a scenario, the newest first.",
)


@routes.get("/scenarios/{id}/versions/{version}", ScenarioVersion)
def get_scenario_version(call: ApiCall) -> Any:
    """One version of a scenario. It never changes."""
    written = call.path["version"]
    if not (written.isascii() and written.isdecimal() and len(written) < 10):
        raise NotFoundError("there is no such version")
    found = call.service.coding.versions.version(call.organisation, call.id, int(written))
    return unchanging(found)


@routes.put("/judge", JudgeResource, Scope.ADMIN, body=OrganisationJudge)
def put_judge(call: ApiCall) -> Any:
    """Name the judge that reads the organisation's coding runs. Its token is encrypted, and never shown again."""
    return set_judge(call.service, call.organisation, call.body)


def set_judge(service: Service, organisation: str, told: OrganisationJudge) -> dict[str, Any]:
    """Raises ``InputError`` for an address that the service may not ask."""
    try:
        check_host(told.url, service.policy)
    except MeasurementError as error:
        raise InputError(f"url must be an address that the service may ask: {error}") from error
    settings = {"url": told.url, "models": told.models}
    sealed = None if told.token is None else service.secrets.seal({TOKEN: told.token}, place(organisation))
    service.coding.judges.put(organisation, settings, sealed)
    return _judge(settings, sealed)


@routes.get("/judge", JudgeResource, also=(404,))
def get_judge(call: ApiCall) -> Any:
    """The organisation's judge, without its token."""
    found = call.service.coding.judges.find(call.organisation)
    if found is None:
        raise NotFoundError("there is no judge")
    return _judge(*found)


@routes.delete("/judge", Scope.ADMIN, also=(404,))
def remove_judge(call: ApiCall) -> Any:
    """Forget the organisation's judge, and its token."""
    call.service.coding.judges.remove(call.organisation)


def _judge(settings: dict[str, Any], sealed: bytes | None) -> dict[str, Any]:
    return {"url": settings["url"], "models": settings["models"], "has_token": sealed is not None}
