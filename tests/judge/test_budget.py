"""A budget ends cleanly: a question that might not fit is not asked."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from assay.core.errors import MeasurementError
from assay.dialects.scorers.report import JudgeUsage
from assay.dialects.scorers.scenario import JudgePrices
from assay.judge.model import Budget, Budgeted, BudgetSpentError, ModelQuestion, Reply, Sampling
from assay.judge.prompt import Prompt, PromptFile
from tests.judge.scripted_model import ScriptedModel

# 100 tokens in, by estimate, and 100 out at most.
ASKED = ModelQuestion(Prompt("x" * 300, {}, PromptFile("p-1", ""), ""), Sampling(max_tokens=100))
TOOK_50 = Reply("said", usage=JudgeUsage(tokens_in=40, tokens_out=10))


def test_what_was_not_taken_is_given_back() -> None:
    model, budget = ScriptedModel(TOOK_50), Budget("this run", tokens=300)
    client = Budgeted(model, (budget,))
    for _ in range(3):
        client.ask(ASKED)
    with pytest.raises(BudgetSpentError, match=r"^the budget of this run is spent: 150 of 300 tokens are left"):
        client.ask(ASKED)
    assert len(model.asked) == 3


def test_an_endpoint_that_does_not_count_costs_the_estimate() -> None:
    budget = Budget("this run", tokens=300)
    client = Budgeted(ScriptedModel(Reply("said")), (budget,))
    client.ask(ASKED)
    with pytest.raises(BudgetSpentError, match="100 of 300 tokens are left"):
        client.ask(ASKED)


def test_a_failure_costs_nothing() -> None:
    budget = Budget("this run", tokens=300)
    with pytest.raises(MeasurementError):
        Budgeted(ScriptedModel(None), (budget,)).ask(ASKED)
    budget.reserve(300, None)


def test_money() -> None:
    budget = Budget("the job", cost=0.001)
    client = Budgeted(ScriptedModel(TOOK_50), (budget,), JudgePrices(tokens_in=1, tokens_out=5))
    assert client.ask(ASKED).usage.cost == pytest.approx(90e-6)
    for _ in range(4):
        client.ask(ASKED)
    with pytest.raises(BudgetSpentError, match=r"of 0.001 are left, and a question may cost 0.0006"):
        client.ask(ASKED)


def test_money_without_a_price() -> None:
    with pytest.raises(BudgetSpentError, match="the price of the model isn't known"):
        Budgeted(ScriptedModel(TOOK_50), (Budget("the job", cost=1),)).ask(ASKED)


def test_each_budget_has_to_have_room_and_none_loses_any() -> None:
    wide, narrow = Budget("the job", tokens=1000), Budget("this run", tokens=100)
    with pytest.raises(BudgetSpentError, match="this run"):
        Budgeted(ScriptedModel(TOOK_50), (wide, narrow)).ask(ASKED)
    wide.reserve(1000, None)


def test_many_at_once_never_spend_more() -> None:
    budget = Budget("the job", tokens=1000)
    client = Budgeted(ScriptedModel(Reply("said", usage=JudgeUsage(tokens_in=100, tokens_out=100))), (budget,))

    def ask(_number: int) -> bool:
        try:
            client.ask(ASKED)
        except BudgetSpentError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(ask, range(40))) == 5
    with pytest.raises(BudgetSpentError, match="0 of 1000 tokens are left"):
        budget.reserve(1, None)
