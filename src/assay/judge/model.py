"""A language model as the judge sees it: one question, one answer, and what that took."""

import hashlib
import json
import threading
from dataclasses import asdict, dataclass
from typing import Final, Literal, Protocol, TypeAlias, TypeVar

from assay.core.errors import MeasurementError
from assay.judge.prompt import Prompt

Number = TypeVar("Number", int, float)
Finish: TypeAlias = Literal["stop", "length", "refusal"]
Mode: TypeAlias = Literal["json_schema", "json_object", "text"]
# Each failure has cost all the patience that there is for one question.
GIVEN_UP_AFTER: Final = 2


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model chooses its words. What is None is not sent."""

    temperature: float | None = 0
    max_tokens: int | None = 4096
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One question. ``sample`` and ``attempt`` tell apart questions that are otherwise the same."""

    prompt: Prompt
    sampling: Sampling = Sampling()
    sample: int = 1
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer took. None where the endpoint doesn't say, or the price isn't known."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None

    def plus(self, other: "Usage") -> "Usage":
        """Both together. Where one of them isn't known, the other one counts."""
        return Usage(
            _sum(self.tokens_in, other.tokens_in),
            _sum(self.tokens_out, other.tokens_out),
            _sum(self.cost, other.cost),
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answers, unread, and how. ``canary`` is the word that was planted when it was asked."""

    text: str
    finish: Finish = "stop"
    mode: Mode = "json_schema"
    usage: Usage = Usage()
    latency_sec: float | None = None
    canary: str | None = None
    recorded: bool = False


class ModelClient(Protocol):
    """A language model. May be asked from several threads."""

    @property
    def model(self) -> str: ...

    def ask(self, request: Request) -> Reply:
        """What the model answers. Raises ``MeasurementError`` where there is no answer."""
        ...


class GivingUp:
    """Fulfils ``ModelClient``. A model that failed twice in a row is not asked again."""

    def __init__(self, client: ModelClient) -> None:
        self.model = client.model
        self._client = client
        self._lock = threading.Lock()
        self._failures = 0

    def ask(self, request: Request) -> Reply:
        with self._lock:
            if self._failures >= GIVEN_UP_AFTER:
                raise MeasurementError(
                    f"the judge was not asked, because it failed {self._failures} times in a row"
                )
        try:
            reply = self._client.ask(request)
        except MeasurementError:
            self._ended(failed=True)
            raise
        self._ended(failed=False)
        return reply

    def _ended(self, *, failed: bool) -> None:
        with self._lock:
            self._failures = self._failures + 1 if failed else 0


def _sum(one: Number | None, other: Number | None) -> Number | None:
    return other if one is None else one if other is None else one + other


def request_key(request: Request, model: str) -> str:
    """The hash of everything that an answer depends on: the model, the question, how it is asked."""
    known = [model, request.prompt.sha256, asdict(request.sampling), request.sample, request.attempt]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()
