"""Playgrounds: what their systems recorded, their files, and the sources beside them."""

from datetime import datetime
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field, ValidationError

from assay.adapters.service.sources import FHIR, FILES, JUDGE, check_files_url, place
from assay.adapters.sources.source_guard import SourcePolicy
from assay.api.answers import ProblemDetail
from assay.api.problems import parse_body
from assay.api.routing import STREAM, ApiCall, Routes
from assay.api.service import Service
from assay.core.errors import InputError
from assay.dialects.criteria.playground_file import FilesPlace, JudgePlace
from assay.dialects.criteria.records import RowLine, SentEvent, SentResponse, TurnLine
from assay.dialects.criteria.resources import NewPlayground, PlaygroundResource
from assay.engine.criteria.load_playground import no_file, record_of
from assay.engine.criteria.stored_limits import PAYLOAD_BYTES
from assay.engine.service.errors import NotFoundError
from assay.formats.endpoint_url import base_url
from assay.formats.strict_model import StrictModel

routes = Routes()
MOST_RECORDS: Final = 1000
FILE_BYTES: Final = PAYLOAD_BYTES
RECORDING: Final = {"status": 201, "most_bytes": FILE_BYTES}
ONE: Final = "{record:path}"
Secret = Field(default=None, min_length=1, max_length=10_000)


class Recorded(StrictModel):
    """How many records were added. Those that were sent before with the same id are not added again."""

    recorded: int


class RecordResource(StrictModel):
    """A record of a playground. ``sender_id`` is the newest id that its sender gave it.

    ``record`` is what was sent; in a list without its payload, data or text.
    """

    id: str
    sender_id: str | None
    at: datetime
    received_at: datetime | None
    record: dict[str, Any]


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


routes.resource(
    "/playgrounds",
    PlaygroundResource,
    lambda service: service.playgrounds,
    body=NewPlayground,
    create_playground="Add an empty playground.",
    list_playgrounds="The playgrounds, the newest first.",
    get_playground="One playground.",
)


def _several(model: Any) -> Any:
    """One record, or a list of them."""
    listed = BeforeValidator(_as_list, json_schema_input_type=model | list[model])
    return Annotated[list[model], Field(max_length=MOST_RECORDS), listed]


def _as_list(written: Any) -> Any:
    return written if isinstance(written, list) else [written]


def _records(kind: str, model: Any, meaning: str) -> None:
    """The routes for records of a kind."""

    def record(call: ApiCall) -> Any:
        now = call.service.host.now()
        records = [record_of(line, no_file, f"record {n}", now) for n, line in enumerate(call.body, 1)]
        return {"recorded": call.service.playgrounds.record(call.organisation, call.id, records)}

    def listed(call: ApiCall) -> Any:
        return call.service.kept.slice(call.organisation, call.id, kind, call.slice)

    def get(call: ApiCall) -> Any:
        return call.service.kept.get(call.organisation, call.id, kind, call.path["record"])

    def delete(call: ApiCall) -> None:
        call.service.kept.remove(call.organisation, call.id, kind, call.path["record"])

    path, word = f"/playgrounds/{{id}}/{kind}", kind.removesuffix("s")
    usual = (
        (record, f"record_{kind}", meaning, routes.post(path, Recorded, body=_several(model), **RECORDING)),
        (
            listed,
            f"list_{kind}",
            f"The {kind} of a playground, the newest first.",
            routes.lists(path, RecordResource, noted=True),
        ),
        (
            get,
            f"get_{word}",
            f"One of the {kind}, as it was sent.",
            routes.get(f"{path}/{ONE}", RecordResource, noted=True),
        ),
        (delete, f"delete_{word}", f"Remove one of the {kind}, for good.", routes.delete(f"{path}/{ONE}")),
    )
    for handle, name, told, declare in usual:
        handle.__name__, handle.__doc__ = name, told
        declare(handle)


_records("events", SentEvent, "Record an event or a list of them, such as messages that were sent: all or none.")
_records("rows", RowLine, "Record a row of state or a list of them. A row replaces the one with its key.")
_records("turns", TurnLine, "Record a turn of a call or a list of them.")
_records("responses", SentResponse, "Record an X12 response or a list of them.")


@routes.post("/playgrounds/{id}/records", LineAnswer, body=STREAM, also=(400, 404))
def record_lines(call: ApiCall) -> Any:
    """Record a stream of JSON lines (application/x-ndjson), each an event, row, turn or x12_response.

    The field ``record`` says which. Every line has its own answer, in order; a line that is refused stops none
    of the others.
    """
    raise TypeError(f"{call.path} is answered while it is read")


@routes.put("/playgrounds/{id}/files/{path:path}", FileResource, body=bytes, most_bytes=FILE_BYTES)
def put_file(call: ApiCall) -> Any:
    """Put a file into a playground. One with the same path is replaced."""
    return call.service.playgrounds.put_file(call.organisation, call.id, call.path["path"], call.content)


@routes.get("/playgrounds/{id}/sources", list[SourceResource])
def list_sources(call: ApiCall) -> Any:
    """The sources of a playground, without their secrets."""
    return sources_of(call.service, call.organisation, call.id)


def sources_of(service: Service, organisation: str, playground: str) -> list[SourceResource]:
    found = sorted(service.playgrounds.sources(organisation, playground).items())
    return [
        SourceResource(kind=kind, settings=settings, has_secret=secret is not None)
        for kind, (settings, secret) in found
    ]


@routes.put("/playgrounds/{id}/sources/{kind}", SourceResource, body=FhirSettings | FilesSettings | JudgeSettings)
def put_source(call: ApiCall) -> Any:
    """Set a source: fhir, files or judge. Secrets are encrypted, and never shown again."""
    kind = call.path["kind"]
    if kind not in SETTINGS:
        raise NotFoundError("there is no such source")
    written = parse_body(SETTINGS[kind], call.content)
    return set_source(call.service, call.organisation, call.id, kind, written)


def set_source(service: Service, organisation: str, identity: str, kind: str, written: Any) -> SourceResource:
    """Keep the settings of a source, and its secrets encrypted. Raises ``InputError`` and ``NotFoundError``."""
    settings, secrets = _parts(written)
    _check(kind, settings, secrets, service.policy)
    service.playgrounds.get(organisation, identity)
    sealed = service.secrets.seal(secrets, place(identity, kind)) if secrets else None
    service.playgrounds.set_source(organisation, identity, kind, settings, sealed)
    return SourceResource(kind=kind, settings=settings, has_secret=bool(secrets))


@routes.delete("/playgrounds/{id}/sources/{kind}")
def delete_source(call: ApiCall) -> Any:
    """Remove a source with its secrets."""
    if call.path["kind"] not in SETTINGS:
        raise NotFoundError("there is no such source")
    call.service.playgrounds.remove_source(call.organisation, call.id, call.path["kind"])


def _parts(written: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """The settings, and apart from them the secrets."""
    settings = written.model_dump(mode="json", exclude={"token", "credentials"})
    if isinstance(written, FilesSettings):
        return settings, dict(written.credentials)
    return settings, {} if written.token is None else {"token": written.token}


def _check(kind: str, settings: dict[str, Any], secrets: dict[str, str], policy: SourcePolicy) -> None:
    """Refuse whatever a playground file would refuse. Raises ``InputError``."""
    try:
        if kind == FHIR:
            base_url(settings["url"], "a FHIR server")
        elif kind == JUDGE:
            JudgePlace(url=settings["url"], model=settings["model"])
        else:
            FilesPlace(url=settings["url"], credentials={name: name for name in secrets})
            check_files_url(settings["url"], secrets, policy)
    except ValueError as error:
        if not isinstance(error, ValidationError):
            raise InputError(str(error)) from error
        told = error.errors(include_url=False, include_input=False)[0]["msg"].partition(", ")[2]
        raise InputError(told or f"the URL of the source can't be used: {kind}") from error
