"""What a call demands in C#: xUnit, NUnit and MSTest. Fluent assertions and constraints have their own module."""

import re
from collections.abc import Mapping
from functools import lru_cache

from assay.detectors.test_code.csharp.fluent import constrained, fluent, lambda_body, shouldly, thrown
from assay.detectors.test_code.curly.chains import Link, chain
from assay.detectors.test_code.curly.constants import number
from assay.detectors.test_code.curly.demands import Demand, Meaning, condition, equality, inequality
from assay.detectors.test_code.curly.tokens import Tokens, tokens, uniform
from assay.detectors.test_code.curly.words import told
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
_THROWS = re.compile(r"(?:Throws|Catch)(?:Any|Exactly|Exception)?(?:Async)?")
_ORDERED = frozenset({"Greater", "GreaterOrEqual", "Less", "LessOrEqual"})
_ENDS = frozenset(
    {"Pass", "Ignore", "Inconclusive", "Skip", "SkipWhen", "SkipUnless", "Multiple", "MultipleAsync"}
)


@lru_cache(maxsize=8192)
def remembered(text: str) -> list[Demand]:
    """The same for a text that depends on no names: most assertions of a file are the same before and after."""
    return demands(tokens(text), {})


def demands(parts: Tokens, names: Mapping[str, bool]) -> list[Demand]:
    """The assertions that a chain of calls makes; none where it makes none."""
    links = chain(parts)
    for at, link in enumerate(links):
        following = links[at + 1] if at + 1 < len(links) else None
        if link.arguments is None:
            if following is not None and following.arguments is not None and _CLASSES.fullmatch(link.name):
                return _classic(following, names, link.name in ("CollectionAssert", "StringAssert"))
            if link.name == "Should" and following is not None:
                return [shouldly(following)]
            continue
        if link.name == "Should" and at and not link.given:
            return fluent(links[:at], links[at + 1 :])
        if link.name.startswith("Should") and len(link.name) > 6 and at:
            return [shouldly(link, links[:at])]
        found = _mock(links, at)
        if found is not None:
            return [found]
    return []


def _mock(links: list[Link], at: int) -> Demand | None:
    """Moq's ``Verify``, NSubstitute's ``Received``, snapshots."""
    link = links[at]
    before = ".".join(one.text for one in links[:at])
    if link.name in ("Received", "DidNotReceive", "ReceivedWithAnyArgs") and at + 1 < len(links):
        call = links[at + 1]
        loose = "Arg.Any" in call.text or link.name == "ReceivedWithAnyArgs"
        return Demand(f"{before}.{link.text}.{call.text}", _loosely(loose), f"{before}.{call.name}", call.text)
    if link.name.startswith("Verify"):
        subject = lambda_body(link.argument(0)) if at else uniform(link.argument(0))
        loose = "It.IsAny" in link.text or "Times.AtLeast" in link.text
        return Demand(".".join(one.text for one in links[: at + 1]), _loosely(loose), before or subject, subject)
    return None


def _loosely(loose: bool) -> Strength:
    return Strength.SHAPE if loose else Strength.EXACT


def _classic(link: Link, names: Mapping[str, bool], subject_first: bool) -> list[Demand]:
    if link.name in _ENDS:
        return [Demand("Assert.Pass()", Strength.VACUOUS, "pass")] if link.name == "Pass" else []
    kept = _without_message(link)
    types = f"<{link.types}>" if link.types and not link.name.startswith(("Equal", "AreEqual")) else ""
    text = f"Assert.{link.name}{types}({', '.join(map(uniform, kept))})"
    # Of a text that is written out and something else, the text is what is expected, whichever comes first.
    turned = len(kept) > 1 and _is_text(kept[0]) and not _is_text(kept[1])
    if subject_first and link.name not in _EQUALITY | _INEQUALITY and len(kept) > 1 and not turned:
        kept = [*kept[1:], kept[0]]
    return [Demand(text, *_meaning(link, kept, names))]


def _meaning(link: Link, kept: list[Tokens], names: Mapping[str, bool]) -> Meaning:
    name, first = link.name, kept[0] if kept else []
    if name in _TRUE:
        return condition(first, _TRUE[name], names)
    if name in ("That", "ThatAsync"):
        return constrained(first, kept[1]) if len(kept) > 1 else condition(first, True, names)
    if name == "Fail":
        return Meaning(Strength.SHAPE, "fail")
    if _THROWS.fullmatch(name):
        named = (
            link.types or uniform(first).removeprefix("typeof(").removesuffix(")")
            if len(kept) > 1 or link.types
            else "Exception"
        )
        return thrown(named, lambda_body(kept[-1] if kept else []), exact="Catch" not in name)
    if name in _EXACT | _PRESENCE:
        if name in ("NotNull", "IsNotNull"):
            return inequality(first, ["null"])
        strength = Strength.EXACT if name in _EXACT else Strength.PRESENCE
        return Meaning(strength, lambda_body(first), ", ".join(map(uniform, kept[1:])) or told(name))
    return _compared(name, kept, link.types)


def _compared(name: str, kept: list[Tokens], types: str) -> Meaning:
    if name in _EQUALITY and len(kept) > 1:
        meaning = equality(kept[1], kept[0])
        return _tolerant(meaning, kept[2]) if len(kept) > 2 and meaning.strength is Strength.EXACT else meaning
    if name in _INEQUALITY and len(kept) > 1:
        return inequality(kept[1], kept[0])
    subject = uniform(kept[-1] if kept else [])
    if types in ("object", "Object") and name.startswith("Is"):
        return Meaning(Strength.VACUOUS, subject, types)
    if name in _ORDERED or name == "InRange":
        return Meaning(
            Strength.SHAPE, uniform(kept[0] if kept else []), told(name, ", ".join(map(uniform, kept[1:])))
        )
    return Meaning(Strength.SHAPE, subject, told(name, types or ", ".join(map(uniform, kept[:-1]))))


def _tolerant(meaning: Meaning, third: Tokens) -> Meaning:
    """A whole number is xUnit's count of decimal places; a fraction or a named tolerance is itself one."""
    text = uniform(third)
    if third[0][-1:] == '"' or "omparer" in text or text in ("true", "false"):
        return meaning
    value = number([part for part in third if part not in ("tolerance", "precision", ":", "delta")])
    places = "precision" in text or ("tolerance" not in text and text.lstrip("-").isdigit())
    if value is not None and places:
        value = 0.5 * 10.0 ** -min(max(value, -300.0), 300.0)
    return meaning._replace(strength=Strength.CLOSE, tolerance=value)


def _without_message(link: Link) -> list[Tokens]:
    """The arguments without the message at the end and what it is formatted with."""
    kept = [_unnamed(argument) for argument in link.arguments or ()]
    needed = 1 if link.name in _TRUE or link.name in _EXACT | _PRESENCE else 2
    if link.name == "Fail":
        return []
    if link.name in ("That", "ThatAsync") and len(kept) > 1 and _is_text(kept[1]):
        return kept[:1]
    while len(kept) > needed and any(map(_is_text, kept[needed:])):
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
