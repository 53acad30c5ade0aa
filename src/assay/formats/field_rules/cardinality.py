"""How many there may be of what a criterion looks at."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Cardinality:
    """From ``min`` to ``max``; without a ``max``, any number from ``min`` on."""

    # Whoever builds it from a file refuses a field that is not there.
    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    min: int = 1
    max: int | None = None

    def __post_init__(self) -> None:
        if self.min < 0 or (self.max is not None and self.max < self.min):
            raise ValueError("a cardinality goes from min (1 unless given, at least 0) to a max that is not less")

    def allows(self, count: int) -> bool:
        """Whether so many are right."""
        return self.min <= count and (self.max is None or count <= self.max)

    def complaint(self, count: int, what: str) -> str:
        """What to say where they are not."""
        if self.max == self.min:
            return f"{count} of {what}, expected {self.min}"
        return f"{count} of {what}, expected {self.min} to {'any number' if self.max is None else self.max}"
