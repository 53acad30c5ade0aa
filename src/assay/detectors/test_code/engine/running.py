"""What a test asserts when it runs: helpers with what they are given, loops and cases with each of their rows."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice, product

from assay.detectors.test_code.engine.chains import is_labelled
from assay.detectors.test_code.engine.following import NOTHING_BOUND, Bound, put_in
from assay.detectors.test_code.engine.literals import elements
from assay.detectors.test_code.engine.parts import FUNCTIONS, Part
from assay.detectors.test_code.engine.reading import FAR, Reading
from assay.detectors.test_code.engine.scopes import Given, Scope, Written
from assay.detectors.test_code.engine.truth import truth
from assay.detectors.test_code.engine.words import joined, split
from assay.detectors.test_code.model import Assertion, Strength
from assay.detectors.test_code.tree import Node

_MOST = 4000
_MOST_ROUNDS = 200
_DEEPEST = 6
_OVER = frozenset(("in", "of", ":", "range", "as"))
"""What stands between the names of a loop and what it goes over."""
_DECLARING = frozenset(("(", ")", ",", "[", "]", "const", "let", "var", "val", "final"))


def run(scope: Scope, functions: Mapping[str, Scope]) -> list[Assertion]:
    """All that a test asserts, case by case."""
    written = scope.given() if scope.written or scope.runs else ()
    cases = written if 0 < len(written) <= _MOST_ROUNDS else [NOTHING_BOUND]
    every = (found for bound in cases for found in _run(scope, functions, bound, (scope,)))
    found = list(islice(every, _MOST))
    if scope.losing:
        return [replace(each, swallowed=each.swallowed or each.line in scope.losing) for each in found]
    return found


def _run(
    scope: Scope, functions: Mapping[str, Scope], bound: Bound, inside: tuple[Scope, ...]
) -> Iterator[Assertion]:
    """What one scope asserts, in the order of the text, inner things first."""
    steps: list[tuple[int, Written | tuple[str, Given]]] = [(each.node.end, each) for each in scope.written]
    steps += [(run[1].node.end, run) for run in scope.runs if run[0] in functions and run[1].node is not None]
    for _, step in sorted(steps, key=lambda each: each[0]):
        if isinstance(step, Written):
            for row in step.rounds:
                yield from _asked(step, {**bound, **row})
        elif functions[step[0]] not in inside and len(inside) <= _DEEPEST:
            for row in step[1].rounds:
                yield from _called(functions[step[0]], step[1], functions, {**bound, **row}, inside)


def _asked(written: Written, bound: Bound) -> list[Assertion]:
    asked = written.asked(bound)
    texts = {name: joined(words) for name, words in bound.items()}
    decided = [truth(words, texts) for words in written.conditions]
    if False in decided:
        return [replace(each, reachable=False) for each in asked]
    if any(
        value is None and _is_worked_out(words, bound)
        for value, words in zip(decided, written.conditions, strict=True)
    ):
        return [weaker(each) for each in asked]
    return asked


def _is_worked_out(words: list[str], bound: Bound) -> bool:
    """Whether a condition on parameters comes to ask the code under test."""
    return any("(" in bound[word] for word in words if word in bound)


def weaker(assertion: Assertion) -> Assertion:
    """What is demanded only now and then: one step less, but never nothing."""
    least = min(assertion.strength, Strength.PRESENCE)
    return replace(assertion, strength=Strength(max(assertion.strength - 1, least)))


def _called(
    function: Scope, given: Given, functions: Mapping[str, Scope], bound: Bound, inside: tuple[Scope, ...]
) -> Iterator[Assertion]:
    handed = given_to(function, given, bound)
    dead = given.node is not None and given.node.dead
    swallowed = given.node is not None and given.node.swallowed
    for found in _run(function, functions, handed, (*inside, function)):
        each = weaker(found) if given.guarded else found
        if dead or swallowed:
            yield replace(each, reachable=each.reachable and not dead, swallowed=each.swallowed or swallowed)
        else:
            yield each


def given_to(function: Scope, given: Given, bound: Bound) -> Bound:
    """What the parameters of a function are in one call."""
    handed = dict(function.defaults)
    place = 0
    for words in given.words:
        if is_labelled(words) and words[0] in function.parameters:
            handed[words[0]] = put_in(words[2:], bound)
        elif place < len(function.parameters):
            handed[function.parameters[place]] = put_in(words, bound)
            place += 1
    return handed


def rounds(reading: Reading, node: Node) -> list[Bound]:
    """What the names of the loops around a node are in each round, for lists that are written out."""
    loops: list[list[Bound]] = []
    for around in islice(node.ancestors(), FAR):
        if around.part in FUNCTIONS:
            break
        found = _rows(reading, around) if around.part is Part.EACH else []
        if found:
            loops.insert(0, found)
    if not loops:
        return [NOTHING_BOUND]
    every = ({name: words for part in parts for name, words in part.items()} for parts in product(*loops))
    return list(islice(every, _MOST_ROUNDS))


def _rows(reading: Reading, loop: Node) -> list[Bound]:
    """The rows of a loop by the names that it gives their parts; none where they are not written out."""
    words = reading.asked(loop)
    if words[-1:] == ["|"]:
        return _block_rows(reading, words, loop)
    at = next((index for index, word in enumerate(words) if word in _OVER), 0)
    if not at:
        return []
    named, listed = (words[:at], words[at + 1 :]) if words[at] != "as" else (words[at + 1 :], words[:at])
    rows = elements(reading.following.filled(listed, loop, containers=True))
    names = _loop_names(named, words[at])
    return [row_of(names, row) for row in rows or ()] if names else []


def _block_rows(reading: Reading, words: list[str], loop: Node) -> list[Bound]:
    """The rows of ``[[1, 2], [3, 4]].each do |a, b|``."""
    opened = words.index("|")
    if opened < 4 or words[opened - 3 : opened - 1] != [".", "each"]:
        return []
    names = [word for word in words[opened + 1 : -1] if word not in (",", "(", ")")]
    rows = elements(reading.following.filled(words[: opened - 3], loop, containers=True))
    return [row_of(names, row) for row in rows or ()] if names else []


def _loop_names(words: list[str], over: str) -> list[str]:
    """The names that a loop gives to an element or to its parts: ``int x``, ``_, x :=``, ``(a, b)``."""
    if over == "range":
        parts = split(words[:-1])
        return parts[1] if len(parts) == 2 else []
    names = [word for word in words if word not in _DECLARING]
    return names if any(word in words for word in (",", "(", "[")) and over != ":" else names[-1:]


def row_of(names: list[str], row: list[str]) -> Bound:
    """What each of some names is in one row."""
    if len(names) == 1:
        return {names[0]: row}
    parts = elements(row) or []
    return dict(zip(names, parts, strict=False)) if len(parts) == len(names) else {}
