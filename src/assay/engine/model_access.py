"""The model that an agent may talk to while its sandbox has no network: what is granted, and what was used.

::

    ModelGrant   the one address, and the limits of a trial
    ModelDoors   opens a door for each trial        adapters/models/proxy/door.py
    ModelDoor    a socket in the sandbox, behind which Assay passes requests on to that address
    Meter        counts, and says when a limit is reached
"""

import threading
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol

from assay.dialects.harbor.trial import NO_USAGE, Usage, UsageSum
from assay.engine.sandbox import SandboxCommand
from assay.formats.counting import counted
from assay.formats.model_traffic.tokens import Tokens

LONGEST_NAME = 200
MOST_NAMES = 50
# Fewer than a tokenizer takes, so that an estimate is rather too high.
_BYTES_A_TOKEN = 3


@dataclass(frozen=True, slots=True)
class ModelPrices:
    """Prices of a million tokens in dollars. Cached tokens cost what others do, unless it says otherwise."""

    input: float
    output: float
    cached: float | None = None
    written: float | None = None

    def cost(self, tokens: Tokens) -> float:
        cached, written = tokens.cached or 0, tokens.written or 0
        parts = (
            (tokens.input - cached - written) * self.input,
            cached * (self.input if self.cached is None else self.cached),
            written * (self.input if self.written is None else self.written),
            tokens.output * self.output,
        )
        return sum(parts) / 1_000_000


@dataclass(frozen=True, slots=True)
class PriceList:
    """The prices of models by name, and a price for all others if there is one."""

    models: Mapping[str, ModelPrices] = field(default_factory=dict)
    others: ModelPrices | None = None

    def of(self, model: str | None) -> ModelPrices | None:
        return self.models.get(model or "", self.others)


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """The most that one trial may use. None is no limit."""

    requests: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class ModelGrant:
    """The agents' model access. ``key_env`` names the variable of the host that the key comes from.

    ``models`` are the names that agents may ask for; None is any.
    """

    endpoint: str
    key_env: str | None = None
    limits: ModelLimits = ModelLimits()
    prices: PriceList = PriceList()
    models: tuple[str, ...] | None = None

    def as_json(self) -> dict[str, Any]:
        """The grant for job files. The key isn't part of it."""
        limits = {"requests": self.limits.requests, "tokens": self.limits.tokens, "cost_usd": self.limits.cost_usd}
        named = {} if self.models is None else {"models": list(self.models)}
        return {"endpoint": self.endpoint, "key_env": self.key_env, "limits": limits, **named}


@dataclass(frozen=True, slots=True)
class ModelUse:
    """An agent's model use in one step. ``uncounted`` answers stated no tokens.

    ``limit`` says which limit was reached, and ``outage`` why the model could not be reached at all. ``asked`` are
    the names of models in requests, refused ones too, and ``answering`` those in answers, with their numbers.
    """

    requests: int = 0
    refused: int = 0
    failed: int = 0
    uncounted: int = 0
    usage: Usage = NO_USAGE
    limit: str | None = None
    outage: str | None = None
    asked: Mapping[str, int] = field(default_factory=dict, compare=False)
    answering: Mapping[str, int] = field(default_factory=dict, compare=False)

    def as_json(self) -> dict[str, Any]:
        return {
            "requests": self.requests,
            "refused": self.refused,
            "failed": self.failed,
            "without_usage": self.uncounted,
            "limit_reached": self.limit,
            "models_asked": dict(self.asked),
            "models_answering": dict(self.answering),
        }


class ModelDoor(Protocol):
    """The way of one trial to the model."""

    def through(self, command: SandboxCommand) -> SandboxCommand:
        """The same command with the way to the model in its sandbox."""

    def take_use(self) -> ModelUse:
        """The use since the last call."""


class ModelDoors(Protocol):
    """Opens doors."""

    @property
    def grant(self) -> ModelGrant: ...

    def open(self) -> AbstractContextManager[ModelDoor]:
        """A door for one trial. When it is closed, nothing more goes through."""


class Meter:
    """Counts the requests of one trial, from any number of threads.

    Where tokens or costs are limited, requests have to take turns (``turn``): what one will use is known only once
    it is answered.
    """

    def __init__(self, limits: ModelLimits, prices: PriceList, models: Collection[str] | None = None) -> None:
        self._limits = limits
        self._models = models
        self.takes_turns = limits.tokens is not None or limits.cost_usd is not None
        self.turn: AbstractContextManager[object] = threading.Lock() if self.takes_turns else nullcontext()
        self._prices = prices
        self._lock = threading.Lock()
        # Over all steps: limits are those of a trial.
        self._requests = 0
        self._tokens = 0
        self._cost = 0.0
        self._limit: str | None = None
        self._outage: str | None = None
        self._begin_step()

    def refuse_model(self, model: str | None) -> str | None:
        """Note the name of a model that is asked for. Returns a sentence if this trial may not ask for it."""
        if model is None:
            return None
        with self._lock:
            _count_name(self._asked, model)
        if self._models is None or model in self._models:
            return None
        return f"this trial may ask for {' or '.join(self._models)}, but not for {model[:LONGEST_NAME]}"

    def admit(self, model: str | None, size: int) -> str | None:
        """Count a request of so many bytes. Returns a sentence if a limit is in its way."""
        limits, price = self._limits, self._prices.of(model)
        with self._lock:
            if limits.requests is not None and self._requests >= limits.requests:
                return self._count_refusal(
                    f"this trial may ask its model {counted(limits.requests, 'time')}, and it did"
                )
            if limits.tokens is not None and self._tokens + size // _BYTES_A_TOKEN // 2 >= limits.tokens:
                return self._count_refusal(
                    f"this trial may use {limits.tokens} tokens, and {self._tokens} are used"
                )
            if limits.cost_usd is not None and price is None:
                named = model or "its model"
                return self._count_refusal(
                    f"this trial may spend ${limits.cost_usd:g}, but the price of {named} isn't known"
                )
            if limits.cost_usd is not None and self._cost >= limits.cost_usd:
                return self._count_refusal(
                    f"this trial may spend ${limits.cost_usd:g}, and ${self._cost:.4f} is spent"
                )
            self._requests += 1
            self._step_requests += 1
            return None

    def answered(self, model: str | None, tokens: Tokens | None, size: int, answering: str | None = None) -> None:
        """Count an answer. ``size`` is that of the request and the answer, for one that states no tokens."""
        price = self._prices.of(model)
        with self._lock:
            if answering is not None:
                _count_name(self._answering, answering)
            self._answered = True
            if tokens is None:
                self._uncounted += 1
                self._all_priced = False
                tokens = Tokens(size // _BYTES_A_TOKEN, 0)
                cost = None if price is None else price.cost(tokens)
            else:
                cost = None if price is None else price.cost(tokens)
                self._all_priced = self._all_priced and cost is not None
                self._used.add(Usage(tokens.input, tokens.cached, tokens.output, cost))
            self._tokens += tokens.input + tokens.output
            self._cost += cost or 0.0

    def failed(self, why: str, *, outage: bool) -> None:
        """Note a request that got no answer. ``outage`` says that the agent can't be the cause."""
        with self._lock:
            self._failed += 1
            self._outage = why if outage else self._outage

    def refuse(self) -> None:
        """Note a request that isn't passed on."""
        with self._lock:
            self._step_refused += 1

    def take_use(self) -> ModelUse:
        with self._lock:
            used = self._used.total()
            if not self._all_priced:  # A part of the cost would pass for all of it.
                used = Usage(used.n_input_tokens, used.n_cache_tokens, used.n_output_tokens, None)
            use = ModelUse(
                requests=self._step_requests,
                refused=self._step_refused,
                failed=self._failed,
                uncounted=self._uncounted,
                usage=used,
                limit=self._limit,
                outage=None if self._answered else self._outage,
                asked=self._asked,
                answering=self._answering,
            )
            self._begin_step()
            return use

    def _begin_step(self) -> None:
        self._step_requests = self._step_refused = self._failed = self._uncounted = 0
        self._used = UsageSum()
        self._asked: dict[str, int] = {}
        self._answering: dict[str, int] = {}
        self._all_priced = True
        self._answered = False
        self._outage = None

    def _count_refusal(self, why: str) -> str:
        self._limit = why
        self._step_refused += 1
        return why


def _count_name(names: dict[str, int], name: str) -> None:
    """Any agent and any server can write a name."""
    name = name[:LONGEST_NAME]
    if name in names or len(names) < MOST_NAMES:
        names[name] = names.get(name, 0) + 1
