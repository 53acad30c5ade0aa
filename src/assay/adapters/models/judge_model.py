"""A language model behind an endpoint: OpenAI's chat completions, or Anthropic's messages.

What fails, 429 and 5xx are tried again, later each time and not before the endpoint wants, until the question's
time is over. What the endpoint refuses of a request is left out, one thing after the other, as its answer names
it; that is remembered, and every answer says what was adapted for it.

Answers of models in a file: a cache, a recording, or what a recording is played back from.

The file answers.jsonl has one line for each answer, which begins with the hash of everything that went in: the
model, the prompt with its data, and how it was asked. Nothing of the prompt is in it. Lines are only ever added,
so that several processes may write at the same time.
"""

import fcntl
import json
import os
import threading
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final

from assay.adapters.models.request_plan import RequestPlan, endpoint_at
from assay.adapters.models.wire_reply import NotACompletionError, ProviderError, WireReply, read_error, read_wire
from assay.adapters.sources.bearer_tokens import Token
from assay.adapters.sources.json_requests import (
    Pace,
    RequestLimits,
    UnreachableError,
    httpx_module,
    patiently,
    retry_after,
)
from assay.core.errors import MeasurementError
from assay.dialects.scorers.report import JudgeUsage
from assay.judge.model import ModelClient, ModelQuestion, Reply, request_key

NAME: Final = "answers.jsonl"
FORMAT: Final = 1
_KEY_AT: Final = len('{"key": "')
_KEY_END: Final = _KEY_AT + 64


if TYPE_CHECKING:
    import httpx

TIMEOUT_SEC: Final = 30.0
ANSWER_BYTES: Final = 1024 * 1024
# The pieces of a stream take some hundred bytes for each token.
STREAM_TIMES: Final = 16
AT_ONCE: Final = 8


class ChatModel:
    """Fulfils ``ModelClient``. To be closed, or used in a ``with``. No message has a word of a prompt in it."""

    def __init__(
        self,
        url: str,
        model: str,
        token: Token | None = None,
        limits: RequestLimits | None = None,
        pace: Pace | None = None,
        json_schema: bool = True,
        client: "httpx.Client | None" = None,
        at_once: int = AT_ONCE,
        stream: bool = False,
        first_byte_sec: float | None = None,
        plans: dict[tuple[str, str], RequestPlan] | None = None,
    ) -> None:
        """A ``client`` that is given is not closed here.

        With ``stream``, the time limit counts from the first byte on, which may take up to ``first_byte_sec``.
        ``plans`` has the last one that an endpoint took for a model.
        """
        self.model = model
        self._endpoint = endpoint_at(url)
        self._url: str | httpx.URL = self._endpoint.url
        self._token = token
        self._limits = limits or limits_of(TIMEOUT_SEC)
        self._first_byte_sec = first_byte_sec or self._limits.deadline_sec
        self._pace = pace or Pace()
        self._given = client
        messages = self._endpoint.speaks_messages
        self._first = RequestPlan("json_schema" if json_schema else "text", messages, stream and not messages)
        self._plans = {} if plans is None else plans
        self._place = (url, model)
        self._turns = threading.BoundedSemaphore(at_once)
        pool = httpx_module().Limits(max_connections=at_once, max_keepalive_connections=at_once)
        self._client = client or httpx_module().Client(follow_redirects=False, limits=pool)

    def __enter__(self) -> "ChatModel":
        return self

    def __exit__(self, *_: object) -> None:
        if self._given is None:
            self._client.close()

    def ask(self, request: ModelQuestion) -> Reply:
        """The model's answer. Raises ``MeasurementError`` if there is none."""
        with self._turns:
            return self._ask(request)

    def _ask(self, request: ModelQuestion) -> Reply:
        begin = self._pace.clock()
        plan = self._plans.get(self._place, self._first)
        while True:
            found = self._answer(plan, request, begin)
            if isinstance(found, WireReply):
                break
            adapted = plan.adapted(found, plan.body(self.model, request))
            if adapted is None:
                raise MeasurementError(f"{self._what}: {self._words(found, request)}")
            plan = adapted
        if found.text is None:
            raise MeasurementError(f"{self._what}: its answer has no text")
        self._plans[self._place] = plan
        taken = self._pace.clock() - begin
        canary = request.prompt.canary
        return Reply(found.text, found.finish, plan.mode, found.usage, taken, canary, adapted=plan.changes)

    def _answer(self, plan: RequestPlan, request: ModelQuestion, begin: float) -> WireReply | ProviderError:
        sent = plan.body(self.model, request)
        body = json.dumps(sent).encode()

        def attempt() -> WireReply | ProviderError:
            found, pause = self._post_once(body, begin, stream=plan.stream)
            if isinstance(found, ProviderError) and found.is_passing and found.named(sent) is None:
                raise UnreachableError(self._words(found, request), pause)
            return found

        return patiently(self._what, self._limits, self._pace, attempt)

    @property
    def _what(self) -> str:
        return f"the judge {self.model}"

    def _words(self, error: ProviderError, request: ModelQuestion) -> str:
        return error.sentence(request.prompt.text, None if self._token is None else self._token())

    def _post_once(self, body: bytes, begin: float, *, stream: bool) -> tuple[WireReply | ProviderError, float]:
        """The reply, and how long the endpoint wants to be left alone."""
        httpx = httpx_module()
        most = self._first_byte_sec if stream else self._limits.deadline_sec
        left = begin + most - self._pace.clock()
        if left <= 0:
            raise self._late(most)
        left = left if stream else min(left, self._limits.timeout_sec)
        headers = self._endpoint.headers(None if self._token is None else self._token())
        try:
            self._url = httpx.URL(self._url)
            with self._client.stream("POST", self._url, content=body, headers=headers, timeout=left) as response:
                end = None if stream else begin + self._limits.deadline_sec
                content = self._content(response, end)
            found = (
                read_wire(content) if response.status_code == 200 else read_error(response.status_code, content)
            )
        except httpx.TimeoutException as error:
            raise UnreachableError("it does not answer in time") from error
        except httpx.TransportError as error:
            raise UnreachableError(f"it can't be reached ({type(error).__name__})") from error
        except (httpx.DecodingError, httpx.InvalidURL) as error:
            raise MeasurementError(f"{self._what}: {type(error).__name__}") from error
        except NotACompletionError as error:
            raise MeasurementError(f"{self._what}: its answer is not a chat completion") from error
        return found, 0 if isinstance(found, WireReply) else retry_after(response.headers)

    def _content(self, response: "httpx.Response", end: float | None) -> bytes:
        """All of an answer. Without an end, the time counts from its first byte on."""
        content = bytearray()
        is_stream = "event-stream" in response.headers.get("content-type", "")
        most = self._limits.answer_bytes * (STREAM_TIMES if is_stream else 1)
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) > most:
                raise MeasurementError(f"{self._what}: it answers more than {most} bytes")
            end = end or self._pace.clock() + self._limits.deadline_sec
            if self._pace.clock() > end:
                raise self._late(self._limits.deadline_sec)
        return bytes(content)

    def _late(self, seconds: float) -> MeasurementError:
        return MeasurementError(f"{self._what}: there is no answer within {seconds:g} s")


def limits_of(timeout_sec: float) -> RequestLimits:
    """The limits of a question that may take so long, with all tries."""
    return RequestLimits(deadline_sec=timeout_sec, timeout_sec=timeout_sec, answer_bytes=ANSWER_BYTES)


class AnswerFolder:
    """Answers by the hash of their question. Only where each one is stays in memory."""

    def __init__(self, folder: str) -> None:
        self._path = f"{folder}/{NAME}"
        self._lock = threading.Lock()
        self._places: dict[bytes, tuple[int, int]] = {}
        self._seen = 0
        self._fd: int | None = None

    def read(self, key: str) -> Reply | None:
        """The answer to a question, if there is one. Raises ``MeasurementError`` for a file that can't be used."""
        try:
            with self._lock:
                place = self._places.get(key.encode()) or self._look(key.encode())
                data = None if place is None or self._fd is None else os.pread(self._fd, place[1], place[0])
        except OSError as error:
            raise MeasurementError(f"{self._path} can't be read: {error.strerror}") from error
        return None if data is None else self._reply(data)

    def write(self, key: str, reply: Reply) -> None:
        """Keep an answer. Raises ``MeasurementError`` if it can't be written."""
        told = {one.name: getattr(reply, one.name) for one in fields(reply) if one.name != "recorded"}
        told["usage"] = reply.usage.model_dump()
        line = json.dumps({"key": key, "format": FORMAT, **told}).encode() + b"\n"
        try:
            with self._lock, open(self._path, "ab+", buffering=0) as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                # A process that was killed may have left half a line.
                end = os.fstat(file.fileno()).st_size
                whole = end == 0 or os.pread(file.fileno(), 1, end - 1) == b"\n"
                file.write(line if whole else b"\n" + line)
        except OSError as error:
            raise MeasurementError(f"the answer can't be written to {self._path}: {error.strerror}") from error

    def _look(self, key: bytes) -> tuple[int, int] | None:
        """Where an answer is, after reading on from where this stopped: others may have added some."""
        if self._fd is None:
            try:
                self._fd = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                return None
        size = os.fstat(self._fd).st_size
        if size > self._seen:
            with open(self._path, "rb") as file:
                file.seek(self._seen)
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    self._places[line[_KEY_AT:_KEY_END]] = (self._seen, len(line))
                    self._seen += len(line)
        return self._places.get(key)

    def _reply(self, data: bytes) -> Reply:
        try:
            written = json.loads(data)
            del written["key"]
            if written.pop("format") != FORMAT:
                raise ValueError(f"format must be {FORMAT}")
            known = {"usage": JudgeUsage(**written["usage"]), "adapted": tuple(written.get("adapted", ()))}
            return Reply(**{**written, **known, "recorded": True})
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            raise MeasurementError(f"{self._path} has a line that isn't an answer that was recorded") from error


@dataclass(frozen=True, slots=True)
class RecordedModel:
    """Fulfils ``ModelClient`` with answers that were recorded. Without a client to ask, there are no others."""

    model: str
    answers: AnswerFolder
    client: ModelClient | None = None

    def ask(self, request: ModelQuestion) -> Reply:
        key = request_key(request, self.model)
        known = self.answers.read(key)
        if known is not None:
            return known
        if self.client is None:
            raise MeasurementError(f"the judge {self.model}: no answer to this question was recorded")
        reply = self.client.ask(request)
        self.answers.write(key, reply)
        return reply
