"""What a call demands in C#: xUnit, NUnit and MSTest. Fluent assertions and constraints have their own module."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from assay.detectors.test_code.csharp.fluent import constrained, fluent, lambda_body, shouldly, thrown
from assay.detectors.test_code.curly.chains import Link, chain
from assay.detectors.test_code.curly.condition_demands import condition, equality, inequality
from assay.detectors.test_code.curly.constants import number
from assay.detectors.test_code.curly.tokens import Tokens, tokens, uniform
from assay.detectors.test_code.curly.words import told
from assay.detectors.test_code.demand import Demand, WrittenDemand
from assay.detectors.test_code.model import Strength

CALL = re.compile(r"(?:\w+\s*\.\s*)*(?:\w*Assert\s*\.|Verif\w+|Should\s*\.|Skip\s*\.|Assume\s*\.)")
"""How a chain of calls begins that may be an assertion or an assumption."""
LATE = re.compile(r"(?:\.\s*Should\w{0,100}|\.\s*Verify\w{0,100}|Received\w{0,100})\s*[<(]")
"""What makes an assertion of a chain that begins with anything."""

_CLASSES = re.compile(r"(?:Classic|Collection|String|File|Directory|Debug|MultiAssert|\w*)Assert")
_EQUALITY = frozenset(
    {
        "Equal",
        "AreEqual",
        "StrictEqual",
        "Same",
        "AreSame",
        "AreEquivalent",
        "Equivalent",
        "AreEqualIgnoringCase",
        "EquivalentWithExclusions",
    }
)
_INEQUALITY = frozenset({"NotEqual", "AreNotEqual", "NotSame", "AreNotSame", "NotStrictEqual", "AreNotEquivalent"})
_TRUE = {"True": True, "IsTrue": True, "False": False, "IsFalse": False}
_EXACT = frozenset({"Null", "IsNull", "Empty", "IsEmpty", "Collection", "Zero", "IsNaN", "Contains_"})
_PRESENCE = frozenset(
    {"NotNull", "IsNotNull", "NotEmpty", "IsNotEmpty", "DoesNotThrow", "DoesNotThrowAsync", "NotZero"}
)


_COUNT = re.compile(r"(.+)\.(?:Count(?:\(\))?|Length)")
_TAKE_ONE = _TRUE.keys() | _EXACT | _PRESENCE
_THROWS = re.compile(r"(?:Throws|Catch)(?:Any|Exactly|Exception)?(?:Async)?")
_ORDERED = frozenset({"Greater", "GreaterOrEqual", "Less", "LessOrEqual"})
_ENDS = frozenset(
    {"Pass", "Ignore", "Inconclusive", "Skip", "SkipWhen", "SkipUnless", "Multiple", "MultipleAsync"}
)


@lru_cache(maxsize=8192)
def remembered(text: str) -> list[WrittenDemand]:
    """The same for a text that depends on no names: most assertions of a file are the same before and after."""
    return demands(tokens(text), {})


def demands(parts: Tokens, names: Mapping[str, bool]) -> list[WrittenDemand]:
    """The assertions that a chain of calls makes; none where it makes none."""
    links = chain(parts)
    for at, link in enumerate(links):
        if link.arguments is None:
            found = _of_class(link, links[at + 1] if at + 1 < len(links) else None, names)
        else:
            found = _of_call(links, at)
        if found is not None:
            return found
    return []


def _of_class(link: Link, following: Link | None, names: Mapping[str, bool]) -> list[WrittenDemand] | None:
    """``Assert.Equal(…)``, ``Should.Throw(…)``."""
    if following is None:
        return None
    if following.arguments is not None and _CLASSES.fullmatch(link.name):
        return _classic(following, names, link.name in ("CollectionAssert", "StringAssert"))
    return [shouldly(following)] if link.name == "Should" else None


def _of_call(links: list[Link], at: int) -> list[WrittenDemand] | None:
    """``x.Should().Be(…)``, ``x.ShouldBe(…)``, ``mock.Verify(…)``."""
    link = links[at]
    if link.name == "Should" and at and not link.given:
        return fluent(links[:at], links[at + 1 :])
    if link.name.startswith("Should") and len(link.name) > 6 and at:
        return [shouldly(link, links[:at])]
    found = _mock(links, at)
    return [found] if found is not None else None


def _mock(links: list[Link], at: int) -> WrittenDemand | None:
    """Moq's ``Verify``, NSubstitute's ``Received``, snapshots."""
    link = links[at]
    before = ".".join(one.text for one in links[:at])
    if link.name in ("Received", "DidNotReceive", "ReceivedWithAnyArgs") and at + 1 < len(links):
        call = links[at + 1]
        loose = "Arg.Any" in call.text or link.name == "ReceivedWithAnyArgs"
        return WrittenDemand(
            f"{before}.{link.text}.{call.text}", Demand(_loosely(loose), f"{before}.{call.name}", call.text)
        )
    if link.name.startswith("Verify"):
        subject = lambda_body(link.argument(0)) if at else uniform(link.argument(0))
        loose = "It.IsAny" in link.text or "Times.AtLeast" in link.text
        return WrittenDemand(
            ".".join(one.text for one in links[: at + 1]), Demand(_loosely(loose), before or subject, subject)
        )
    return None


def _loosely(loose: bool) -> Strength:
    return Strength.SHAPE if loose else Strength.EXACT


def _classic(link: Link, names: Mapping[str, bool], subject_first: bool) -> list[WrittenDemand]:
    if link.name in _ENDS:
        return [WrittenDemand("Assert.Pass()", Demand(Strength.VACUOUS, "pass"))] if link.name == "Pass" else []
    kept = _without_message(link)
    types = f"<{link.types}>" if link.types and not link.name.startswith(("Equal", "AreEqual")) else ""
    text = f"Assert.{link.name}{types}({', '.join(map(uniform, kept))})"
    if subject_first and link.name not in _EQUALITY | _INEQUALITY and len(kept) > 1:
        kept = _subject_last(kept)
    return [WrittenDemand(text, _counting(_demand(link, kept, names)))]


def _counting(demand: Demand) -> Demand:
    """However a collection's items are counted: none is empty, one is ``Assert.Single``."""
    found = _COUNT.fullmatch(demand.subject)
    if found is None or demand.strength is not Strength.EXACT or demand.expected not in ("0", "1"):
        return demand
    if demand.expected == "0":
        return replace(demand, subject=found[1], expected=told("Empty"))
    return replace(demand, subject=f"{found[1]}.Count")


def _subject_last(kept: list[Tokens]) -> list[Tokens]:
    """Of a text that is written out and something else, the text is what is expected, whichever comes first."""
    text_first = _is_text(kept[0]) and not _is_text(kept[1])
    return kept if text_first else [*kept[1:], kept[0]]


def _demand(link: Link, kept: list[Tokens], names: Mapping[str, bool]) -> Demand:
    name, first = link.name, kept[0] if kept else []
    if name in _TRUE:
        return condition(first, _TRUE[name], names)
    if name in ("That", "ThatAsync"):
        return constrained(first, kept[1]) if len(kept) > 1 else condition(first, True, names)
    if name == "Fail":
        return Demand(Strength.SHAPE, "fail")
    if _THROWS.fullmatch(name):
        body = lambda_body(kept[-1] if kept else [])
        return thrown(_exception(link.types, kept), body, exact="Catch" not in name)
    if name in ("NotNull", "IsNotNull"):
        return inequality(first, ["null"])
    if name in _EXACT | _PRESENCE:
        strength = Strength.EXACT if name in _EXACT else Strength.PRESENCE
        return Demand(strength, lambda_body(first), ", ".join(map(uniform, kept[1:])) or told(name))
    if name == "Single" and len(kept) == 1:
        return Demand(Strength.EXACT, f"{uniform(first)}.Count", "1")
    return _compared(name, kept, link.types)


def _exception(types: str, kept: list[Tokens]) -> str:
    """The exception that is named, by a type argument or by the first of several arguments."""
    if types:
        return types
    return uniform(kept[0]).removeprefix("typeof(").removesuffix(")") if len(kept) > 1 else "Exception"


def _compared(name: str, kept: list[Tokens], types: str) -> Demand:
    if len(kept) > 1 and name in _EQUALITY:
        demand = equality(kept[1], kept[0])
        return _tolerant(demand, kept[2]) if len(kept) > 2 and demand.strength is Strength.EXACT else demand
    if len(kept) > 1 and name in _INEQUALITY:
        return inequality(kept[1], kept[0])
    return _shape(name, kept, types)


def _shape(name: str, kept: list[Tokens], types: str) -> Demand:
    """Anything less than equality. Most have what is expected first; an order has it last."""
    first, last = (uniform(kept[0]), uniform(kept[-1])) if kept else ("", "")
    if types in ("object", "Object") and name.startswith("Is"):
        return Demand(Strength.VACUOUS, last, types)
    if name in _ORDERED or name == "InRange":
        return Demand(Strength.SHAPE, first, told(name, ", ".join(map(uniform, kept[1:]))))
    return Demand(Strength.SHAPE, last, told(name, types or ", ".join(map(uniform, kept[:-1]))))


def _tolerant(demand: Demand, third: Tokens) -> Demand:
    """A whole number is xUnit's count of decimal places; a fraction or a named tolerance is itself one."""
    text = uniform(third)
    if third[0][-1:] == '"' or "omparer" in text or text in ("true", "false"):
        return demand
    value = number([part for part in third if part not in ("tolerance", "precision", ":", "delta")])
    places = "precision" in text or ("tolerance" not in text and text.lstrip("-").isdigit())
    if value is not None and places:
        value = 0.5 * 10.0 ** -min(max(value, -300.0), 300.0)
    return replace(demand, strength=Strength.CLOSE, tolerance=value)


def _without_message(link: Link) -> list[Tokens]:
    """The arguments without the message at the end and what it is formatted with."""
    kept = [_unnamed(argument) for argument in link.arguments or ()]
    if link.name == "Fail":
        return []
    if link.name in ("That", "ThatAsync") and len(kept) > 1 and _is_text(kept[1]):
        return kept[:1]
    needed = 1 if link.name in _TAKE_ONE else 2
    while any(map(_is_text, kept[needed:])):
        kept.pop()
    return kept


def _is_text(parts: Tokens) -> bool:
    return parts[0][-1] == '"'


def _unnamed(parts: Tokens) -> Tokens:
    """``actual: x`` is ``x``."""
    named = (
        len(parts) > 2 and parts[1] == ":" and parts[0] in ("expected", "actual", "condition", "message", "object")
    )
    return parts[2:] if named else parts
