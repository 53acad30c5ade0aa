"""A rule about a field, and whether it holds for what was found at its path.

``match`` says how many of several values must satisfy the operator: ``any``, ``all``, ``none``, ``only`` (there is
one value, and it does) or ``first``. Without it, one value is enough, but what must not be must not be anywhere.
Operators about presence and number look at all values at once.
"""

from dataclasses import dataclass
from typing import ClassVar, Final

from assay.formats.field_rules.operators import ABOUT_ALL, ABOUT_ONE, check_expected
from assay.formats.field_rules.values import Found, Plain

MATCHES: Final = ("any", "all", "none", "only", "first")
NEGATIVE: Final = ("notEquals", "notIn", "notContains")
OPERATORS: Final = (*ABOUT_ONE, *ABOUT_ALL)


@dataclass(frozen=True, slots=True)
class FieldRule:
    """``expected`` is what the operator compares with; ``tolerance`` is for ``approx`` and ``dateWithin``."""

    # Whoever builds it from a file refuses a field that is not there.
    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    path: str
    expected: Plain = None
    operator: str = "equals"
    match: str | None = None
    tolerance: float | str | None = None
    weight: float = 1

    def __post_init__(self) -> None:
        if self.operator not in OPERATORS:
            raise ValueError(f"there is no operator {self.operator!r}; there are {', '.join(OPERATORS)}")
        if self.match is not None and self.match not in MATCHES:
            raise ValueError(f"there is no match {self.match!r}; there are {', '.join(MATCHES)}")
        if isinstance(self.weight, bool) or not 0 <= self.weight < float("inf"):
            raise ValueError(f"a weight is a finite number of at least 0, not {self.weight!r}")
        check_expected(self.operator, self.expected, self.tolerance)

    def holds(self, found: list[Found]) -> bool:
        """Whether the values at the path are as the rule wants them."""
        if self.operator in ABOUT_ALL:
            return ABOUT_ALL[self.operator](found, self.expected)
        compare = ABOUT_ONE[self.operator]
        answers = [compare(one.value, self.expected, self.tolerance) for one in found]
        negative = self.operator in NEGATIVE
        match = self.match or ("all" if negative else "any")
        if match == "none":
            return not any(answers)
        if not answers:
            # What is not there is different from every value, and has none in it.
            return negative
        if match == "only":
            return len(answers) == 1 and answers[0]
        if match == "first":
            return answers[0]
        return all(answers) if match == "all" else any(answers)


def actual(found: list[Found]) -> Plain:
    """What to show as found: the value, the values, or None where there is nothing."""
    if not found:
        return None
    return found[0].value if len(found) == 1 else [one.value for one in found]
