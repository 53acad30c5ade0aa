"""A language model as the judge sees it: one question, one answer, what that took, and how much it may take.

A question is only asked if a budget has room for all that it could take; what it didn't take is given back. Where
an endpoint doesn't count tokens, or no price is known, the estimate stays.
"""

import hashlib
import json
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final, Generic, Literal, Protocol, TypeAlias, TypeVar

from assay.core.errors import MeasurementError
from assay.dialects.scorers.report import JudgeUsage
from assay.dialects.scorers.scenario import JudgePrices
from assay.evidence.verdict import Unparseable
from assay.judge.prompt import Prompt, PromptQuestion, build, is_obeyed

Finish: TypeAlias = Literal["stop", "length", "refusal"]
Mode: TypeAlias = Literal["json_schema", "json_object", "text"]
# Each failure has cost all the patience that there is for one question.
GIVEN_UP_AFTER: Final = 2
REST_SEC: Final = 60.0
NOT_WAITED_FOR_AFTER: Final = 10
TRIES: Final = 3
OBEYED: Final = "the judge followed an order that was planted in the data, so its verdict may be the agent's"
REFUSED: Final = "the model refuses to answer"
CUT_OFF: Final = "the answer is cut off: it reached the limit of its length"
READ_LESS: Final = "the endpoint cut the prompt"
# Asking again would not help, or would let the data have another try.
FINAL: Final = (OBEYED, READ_LESS)
# Fewer than in any language that a tokenizer was made for, so that an estimate is rather too high.
CHARACTERS_A_TOKEN: Final = 3
TOKENS_OF_AN_ANSWER: Final = 4096
# Text of every kind has more than one token for so many characters; a short one may be an exception.
_CHARACTERS_A_TOKEN: Final = 8
_LONG_ENOUGH: Final = 8_000
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model chooses its words. What is None is not sent."""

    temperature: float | None = 0
    max_tokens: int | None = 4096
    seed: int | None = None


UNCOUNTED: Final = JudgeUsage()


@dataclass(frozen=True, slots=True)
class ModelQuestion:
    """One question. ``sample`` and ``attempt`` tell apart questions that are otherwise the same."""

    prompt: Prompt
    sampling: Sampling = Sampling()
    sample: int = 1
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer, unread, and how it came. ``canary`` is the word that was planted in the question.

    ``adapted`` says what was left out of the request or sent otherwise, because the endpoint refuses it.
    """

    text: str
    finish: Finish = "stop"
    mode: Mode = "json_schema"
    usage: JudgeUsage = UNCOUNTED
    latency_sec: float | None = None
    canary: str | None = None
    recorded: bool = False
    adapted: tuple[str, ...] = ()


class ModelClient(Protocol):
    """A language model. May be asked from several threads."""

    @property
    def model(self) -> str: ...

    def ask(self, request: ModelQuestion) -> Reply:
        """The model's answer. Raises ``MeasurementError`` if there is none."""


@dataclass(eq=False)
class GivingUp:
    """Fulfils ``ModelClient``. A model that failed twice in a row is left alone for a while.

    By a clock that stands still, it is left alone for good. With ``sleep``, a question waits for the end of the
    pause, until the model has failed too often for that.
    """

    _client: ModelClient
    _clock: Callable[[], float] = lambda: 0.0
    _sleep: Callable[[float], None] | None = None

    def __post_init__(self) -> None:
        self.model = self._client.model
        self._lock = threading.Lock()
        self._failures = 0
        self._resting_until = 0.0

    def ask(self, request: ModelQuestion) -> Reply:
        with self._lock:
            rest = self._resting_until - self._clock()
            resting = self._failures >= GIVEN_UP_AFTER and rest > 0
            failures = self._failures
        if resting and self._sleep is not None and failures < NOT_WAITED_FOR_AFTER:
            self._sleep(rest)
        elif resting:
            raise MeasurementError(f"the judge was not asked, because it failed {failures} times in a row")
        failed = True
        try:
            reply = self._client.ask(request)
            failed = False
            return reply
        finally:
            with self._lock:
                self._failures = self._failures + 1 if failed else 0
                self._resting_until = self._clock() + REST_SEC


def request_key(request: ModelQuestion, model: str) -> str:
    """The hash of everything that an answer depends on: the model, the question, how it is asked."""
    known = [model, request.prompt.sha256, asdict(request.sampling), request.sample, request.attempt]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Manner:
    """How a question is asked: where marks come from that nobody can guess, the sampling, how often at most."""

    make_mark: Callable[[], str]
    sampling: Sampling = Sampling()
    tries: int = TRIES


@dataclass(frozen=True, slots=True)
class ModelAnswer(Generic[T]):
    """One answer of one model, after all tries. ``reply`` is the last one; None where there was none."""

    model: str
    sample: int
    said: T | Unparseable
    tries: int
    usage: JudgeUsage
    reply: Reply | None


Place: TypeAlias = tuple[ModelClient, int]
AskAll: TypeAlias = Callable[[Callable[[Place], ModelAnswer[T]], Iterable[Place]], Iterable[ModelAnswer[T]]]


def ask_panel(
    clients: Sequence[ModelClient],
    samples: int,
    question: PromptQuestion,
    manner: Manner,
    read: Callable[[str], T | Unparseable],
    ask_all: AskAll[T] = map,
) -> tuple[ModelAnswer[T], ...]:
    """Ask every model, as often as there are samples. ``ask_all`` works like ``map`` and keeps the order."""
    places = [(client, sample) for client in clients for sample in range(1, samples + 1)]
    return tuple(ask_all(lambda one: ask(one[0], question, manner, read, one[1]), places))


def ask(
    client: ModelClient,
    question: PromptQuestion,
    manner: Manner,
    read: Callable[[str], T | Unparseable],
    sample: int = 1,
) -> ModelAnswer[T]:
    """Ask until an answer can be used. Each try has marks of its own. Who obeys the data is not asked again."""
    said: T | Unparseable = Unparseable("the judge was not asked")
    usage, reply, attempt = UNCOUNTED, None, 0
    while attempt < manner.tries and isinstance(said, Unparseable) and not said.why.startswith(FINAL):
        prompt = build(question, manner.make_mark, said.why if attempt else None)
        attempt += 1
        try:
            reply = client.ask(ModelQuestion(prompt, manner.sampling, sample, attempt))
        except MeasurementError as error:
            said = Unparseable(str(error))
            break
        usage = usage.plus(reply.usage)
        cut = _cut_prompt(reply, prompt)
        said = _read_reply(reply, read) if cut is None else cut
    return ModelAnswer(client.model, sample, said, attempt, usage, reply)


def _cut_prompt(reply: Reply, prompt: Prompt) -> Unparseable | None:
    """Why an answer about less than was sent can't be used. Some servers cut a prompt without a word."""
    characters, tokens = len(prompt.text), reply.usage.tokens_in
    if not tokens or characters < _LONG_ENOUGH or tokens * _CHARACTERS_A_TOKEN >= characters:
        return None
    room = "give the model a larger context, or pass a smaller --judge-characters"
    return Unparseable(f"{READ_LESS}: it read {tokens} tokens of {characters} characters ({room})")


def _read_reply(reply: Reply, read: Callable[[str], T | Unparseable]) -> T | Unparseable:
    """Read a reply, or say why it can't be used."""
    if reply.finish == "refusal":
        return Unparseable(REFUSED)
    found = read(reply.text)
    if isinstance(found, Unparseable):
        return Unparseable(CUT_OFF) if reply.finish == "length" else found
    return Unparseable(OBEYED) if reply.canary is not None and is_obeyed(reply.canary, reply.text) else found


class BudgetSpentError(MeasurementError):
    """Nothing more may be asked."""


class Budget:
    """The most tokens and the most money for some questions, from any number of threads. None is no limit."""

    def __init__(self, name: str, tokens: int | None = None, cost: float | None = None) -> None:
        self.name = name
        self._limits = (tokens, cost)
        self._lock = threading.Lock()
        self._tokens: float = 0
        self._cost: float = 0

    def reserve(self, tokens: int, cost: float | None) -> None:
        """Take room for a question. Raises ``BudgetSpentError`` where there is too little."""
        budget, (most_tokens, most_cost) = f"the budget of {self.name}", self._limits
        with self._lock:
            if most_tokens is not None and self._tokens + tokens > most_tokens:
                left = f"{most_tokens - self._tokens:.0f} of {most_tokens} tokens are left"
                raise BudgetSpentError(f"{budget} is spent: {left}, and a question may take {tokens}")
            if most_cost is not None and cost is None:
                raise BudgetSpentError(f"{budget} is in money, but the price of the model isn't known")
            if most_cost is not None and self._cost + (cost or 0) > most_cost:
                left = f"{max(0.0, most_cost - self._cost):.4f} of {most_cost:g} are left"
                raise BudgetSpentError(f"{budget} is spent: {left}, and a question may cost {cost:.4f}")
            self._tokens += tokens
            self._cost += cost or 0

    def settle(self, reserved: tuple[int, float | None], taken: tuple[int, float | None]) -> None:
        """Give back what a question didn't take."""
        with self._lock:
            self._tokens += taken[0] - reserved[0]
            self._cost += (taken[1] or 0) - (reserved[1] or 0)


@dataclass(frozen=True, slots=True)
class Budgeted:
    """Fulfils ``ModelClient``. Every question has to fit all budgets. Answers know what they cost."""

    _client: ModelClient
    _budgets: tuple[Budget, ...]
    _prices: JudgePrices | None = None

    @property
    def model(self) -> str:
        return self._client.model

    def ask(self, request: ModelQuestion) -> Reply:
        tokens_in = len(request.prompt.text) // CHARACTERS_A_TOKEN
        tokens_out = request.sampling.max_tokens or TOKENS_OF_AN_ANSWER
        reserved = (tokens_in + tokens_out, self._cost(tokens_in, tokens_out))
        held: list[Budget] = []
        taken: tuple[int, float | None] = (0, None)
        try:
            for budget in self._budgets:
                budget.reserve(*reserved)
                held.append(budget)
            reply = self._client.ask(request)
            used = reply.usage
            known = used.tokens_in is not None and used.tokens_out is not None
            cost = self._cost(used.tokens_in or 0, used.tokens_out or 0) if known else None
            taken = ((used.tokens_in or 0) + (used.tokens_out or 0), cost) if known else reserved
            return replace(reply, usage=used.model_copy(update={"cost": cost}))
        finally:
            for budget in held:
                budget.settle(reserved, taken)

    def _cost(self, tokens_in: int, tokens_out: int) -> float | None:
        return None if self._prices is None else self._prices.cost(tokens_in, tokens_out)
