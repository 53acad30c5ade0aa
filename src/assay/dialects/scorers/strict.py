"""The settings of the wire models here."""

from pydantic import BaseModel, ConfigDict


class StrictModel(BaseModel):
    """No coercion, no unknown fields, no changes after validation."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
