"""Playground files, YAML or JSON, and the playground of the store that one describes."""

import os
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from assay.adapters.machine.yaml_lines import Marked, read_marked, validate_file
from assay.adapters.store.opening import DEFAULT, VARIABLE, open_store
from assay.core.errors import InputError
from assay.dialects.criteria.models import CriteriaFile
from assay.dialects.criteria.playground_file import FhirPlace, FilesPlace, PlaygroundFile
from assay.engine.criteria.bounded_evidence import LoadedCriteria, criterion_of
from assay.engine.criteria.complete_run import Stamp
from assay.engine.schema_errors import Place

if TYPE_CHECKING:
    from assay.adapters.store.store import Store
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Final

from assay.dialects.criteria.playground_file import JudgePlace
from assay.engine.criteria.complete_run import OpenPlayground
from assay.engine.criteria.watched_sources import Playground, Say, Waits, WatchedFhir, WatchedFiles, WatchedJudge
from assay.evidence.playground import FhirSource, FileSource
from assay.evidence.verdict import Judge

CRITERIA = "criteria"


def read_criteria(path: str) -> Marked:
    """Read a file as ``{criteria, data}``, without checking it. Raises ``InputError``."""
    found = read_marked(path)
    if not isinstance(found.value, list):
        return found
    return Marked({CRITERIA: found.value}, {(CRITERIA, *place): line for place, line in found.lines.items()})


def load_criteria(path: str) -> LoadedCriteria:
    """The criteria of a file. Raises ``InputError`` with the file, the line and the field.

    An entry that can't be used is an ``UnusableCriterion``: it will fail and say why.
    """
    found = read_criteria(path)
    entries = found.value.get(CRITERIA) if isinstance(found.value, dict) else None
    listed: list[Any] = entries if isinstance(entries, list) else []
    around = {**found.value, CRITERIA: []} if isinstance(entries, list) else found.value
    file = validate_file(CriteriaFile, path, Marked(around, found.lines))
    lines = _lines_by_entry(found.lines)
    asked = (criterion_of(entry, number, lines.get(number)) for number, entry in enumerate(listed))
    return LoadedCriteria(tuple(asked), file.data)


def _lines_by_entry(lines: Mapping[Place, int]) -> dict[int, dict[Place, int]]:
    """The lines of each criterion, by the place in it."""
    found: dict[int, dict[Place, int]] = {}
    for place, line in lines.items():
        if len(place) > 1 and place[0] == CRITERIA and isinstance(place[1], int):
            found.setdefault(place[1], {})[place[2:]] = line
    return found


def load_data(path: str) -> Mapping[str, Any]:
    """The values that criteria may refer to: an object in a file. Raises ``InputError``."""
    value = read_marked(path).value
    if not isinstance(value, dict):
        raise InputError(f"{path}: data must be an object of names and values")
    return value


def new_stamp(task_run_id: str | None = None) -> Stamp:
    """Now, with ids that nobody else has."""
    return Stamp(datetime.now(UTC), lambda: str(uuid.uuid4()), task_run_id)


def load_playground_file(path: str) -> PlaygroundFile:
    """A playground file with absolute paths. Raises ``InputError`` with the file, the line and the field."""
    file = validate_file(PlaygroundFile, path, read_marked(path))
    beside = os.path.dirname(os.path.abspath(path))
    changed: dict[str, object] = {"store": _store(file, beside)}
    if file.fhir is not None:
        changed["fhir"] = _absolute(file.fhir, beside)
    if file.files is not None:
        changed["files"] = _absolute(file.files, beside)
    return file.model_copy(update=changed)


def open_playground_store(file: PlaygroundFile, create: bool = False) -> "Store":
    """The store of a loaded playground file."""
    where = file.store or DEFAULT
    if create and "://" not in where:
        os.makedirs(os.path.dirname(where), mode=0o700, exist_ok=True)
    return open_store(where, create)


def from_variable(name: str) -> str:
    """The value of an environment variable. Raises ``InputError`` if it isn't set."""
    value = os.environ.get(name, "")
    if not value:
        raise InputError(f"the environment variable {name}, which the playground file names, is not set")
    return value


def _store(file: PlaygroundFile, beside: str) -> str:
    if file.store_env is not None:
        return from_variable(file.store_env)
    if file.store is None and os.environ.get(VARIABLE):
        return os.environ[VARIABLE]
    where = file.store or DEFAULT
    return where if "://" in where else os.path.join(beside, where)


def _absolute(place: FhirPlace | FilesPlace, beside: str) -> FhirPlace | FilesPlace:
    if place.folder is None:
        return place
    return place.model_copy(update={"folder": os.path.normpath(os.path.join(beside, place.folder))})


LOOK_EVERY_SEC: Final = 0.5


@contextmanager
def open_playground(path: str, say: Say = lambda _: None) -> Iterator[OpenPlayground]:
    """Open all sources of a playground file. Its settings take precedence over those in the store.

    ``say`` is told which sources take long, once each. Raises ``InputError`` for a file that can't be used.
    """
    file = load_playground_file(path)
    with ExitStack() as stack:
        waits = stack.enter_context(watching(say))
        store = stack.enter_context(open_playground_store(file))
        from assay.engine.criteria.stored_playground import StoredPlayground  # noqa: PLC0415 - it needs the database

        stored = store.playground(file.id)
        playground = replace(stored, run_start=file.run_start or stored.run_start)
        fhir = stack.enter_context(_fhir(file.fhir, playground, waits))
        files = stack.enter_context(_files(file.files, playground, waits))
        judge = stack.enter_context(_judge(file.judge, waits))
        yield OpenPlayground(StoredPlayground(store, playground, fhir, files), stored.data, file.data, judge)


@contextmanager
def _fhir(place: FhirPlace | None, playground: Playground, waits: Waits) -> Iterator[FhirSource | None]:
    if place is not None and place.folder is not None:
        from assay.adapters.sources.fhir_folder import FhirFolder  # noqa: PLC0415 - only who has one needs it

        yield FhirFolder(place.folder)
        return
    url = playground.fhir_base if place is None else place.url
    if url is None:
        yield None
        return
    from assay.adapters.sources.fhir import FhirServer  # noqa: PLC0415 - only who has a server needs it

    with FhirServer(url, _token(place)) as server:
        yield WatchedFhir(server, f"the FHIR server at {url}", waits)


def _token(place: FhirPlace | None) -> Any:
    from assay.adapters.sources import bearer_tokens  # noqa: PLC0415

    if place is None or not (place.token_env or place.google):
        return None
    return bearer_tokens.from_environment(place.token_env) if place.token_env else bearer_tokens.google()


@contextmanager
def _files(place: FilesPlace | None, playground: Playground, waits: Waits) -> Iterator[FileSource | None]:
    url = playground.file_source if place is None else place.location
    if url is None:
        yield None
        return
    from assay.adapters.sources.files.file_source import file_source  # noqa: PLC0415 - only who has files needs it

    named = {} if place is None else place.credentials
    source = file_source(url, {**os.environ, **{name: from_variable(other) for name, other in named.items()}})
    try:
        yield WatchedFiles(source, f"the files at {url}", waits)
    finally:
        source.close()


@contextmanager
def _judge(place: JudgePlace | None, waits: Waits) -> Iterator[Judge | None]:
    if place is None:
        yield None
        return
    from assay.adapters.models.judge_model import ChatModel, limits_of  # noqa: PLC0415
    from assay.adapters.models.judge_setup import new_mark, prompt_file  # noqa: PLC0415
    from assay.adapters.sources import bearer_tokens  # noqa: PLC0415 - only who has a judge needs it
    from assay.judge.model import GivingUp  # noqa: PLC0415
    from assay.judge.paraphrase import ParaphraseJudge  # noqa: PLC0415

    token = None if place.token_env is None else bearer_tokens.from_environment(place.token_env)
    limits = limits_of(place.timeout_s)
    with ChatModel(place.url, place.model, token, limits, json_schema=place.json_schema) as model:
        judge = ParaphraseJudge(GivingUp(model, time.monotonic), prompt_file, new_mark)
        yield WatchedJudge(judge, f"the judge {place.model}", waits)


@contextmanager
def watching(say: Say) -> Iterator[Waits]:
    """Tell ``say`` which sources take long, until the context ends."""
    waits, ended = Waits(say, time.monotonic), threading.Event()

    def look() -> None:
        while not ended.wait(LOOK_EVERY_SEC):
            waits.look()

    thread = threading.Thread(target=look, name="waits", daemon=True)
    thread.start()
    try:
        yield waits
    finally:
        ended.set()
        thread.join()
