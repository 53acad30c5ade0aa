"""How many there may be of what a criterion looks at."""

from collections.abc import Sized
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Cardinality:
    """From ``min`` to ``max``; without a ``max``, any number from ``min`` on."""

    # Unknown fields are refused when it is built from a file.
    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    min: int = 1
    max: int | None = None

    def __post_init__(self) -> None:
        if self.min < 0 or (self.max is not None and self.max < self.min):
            raise ValueError(
                f"a cardinality needs a min of at least 0 and a max of at least min, got {self.min} to {self.max}"
            )

    def allows(self, count: int) -> bool:
        """Whether so many are right."""
        return self.min <= count and (self.max is None or count <= self.max)

    def complaint(self, count: int, what: str) -> str:
        """What to say if they are not."""
        if self.max == self.min:
            return f"{count} of {what}, expected {self.min}"
        wanted = f"{self.min} or more" if self.max is None else f"{self.min} to {self.max}"
        return f"{count} of {what}, expected {wanted}"


def wrong_number(
    cardinality: Cardinality | None, meant: Sized, among: Sized, unread: Sized, what: str, *, needed: bool
) -> str | None:
    """What to say where not as many are meant as should be: at least one if that is needed.

    If some could not be read, there may be too many.
    """
    if cardinality is not None and cardinality.max is not None and unread:
        return f"{len(unread)} of the {what} can't be read, so it is unknown how many match"
    if cardinality is not None and not cardinality.allows(len(meant)):
        return cardinality.complaint(len(meant), f"the {what} that match")
    if not len(meant) and (needed or cardinality is None):
        return f"none of {len(among)} {what} matches" if len(among) or len(unread) else f"there are no {what}"
    return None
