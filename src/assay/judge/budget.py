"""The cost limit of questions, in tokens and money. A budget that is spent ends cleanly: nothing more is asked.

A question is only asked if there is room for all that it could take; what it didn't take is given back. Where an
endpoint doesn't count tokens, or no price is known, the estimate stays.
"""

import threading
from dataclasses import replace
from typing import Final

from assay.core.errors import MeasurementError
from assay.dialects.scorers.report import JudgeUsage
from assay.dialects.scorers.scenario import JudgePrices
from assay.judge.model import ModelClient, ModelQuestion, Reply

# Fewer than in any language that a tokenizer was made for, so that an estimate is rather too high.
CHARACTERS_A_TOKEN: Final = 3
TOKENS_OF_AN_ANSWER: Final = 4096


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

    @property
    def spent(self) -> JudgeUsage:
        with self._lock:
            return JudgeUsage(tokens_in=int(self._tokens), cost=self._cost)

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


class Budgeted:
    """Fulfils ``ModelClient``. Every question has to fit all budgets. Answers know what they cost."""

    def __init__(
        self, client: ModelClient, budgets: tuple[Budget, ...], prices: JudgePrices | None = None
    ) -> None:
        self.model = client.model
        self._client = client
        self._budgets = budgets
        self._prices = prices

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
