"""Fluent assertions of C#: FluentAssertions, Shouldly, and NUnit's constraints."""

import re

from assay.detectors.test_code.curly.chains import Link, chain
from assay.detectors.test_code.curly.condition_demands import condition, equality, inequality
from assay.detectors.test_code.curly.constants import number
from assay.detectors.test_code.curly.lists import spelled
from assay.detectors.test_code.curly.tokens import Tokens, split, tokens, uniform
from assay.detectors.test_code.curly.words import told
from assay.detectors.test_code.demand import Demand, WrittenDemand
from assay.detectors.test_code.model import Strength

BROAD = frozenset({"Exception", "SystemException", "ApplicationException", "AggregateException"})
_NAVIGATION = frozenset({"Which", "Subject", "WhoseValue", "And", "Where"})
_EXACT = re.compile(
    r"(?:Be)?(?:EquivalentTo|SameAs|Null|Empty|NullOrEmpty|OneOf_)|BeSameAs|Equal|ContainSingle_|BeInSameOrderAs|BeNullOrWhiteSpace"
    r"|HaveValue|WithMessage|BeDefault|BeXmlSerializable_|BeEquivalentTo|BeNull|BeEmpty"
)
_PRESENCE = re.compile(r"NotBe(?:Null\w*|Empty)|NotThrow\w*|HaveValue|Exist")
_THROWS = re.compile(r"Throw(?:Exactly)?(?:Async|WithinAsync)?")
_CLOSE = re.compile(r"Be(?:Approximately|CloseTo)")
_TAKES_ONE = re.compile(
    r"(?:Not)?Be|BeEquivalentTo|(?:Not)?BeSameAs|BeGreater\w*|BeLess\w*|HaveCount\w*|StartWith|EndWith|WithMessage"
)
_TAKES_NONE = re.compile(
    r"(?:Not)?Be(?:True|False|Null|Empty|NullOrEmpty|NullOrWhiteSpace|OfType|Positive|Negative|AssignableTo)|(?:Not)?Throw\w*"
)
_ARROW = frozenset({"=>"})


def fluent(before: list[Link], checks: list[Link]) -> list[WrittenDemand]:
    """``x.Should().Be(3).And.NotBe(4)``: every check is an assertion of its own."""
    # What hangs on ``?.`` is not asked at all where there is nothing.
    subject = ".".join(one.text for one in before)
    found = []
    for link in checks:
        if link.name in _NAVIGATION or link.arguments is None:
            continue
        demand = check(link.name, subject, _kept(link), link.types)
        types = f"<{link.types}>" if link.types else ""
        arguments = ", ".join(map(uniform, _kept(link)))
        found.append(WrittenDemand(f"{subject}.Should().{link.name}{types}({arguments})", demand))
    return found or [WrittenDemand(f"{subject}.Should()", Demand(Strength.VACUOUS, subject))]


def _kept(link: Link) -> list[Tokens]:
    """The arguments without the reasons after them."""
    kept = list(link.arguments or ())
    if _TAKES_NONE.fullmatch(link.name):
        return []
    return kept[:1] if _TAKES_ONE.fullmatch(link.name) else kept


def check(name: str, subject: str, kept: list[Tokens], types: str) -> Demand:
    """What one check demands of a subject."""
    first = kept[0] if kept else []
    compared = _comparison(name, tokens(subject), first)
    if compared is not None:
        return compared
    if _CLOSE.fullmatch(name):
        return Demand(Strength.CLOSE, subject, uniform(first), number(kept[1]) if len(kept) > 1 else None)
    if _THROWS.fullmatch(name):
        return thrown(types or "Exception", subject)
    if name == "HaveCount" and number(first) is not None:
        return Demand(Strength.EXACT, f"{subject}.Count", uniform(first))
    given = types or ", ".join(map(uniform, kept))
    if _EXACT.fullmatch(name):
        return _exact(name, subject, kept, given)
    return Demand(Strength.PRESENCE if _PRESENCE.fullmatch(name) else Strength.SHAPE, subject, told(name, given))


def _comparison(name: str, subject: Tokens, expected: Tokens) -> Demand | None:
    """A check that says the same as an operator would."""
    if name in ("Be", "BeNull"):
        return equality(subject, ["null"] if name == "BeNull" else expected)
    if name in ("NotBe", "NotBeNull"):
        return inequality(subject, ["null"] if name == "NotBeNull" else expected)
    return condition(subject, name == "BeTrue") if name in ("BeTrue", "BeFalse") else None


def _exact(name: str, subject: str, kept: list[Tokens], given: str) -> Demand:
    if len(kept) > 1:
        given = f"[{given}]"
    elif kept and kept[0]:
        given = spelled(kept[0])
    return Demand(Strength.VACUOUS if given == subject else Strength.EXACT, subject, given or told(name))


def shouldly(link: Link, before: list[Link] | None = None) -> WrittenDemand:
    """``x.ShouldBe(3)``, ``Should.Throw<E>(() => f())``."""
    if before is None:
        subject = lambda_body(link.argument(0))
        return WrittenDemand(f"Should.{link.text}", check(link.name, subject, [], link.types))
    subject = ".".join(one.text for one in before)
    name, kept = link.name.removeprefix("Should"), list(link.arguments or ())
    while len(kept) > 1 and kept[-1][0][-1] == '"':
        kept.pop()
    types = f"<{link.types}>" if link.types else ""
    text = f"{subject}.{link.name}{types}({', '.join(map(uniform, kept))})"
    if name == "Be" and len(kept) > 1:
        return WrittenDemand(text, Demand(Strength.CLOSE, subject, uniform(kept[0]), number(kept[1])))
    return WrittenDemand(text, check(name, subject, kept, link.types))


def thrown(kind: str, subject: str, exact: bool = True) -> Demand:
    """An exception that must be thrown; a very general one says little."""
    if subject.startswith("throw new "):
        # The test throws what it waits for itself.
        return Demand(Strength.VACUOUS, subject, kind)
    broad = kind.rsplit(".", 1)[-1] in BROAD or not exact
    return Demand(Strength.SHAPE if broad else Strength.EXACT, subject, kind)


def lambda_body(parts: Tokens) -> str:
    """What a lambda does, the same for a single call and for a block around it."""
    pieces = split(parts, _ARROW)
    if len(pieces) < 2:
        return uniform(parts)
    body = parts[len(pieces[0]) + 1 :]
    body = body[1:-1] if body[:1] == ["{"] else body
    return uniform([part for part in body if part != "await"]).rstrip(";")


def constrained(subject: Tokens, constraint: Tokens) -> Demand:
    """NUnit's ``Assert.That(x, Is.Not.EqualTo(3))``."""
    links = chain(constraint)
    words = [link.name for link in links]
    text = uniform(subject)
    last = _last_said(links)
    if last is None:
        return Demand(Strength.SHAPE, text)
    if words[0] == "Throws":
        return _throwing(links, lambda_body(subject))
    if "Or" in words:
        return Demand(Strength.SHAPE, text, uniform(constraint))
    if "Within" in words:
        return _within(links, text)
    if words == ["Has", "Count", "EqualTo"]:
        return equality([*subject, ".", "Count"], last.argument(0))
    if _navigates(words, last):
        return Demand(Strength.SHAPE, text, uniform(constraint))
    return _plain(last, subject, negated="Not" in words or "No" in words)


def _last_said(links: list[Link]) -> Link | None:
    """The last link that says what is demanded."""
    said = [link for link in links if link.arguments is not None or link.name not in ("Percent", "IgnoreCase")]
    return said[-1] if said else None


def _navigates(words: list[str], last: Link) -> bool:
    """Is the constraint about parts of the subject?"""
    return (words[0] == "Has" and last.name != "Member") or "All" in words or "Some" in words


def _plain(last: Link, subject: Tokens, *, negated: bool) -> Demand:
    text, first = uniform(subject), last.argument(0)
    if last.name in ("EqualTo", "SameAs"):
        return inequality(subject, first) if negated else equality(subject, first)
    if last.name in ("True", "False"):
        return condition(subject, (last.name == "True") is not negated)
    if last.name == "Null" and negated:
        return inequality(subject, ["null"])
    if last.name in ("Null", "Empty"):
        strength = Strength.PRESENCE if negated else Strength.EXACT
        return Demand(strength, text, told(last.name, wanted=not negated))
    given = last.types or ", ".join(map(uniform, last.arguments or ()))
    if last.name in ("EquivalentTo", "Zero", "NaN") and not negated:
        return Demand(Strength.EXACT, text, given or told(last.name))
    return Demand(Strength.SHAPE, text, told(last.name, given, wanted=not negated))


def _within(links: list[Link], subject: str) -> Demand:
    at = next(index for index, link in enumerate(links) if link.name == "Within")
    value = number(links[at].argument(0))
    if value is not None and any(link.name == "Percent" for link in links[at:]):
        value /= 100
    expected = uniform(links[at - 1].argument(0)) if at else None
    return Demand(Strength.CLOSE, subject, expected, value)


def _throwing(links: list[Link], subject: str) -> Demand:
    names = [link.name for link in links]
    if "Nothing" in names:
        return Demand(Strength.PRESENCE, subject)
    kinds = [link.types or uniform(link.argument(0)) for link in links if link.name in ("TypeOf", "InstanceOf")]
    named = [name for name in names if name.endswith("Exception") and name != "Exception"]
    return thrown((kinds or named or ["Exception"])[0], subject)
