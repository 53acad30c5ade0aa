"""The assertions and skips of functions, those of the functions they call in the same file included.

Moving assertions into a function of the same file, or out of one, changes nothing about what a test demands.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from assay.detectors.test_code.curly.flow import Flow
from assay.detectors.test_code.curly.lists import spelled
from assay.detectors.test_code.curly.values import Values, plain
from assay.detectors.test_code.demand import Demand, WrittenDemand, weaker
from assay.detectors.test_code.model import Assertion, Skip, Strength
from assay.detectors.test_code.tree import Node, Tree

_MOST_TEXT = 300
_MOST_NESTED = 24
_MOST_BORROWED = 60
_MOST_CALLS_DEEP = 4


class SkipCall(NamedTuple):
    """A call or a statement that ends the test early without failing it."""

    kind: str
    text: str
    conditional: bool = False


class Guard(NamedTuple):
    """A return under a condition at the top of a function: a skip in a test, nothing in another function."""

    text: str


class Call(NamedTuple):
    """A call of a function that may be in the same file."""

    name: str
    node: Node


BodyPart = WrittenDemand | SkipCall | Guard | Call
Look = Callable[[Tree, Node, str], Sequence[BodyPart]]
"""What one node means; the text is its source, cut where assertions are nested in assertions without end."""


@dataclass(slots=True)
class Body:
    """What one function does by itself."""

    assertions: list[Assertion] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    guards: list[Skip] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Reading:
    """How the functions of one file are read."""

    tree: Tree
    flow: Flow
    values: Values
    kinds: frozenset[str]
    look: Look


def read_body(reading: Reading, function: Node) -> Body:
    """Everything of a function, the closures in it included."""
    body, tree = Body(), reading.tree
    open_until: list[int] = []
    for node in tree.within(function.start + 1, function.end):
        if node.kind not in reading.kinds:
            continue
        while open_until and open_until[-1] <= node.start:
            open_until.pop()
        most = _MOST_TEXT if len(open_until) >= _MOST_NESTED else node.end - node.start
        for found in reading.look(tree, node, tree.text[node.start : node.start + most]):
            if isinstance(found, WrittenDemand):
                demand = _settled(found.demand, node, function, reading)
                body.assertions.append(_assertion(tree, node, found.text, demand))
            else:
                _add(body, tree, node, found)
        if node.parent is None or node.parent.start != node.start:
            open_until.append(node.end)
    return body


def _add(body: Body, tree: Tree, node: Node, found: SkipCall | Guard | Call) -> None:
    if isinstance(found, Call):
        body.calls.append(found)
    elif isinstance(found, Guard):
        body.guards.append(Skip("skip", tree.line(node.start), found.text[:_MOST_TEXT], conditional=True))
    elif not node.dead:
        conditional = found.conditional or node.conditional
        body.skips.append(Skip(found.kind, tree.line(node.start), found.text[:_MOST_TEXT], conditional))


def _settled(demand: Demand, node: Node, function: Node, reading: Reading) -> Demand:
    """What is expected under a name, what equals itself only by way of one, what is only asked now and then."""
    values = reading.values
    if node.conditional and demand.subject != "fail" and reading.flow.is_guarded(node, function):
        demand = weaker(demand)
    if demand.expected is None or demand.strength < Strength.CLOSE:
        return demand
    value = values.of(demand.expected, node)
    expected = demand.expected if value is None else spelled(value)
    if expected == plain(values.of(demand.subject, node)):
        return replace(demand, strength=Strength.VACUOUS, expected=expected)
    return demand if value is None else replace(demand, expected=expected)


def _assertion(tree: Tree, node: Node, text: str, demand: Demand) -> Assertion:
    return Assertion(
        line=tree.line(node.start),
        text=text,
        strength=demand.strength,
        subject=demand.subject,
        expected=demand.expected,
        tolerance=demand.tolerance,
        reachable=not node.dead,
        swallowed=node.swallowed,
    )


class _Reached(NamedTuple):
    """A call, with what the calls on the way to it do to it."""

    call: Call
    dead: bool
    swallowed: bool
    depth: int

    def follow(self, calls: list[Call]) -> "list[_Reached]":
        """The calls in the function that is called, unless they are too far away."""
        if self.depth >= _MOST_CALLS_DEEP:
            return []
        return [_reached(call, self.dead, self.swallowed, self.depth + 1) for call in calls[:_MOST_BORROWED]]


def _reached(call: Call, dead: bool, swallowed: bool, depth: int) -> _Reached:
    return _Reached(call, dead or call.node.dead, swallowed or call.node.swallowed, depth)


def whole_body(body: Body, others: Mapping[str, Body]) -> Body:
    """A function's body with what it borrows from the functions that it calls."""
    whole = Body(list(body.assertions), [*body.skips, *_early_returns(body)], [], body.calls)
    waiting = [_reached(call, False, False, 0) for call in body.calls]
    seen: set[str] = set()
    borrowed = 0
    while waiting and borrowed < _MOST_BORROWED:
        reached = waiting.pop(0)
        name = reached.call.name
        other = others.get(name)
        if other is None or other is body or name in seen:
            continue
        seen.add(name)
        _borrow(whole, other, reached)
        borrowed += 1 + len(other.assertions)
        waiting += reached.follow(other.calls)
    return whole


def _early_returns(body: Body) -> list[Skip]:
    """A return before the first assertion leaves all of them out."""
    first = min((one.line for one in body.assertions), default=0)
    return [one for one in body.guards if one.line <= first or (body.calls and not body.assertions)]


def _borrow(whole: Body, other: Body, reached: _Reached) -> None:
    whole.assertions += [
        _at_call(one, reached.dead, reached.swallowed) for one in other.assertions[:_MOST_BORROWED]
    ]
    if not reached.dead:
        conditional = reached.call.node.conditional
        whole.skips += [replace(one, conditional=one.conditional or conditional) for one in other.skips]


def _at_call(assertion: Assertion, dead: bool, swallowed: bool) -> Assertion:
    if not dead and not swallowed:
        return assertion
    return replace(
        assertion, reachable=assertion.reachable and not dead, swallowed=assertion.swallowed or swallowed
    )
