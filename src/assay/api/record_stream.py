"""Records of a playground as a stream of JSON lines: each line has its own answer, and stops none of the others.

Lines are recorded while they arrive, some at a time. The answers come at the end, because few clients read while
they still send. What was recorded stays, also if the stream breaks off.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol

from starlette.concurrency import run_in_threadpool

from assay.api.answers import ApiAnswer, problem
from assay.api.limits import arriving, too_large
from assay.api.problems import RefusedError
from assay.api.service import Service
from assay.core.errors import InputError
from assay.engine.criteria.load_playground import record_in
from assay.engine.criteria.stored_limits import PAYLOAD_BYTES
from assay.engine.criteria.watched_sources import Record
from assay.engine.explorer.run_export import render_json

NDJSON: Final = "application/x-ndjson"
BATCH_LINES: Final = 200
BATCH_BYTES: Final = 1024 * 1024
MOST_LINES: Final = 100_000
LINE_BYTES: Final = PAYLOAD_BYTES * 3 // 2


@dataclass(frozen=True, slots=True)
class RecordLine:
    """One line, by its number from 1 on."""

    number: int
    text: bytes


class ComingBody(Protocol):
    """A body as it comes."""

    def stream(self) -> AsyncIterator[bytes]: ...


async def record_stream(
    service: Service, organisation: str, playground: str, body: ComingBody, seconds: float
) -> ApiAnswer:
    """Record all lines of a body, and answer for each. Raises ``NotFoundError`` before anything is read."""
    await run_in_threadpool(service.playgrounds.get, organisation, playground)
    answers: list[bytes] = []
    async for batch in _batches(body, seconds):
        answers += await run_in_threadpool(record_batch, service, organisation, playground, batch)
    return ApiAnswer(200, b"".join(answers), media_type=NDJSON)


def record_batch(service: Service, organisation: str, playground: str, lines: Sequence[RecordLine]) -> list[bytes]:
    """The answers to some lines, in their order."""
    now = service.host.now()
    parsed = [_parse(line, now) for line in lines]
    good = [one for one in parsed if not isinstance(one, InputError)]
    try:
        service.playgrounds.record(organisation, playground, good)
        refused: dict[int, InputError] = {}
    except InputError:
        refused = _one_by_one(service, organisation, playground, parsed)
    return [_answer(line, refused.get(at, one)) for at, (line, one) in enumerate(zip(lines, parsed, strict=True))]


def _one_by_one(
    service: Service, organisation: str, playground: str, parsed: Sequence[Record | InputError]
) -> dict[int, InputError]:
    """The refused ones, by place, where not all can be recorded at once."""
    refused = {}
    for at, one in enumerate(parsed):
        if not isinstance(one, InputError):
            try:
                service.playgrounds.record(organisation, playground, [one])
            except InputError as error:
                refused[at] = error
    return refused


def _parse(line: RecordLine, now: datetime) -> Record | InputError:
    try:
        return record_in(line.text, now)
    except InputError as error:
        return error


def _answer(line: RecordLine, outcome: Record | InputError) -> bytes:
    said: dict[str, Any] = {"line": line.number, "ok": not isinstance(outcome, InputError)}
    if isinstance(outcome, InputError):
        said["error"] = {"code": "invalid_request", "message": str(outcome), "details": {}}
    return render_json(said) + b"\n"


async def _batches(body: ComingBody, seconds: float) -> AsyncIterator[list[RecordLine]]:
    """The lines that are not empty, some at a time. Raises ``RefusedError``."""
    rest, number, size = b"", 0, 0
    batch: list[RecordLine] = []
    async for chunk in _chunks(body, seconds):
        *whole, rest = (rest + chunk).split(b"\n")
        if len(rest) > LINE_BYTES:
            raise too_large(LINE_BYTES)
        for text in whole:
            number, size = number + 1, size + len(text)
            _take(batch, number, text)
            if len(batch) >= BATCH_LINES or size >= BATCH_BYTES:
                yield batch
                batch, size = [], 0
    _take(batch, number + 1, rest)
    if batch:
        yield batch


def _take(batch: list[RecordLine], number: int, text: bytes) -> None:
    if number > MOST_LINES:
        raise RefusedError(problem(413, "too_large", f"a stream must have at most {MOST_LINES} lines"))
    if text.strip():
        batch.append(RecordLine(number, text))


async def _chunks(body: ComingBody, seconds: float) -> AsyncIterator[bytes]:
    """The body as it comes. It must go on coming."""
    stream = body.stream()
    while True:
        async with arriving("the next part of the body", seconds):
            chunk = await anext(stream, None)
        if chunk is None:
            return
        yield chunk
