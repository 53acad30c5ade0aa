"""A language model behind an endpoint that speaks OpenAI's chat completions.

What fails, 429 and 5xx are tried again, later each time and not before the endpoint wants, until the question's
time is over. An endpoint that has no answers by schema is asked in JSON mode, failing that in plain words.
"""

import json
import threading
from typing import TYPE_CHECKING, Any, Final

from assay.adapters.bearer_tokens import Token
from assay.adapters.files.patience import UnreachableError, patiently
from assay.adapters.json_requests import AGAIN, Limits, Pace, retry_after
from assay.core.errors import MeasurementError
from assay.judge.model import Finish, Mode, Reply, Request, Usage

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
        limits: Limits | None = None,
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

    def ask(self, request: Request) -> Reply:
        """What the model answers. Raises ``MeasurementError`` where there is no answer."""
        with self._turns:
            return self._ask(request)

    def _ask(self, request: Request) -> Reply:
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

    def _content_in(self, mode: Mode, request: Request, end: float) -> bytes:
        body = json.dumps(_body(self.model, request, mode)).encode()
        return patiently(self._what, self._limits, self._pace, lambda: self._tried(body, end))

    @property
    def _what(self) -> str:
        return f"the judge {self.model}"

    def _tried(self, body: bytes, end: float) -> bytes:
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


def limits_of(timeout_sec: float) -> Limits:
    """The limits of a question that may take so long, with all tries."""
    return Limits(deadline_sec=timeout_sec, timeout_sec=timeout_sec, answer_bytes=ANSWER_BYTES)


def _body(model: str, request: Request, mode: Mode) -> dict[str, Any]:
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


def _usage(answer: dict[str, Any]) -> Usage:
    told = answer.get("usage")
    found = told if isinstance(told, dict) else {}
    return Usage(_count(found.get("prompt_tokens")), _count(found.get("completion_tokens")))


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
