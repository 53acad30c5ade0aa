"""A POST with an ``Idempotency-Key`` is done once: who sends it again within a day gets the answer of the first.

An answer with a secret is kept encrypted, with a key made of the caller's own, which the service doesn't keep.
"""

import base64
import hashlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from assay.adapters.service.secret_box import SecretBox
from assay.adapters.store.errors import StoreError
from assay.api.answers import ApiAnswer, problem
from assay.api.limits import arriving
from assay.api.problems import RefusedError
from assay.api.routing import STREAM, Route
from assay.api.service import Service
from assay.core.errors import AssayError, InputError, MeasurementError
from assay.engine.integration.stored_answers import BROKE_OFF, OTHER_REQUEST, Attempt, StoredAnswer
from assay.engine.service.errors import ConflictError
from assay.engine.service.keys import Key

log = logging.getLogger("assay.api")

HEADER: Final = "idempotency-key"
REPLAYED: Final = "Idempotent-Replayed"
STREAM_SEC: Final = 600.0
_MOST: Final = 200
_TYPE: Final = "Content-Type"


def attempt_of(route: Route, request: Request, key: Key, content: bytes) -> Attempt | None:
    """None for a request without an idempotency key. Raises ``InputError``."""
    written = request.headers.get(HEADER)
    if written is None or route.method != "POST":
        return None
    if not (0 < len(written) <= _MOST and written.isascii() and written.isprintable()):
        raise InputError(f"Idempotency-Key must be 1 to {_MOST} printable ASCII characters")
    about = f"{route.path} {sorted(request.path_params.items())} {request.query_params} ".encode()
    # What was added twice would be there twice; everything else is the same the second time.
    repeatable = route.status == 200 and route.body is not STREAM
    digest = hashlib.sha256(about + content).hexdigest()
    return Attempt(key.owner, written, digest, repeatable, request.path_params.get("id"))


def done_once(
    service: Service, attempt: Attempt | None, secret: str | None, do: Callable[[], ApiAnswer]
) -> ApiAnswer:
    """The answer of ``do``, or its first one if the request is repeated. ``secret`` is the caller's, if shown."""
    if attempt is None:
        return do()
    before = service.answers.begin(attempt)
    if before is not None:
        return _replayed(before, secret)
    try:
        answer = do()
    except (InputError, MeasurementError, RefusedError) as error:
        if not isinstance(error, StoreError):
            service.answers.release(attempt)
        raise
    _keep(service, attempt, answer, secret)
    return answer


class HashedBody:
    """The body of a request as it comes, and its hash so far."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._hash = hashlib.sha256()

    async def stream(self) -> AsyncIterator[bytes]:
        async for chunk in self._request.stream():
            self._hash.update(chunk)
            yield chunk

    def seen_by(self, attempt: Attempt) -> Attempt:
        """The attempt with what was sent so far."""
        return replace(attempt, digest=hashlib.sha256(attempt.digest.encode() + self._hash.digest()).hexdigest())


async def streamed_once(
    service: Service, attempt: Attempt | None, body: HashedBody, do: Callable[[], Awaitable[ApiAnswer]]
) -> ApiAnswer:
    """The same for a body that is recorded while it comes, so that it is known only afterwards."""
    if attempt is None:
        return await do()
    before = await run_in_threadpool(service.answers.begin, replace(attempt, digest=""))
    if before is not None:
        async with arriving("the body", STREAM_SEC):
            async for _ in body.stream():
                pass
        if before.digest != body.seen_by(attempt).digest:
            raise ConflictError(OTHER_REQUEST)
        return _replayed(before, None)
    try:
        answer = await do()
    except (AssayError, RefusedError):
        # Some of it may be recorded.
        broken = problem(409, "conflict", BROKE_OFF)
        await run_in_threadpool(_keep, service, body.seen_by(attempt), broken, None)
        raise
    await run_in_threadpool(_keep, service, body.seen_by(attempt), answer, None)
    return answer


def _keep(service: Service, attempt: Attempt, answer: ApiAnswer, secret: str | None) -> None:
    headers = {**answer.headers, _TYPE: answer.media_type}
    body = answer.body if secret is None else _sealed(answer.body, secret)
    try:
        service.answers.finish(attempt, StoredAnswer(answer.status, headers, body, attempt.digest))
    except StoreError as error:
        # It was done all the same, and who asks again is told to look.
        log.error("the answer to an idempotency key can't be kept: %s", error)


def _replayed(before: StoredAnswer, secret: str | None) -> ApiAnswer:
    headers = {**before.headers, REPLAYED: "true"}
    media_type = headers.pop(_TYPE)
    body = before.body if secret is None else _opened(before.body, secret)
    return ApiAnswer(before.status, body, headers, media_type)


def _box(secret: str) -> SecretBox:
    return SecretBox(hashlib.sha256(b"stored answer " + secret.encode()).digest())


def _sealed(body: bytes, secret: str) -> bytes:
    return _box(secret).seal({"body": base64.b64encode(body).decode()}, HEADER)


def _opened(body: bytes, secret: str) -> bytes:
    try:
        return base64.b64decode(_box(secret).open(body, HEADER)["body"])
    except AssayError as error:
        raise ConflictError(
            "the answer to this idempotency key has a secret, which only its own key sees"
        ) from error
