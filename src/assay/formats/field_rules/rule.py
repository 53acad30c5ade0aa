"""A rule about a field, and whether it holds for what was found at its path.

``match`` says how many of several values must satisfy the operator: ``any``, ``all``, ``none``, ``only`` (there is
one value, and it does) or ``first``. The default is ``any``, and ``all`` for ``notEquals``, ``notIn`` and
``notContains``, which also hold if the path has no value. ``any``, ``only`` and ``first`` need a value. Operators
about presence and number look at all values at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from assay.formats.field_rules.expected import check_expected
from assay.formats.field_rules.operators import ABOUT_ALL, ABOUT_ONE, answers
from assay.formats.field_rules.operators import MATCHES as PATTERN
from assay.formats.field_rules.reading import TYPES, read
from assay.formats.field_rules.values import Plain

MATCHES: Final = ("any", "all", "none", "only", "first")
NEGATIVE: Final = ("notEquals", "notIn", "notContains")
# Larger ones could not be added up.
MAX_WEIGHT: Final = 1e100
OPERATORS: Final = (*ABOUT_ONE, *ABOUT_ALL)


@dataclass(frozen=True, slots=True)
class FieldRule:
    """``expected`` is compared with the value; ``tolerance`` is for ``approx`` and ``dateWithin``.

    With a ``type`` (text, number or date), both are read as that first: ``120`` is ``120.0``, and ``20250714`` is
    ``2025-07-14``. With ``ignore_case``, upper and lower case don't differ.
    """

    # Unknown fields are refused when a rule is built from a file.
    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    path: str
    expected: Plain = None
    operator: str = "equals"
    match: str | None = None
    tolerance: float | str | None = None
    weight: float = 1
    type: str | None = None
    ignore_case: bool = False

    def __post_init__(self) -> None:
        if self.operator not in OPERATORS:
            raise ValueError(f"operator must be one of {', '.join(OPERATORS)}, got {self.operator!r}")
        if self.match is not None and self.match not in MATCHES:
            raise ValueError(f"match must be one of {', '.join(MATCHES)}, got {self.match!r}")
        if self.type is not None and self.type not in TYPES:
            raise ValueError(f"type must be one of {', '.join(TYPES)}, got {self.type!r}")
        if isinstance(self.weight, bool) or not 0 <= self.weight <= MAX_WEIGHT:
            raise ValueError(f"weight must be a number from 0 to {MAX_WEIGHT:g}, got {self.weight!r}")
        compared = self._read_expected() if self.operator == PATTERN else self.expected
        check_expected(self.operator, compared, self.tolerance)

    def holds(self, found: Sequence[Plain]) -> bool:
        """Whether the values at the path satisfy the rule."""
        if self.operator in ABOUT_ALL:
            return ABOUT_ALL[self.operator](found, self.expected)
        expected = self.expected
        if self.type is not None or self.ignore_case:
            found, expected = [self._read(one) for one in found], self._read_expected()
        if len(found) == 1:
            holds = ABOUT_ONE[self.operator](found[0], expected, self.tolerance)
            return holds is not (self.match == "none")
        return self._enough(answers(self.operator, found, expected, self.tolerance))

    def _read(self, value: Plain) -> Plain:
        return read(value, self.type, self.ignore_case)

    def _read_expected(self) -> Plain:
        if self.operator == PATTERN and isinstance(self.expected, str):
            return f"(?i:{self.expected})" if self.ignore_case else self.expected
        return self._read(self.expected)

    def _enough(self, said: Sequence[bool]) -> bool:
        """Whether the operator holds for as many values as it should."""
        match = self.match or ("all" if self.operator in NEGATIVE else "any")
        if not said:
            # A missing value differs from every value, but it isn't a value that differs.
            return match == "none" or (self.operator in NEGATIVE and match == "all")
        if match == "first":
            return said[0]
        if match == "only":
            return False
        return all(said) if match == "all" else any(said) is not (match == "none")


def actual(found: Sequence[Plain]) -> Plain:
    """What to show as found: the value, the values, or None where there is nothing."""
    if not found:
        return None
    return found[0] if len(found) == 1 else list(found)
