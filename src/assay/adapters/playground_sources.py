"""Open all sources of a playground file at once, as the state that criteria are held against, and its judge."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from assay.adapters.playground_file import files_url, from_variable, open_playground_store
from assay.adapters.playground_waits import Waits
from assay.adapters.playground_watched import WatchedFhir, WatchedFiles, WatchedJudge
from assay.adapters.store.playground import Playground
from assay.dialects.criteria.judge_place import JudgePlace
from assay.dialects.criteria.playground_file import FhirPlace, FilesPlace, PlaygroundFile
from assay.evidence.paraphrase import Judge
from assay.evidence.playground import FhirSource, FileSource, PlaygroundState


@dataclass(frozen=True, slots=True)
class OpenPlayground:
    """``stored`` are the values that criteria may refer to, ``given`` those that win over the criteria's own."""

    state: PlaygroundState
    stored: Mapping[str, Any]
    given: Mapping[str, Any]
    judge: Judge | None


@contextmanager
def opened(file: PlaygroundFile, waits: Waits) -> Iterator[OpenPlayground]:
    """What the file says of a playground wins over what the store knows of it."""
    with ExitStack() as stack:
        store = stack.enter_context(open_playground_store(file))
        from assay.adapters.store.stored_playground import StoredPlayground  # noqa: PLC0415 - it needs the database

        stored = store.playground(file.id)
        playground = replace(stored, run_start=file.run_start or stored.run_start)
        fhir = stack.enter_context(_fhir(file.fhir, playground, waits))
        files = stack.enter_context(_files(file.files, playground, waits))
        judge = stack.enter_context(_judge(file.judge, waits))
        yield OpenPlayground(StoredPlayground(store, playground, fhir, files), stored.data, file.data, judge)


@contextmanager
def _fhir(place: FhirPlace | None, playground: Playground, waits: Waits) -> Iterator[FhirSource | None]:
    if place is not None and place.folder is not None:
        from assay.adapters.fhir_folder import FhirFolder  # noqa: PLC0415 - only who has one needs it

        yield FhirFolder(place.folder)
        return
    url = playground.fhir_base if place is None else place.url
    if url is None:
        yield None
        return
    from assay.adapters.fhir import FhirServer  # noqa: PLC0415 - only who has a server needs it

    with FhirServer(url, _token(place)) as server:
        yield WatchedFhir(server, f"the FHIR server at {url}", waits)


def _token(place: FhirPlace | None) -> Any:
    from assay.adapters import bearer_tokens  # noqa: PLC0415

    if place is None or not (place.token_env or place.google):
        return None
    return bearer_tokens.from_environment(place.token_env) if place.token_env else bearer_tokens.google()


@contextmanager
def _files(place: FilesPlace | None, playground: Playground, waits: Waits) -> Iterator[FileSource | None]:
    url = playground.file_source if place is None else files_url(place)
    if url is None:
        yield None
        return
    from assay.adapters.files.file_source import file_source  # noqa: PLC0415 - only who has files needs it

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
    from assay.adapters import bearer_tokens  # noqa: PLC0415 - only who has a judge needs it
    from assay.adapters.judge_model import ChatModel, limits_of  # noqa: PLC0415
    from assay.judge.paraphrase import ParaphraseJudge  # noqa: PLC0415

    token = None if place.token_env is None else bearer_tokens.from_environment(place.token_env)
    limits = limits_of(place.timeout_s)
    with ChatModel(place.url, place.model, token, limits, json_schema=place.json_schema) as model:
        yield WatchedJudge(ParaphraseJudge(model), f"the judge {place.model}", waits)
