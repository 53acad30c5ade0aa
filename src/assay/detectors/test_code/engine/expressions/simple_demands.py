"""What is demanded by an order, a closeness, a presence or a shape."""

import re
from collections.abc import Mapping

from assay.detectors.test_code.engine.demand import Demand
from assay.detectors.test_code.engine.expressions.check_names import compared as ordered
from assay.detectors.test_code.engine.expressions.check_names import told
from assay.detectors.test_code.engine.expressions.literals import (
    is_literal,
    is_text,
    measure,
)
from assay.detectors.test_code.engine.expressions.sides import (
    arranged,
)
from assay.detectors.test_code.engine.expressions.truth import (
    truth,
)
from assay.detectors.test_code.engine.expressions.uniform_words import bare, joined
from assay.detectors.test_code.model import Strength

Constants = Mapping[str, str]
_NO_CONSTANTS: Constants = {}
_ABSOLUTE = frozenset(("abs", "Abs", "fabs"))
_EVERY_TYPE = re.compile(r"(?:typeof\()?(?:object|Object|Any|AnyObject|BasicObject)(?:\)|\.class|::class|\.self)?")
"""What everything is one of."""
_EVERYTHING = re.compile(
    r'"(?:\.\*|\^|\$|\.\+)?"|/(?:\^?(?:\.|\[\\[sSdDwW]\\[sSdDwW]\])[*+]\$?|\^|\$|\(\?:\))?/[a-z]*|\'\''
)
_OBJECTS = frozenset((("Object",), ("object",), ("Any",), ("AnyObject",), ("any",)))


def order(
    left: list[str], operator: str, right: list[str], wanted: bool = True, constants: Constants = _NO_CONSTANTS
) -> Demand:
    """An inequality; ``abs(a - b) < 0.1`` is an equality with a tolerance."""
    difference = _difference(left)
    sign = ordered(operator, "", wanted).strip()
    if difference is not None and sign[0] == "<":
        minus = difference.index("-") if "-" in difference[1:] else 0
        subject, expected = (difference[:minus], difference[minus + 1 :]) if minus else (difference, [])
        return Demand(
            Strength.CLOSE, joined(subject), joined(expected) if expected else None, measure(right, constants)
        )
    vacuous = is_literal(left) and is_literal(right)
    return Demand(Strength.VACUOUS if vacuous else Strength.SHAPE, joined(left), f"{sign} {joined(right)}")


def _difference(words: list[str]) -> list[str] | None:
    """What stands in ``abs(…)`` or before ``.abs()``."""
    if words[-4:-1] == [".", "abs", "("] or words[-3:] == ["abs", "(", ")"]:
        return bare(words[:-4])
    at = next((index for index, word in enumerate(words[:6]) if word in _ABSOLUTE), -1)
    if at >= 0 and words[at + 1 : at + 2] == ["("] and words[-1] == ")":
        return words[at + 2 : -1]
    return None


def close(left: list[str], right: list[str], tolerance: float | None) -> Demand:
    """Equality within a tolerance, which is None where it is not written in the code."""
    left, right = arranged(bare(left), bare(right))
    vacuous = left == right or (is_literal(left) and is_literal(right) and tolerance != 0)
    return Demand(Strength.VACUOUS if vacuous else Strength.CLOSE, joined(left), joined(right), tolerance)


def presence(subject: list[str], constants: Constants, expected: str | None = None) -> Demand:
    """That something is there: nothing is demanded of what always is."""
    always = truth(subject, constants) is True and (is_literal(subject) or len(subject) == 1)
    return Demand(Strength.VACUOUS if always else Strength.PRESENCE, joined(subject), expected)


def shape(subject: list[str], word: str, expected: list[str], wanted: bool = True) -> Demand:
    """A property: nothing is demanded of a literal, nor by a pattern that matches everything."""
    everything = _EVERY_TYPE if word == "instanceOf" else _EVERYTHING
    trivial = wanted and bool(expected) and everything.fullmatch(joined(expected)) is not None
    vacuous = trivial or (is_literal(subject) and (not expected or is_literal(expected)))
    found = Strength.VACUOUS if vacuous else Strength.SHAPE
    return Demand(found, joined(subject), told(word, joined(expected), wanted))


def contained(whole: list[str], part: list[str], wanted: bool = True) -> Demand:
    """``part in whole`` looks at what isn't written out."""
    if is_literal(whole) and not is_literal(part):
        return shape(part, "oneOf", whole, wanted)
    return shape(whole, "contain", part, wanted)


def instance(subject: list[str], kind: list[str], wanted: bool) -> Demand:
    vacuous = wanted and tuple(kind) in _OBJECTS
    return Demand(
        Strength.VACUOUS if vacuous else Strength.SHAPE, joined(subject), told("instanceOf", joined(kind), wanted)
    )


def there(subject: list[str], absent: str, wanted: bool) -> Demand:
    if wanted:
        return Demand(Strength.PRESENCE, joined(subject), f"not {absent}")
    return Demand(Strength.EXACT, joined(subject), absent)


def is_everything(words: list[str]) -> bool:
    """Whether a pattern matches whatever comes."""
    return bool(words) and is_text(words[0]) and _EVERYTHING.fullmatch(joined(words)) is not None


def power_of_ten(exponent: float) -> float:
    """10 to a power, however large that is."""
    return 10.0**exponent if exponent < 300 else float("inf")
