"""A test's assertions when it runs: helpers with their arguments, loops and cases with each of their rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from assay.detectors.test_code.engine.bound import NOTHING_BOUND, Bound, put_in
from assay.detectors.test_code.engine.expressions.chains import is_labelled
from assay.detectors.test_code.engine.expressions.truth import truth
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.rows import MOST_ROUNDS, every
from assay.detectors.test_code.engine.scopes import CodeScope, Given, Written
from assay.detectors.test_code.model import Assertion

_MOST = 4000
_DEEPEST = 6


def run(scope: CodeScope, functions: Mapping[str, CodeScope]) -> list[Assertion]:
    """All that a test asserts, case by case."""
    cases = _cases(scope) if scope.written or scope.runs else [NOTHING_BOUND]
    every = (found for bound in cases for found in _run(scope, functions, bound, (scope,)))
    found = list(islice(every, _MOST))
    if scope.losing:
        return [replace(each, swallowed=each.swallowed or each.line in scope.losing) for each in found]
    return found


def _cases(scope: CodeScope) -> list[Bound]:
    """A test's parameters in each of its cases, those of the groups around it among them."""
    tables: list[Sequence[Bound]] = []
    around: CodeScope | None = scope
    while around is not None:
        found = around.given()
        if 0 < len(found) <= MOST_ROUNDS:
            tables.append(found)
        around = around.parent
    return every(tables)


def _run(
    scope: CodeScope, functions: Mapping[str, CodeScope], bound: Bound, inside: tuple[CodeScope, ...]
) -> Iterator[Assertion]:
    """One scope's assertions, in the order of the text, inner things first."""
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
    if not written.conditions:
        return asked
    texts = {name: joined(words) for name, words in bound.items()}
    decided = [truth(put_in(words, bound), texts) for words in written.conditions]
    if False in decided:
        return [replace(each, reachable=False) for each in asked]
    if any(
        value is None and _is_worked_out(words, bound)
        for value, words in zip(decided, written.conditions, strict=True)
    ):
        return [replace(each, strength=each.strength.weaker) for each in asked]
    return asked


def _is_worked_out(words: list[str], bound: Bound) -> bool:
    """Whether a condition on parameters comes to ask the code under test."""
    return any("(" in bound[word] for word in words if word in bound)


def _called(
    function: CodeScope,
    given: Given,
    functions: Mapping[str, CodeScope],
    bound: Bound,
    inside: tuple[CodeScope, ...],
) -> Iterator[Assertion]:
    handed = given_to(function, given, bound)
    dead = given.node is not None and given.node.dead
    swallowed = given.node is not None and given.node.swallowed
    for found in _run(function, functions, handed, (*inside, function)):
        each = replace(found, strength=found.strength.weaker) if given.guarded else found
        if dead or swallowed:
            yield replace(each, reachable=each.reachable and not dead, swallowed=each.swallowed or swallowed)
        else:
            yield each


def given_to(function: CodeScope, given: Given, bound: Bound) -> Bound:
    """The parameters of a function in one call."""
    handed = dict(function.defaults)
    place = 0
    for words in given.words:
        if is_labelled(words) and words[0] in function.parameters:
            handed[words[0]] = put_in(words[2:], bound)
        elif place < len(function.parameters):
            handed[function.parameters[place]] = put_in(words, bound)
            place += 1
    return handed
