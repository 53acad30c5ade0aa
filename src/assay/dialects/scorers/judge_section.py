"""The part of a scenario that names its judge."""

import re

from pydantic import Field, FiniteFloat, field_validator

from assay.dialects.scorers.strict import StrictModel
from assay.formats.endpoint_url import base_url

KEY_PREFIX = "ASSAY_JUDGE_KEY_"


class JudgePrices(StrictModel):
    """What a million tokens cost, in any one currency."""

    tokens_in: FiniteFloat = Field(ge=0)
    tokens_out: FiniteFloat = Field(ge=0)


class JudgeBudget(StrictModel):
    """The most tokens, and the most money, that judging one run may take."""

    tokens: int | None = Field(default=None, ge=1)
    cost: FiniteFloat | None = Field(default=None, gt=0)


class JudgeSection(StrictModel):
    """Which judge reads the runs of a scenario, and how. It is asked only with ``--judge``.

    ``url`` is the base of an endpoint that speaks OpenAI's chat completions, and ``models`` names models
    there. The command line and the environment take precedence. The key for this endpoint is in the
    environment variable ``key_env``, whose name must begin with ``ASSAY_JUDGE_KEY_``: ``ASSAY_JUDGE_KEY`` is
    never sent to an endpoint that a scenario names.

    ``samples`` is how often each model is asked. ``canary`` plants an order in the data, to catch a judge that
    follows what it reads; ``guard`` asks whether any text addresses the evaluator. ``characters`` is the most that
    the judge reads of a run, ``timeout_s`` the time for one question, including retries.
    """

    url: str | None = None
    models: list[str] = Field(default_factory=list, max_length=16)
    key_env: str | None = None
    samples: int = Field(default=1, ge=1, le=100)
    temperature: FiniteFloat | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=4096, ge=1)
    seed: int | None = None
    canary: bool = True
    guard: bool = False
    characters: int = Field(default=300_000, ge=2_000, le=4_000_000)
    timeout_s: FiniteFloat = Field(default=120, gt=0, le=3600)
    prices: JudgePrices | None = None
    budget: JudgeBudget = JudgeBudget()

    @field_validator("url")
    @classmethod
    def _base(cls, written: str | None) -> str | None:
        return None if written is None else base_url(written, "a judge")

    @field_validator("models")
    @classmethod
    def _named(cls, models: list[str]) -> list[str]:
        if not all(name.strip() for name in models) or len(set(models)) < len(models):
            raise ValueError("must be different names of models")
        return models

    @field_validator("key_env")
    @classmethod
    def _of_its_own(cls, name: str | None) -> str | None:
        if name is not None and not re.fullmatch(rf"{KEY_PREFIX}[A-Za-z0-9_]+", name):
            raise ValueError(f"must be the name of a variable that begins with {KEY_PREFIX}, got {name!r}")
        return name
