"""What a call demands in Java: JUnit 3 to 5, TestNG and Mockito. Fluent assertions have their own module."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from assay.detectors.test_code.curly.chains import Link, chain
from assay.detectors.test_code.curly.condition_demands import condition, equality, inequality
from assay.detectors.test_code.curly.constants import number
from assay.detectors.test_code.curly.tokens import Tokens, tokens, uniform
from assay.detectors.test_code.curly.words import told
from assay.detectors.test_code.demand import Demand, WrittenDemand
from assay.detectors.test_code.java.fluent import BROAD, fluent, mock
from assay.detectors.test_code.model import Strength

CALL = re.compile(
    r"(?:[\w$]+\s*\.\s*)*(?:<[^<>()]*>\s*)?(?:(?P<skip>assum\w+|abort)|assert\w*|fail|verify\w*|expect\w*|then)\s*\("
)
"""How a chain of calls begins that may be an assertion or an assumption."""
LATE = re.compile(r"\.\s*(?:andExpect|expectStatus|verifyComplete|verifyError|expectNext|until|should)\s*\(")
"""What makes an assertion of a chain that begins with anything."""

_EQUALITY = frozenset(
    {
        "assertEquals",
        "assertSame",
        "assertArrayEquals",
        "assertIterableEquals",
        "assertLinesMatch",
        "assertEqualsDeep",
    }
)
_INEQUALITY = frozenset({"assertNotEquals", "assertNotSame", "assertNotEqualsDeep", "assertArrayNotEquals"})
_THROWS = frozenset({"assertThrows", "assertThrowsExactly", "expectThrows"})
_TAKE_MESSAGES = (
    _EQUALITY
    | _INEQUALITY
    | _THROWS
    | {"assertTrue", "assertFalse", "assertNull", "assertNotNull", "assertInstanceOf", "assertDoesNotThrow"}
    | {"assertTimeout", "assertTimeoutPreemptively"}
)
_FLUENT = frozenset({"assertThat", "that", "then", "assertWithMessage", "assert_"})
_LATER = frozenset({"andExpect", "expectStatus", "verifyComplete", "verifyError", "expectNext", "until", "should"})
_MESSAGE_NAMES = frozenset({"message", "msg", "reason", "description", "context"})
_TOLERANCE_NAME = re.compile(r"(?i)delta|eps|tol|precision|error|ulp|threshold|accuracy")
_CUSTOM = re.compile(r"assert(?:[A-Z_]\w*)")


@lru_cache(maxsize=8192)
def remembered(text: str) -> list[WrittenDemand]:
    """The same for a text that depends on no names: most assertions of a file are the same before and after."""
    return demands(tokens(text), {})


def demands(parts: Tokens, names: Mapping[str, bool]) -> list[WrittenDemand]:
    """The assertions that a chain of calls makes; none where it makes none."""
    links = chain(parts)
    for at, link in enumerate(links):
        if link.arguments is None or (link.name == "then" and (at or not link.given)):
            continue
        found = _of_chain(links, at)
        if found is not None:
            return found
        demand = _demand(link, names)
        if demand is not None:
            return [WrittenDemand(_text(link), demand)]
    return []


def _of_chain(links: list[Link], at: int) -> list[WrittenDemand] | None:
    """The assertions that the rest of a chain makes; None where the call isn't part of such a chain."""
    link = links[at]
    if link.name in _FLUENT or link.name.startswith("assertThat"):
        return fluent(links[at:])
    if link.name.startswith("verify") and at <= 1:
        return mock(links[at:])
    if link.name in _LATER and at:
        return [_later(links[:at], one) for one in links[at:] if one.name in _LATER]
    return None


def _later(before: list[Link], link: Link) -> WrittenDemand:
    """An expectation at the end of a request or of a stream."""
    subject = ".".join(one.text for one in before if one.name not in _LATER)
    return WrittenDemand(
        f"{subject}.{link.text}", Demand(Strength.EXACT, subject, uniform(link.argument(0)) or link.name)
    )


def _text(link: Link) -> str:
    """The call without its message and without what qualifies it."""
    kept = _without_message(link)
    return f"{link.name}({', '.join(uniform(argument) for argument in kept)})"


def _demand(link: Link, names: Mapping[str, bool]) -> Demand | None:
    name, kept = link.name, _without_message(link)
    if name == "fail":
        return Demand(Strength.SHAPE, "fail")
    if name in ("expect", "expectMessage") and kept:
        return _thrown(kept[0], "")
    if not name.startswith(("assert", "expectThrows")) or name == "assertAll":
        return None
    return _of_one(name, kept, names) or _compared(name, kept)


def _of_one(name: str, kept: list[Tokens], names: Mapping[str, bool]) -> Demand | None:
    """An assertion that looks at one thing: a condition, a call that throws or doesn't, a type."""
    first, last = (kept[0], kept[-1]) if kept else ([], [])
    if name in ("assertTrue", "assertFalse"):
        return condition(first, name == "assertTrue", names)
    if name == "assertNull":
        return equality(first, ["null"])
    if name == "assertNotNull":
        return inequality(first, ["null"])
    if name in _THROWS:
        return _thrown(first if len(kept) > 1 else ["Throwable"], lambda_body(last))
    if name in ("assertDoesNotThrow", "assertTimeout", "assertTimeoutPreemptively"):
        return Demand(Strength.PRESENCE, lambda_body(last))
    if name == "assertInstanceOf":
        return Demand(Strength.SHAPE, uniform(last), told("instanceOf", uniform(first)))
    return None


def _compared(name: str, kept: list[Tokens]) -> Demand | None:
    if len(kept) < 2 or name not in _EQUALITY | _INEQUALITY:
        if not _CUSTOM.fullmatch(name):
            return None
        # An assertion of the project's own, kept in another file, gets the benefit of the doubt.
        return Demand(Strength.EXACT, ", ".join(map(uniform, kept)), name)
    if name in _INEQUALITY:
        return inequality(kept[1], kept[0])
    demand = equality(kept[1], kept[0])
    if len(kept) > 2 and demand.strength is Strength.EXACT and _is_tolerance(kept[2]):
        return replace(demand, strength=Strength.CLOSE, tolerance=number(kept[2]))
    return demand


def _is_tolerance(parts: Tokens) -> bool:
    return number(parts) is not None or bool(_TOLERANCE_NAME.search(uniform(parts)))


def _without_message(link: Link) -> list[Tokens]:
    """The arguments without the message: JUnit 4 has it first, JUnit 5 and TestNG have it last."""
    kept = list(link.arguments or ())
    needed = 2 if link.name in _EQUALITY | _INEQUALITY | _THROWS or link.name == "assertInstanceOf" else 1
    if len(kept) <= needed or link.name not in _TAKE_MESSAGES:
        return kept
    if _is_message(kept[-1]) and not (link.name in _THROWS and len(kept) == 2):
        return kept[:-1]
    return kept[1:] if _is_message(kept[0]) else kept


def _is_message(parts: Tokens) -> bool:
    if not parts:
        return False
    lazy = parts[:3] == ["(", ")", "->"]
    return parts[0][0] == '"' or lazy or parts[:3] == ["String", ".", "format"] or uniform(parts) in _MESSAGE_NAMES


def _thrown(kind: Tokens, subject: str) -> Demand:
    """An exception that must be thrown; a very general one says little."""
    name = uniform(kind).removesuffix(".class")
    if subject.startswith("throw new "):
        # The test throws what it waits for itself.
        return Demand(Strength.VACUOUS, subject, name)
    broad = name.rsplit(".", 1)[-1] in BROAD
    return Demand(Strength.SHAPE if broad else Strength.EXACT, subject, name)


def lambda_body(parts: Tokens) -> str:
    """What a lambda does, the same for a single call and for a block around it."""
    if "->" not in parts[:8]:
        return uniform(parts)
    body = parts[parts.index("->") + 1 :]
    return uniform(body[1:-1] if body[:1] == ["{"] else body).rstrip(";")
