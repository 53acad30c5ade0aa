"""Harbor's model of a verifier's result, validated by pydantic as in harbor.

Pydantic decides which values count as numbers, and writes the error message. The class has the same name as in
harbor because that name is part of the message.
"""

from typing import Any

from pydantic import BaseModel, ValidationError

from assay.dialects.harbor.errors import RewardValidationError


class VerifierResult(BaseModel):
    """The rewards of one verifier run; None if there are none."""

    rewards: dict[str, float | int] | None = None


def validate_rewards(found: Any) -> dict[str, float | int] | None:
    """Convert a JSON value into rewards as harbor does: True is 1.0, "0.5" is 0.5, ints stay ints."""
    try:
        return VerifierResult(rewards=found).rewards
    except ValidationError as error:
        raise RewardValidationError(str(error)) from error


def dump_verifier_result(rewards: Any) -> str:
    """The JSON text that harbor writes for a verifier's result. NaN and infinity become null."""
    return VerifierResult.model_construct(rewards=rewards).model_dump_json()
