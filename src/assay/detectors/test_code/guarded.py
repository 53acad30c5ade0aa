"""Which assertions are asked only under a condition, with nothing in their place otherwise.

A condition on the function's own parameters chooses among cases, and so may one in a loop.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from assay.detectors.test_code.tree import Node, Tree

_FAR = 200
_LONGEST_HEAD = 2000
_WORD = re.compile(r"[A-Za-z_]\w*")
_NO_NAMES = frozenset({"if", "unless", "not", "nil", "null", "true", "false", "undefined", "and", "or"})


@dataclass(frozen=True, slots=True)
class Conditions:
    """How a language writes conditions.

    ``is_lone_branch`` says whether a node is what a condition decides on, with nothing to do otherwise; ``asked``
    are the words of that condition, and ``repeats`` says whether a node runs what is in it several times.
    """

    functions: frozenset[str]
    is_lone_branch: Callable[[Node, Node], bool]
    asked: Callable[[Node], list[str]]
    repeats: Callable[[Node], bool]


def is_guarded(tree: Tree, node: Node, ways: Conditions) -> bool:
    """Does an assertion run only if a condition holds that no case chose?"""
    inside, asked, guarded = node, list[set[str]](), False
    within = True
    for around in islice(node.ancestors(), _FAR):
        if ways.repeats(around):
            return False
        if within and ways.is_lone_branch(inside, around):
            asked.append(_names(ways.asked(around)))
        if within and around.kind in ways.functions:
            guarded, within = _is_way_out(asked, tree, around), False
        inside = around
    return guarded if not within else bool(asked)


def _names(words: list[str]) -> set[str]:
    return {word for word in words if _WORD.fullmatch(word)} - _NO_NAMES


def _is_way_out(asked: list[set[str]], tree: Tree, function: Node) -> bool:
    body = function.children[-1].start if function.children else function.end
    head = tree.text[function.start : min(body, function.start + _LONGEST_HEAD)]
    given = set(_WORD.findall(head))
    return any(not names <= given for names in asked)
