"""The base of wire models, and texts that any store can keep."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


class StrictModel(BaseModel):
    """No coercion, no unknown fields, no changes after validation."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("must not contain a NUL character")
    return text


STORABLE = AfterValidator(_without_nul)
Name = Annotated[str, Field(min_length=1, max_length=150), STORABLE]
