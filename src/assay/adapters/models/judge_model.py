"""A language model behind an endpoint that speaks OpenAI's chat completions.

What fails, 429 and 5xx are tried again, later each time and not before the endpoint wants, until the question's
time is over. An endpoint that has no answers by schema is asked in JSON mode, failing that in plain words.

Answers of models in a file: a cache, a recording, or what a recording is played back from.

The file answers.jsonl has one line for each answer, which begins with the hash of everything that went in: the
model, the prompt with its data, and how it was asked. Nothing of the prompt is in it. Lines are only ever added,
so that several processes may write at the same time.
"""

import contextlib
import fcntl
import json
import os
import threading
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final

from assay.adapters.sources.bearer_tokens import Token
from assay.adapters.sources.files.folder import UnreachableError, patiently
from assay.adapters.sources.json_requests import AGAIN, Pace, RequestLimits, retry_after
from assay.core.errors import MeasurementError
from assay.judge.model import AnswerUsage, Finish, Mode, ModelClient, ModelQuestion, Reply, request_key

NAME: Final = "answers.jsonl"
FORMAT: Final = 1
_KEY_AT: Final = len('{"key": "')
_KEY_END: Final = _KEY_AT + 64


if TYPE_CHECKING:
    import httpx

TIMEOUT_SEC: Final = 30.0
ANSWER_BYTES: Final = 1024 * 1024
AT_ONCE: Final = 8
MODES: Final[tuple[Mode, ...]] = ("json_schema", "json_object", "text")
_REASONS: Final = {401: "the endpoint does not accept the key", 403: "the key does not allow this request"}
_BAD_REQUEST: Final = (400, 415, 422, 501)
_FINISHES: Final[dict[object, Finish]] = {"length": "length", "max_tokens": "length", "content_filter": "refusal"}


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
    ) -> None:
        """A ``client`` that is given is not closed here."""
        import httpx  # noqa: PLC0415 - only who has a judge pays for it

        self.model = model
        self._url = f"{url}/chat/completions"
        self._token = token
        self._limits = limits or limits_of(TIMEOUT_SEC)
        self._pace = pace or Pace()
        self._given = client
        self._mode: Mode = "json_schema" if json_schema else "text"
        self._turns = threading.BoundedSemaphore(at_once)
        pool = httpx.Limits(max_connections=at_once, max_keepalive_connections=at_once)
        self._client = client or httpx.Client(follow_redirects=False, limits=pool)

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
        for mode in MODES[MODES.index(self._mode) :]:
            try:
                content = self._content_in(mode, request, begin + self._limits.deadline_sec)
            except _UnknownModeError as error:
                if mode == MODES[-1]:
                    raise MeasurementError(str(error)) from error
                continue
            self._mode = mode
            return self._reply(content, mode, request.prompt.canary, self._pace.clock() - begin)
        raise AssertionError("the last mode answers or raises")

    def _content_in(self, mode: Mode, request: ModelQuestion, end: float) -> bytes:
        body = json.dumps(_body(self.model, request, mode)).encode()
        return patiently(self._what, self._limits, self._pace, lambda: self._post_once(body, end))

    @property
    def _what(self) -> str:
        return f"the judge {self.model}"

    def _post_once(self, body: bytes, end: float) -> bytes:
        import httpx  # noqa: PLC0415

        left = min(self._limits.timeout_sec, end - self._pace.clock())
        if left <= 0:
            raise self._late()
        try:
            with self._client.stream(
                "POST", self._url, content=body, headers=self._headers(), timeout=left
            ) as response:
                self._check(response)
                return self._content(response, end)
        except httpx.TimeoutException as error:
            raise UnreachableError("it does not answer in time") from error
        except httpx.TransportError as error:
            raise UnreachableError(f"it can't be reached ({type(error).__name__})") from error
        except (httpx.DecodingError, httpx.InvalidURL) as error:
            raise MeasurementError(f"{self._what}: {type(error).__name__}") from error

    def _headers(self) -> dict[str, str]:
        token = {} if self._token is None else {"Authorization": f"Bearer {self._token()}"}
        return {"Accept": "application/json", "Content-Type": "application/json"} | token

    def _check(self, response: "httpx.Response") -> None:
        status = response.status_code
        if status in AGAIN:
            raise UnreachableError(f"it answers {status}", retry_after(response.headers))
        if status != 200:
            why = f"{self._what}: {_REASONS.get(status, f'it answers {status}')}"
            raise _UnknownModeError(why) if status in _BAD_REQUEST else MeasurementError(why)

    def _content(self, response: "httpx.Response", end: float) -> bytes:
        content = bytearray()
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) > self._limits.answer_bytes:
                raise MeasurementError(f"{self._what}: it answers more than {self._limits.answer_bytes} bytes")
            if self._pace.clock() > end:
                raise self._late()
        return bytes(content)

    def _late(self) -> MeasurementError:
        return MeasurementError(f"{self._what}: there is no answer within {self._limits.deadline_sec:g} s")

    def _reply(self, content: bytes, mode: Mode, canary: str | None, latency_sec: float) -> Reply:
        """The first choice, which is all that is looked at."""
        try:
            answer = json.loads(content)
            choice = answer["choices"][0]
            message = choice["message"]
            text, refusal = message.get("content"), message.get("refusal")
            finish = _FINISHES.get(choice.get("finish_reason"), "stop")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise MeasurementError(f"{self._what}: its answer is not a chat completion") from error
        if isinstance(refusal, str) and refusal:
            text, finish = refusal, "refusal"
        if not isinstance(text, str):
            raise MeasurementError(f"{self._what}: its answer has no text")
        return Reply(text, finish, mode, _usage(answer), latency_sec, canary)


class _UnknownModeError(Exception):
    """The endpoint refuses the request, perhaps because of the form in which it should answer."""


def limits_of(timeout_sec: float) -> RequestLimits:
    """The limits of a question that may take so long, with all tries."""
    return RequestLimits(deadline_sec=timeout_sec, timeout_sec=timeout_sec, answer_bytes=ANSWER_BYTES)


def _body(model: str, request: ModelQuestion, mode: Mode) -> dict[str, Any]:
    sampling = request.sampling
    chosen = {"temperature": sampling.temperature, "max_tokens": sampling.max_tokens, "seed": sampling.seed}
    asked: dict[str, Any] = {"model": model, "messages": [{"role": "user", "content": request.prompt.text}]}
    asked |= {name: value for name, value in chosen.items() if value is not None}
    if mode == "json_object":
        asked["response_format"] = {"type": "json_object"}
    elif mode == "json_schema":
        named = {"name": "answer", "strict": True, "schema": request.prompt.schema}
        asked["response_format"] = {"type": "json_schema", "json_schema": named}
    return asked


def _usage(answer: dict[str, Any]) -> AnswerUsage:
    told = answer.get("usage")
    found = told if isinstance(told, dict) else {}
    return AnswerUsage(_count(found.get("prompt_tokens")), _count(found.get("completion_tokens")))


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


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
        told = asdict(replace(reply, recorded=False))
        del told["recorded"]
        line = json.dumps({"key": key, "format": FORMAT, **told}).encode() + b"\n"
        try:
            with self._lock, self._alone() as fd:
                # A process that was killed may have left half a line.
                end = os.fstat(fd).st_size
                whole = end == 0 or os.pread(fd, 1, end - 1) == b"\n"
                os.write(fd, line if whole else b"\n" + line)
        except OSError as error:
            raise MeasurementError(f"the answer can't be written to {self._path}: {error.strerror}") from error

    @contextlib.contextmanager
    def _alone(self) -> Iterator[int]:
        fd = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield fd
        finally:
            os.close(fd)

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
            return Reply(**{**written, "usage": AnswerUsage(**written["usage"]), "recorded": True})
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            raise MeasurementError(f"{self._path} has a line that isn't an answer that was recorded") from error


class RememberingModel:
    """Fulfils ``ModelClient``. A question that was asked before is not asked again."""

    def __init__(self, client: ModelClient, answers: AnswerFolder) -> None:
        self.model = client.model
        self._client = client
        self._answers = answers

    def ask(self, request: ModelQuestion) -> Reply:
        key = request_key(request, self.model)
        known = self._answers.read(key)
        if known is not None:
            return known
        reply = self._client.ask(request)
        self._answers.write(key, reply)
        return reply


class Replaying:
    """Fulfils ``ModelClient`` with answers that were recorded, and asks nobody."""

    def __init__(self, model: str, answers: AnswerFolder) -> None:
        self.model = model
        self._answers = answers

    def ask(self, request: ModelQuestion) -> Reply:
        known = self._answers.read(request_key(request, self.model))
        if known is None:
            raise MeasurementError(f"the judge {self.model}: no answer to this question was recorded")
        return known
