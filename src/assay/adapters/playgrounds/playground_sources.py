"""The sources of a playground file, opened: the state that criteria are held against, and the judge."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, Final

from assay.adapters.playgrounds.playground_file import from_variable, load_playground_file, open_playground_store
from assay.dialects.criteria.playground_file import FhirPlace, FilesPlace, JudgePlace
from assay.engine.criteria.playground_store import Playground
from assay.engine.criteria.verify_criteria import OpenPlayground
from assay.engine.criteria.watched_sources import Say, Waits, WatchedFhir, WatchedFiles, WatchedJudge
from assay.evidence.playground import FhirSource, FileSource
from assay.evidence.verdict import Judge

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
    from assay.adapters.models.judge_prompt import new_mark, prompt_file  # noqa: PLC0415
    from assay.adapters.sources import bearer_tokens  # noqa: PLC0415 - only who has a judge needs it
    from assay.judge.model import GivingUp  # noqa: PLC0415
    from assay.judge.paraphrase import NAME, ParaphraseJudge  # noqa: PLC0415

    token = None if place.token_env is None else bearer_tokens.from_environment(place.token_env)
    limits = limits_of(place.timeout_s)
    with ChatModel(place.url, place.model, token, limits, json_schema=place.json_schema) as model:
        judge = ParaphraseJudge(GivingUp(model), prompt_file(NAME), new_mark)
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
