"""Assertions that read like sentences: ``expect(x).not.toBe(3)``, ``x.Should().Be(3)``."""

from dataclasses import replace

from assay.detectors.test_code.engine.demand import Demand, WrittenDemand
from assay.detectors.test_code.engine.expressions.brackets import closing, last_opening
from assay.detectors.test_code.engine.expressions.chains import Link, chain
from assay.detectors.test_code.engine.expressions.conditions import close, shape
from assay.detectors.test_code.engine.expressions.literals import measure
from assay.detectors.test_code.engine.expressions.words import joined, split
from assay.detectors.test_code.engine.language import Library
from assay.detectors.test_code.engine.rules import Check, FileFacts, Rule, demand_of, strongest, turned
from assay.detectors.test_code.model import Strength

_DEEPEST = 8


def fluent_demands(
    library: Library, words: list[str], links: list[Link], facts: FileFacts
) -> list[WrittenDemand] | None:
    """The demands of a chain of calls; None if it isn't an assertion of this library."""
    at = _starter(library, links)
    if at is None:
        asking = ((i, name) for i, link in enumerate(links) for name in link.names if name in library.asking)
        at, word = next(asking, (None, ""))
        if at is None:
            return None
        subject, rest = _before(words, word), links[at:]
    elif links[at].given > 1 and links[at].name in library.asked:
        return matched(library, links[at], facts)
    else:
        subject = _before(words, links[at].name) if library.subject_first else links[at].argument(0)
        rest = links[at + 1 :]
    found = _checks(library, subject, rest, facts)
    if not found:
        return [WrittenDemand(joined(words), Demand(Strength.VACUOUS, joined(subject)))]
    if any(not library.promises.isdisjoint(link.names) for link in rest):
        found = [(text, replace(each, promise=True)) for text, each in found]
    if library.asked_of is not None:
        return [WrittenDemand(_without_message(words, rest[-1]), each) for _, each in found]
    if library.each:
        start = _start_of_each(library, words, links[at].name, at)
        return [WrittenDemand(f"{start}.{text}", each) for text, each in found]
    best = strongest(each for _, each in found)
    return [WrittenDemand(joined(words), best)] if best is not None else None


def _starter(library: Library, links: list[Link]) -> int | None:
    """The call that begins an assertion, such as ``expect(x)``."""
    begin = (i for i, link in enumerate(links) if link.name in library.starters and link.arguments is not None)
    return next(begin, None)


def _start_of_each(library: Library, words: list[str], name: str, at: int) -> str:
    """The words in front of a chain's checks, each of which counts for itself."""
    if library.subject_first:
        return joined(_before(words, name, and_itself=bool(library.starters)))
    first = next((i for i, word in enumerate(words) if word in library.starters or word in library.takers), 0)
    return joined(words[first : _length_of(words, at)])


def _without_message(words: list[str], last: Link) -> str:
    """The assertion without what may follow a matcher."""
    if last.given < 2 or words[-1] != ")":
        return joined(words)
    return f"{joined(words[: last_opening(words)])}({joined(last.argument(0))})"


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


def _before(words: list[str], word: str, and_itself: bool = False) -> list[str]:
    """The subject of a taker: the words before it."""
    at = words.index(word) if word in words else 0
    if and_itself:
        return words[: closing(words, words.index("(", at)) + 1] if "(" in words[at:] else words
    return words[: at - 1] if at > 1 else ["subject"]


def _checks(library: Library, subject: list[str], rest: list[Link], facts: FileFacts) -> list[tuple[str, Demand]]:
    found: list[tuple[str, Demand]] = []
    negated = False
    if library.asked_of is not None and rest and rest[0].name in library.matchers:
        subject = library.asked_of(subject, [])[0][0]
    for each in rest:
        link = library.trimmed(each) if library.trimmed is not None else each
        shown = link.written(link.names[-1:] if library.subject_first else None)
        negated ^= any(name in library.negations for name in link.names)
        name = link.name
        if name in library.takers and name not in library.matchers and link.arguments is not None:
            holds = library.takers[name] is not negated
            pairs = (
                library.asked_of(subject, link.argument(0)) if library.asked_of else [(subject, link.argument(0))]
            )
            found += [(shown, _matcher(library, words, of, facts, holds)) for of, words in pairs]
            negated = False
        elif library.neutral.fullmatch(name) or (link.arguments is None and name not in library.properties):
            continue
        elif library.navigation.fullmatch(name):
            subject = [*subject, ".", link.written()]
        elif name in library.starters:
            # From here on a part of what was asked about is asked about.
            subject = [*subject, ".", ".".join(link.names[:-1])]
        else:
            rule = library.matching(name)
            demand = demand_of(turned(rule) if negated else rule, link, facts, subject)
            found.append((shown, demand))
            negated = negated and not library.each
    return found


def _matcher(
    library: Library, words: list[str], subject: list[str], facts: FileFacts, holds: bool, depth: int = 0
) -> Demand:
    """The demand of a matcher that is handed over: ``Equal(3)``, ``is(not(3))``, ``Is.Not.Null``."""
    found = _infix(library, words) if depth < _DEEPEST else None
    if found is not None:
        asked = [_matcher(library, each, subject, facts, holds, depth + 1) for each in found[0]]
        return _combined(asked, found[1] is holds, joined(words))
    links = chain(words)
    at = next((i for i, link in enumerate(links) if i and link.name in library.within), None)
    if at is not None:
        return close(subject, links[at - 1].argument(0), _tolerance(links[at:], facts))
    return _asked_for(library, links, subject, facts, holds, depth)


def _asked_for(
    library: Library, links: list[Link], subject: list[str], facts: FileFacts, holds: bool, depth: int
) -> Demand:
    """The demand of a single matcher, with the words around it."""
    links = [link for link in links if not library.neutral.fullmatch(link.name)] or links
    holds ^= sum(name in library.negations for link in links for name in link.names) % 2 == 1
    last = links[-1]
    subject = _navigated(library, links, subject)
    if any(not library.elements.isdisjoint(link.names) for link in links):
        return shape(subject, "contain", last.argument(0) or [last.name], holds)
    inner = last.argument(0)
    if last.name in library.joined and last.given and depth < _DEEPEST:
        parts = [_matcher(library, each, subject, facts, holds, depth + 1) for each in last.arguments or ()]
        most = max if library.joined[last.name] is holds else min
        return most(parts, key=lambda each: each.strength)
    if inner and depth < _DEEPEST and (last.name in library.negations or _is_nested(library, last, inner)):
        return _matcher(library, inner, subject, facts, holds, depth + 1)
    return demand_of(_rule_of(library, last.name, holds), last, facts, subject)


def _infix(library: Library, words: list[str]) -> tuple[list[list[str]], bool] | None:
    """The matchers that a word such as ``and`` joins, and whether all of them must match."""
    if library.infix.keys().isdisjoint(words):
        return None
    for word, needs_all in library.infix.items():
        single = [_undotted(each) for each in split(words, word)]
        if len(single) > 1:
            return single, needs_all
    return None


def _rule_of(library: Library, name: str, holds: bool) -> Rule | Check:
    """The rule of a matcher, or its opposite."""
    rule = library.matcher(name) or library.matching(name)
    return rule if holds else library.opposites.get(name) or turned(rule)


def _is_nested(library: Library, last: Link, inner: list[str]) -> bool:
    """Whether a link is only a word around the matcher that it is given."""
    if last.name not in ("is", "describedAs") and library.matcher(last.name) is not None:
        return False
    inside = chain(inner)[-1].name if last.given == 1 and inner[-1] in (")", "]") else ""
    return bool(library.matcher(inside) or inside in library.negations or inside in library.joined)


def _navigated(library: Library, links: list[Link], subject: list[str]) -> list[str]:
    """The part of the subject that a matcher goes on to: ``Has.Count.EqualTo(3)``."""
    steps = [(link.name, link.written(link.names[-1:])) for link in links[:-1]]
    steps += [(name, name) for name in links[-1].names[:-1]]
    for name, text in steps:
        subject = [*subject, ".", text] if library.navigation.fullmatch(name) else subject
    return subject


def _undotted(words: list[str]) -> list[str]:
    """A matcher without the dots between it and its neighbours."""
    words = words[1:] if words[0] == "." else words
    return words[:-1] if words[-1] == "." else words


def _combined(found: list[Demand], needs_all: bool, text: str) -> Demand:
    """All of several matchers demand as much as the strongest, any of them less than equality."""
    if needs_all:
        return max(found, key=lambda each: each.strength)
    weakest = min(found, key=lambda each: each.strength)
    return replace(weakest, strength=min(weakest.strength, Strength.SHAPE), expected=text)


def _tolerance(links: list[Link], facts: FileFacts) -> float | None:
    """How far apart numbers may be by ``Within(0.1)`` or ``Within(10).Percent``."""
    value = measure(links[0].argument(0), facts.constants)
    percent = any("ercent" in name for link in links[1:] for name in link.names)
    return value / 100 if value is not None and percent else value


def matched(library: Library, link: Link, facts: FileFacts) -> list[WrittenDemand]:
    """``assertThat(x, is(3))``: a subject and matchers that must all match; a reason may stand before them."""
    given = link.arguments or []
    if len(given) > 2 and given[0][0][0] in "\"'":
        given = given[1:]
    asked = [given[1]]
    for word, needs_all in library.infix.items():
        single = [_undotted(each) for part in asked for each in split(part, word)]
        if not needs_all and len(single) > 1:
            break
        asked = single
    return [
        WrittenDemand(
            f"{link.name}({joined(given[0])}, {joined(each)})", _matcher(library, each, given[0], facts, True)
        )
        for each in asked
    ]
