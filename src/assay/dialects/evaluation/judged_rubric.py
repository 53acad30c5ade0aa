"""A rubric whose criteria a judge answers: yes or no, or by degrees."""

from typing import Literal, Self

from pydantic import Field, FiniteFloat, model_validator

from assay.dialects.evaluation.rubric import Dimension, Rubric
from assay.formats.strict_model import StrictModel


class Criterion(StrictModel):
    """One question about the output. ``binary`` is answered by 0 or 1, ``graded`` by 0 to ``levels``."""

    text: str = Field(min_length=1)
    kind: Literal["binary", "graded"] = "binary"
    levels: int = Field(default=5, ge=2, le=100)
    weight: FiniteFloat = Field(default=1.0, gt=0)

    @property
    def top(self) -> int:
        """The best answer."""
        return 1 if self.kind == "binary" else self.levels


class JudgedDimension(Dimension):
    """A dimension with the criteria that make up its score. Without any, its description is one, by degrees."""

    criteria: list[Criterion] = Field(default_factory=list)

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if not self.criteria and not (self.description or "").strip():
            raise ValueError("a dimension that is judged must have criteria or a description")
        return self

    @property
    def asked(self) -> list[Criterion]:
        """Criteria to ask a judge about."""
        return self.criteria or [Criterion(text=self.description or "", kind="graded")]


class JudgedRubric(Rubric):
    """The judged dimensions, the task, and how they add up."""

    task: str | None = None
    dimensions: list[JudgedDimension] = Field(min_length=1)  # type: ignore[assignment]
