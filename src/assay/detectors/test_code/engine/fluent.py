"""Assertions that read like sentences: ``expect(x).not.toBe(3)``, ``x.Should().Be(3)``."""

from dataclasses import replace

from assay.detectors.test_code.engine.chains import Link, chain
from assay.detectors.test_code.engine.demand import Demand, WrittenDemand
from assay.detectors.test_code.engine.language import Library
from assay.detectors.test_code.engine.rules import Check, Facts, Kind, Rule, demand_of, strongest, turned
from assay.detectors.test_code.engine.words import joined
from assay.detectors.test_code.model import Strength

_SHAPE = Rule(Kind.SHAPE, expected=0)
_DEEPEST = 8


def fluent_demands(
    library: Library, words: list[str], links: list[Link], facts: Facts
) -> list[WrittenDemand] | None:
    """What a chain of calls demands; None where it is no assertion of this library."""
    at = next(
        (i for i, link in enumerate(links) if link.name in library.starters and link.arguments is not None), None
    )
    if at is not None:
        subject, rest = _subject(links[at]), links[at + 1 :]
        if links[at].given > 1 and links[at].name in library.asked:
            return [matched(library, links[at], facts)]
    else:
        at = next((i for i, link in enumerate(links) if any(name in library.takers for name in link.names)), None)
        if at is None:
            return None
        word = next(name for name in links[at].names if name in library.takers)
        subject, rest = _before(words, word), links[at:]
    found = _checks(library, subject, rest, facts)
    if not found:
        return [WrittenDemand(joined(words), Demand(Strength.VACUOUS, joined(subject)))]
    promise = any(name in library.promises for link in rest for name in link.names)
    found = [(text, replace(each, promise=True) if promise else each) for text, each in found]
    if library.asked_of is not None:
        text = _without_message(words, rest[-1])
        return [WrittenDemand(text, each) for _, each in found]
    if library.each:
        first = next((i for i, word in enumerate(words) if word in library.starters or word in library.takers), 0)
        start = joined(words[first : _length_of(words, at)])
        return [WrittenDemand(f"{start}.{text}", each) for text, each in found]
    best = strongest(each for _, each in found)
    return [WrittenDemand(joined(words), best)] if best is not None else None


def _without_message(words: list[str], last: Link) -> str:
    """The assertion without what may follow a matcher."""
    if last.given < 2 or words[-1] != ")":
        return joined(words)
    depth = 0
    for index in range(len(words) - 1, -1, -1):
        depth += (words[index] in (")", "]", "}")) - (words[index] in ("(", "[", "{"))
        if depth == 0:
            return f"{joined(words[:index])}({joined(last.argument(0))})"
    return joined(words)


def _subject(starter: Link) -> list[str]:
    return starter.argument(0)


def _length_of(words: list[str], at: int) -> int:
    """How many words the chain has up to the end of its starter."""
    depth, calls = 0, 0
    for index, word in enumerate(words):
        if word in ("(", "[", "{"):
            depth += 1
        elif word in (")", "]", "}"):
            depth -= 1
            if depth == 0 and word == ")":
                calls += 1
                if calls > at:
                    return index + 1
    return len(words)


def _before(words: list[str], word: str) -> list[str]:
    """What a taker is asked of: the words before it."""
    at = words.index(word) if word in words else 0
    return words[: at - 1] if at > 1 else ["subject"]


def _checks(library: Library, subject: list[str], rest: list[Link], facts: Facts) -> list[tuple[str, Demand]]:
    found: list[tuple[str, Demand]] = []
    negated = False
    if library.asked_of is not None and rest and rest[0].name in library.matchers:
        subject = library.asked_of(subject, [])[0][0]
    for link in rest:
        negated ^= any(name in library.negations for name in link.names)
        name = link.name
        if name in library.takers and name not in library.matchers and link.arguments is not None:
            holds = library.takers[name] is not negated
            pairs = (
                library.asked_of(subject, link.argument(0)) if library.asked_of else [(subject, link.argument(0))]
            )
            found += [(_link_text(link), _matcher(library, words, of, facts, holds)) for of, words in pairs]
            negated = False
        elif library.neutral.fullmatch(name) or (link.arguments is None and name not in library.properties):
            continue
        elif library.navigation.fullmatch(name):
            subject = [*subject, ".", _link_text(link)]
        else:
            rule = _rule(library, name)
            demand = demand_of(turned(rule) if negated else rule, link, facts, subject)
            found.append((_link_text(link), demand))
            negated = negated and not library.each
    return found


def _rule(library: Library, name: str) -> Rule | Check:
    return library.matchers.get(name) or library.other or _SHAPE


def _link_text(link: Link) -> str:
    names = ".".join(link.names)
    if link.arguments is None:
        return names
    return f"{names}({', '.join(joined(each) for each in link.arguments)})"


def _matcher(
    library: Library, words: list[str], subject: list[str], facts: Facts, holds: bool, depth: int = 0
) -> Demand:
    """What a matcher demands that is handed over: ``Equal(3)``, ``is(not(3))``, ``Is.Not.Null``."""
    links = chain(words)
    for name in (name for link in links for name in link.names):
        holds ^= name in library.negations
    last = links[-1]
    rule = library.matchers.get(last.name)
    inner = last.argument(0)
    if last.name in library.joined and last.given and depth < _DEEPEST:
        parts = [_matcher(library, each, subject, facts, holds, depth + 1) for each in last.arguments or ()]
        most = max if library.joined[last.name] is holds else min
        return most(parts, key=lambda each: each.strength)
    inside = chain(inner)[-1].name if last.given == 1 and inner[-1] in (")", "]") else ""
    nested = last.name in ("is", "describedAs") or rule is None
    nested = nested and (inside in library.matchers or inside in library.negations or inside in library.joined)
    if (last.name in library.negations or nested) and inner and depth < _DEEPEST:
        return _matcher(library, inner, subject, facts, holds, depth + 1)
    if rule is None:
        rule = library.other or _SHAPE
    if not holds:
        rule = library.opposites.get(last.name) or turned(rule)
    return demand_of(rule, last, facts, subject)


def matched(library: Library, link: Link, facts: Facts) -> WrittenDemand:
    """``assertThat(x, is(3))``: a subject and a matcher; a reason may stand before them."""
    given = link.arguments or []
    if len(given) > 2 and given[0][0][0] in "\"'":
        given = given[1:]
    demand = _matcher(library, given[1], given[0], facts, True)
    return WrittenDemand(f"{link.name}({', '.join(joined(each) for each in given[:2])})", demand)
