"""The calls of a file: what is called, on the result of which other call, with which arguments."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from assay.detectors.test_code.engine.expressions.parts import Part
from assay.detectors.test_code.tree import Node, ParsedText

Names = tuple[str, ...]
_MOST_STEPS = 50


@dataclass(slots=True, eq=False)
class Call:
    """One call. ``names`` are those after ``inner``, the call on whose result it is made, if there is one.

    ``root`` is the innermost of such calls, and ``outermost`` is false for a call that another one is made on.
    """

    node: Node
    arguments: Node | None
    names: Names
    inner: "Call | None" = None
    outermost: bool = True
    root: "Call" = field(init=False)

    def __post_init__(self) -> None:
        self.root = self if self.inner is None else self.inner.root

    def steps(self) -> "Iterator[Call]":
        """The call and those on whose results it is made, the last first; no more than anybody writes."""
        step: Call | None = self
        for _ in range(_MOST_STEPS):
            if step is None:
                return
            yield step
            step = step.inner


def calls(tree: ParsedText, arguments: tuple[str, ...], read_names: Callable[[str], Names]) -> dict[Node, Call]:
    """Every call of a file. The inner calls of a chain come later in the tree, so it is read from its end."""
    found: dict[Node, Call] = {}
    for node in reversed(tree.nodes):
        if node.part is Part.CALL:
            found[node] = _call(node, tree, found, arguments, read_names)
    return found


def _call(
    node: Node,
    tree: ParsedText,
    found: dict[Node, Call],
    kinds: tuple[str, ...],
    read_names: Callable[[str], Names],
) -> Call:
    given = _given(node, kinds)
    first = node.children[0] if node.children else None
    inner = found.get(first) if first is not None and first.start == node.start else None
    begin = node.start
    if inner is not None:
        inner.outermost = False
        begin = inner.node.end
    names = read_names(tree.text[begin : given.start if given is not None else node.end])
    return Call(node, given, names, inner)


def _given(node: Node, kinds: tuple[str, ...]) -> Node | None:
    """The arguments of a call: the first kind that it has."""
    for kind in kinds:
        for child in node.children:
            if child.kind == kind and child.start > node.start:
                return child
    return None
