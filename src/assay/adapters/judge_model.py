"""A language model behind an endpoint that speaks OpenAI's chat completions.

What fails, 429 and 5xx are tried again, later each time, until the question's time is over.
"""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from assay.adapters.bearer_tokens import Token
from assay.adapters.files.patience import UnreachableError, patiently
from assay.adapters.json_requests import AGAIN, Limits, Pace
from assay.core.errors import MeasurementError

if TYPE_CHECKING:
    import httpx

TIMEOUT_SEC: Final = 30.0
ANSWER_BYTES: Final = 1024 * 1024
_REASONS: Final = {401: "the endpoint does not accept the key", 403: "the key does not allow this request"}
_BAD_REQUEST: Final = (400, 422)


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
    ) -> None:
        """A ``client`` that is given is not closed here."""
        import httpx  # noqa: PLC0415 - only who has a judge pays for it

        self.model = model
        self._url = f"{url}/chat/completions"
        self._token = token
        self._limits = limits or limits_of(TIMEOUT_SEC)
        self._pace = pace or Pace()
        self._json_schema = json_schema
        self._given = client
        self._client = client or httpx.Client(follow_redirects=False)

    def __enter__(self) -> "ChatModel":
        return self

    def __exit__(self, *_: object) -> None:
        if self._given is None:
            self._client.close()

    def answer(self, text: str, schema: Mapping[str, Any]) -> str:
        """What the model answers, unread. Raises ``MeasurementError`` where there is no answer."""
        body = json.dumps(self._body(text, schema)).encode()
        end = self._pace.clock() + self._limits.deadline_sec
        content = patiently(self._what, self._limits, self._pace, lambda: self._tried(body, end))
        return self._text(content)

    @property
    def _what(self) -> str:
        return f"the judge {self.model}"

    def _body(self, text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        asked = {"model": self.model, "temperature": 0, "messages": [{"role": "user", "content": text}]}
        if not self._json_schema:
            return asked
        named = {"name": "answer", "strict": True, "schema": schema}
        return asked | {"response_format": {"type": "json_schema", "json_schema": named}}

    def _tried(self, body: bytes, end: float) -> bytes:
        import httpx  # noqa: PLC0415

        left = min(self._limits.timeout_sec, end - self._pace.clock())
        if left <= 0:
            raise self._late()
        try:
            with self._client.stream(
                "POST", self._url, content=body, headers=self._headers(), timeout=left
            ) as response:
                self._check(response.status_code)
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

    def _check(self, status: int) -> None:
        if status in AGAIN:
            raise UnreachableError(f"it answers {status}")
        if status != 200:
            known = self._json_schema and status in _BAD_REQUEST
            hint = "; if it doesn't support response_format, set json_schema: false" if known else ""
            raise MeasurementError(f"{self._what}: {_REASONS.get(status, f'it answers {status}')}{hint}")

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

    def _text(self, content: bytes) -> str:
        """The text of the first choice, which is all that is looked at."""
        try:
            text = json.loads(content)["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise MeasurementError(f"{self._what}: its answer is not a chat completion") from error
        if not isinstance(text, str):
            raise MeasurementError(f"{self._what}: its answer has no text")
        return text


def limits_of(timeout_sec: float) -> Limits:
    """The limits of a question that may take so long, with all tries."""
    return Limits(deadline_sec=timeout_sec, timeout_sec=timeout_sec, answer_bytes=ANSWER_BYTES)
