"""What equality, closeness and anything less demand, with the doubts that apply in every language."""

import re
from collections.abc import Mapping
from dataclasses import replace

from assay.detectors.test_code.conditions import literal, never_less, same, truth
from assay.detectors.test_code.demand import Demand
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.uniform import joined

_EVERYTHING = re.compile(
    r'"(?:\.\*|\^|\$)?"|/(?:\^?(?:\.|\[\\[sSdDwW]\\[sSdDwW]\])[*]\$?|\^|\$|\(\?:\))?/[a-z]*|\'\''
)


def equal(subject: list[str], expected: list[str], constants: Mapping[str, str]) -> Demand:
    """Equality: nothing is demanded where both sides are the same without the code under test."""
    left = [constants.get(word, word) for word in subject] if len(subject) == 1 else subject
    right = [constants.get(word, word) for word in expected] if len(expected) == 1 else expected
    vacuous = same(subject, expected) or (literal(left) and left == right)
    return Demand(Strength.VACUOUS if vacuous else Strength.EXACT, joined(subject), joined(expected) or None)


def close(subject: list[str], expected: list[str], tolerance: float | None) -> Demand:
    """Equality within a tolerance, which is None where it is not written in the code."""
    vacuous = same(subject, expected) or (literal(subject) and literal(expected) and tolerance != 0)
    strength = Strength.VACUOUS if vacuous else Strength.CLOSE
    return Demand(strength, joined(subject), joined(expected), tolerance)


def weak(strength: Strength, subject: list[str], expected: list[str], constants: Mapping[str, str]) -> Demand:
    """Anything less than equality: nothing is demanded of a literal, nor by a pattern that matches everything."""
    always = truth(subject, constants) is True if strength is Strength.PRESENCE else literal(subject)
    trivial = bool(expected) and _EVERYTHING.fullmatch(joined(expected)) is not None
    found = Strength.VACUOUS if (always and (not expected or literal(expected))) or trivial else strength
    return Demand(found, joined(subject), joined(expected) if expected else None)


def at_least(demand: Demand, operator: str, bound: list[str]) -> Demand:
    """``length >= 0`` always holds."""
    return replace(demand, strength=Strength.VACUOUS) if never_less(demand.subject, operator, bound) else demand


def power_of_ten(exponent: float) -> float:
    """10 to a power, however large that is."""
    return 10.0**exponent if exponent < 300 else float("inf")
