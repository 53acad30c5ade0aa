"""Assertions that run only under a condition, with nothing in their place otherwise.

A condition on the function's own parameters chooses among cases, and so may one in a loop; what a call is given
decides then whether the assertion is asked there.
"""

import re
from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

from assay.detectors.test_code.engine.expressions.parts import BRANCHING, FUNCTIONS, LOOPS, Part
from assay.detectors.test_code.engine.reading import FAR, Reading
from assay.detectors.test_code.engine.rows import head_of, listed
from assay.detectors.test_code.tree import Node
from assay.detectors.test_code.word_sets import word_set

_LONGEST_HEAD = 2000
_NEAR = 120
_WORD = re.compile(r"[$@]{0,2}[A-Za-z_]\w*")
_THINNING = word_set("filter reject select Where where takeWhile take_while dropWhile skip_while find_all grep")
_NO_NAMES = word_set(
    "if unless not nil null true false undefined and or is None True False self this in instanceof"
)


class Guard(NamedTuple):
    """Whether a condition that no case chose decides on a node, and the conditions on parameters that do."""

    guarded: bool
    chosen: list[list[str]]


InPlace = Callable[[Node], bool]
"""Whether there is something in a branch that demands as much."""


def _nothing(_: Node) -> bool:
    return False


def guard_of(reading: Reading, node: Node, in_place: InPlace = _nothing) -> Guard:
    """The condition of an assertion."""
    if is_short_circuited(reading, node):
        return Guard(True, [])
    if not node.conditional and not reading.left and reading.function_around(node) not in reading.left_early:
        return Guard(False, [])
    inside, asked, chosen, crossed = node, list[list[str]](), list[list[str]](), False
    for around in islice(node.ancestors(), FAR):
        if around.part in LOOPS or _repeats(reading, around):
            guarded = (not crossed and _is_idle(reading, node, around)) or _chooses(reading, around, asked)
            return Guard(guarded, [*chosen, *asked])
        if reading.left and any(each.start < inside.start and each in reading.left for each in around.children):
            return Guard(True, [])
        asked += [*_left_before(reading, inside, around), *_branch_conditions(reading, inside, around, in_place)]
        crossed = crossed or around.part in FUNCTIONS
        if around.part in FUNCTIONS:
            given = _parameters(reading, around)
            if any(not _names(words) <= given for words in asked):
                repeated = _is_repeated(reading, around, asked)
                return Guard(not repeated, [*chosen, *asked] if repeated else chosen)
            chosen, asked = [*chosen, *asked], []
            if around.part is Part.FUNCTION:
                return Guard(False, chosen)
        inside = around
    return Guard(bool(asked), chosen)


def _chooses(reading: Reading, loop: Node, asked: list[list[str]]) -> bool:
    """Whether what is asked has nothing to do with a loop, or the loop leaves out some of its rounds."""
    return any(_is_apart(reading, words, loop) for words in asked) or _is_thinned(reading, loop)


def _branch_conditions(reading: Reading, inside: Node, around: Node, in_place: InPlace) -> list[list[str]]:
    """The condition of the branch or the case that an assertion is in, unless something is in its place."""
    if around.part in BRANCHING and _is_lone(reading, inside, around, in_place):
        return [_holding(reading, inside, around)]
    if around.part is Part.CASE and not _is_sure(around, in_place):
        return [reading.words(around.parent.start, around.start) if around.parent is not None else []]
    return []


def is_short_circuited(reading: Reading, node: Node) -> bool:
    """Whether an expression runs only if another one says so: ``ready() && expect(x)…``."""
    return reading.tree.text[max(0, node.start - _NEAR) : node.start].rstrip().endswith(("&&", "||"))


def is_cut_off(reading: Reading, node: Node) -> bool:
    """Whether a short circuit keeps an expression from running: ``false && expect(x)…``."""
    before = reading.tree.text[max(0, node.start - _NEAR) : node.start].rstrip()
    if before[-2:] not in ("&&", "||") and before[-1:] != "?":
        return False
    start = max(node.parent.start if node.parent is not None else 0, node.start - _NEAR)
    line = reading.tree.text[start : node.start].rsplit("\n", 1)[-1]
    found = reading.words(node.start - len(line), node.start)
    while found and found[0] in ("{", "}", "await", "return", "=>", "("):
        found = found[1:]
    always = reading.truth(found[:-1]) if found else None
    return always is (found[-1] == "||") if found and always is not None else False


def _repeats(reading: Reading, node: Node) -> bool:
    """Whether a call runs a closure for each of several things."""
    call = reading.calls.get(node)
    return call is not None and call.names[-1:] != () and call.names[-1] in reading.language.repeating


def _is_repeated(reading: Reading, node: Node, asked: list[list[str]]) -> bool:
    """Whether a loop around a function may have chosen what is asked there."""
    return any(
        _repeats(reading, around)
        or (around.part in LOOPS and not any(_is_apart(reading, words, around) for words in asked))
        for around in islice(node.ancestors(), FAR)
    )


def _left_before(reading: Reading, node: Node, block: Node) -> list[list[str]]:
    """The conditions on which a helper or the round of a loop is left before a node is come to."""
    holder = block.parent
    while holder is not None and holder.part is Part.BLOCK:
        holder = holder.parent
    if block.part is not Part.BLOCK or holder is None or holder in reading.tests:
        return []
    if holder.part not in LOOPS and holder.part is not Part.FUNCTION:
        return []
    whole = [each for each in block.children if each.start < node.start]
    inner = [each.children[0] if each.part is Part.STATEMENT and each.children else each for each in whole]
    before = [each for each in inner if each.part in BRANCHING]
    leaving = (each for each in before if reading.decided(each) is None and _only_leaves(reading, each))
    return [["!", "(", *reading.asked(each), ")"] for each in leaving]


def _holding(reading: Reading, node: Node, branch: Node) -> list[str]:
    """The condition under which a node in one of its branches runs."""
    found, words = reading.branches(branch), reading.asked(branch)
    turned = found is not None and (node in found.otherwise) is not found.unless
    return ["!", "(", *words, ")"] if turned else words


def _is_thinned(reading: Reading, loop: Node) -> bool:
    """Whether a loop goes over those elements of a written list that a condition leaves: ``rows.filter(…)``."""
    over = head_of(reading, loop)[1] if loop.part is Part.EACH else []
    at = next((index for index, word in enumerate(over) if index and word in _THINNING), 0)
    return at > 1 and over[at - 1] == "." and listed(reading, over[: at - 1], loop) is not None


def _only_leaves(reading: Reading, branch: Node) -> bool:
    """Whether there is nothing in a branch but a return or a next round."""
    found = reading.branches(branch)
    then = found.then if found is not None and not found.otherwise else None
    inside = [then] if then is not None else []
    while len(inside) == 1 and inside[0].part in (Part.BLOCK, Part.STATEMENT):
        inside = inside[0].children
    return len(inside) == 1 and inside[0].part in (Part.RETURN, Part.BREAK)


def _is_apart(reading: Reading, words: list[str], loop: Node) -> bool:
    """Whether a condition in a loop has nothing to do with the rounds of that loop."""
    names = _names(words)
    if not names or loop.part not in LOOPS:
        return False
    body = loop.part_child(Part.BLOCK)
    inside = reading.tree.within(loop.start, loop.end)
    set_there = [each for each in inside if each.part in (Part.BINDING, Part.ASSIGNMENT)]
    heads = [(loop.start, body.start if body is not None else loop.end)]
    heads += [(each.start, min(each.end, each.start + _NEAR)) for each in set_there]
    return all(names.isdisjoint(_WORD.findall(reading.tree.text[start:end])) for start, end in heads)


def _is_idle(reading: Reading, node: Node, loop: Node) -> bool:
    """Whether a loop over something that may be empty has no say in what is asked in it."""
    named, over = head_of(reading, loop) if loop.part is Part.EACH else ([], [])
    if over[-1:] == ["]"] or "(" not in over:
        return False
    names = (_names([word for each in named for word in each]) | {"range"}) - {"_"}
    text = reading.tree.text
    for each in reading.tree.within(loop.start, loop.end):
        if each.part in (Part.BINDING, Part.ASSIGNMENT):
            left, _, value = text[each.start : min(each.end, each.start + _LONGEST_HEAD)].partition("=")
            if each.part is Part.ASSIGNMENT or not names.isdisjoint(_WORD.findall(value)):
                names.update(_WORD.findall(left))
    return names.isdisjoint(_WORD.findall(text[node.start : min(node.end, node.start + _LONGEST_HEAD)]))


def _is_sure(case: Node, in_place: InPlace) -> bool:
    """Whether every other case demands as much."""
    around = case.parent.children if case.parent is not None else ()
    others = [each for each in around if each.part in (Part.CASE, Part.ELSE) and each is not case]
    return bool(others) and all(in_place(each) for each in others)


def _is_lone(reading: Reading, node: Node, parent: Node, in_place: InPlace) -> bool:
    found = reading.branches(parent)
    if found is None or reading.decided(parent) is not None:
        return False
    if found.otherwise:
        others = [each for each in (found.then, *found.otherwise) if each is not None and each is not node]
        return bool(others) and not any(in_place(each) for each in others)
    if found.then is not None and found.then.start < found.body_from:
        return node is found.then
    return node.start >= found.body_from and node.part is not Part.HEAD


def _names(words: list[str]) -> set[str]:
    return {word for word in words if _WORD.fullmatch(word)} - _NO_NAMES


def _parameters(reading: Reading, function: Node) -> set[str]:
    body = function.part_child(Part.BLOCK)
    end = body.start if body is not None else function.end
    head = reading.tree.text[function.start : min(end, function.start + _LONGEST_HEAD)]
    return set(_WORD.findall(head))
