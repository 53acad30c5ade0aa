"""Playgrounds: what their systems recorded, their files, and the sources beside them."""

from datetime import datetime
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field, ValidationError

from assay.adapters.service_sources import FHIR, FILES, JUDGE, check_files_url, place
from assay.adapters.source_guard import SourcePolicy
from assay.adapters.store.limits import PAYLOAD_BYTES
from assay.api.answers import Answer, ProblemDetail, shown, shown_page
from assay.api.problems import invalid_body
from assay.api.routing import STREAM, Call, Routes
from assay.api.service import Service
from assay.core.errors import InputError
from assay.dialects.criteria.judge_place import JudgePlace
from assay.dialects.criteria.models import StrictModel
from assay.dialects.criteria.playground_file import FhirPlace, FilesPlace
from assay.dialects.criteria.records import EventLine, ResponseLine, RowLine, TurnLine
from assay.dialects.criteria.resources import NewPlayground, PlaygroundResource
from assay.engine.record_lines import no_file, record_of
from assay.engine.service.errors import NotFoundError
from assay.engine.service.keys import Scope

routes = Routes()
WRITE = (Scope.ADMIN, Scope.GRADER)
READ = (Scope.ADMIN, Scope.GRADER, Scope.READER)
MOST_RECORDS: Final = 1000
FILE_BYTES: Final = PAYLOAD_BYTES
Secret = Field(default=None, min_length=1, max_length=10_000)


class Recorded(StrictModel):
    """How many records were added."""

    recorded: int


class LineAnswer(StrictModel):
    """The answer to one line, by its number from 1 on."""

    line: int
    ok: bool
    error: ProblemDetail | None = None


class FileResource(StrictModel):
    """A file of a playground."""

    path: str
    size: int
    modified: datetime


class FhirSettings(StrictModel):
    """A FHIR server. ``token`` is sent as a bearer token, and never shown again."""

    url: str = Field(min_length=1, max_length=2000)
    token: str | None = Secret


class FilesSettings(StrictModel):
    """An SFTP server or a bucket. ``credentials`` has settings like ``ASSAY_SFTP_PASSWORD``, with their values."""

    url: str = Field(min_length=1, max_length=2000)
    credentials: dict[str, str] = Field(default_factory=dict, max_length=20)


class JudgeSettings(StrictModel):
    """A language model that is asked for paraphrases."""

    url: str = Field(min_length=1, max_length=2000)
    model: str = Field(min_length=1, max_length=200)
    token: str | None = Secret
    timeout_s: float = Field(default=20, gt=0, le=60)
    json_schema: bool = True


class SourceResource(StrictModel):
    """A source without its secrets."""

    kind: str
    settings: dict[str, Any]
    has_secret: bool


SETTINGS: Final[dict[str, type[StrictModel]]] = {FHIR: FhirSettings, FILES: FilesSettings, JUDGE: JudgeSettings}


@routes.add("POST", "/playgrounds", *WRITE, body=NewPlayground, answer=PlaygroundResource, status=201)
def create_playground(call: Call) -> Answer:
    """Add an empty playground."""
    return shown(call.service.playgrounds.add(call.organisation, call.body), 201)


@routes.add("GET", "/playgrounds", *READ, answer=PlaygroundResource, lists=True)
def list_playgrounds(call: Call) -> Answer:
    """The playgrounds, the newest first."""
    asked = call.page
    rows = call.service.playgrounds.page(call.organisation, asked)
    return shown_page(call.service.playgrounds.shown(rows), rows, asked.limit)


@routes.add("GET", "/playgrounds/{id}", *READ, answer=PlaygroundResource, also=(404,))
def get_playground(call: Call) -> Answer:
    """One playground."""
    return shown(call.service.playgrounds.playground(call.organisation, call.path["id"]))


def _several(model: Any) -> Any:
    """One record, or a list of them."""
    listed = BeforeValidator(_as_list, json_schema_input_type=model | list[model])
    return Annotated[list[model], Field(max_length=MOST_RECORDS), listed]


def _as_list(written: Any) -> Any:
    return written if isinstance(written, list) else [written]


@routes.add(
    "POST",
    "/playgrounds/{id}/events",
    *WRITE,
    body=_several(EventLine),
    answer=Recorded,
    status=201,
    also=(404,),
    most_bytes=FILE_BYTES,
)
def record_events(call: Call) -> Answer:
    """Record an event or a list of them, such as messages that were sent: all or none."""
    return _recorded(call)


@routes.add(
    "POST",
    "/playgrounds/{id}/rows",
    *WRITE,
    body=_several(RowLine),
    answer=Recorded,
    status=201,
    also=(404,),
    most_bytes=FILE_BYTES,
)
def record_rows(call: Call) -> Answer:
    """Record a row of state or a list of them. A row replaces the one with its key."""
    return _recorded(call)


@routes.add(
    "POST",
    "/playgrounds/{id}/turns",
    *WRITE,
    body=_several(TurnLine),
    answer=Recorded,
    status=201,
    also=(404,),
    most_bytes=FILE_BYTES,
)
def record_turns(call: Call) -> Answer:
    """Record a turn of a call or a list of them."""
    return _recorded(call)


@routes.add(
    "POST",
    "/playgrounds/{id}/responses",
    *WRITE,
    body=_several(ResponseLine),
    answer=Recorded,
    status=201,
    also=(404,),
    most_bytes=FILE_BYTES,
)
def record_responses(call: Call) -> Answer:
    """Record an X12 response or a list of them."""
    return _recorded(call)


def _recorded(call: Call) -> Answer:
    now = call.service.host.now()
    records = [record_of(line, no_file, f"record {n}", now) for n, line in enumerate(call.body, 1)]
    count = call.service.playgrounds.record(call.organisation, call.path["id"], records)
    return shown({"recorded": count}, 201)


@routes.add("POST", "/playgrounds/{id}/records", *WRITE, body=STREAM, answer=LineAnswer, also=(400, 404))
def record_lines(call: Call) -> Answer:
    """Record a stream of JSON lines (application/x-ndjson), each an event, row, turn or x12_response.

    The field ``record`` says which. Every line has its own answer, in order; a line that is refused stops none
    of the others.
    """
    raise TypeError(f"{call.path} is answered while it is read")


@routes.add(
    "PUT",
    "/playgrounds/{id}/files/{path:path}",
    *WRITE,
    body=bytes,
    answer=FileResource,
    also=(404,),
    most_bytes=FILE_BYTES,
)
def put_file(call: Call) -> Answer:
    """Put a file into a playground. One with the same path is replaced."""
    now = call.service.host.now()
    found = call.service.playgrounds.put_file(
        call.organisation, call.path["id"], call.path["path"], call.content, now
    )
    return shown({"path": found.path, "size": found.size, "modified": found.modified})


@routes.add("GET", "/playgrounds/{id}/sources", *READ, answer=list[SourceResource], also=(404,))
def list_sources(call: Call) -> Answer:
    """The sources of a playground, without their secrets."""
    found = call.service.playgrounds.sources(call.organisation, call.path["id"])
    return shown(
        [_source(kind, settings, secret is not None) for kind, (settings, secret) in sorted(found.items())]
    )


@routes.add(
    "PUT",
    "/playgrounds/{id}/sources/{kind}",
    *WRITE,
    body=FhirSettings | FilesSettings | JudgeSettings,
    answer=SourceResource,
    also=(404,),
)
def put_source(call: Call) -> Answer:
    """Set a source: fhir, files or judge. Secrets are encrypted, and never shown again."""
    kind = call.path["kind"]
    if kind not in SETTINGS:
        raise NotFoundError("there is no such source")
    written = _settings(call.content, SETTINGS[kind])
    return shown(set_source(call.service, call.organisation, call.path["id"], kind, written))


def set_source(service: Service, organisation: str, identity: str, kind: str, written: Any) -> dict[str, Any]:
    """Keep the settings of a source, and its secrets encrypted. Raises ``InputError`` and ``NotFoundError``."""
    settings, secrets = _parts(written)
    _check(kind, settings, secrets, service.policy)
    service.playgrounds.playground(organisation, identity)
    sealed = service.secrets.seal(secrets, place(identity, kind)) if secrets else None
    service.playgrounds.set_source(organisation, identity, kind, settings, sealed)
    return _source(kind, settings, bool(secrets))


@routes.add("DELETE", "/playgrounds/{id}/sources/{kind}", *WRITE, status=204, also=(404,))
def delete_source(call: Call) -> Answer:
    """Remove a source with its secrets."""
    if call.path["kind"] not in SETTINGS:
        raise NotFoundError("there is no such source")
    call.service.playgrounds.remove_source(call.organisation, call.path["id"], call.path["kind"])
    return Answer(204, b"")


def _settings(content: bytes, model: type[Any]) -> Any:
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        raise invalid_body(error, model) from error


def _parts(written: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """The settings, and apart from them the secrets."""
    settings = written.model_dump(mode="json", exclude={"token", "credentials"})
    if isinstance(written, FilesSettings):
        return settings, dict(written.credentials)
    return settings, {} if written.token is None else {"token": written.token}


def _check(kind: str, settings: dict[str, Any], secrets: dict[str, str], policy: SourcePolicy) -> None:
    """What a playground file would refuse is refused here, too. Raises ``InputError``."""
    try:
        if kind == FHIR:
            FhirPlace(url=settings["url"])
            JudgePlace(url=settings["url"], model="x")
        elif kind == JUDGE:
            JudgePlace(url=settings["url"], model=settings["model"])
        else:
            FilesPlace(url=settings["url"], credentials={name: name for name in secrets})
            check_files_url(settings["url"], secrets, policy)
    except ValidationError as error:
        told = error.errors(include_url=False, include_input=False)[0]["msg"].partition(", ")[2]
        raise InputError(told or f"the URL of the source can't be used: {kind}") from error


def _source(kind: str, settings: dict[str, Any], has_secret: bool) -> dict[str, Any]:
    return {"kind": kind, "settings": settings, "has_secret": has_secret}
