"""Groups, tests, hooks and functions of a file as scopes, with what skips them."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import islice

from assay.detectors.test_code.engine.bound import Bound, put_in
from assay.detectors.test_code.engine.expressions.calls import Call, Names
from assay.detectors.test_code.engine.expressions.parts import Part
from assay.detectors.test_code.engine.expressions.truth import truth
from assay.detectors.test_code.engine.expressions.values import first_name
from assay.detectors.test_code.engine.expressions.words import joined, split
from assay.detectors.test_code.engine.guarded import guard_of
from assay.detectors.test_code.engine.language import DeclaredPart
from assay.detectors.test_code.engine.marked import declared_function, read_mark
from assay.detectors.test_code.engine.marks import Class, Function, Mark
from assay.detectors.test_code.engine.reading import FAR, Reading
from assay.detectors.test_code.engine.rows import every, rounds, times
from assay.detectors.test_code.engine.scopes import CodeScope, Given, Role
from assay.detectors.test_code.engine.skipping import (
    depends,
    early_return,
    mark_skips,
    skip_of_call,
    thrown_skip,
)
from assay.detectors.test_code.model import Skip
from assay.detectors.test_code.tree import Node

_LONGEST_HEAD = 2000
_MOST_TEXT = 300
_COMMENT = re.compile(r"//[^\n]*|/\*.{0,2000}?\*/", re.DOTALL)
_WORDS = re.compile(r"\w+")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*[?!]?\Z")
_DEAD = "code that is never reached"


class Suites:
    """Finds the scope of every node while the tree is walked from its beginning."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._classes: dict[Node, Class] = {}
        self._marks: dict[str, list[Mark]] = {}
        """What stands before the file's own marks, by their names: they stand for it."""
        self._declared: list[tuple[Function, DeclaredPart, CodeScope]] = []
        self._returns: list[tuple[CodeScope, Node]] = []
        own = reading.language.quirks.file_skips
        if own is not None:
            reading.scopes[0].skips.extend(own(reading))

    def visit(self, node: Node) -> CodeScope:
        """The scope that a node opens, or the one it stands in."""
        reading = self._reading
        scope = reading.scope_around(node)
        part = node.part
        if part is Part.CALL:
            scope = self._call(reading.calls[node], scope)
        elif part is Part.FUNCTION:
            scope = self._function(node, scope)
        elif part is Part.CLASS:
            scope = self._class(node, scope)
        elif part is Part.CLOSURE:
            scope = self._closure(node, scope)
        elif part is Part.RETURN and scope.role is Role.TEST and not node.dead:
            self._returns.append((scope, node))
        elif part is Part.THROW and not node.dead:
            thrown_skip(reading, node, scope)
        reading.scope_of[node] = scope
        return scope

    def _open(self, declared: DeclaredPart, node: Node, outer: CodeScope) -> CodeScope:
        reading = self._reading
        line, end = reading.line(node), reading.tree.line(max(node.start, node.end - 1))
        scope = CodeScope(
            declared.role, declared.name, line, end, outer, declared.skips, list(declared.assertions),
            cases=declared.cases, focus=declared.focus, collected=declared.collected, dead=node.dead, node=node,
        )  # fmt: skip
        scope.given = partial(self._cases, declared, node, outer)
        if declared.role in (Role.TEST, Role.SUITE):
            self._count(scope, outer)
        if node.dead and declared.role in (Role.TEST, Role.SUITE):
            scope.skips.append(Skip("disabled", line, _DEAD))
        reading.scopes.append(scope)
        if declared.role in (Role.TEST, Role.SUITE, Role.HOOK):
            reading.tests.add(node)
        return scope

    def _count(self, scope: CodeScope, outer: CodeScope) -> None:
        """How often loops run what a scope declares; a test that declares others runs them as often."""
        around = times(self._reading, scope.node, outer.node or self._reading.tree.nodes[0]) if scope.node else 1
        if around is not None and around > 1 and scope.node is not None:
            around = len(self._loops(scope.node, outer))
        scope.cases = None if scope.cases is None or around is None else scope.cases * around
        if outer.role is Role.TEST:
            outer.rows = max(outer.rows, around or 1)

    def _cases(self, declared: DeclaredPart, node: Node, outer: CodeScope) -> Sequence[Bound]:
        """The values of a scope's names in each case, by its own table and by the loops around it."""
        return every([each for each in (declared.given(), self._loops(node, outer)) if each])

    def _loops(self, node: Node, outer: CodeScope) -> Sequence[Bound]:
        """The values of loop names around a declaration in each round that comes to it."""
        found = rounds(self._reading, node, outer.node or self._reading.tree.nodes[0])
        conditions = guard_of(self._reading, node).chosen if len(found) > 1 else []
        return [row for row in found if not any(truth(put_in(each, row)) is False for each in conditions)]

    # Classes and functions

    def _class(self, node: Node, outer: CodeScope) -> CodeScope:
        reading = self._reading
        found = self._read_class(node)
        self._classes[node] = found
        self._marks[found.name] = found.marks
        own = reading.language.quirks.klass
        declared = own(reading, found) if own is not None else None
        if declared is None:
            declared = DeclaredPart(Role.SUITE, found.name, False, mark_skips(reading, found.marks))
        if "abstract" in found.words and not has_heirs(reading, re.escape(found.name)):
            text = f"abstract class {found.name}"
            declared.skips.append(Skip("excluded", reading.line(node), text, conditional=True))
        return self._open(declared, node, outer)

    def _read_class(self, node: Node) -> Class:
        head = self._head(node)
        named = self._reading.language.heads.klass.match(head)
        groups = named.groupdict() if named is not None else {}
        outer = next((self._classes[each] for each in node.ancestors() if each in self._classes), None)
        parents = tuple(_WORDS.findall(groups.get("parents") or ""))
        name = groups.get("name") or "?"
        before = head[: named.start("name")] if named is not None else ""
        return Class(node, name, outer, self.marks_of(node), frozenset(_WORDS.findall(before)), parents)

    def _function(self, node: Node, outer: CodeScope) -> CodeScope:
        reading = self._reading
        function = self.read_function(node)
        own = reading.language.quirks.function
        declared = own(reading, function) if own is not None else None
        if declared is None:
            declared = declared_function(reading, function)
        if declared is None:
            if outer.role in (Role.TEST, Role.HOOK):
                # A local function or a method of a local class belongs to the test around it.
                outer.call(function.name, Given(None))
                return outer
            declared = DeclaredPart(Role.FUNCTION, function.name)
        scope = self._open(declared, node, outer)
        scope.parameters = self.parameters(function.takes)
        scope.defaults = parameter_defaults(reading, function.takes)
        if declared.rows:
            declared.given = partial(self._rows, scope.parameters, declared.rows)
        if declared.role is Role.TEST:
            self._declared.append((function, declared, scope))
        return scope

    def _rows(self, names: tuple[str, ...], rows: Sequence[Sequence[str]]) -> list[Bound]:
        """The parameters in each of some rows of texts."""
        if not all(len(row) == len(names) for row in rows):
            return []
        words = self._reading.words_in
        return [{name: words(cell) for name, cell in zip(names, row, strict=True)} for row in rows]

    def read_function(self, node: Node) -> Function:
        head = self._head(node)
        named = self._reading.language.heads.function.match(head)
        groups = named.groupdict() if named is not None else {}
        owner = next(
            (self._classes[each] for each in islice(node.ancestors(), FAR) if each in self._classes), None
        )
        words = frozenset(_WORDS.findall(head[: named.start("name")])) if named is not None else frozenset()
        takes = (groups.get("takes") or "").strip()
        return Function(node, groups.get("name") or "?", owner, self.marks_of(node), words, takes)

    def _head(self, node: Node) -> str:
        """A declaration without its marks, up to its body."""
        marks = node.part_child(Part.MARKS)
        tree = self._reading.tree
        body = node.part_child(Part.BLOCK)
        at, kept = node.start, list[str]()
        inner = [
            child for child in (marks.children if marks is not None else node.children) if child.part is Part.MARK
        ]
        begin = inner[-1].end if inner else at
        end = min(body.start + 1 if body is not None else node.end, begin + _LONGEST_HEAD)
        for mark in inner:
            if mark.start >= at and mark.end <= end:
                kept.append(tree.text[at : mark.start])
                at = mark.end
        kept.append(tree.text[at:end])
        return _COMMENT.sub(" ", " ".join(kept)).lstrip()

    def parameters(self, takes: str) -> tuple[str, ...]:
        """The names of the parameters of a function."""
        return self._reading.parameters(takes)

    def marks_of(self, node: Node) -> list[Mark]:
        """The marks before a declaration."""
        own = self._reading.language.quirks.marks
        if own is not None:
            return own(self._reading, node)
        holders = [child for child in node.children if child.part is Part.MARKS]
        nodes = [child for holder in (*holders, node) for child in holder.children if child.part is Part.MARK]
        found = [read_mark(self._reading, each) for each in nodes]
        return [*found, *(more for mark in found for more in self._marks.get(mark.name, ()))]

    # Closures and calls

    def _closure(self, node: Node, scope: CodeScope) -> CodeScope:
        """A closure with a name, outside of tests, is a function that tests may call."""
        parent = node.parent
        while parent is not None and parent.part is Part.HEAD:
            parent = parent.parent
        if scope.role not in (Role.FILE, Role.SUITE) or parent is None:
            return scope
        if parent.part not in (Part.BINDING, Part.ASSIGNMENT):
            return scope
        name = first_name(self._reading.tree.text[parent.start : node.start])
        return self._open(DeclaredPart(Role.FUNCTION, name), node, scope) if name else scope

    def _call(self, call: Call, scope: CodeScope) -> CodeScope:
        reading = self._reading
        names = reading.names(call)
        own = reading.language.quirks.call
        declared = own(reading, call, scope) if own is not None else None
        if declared is not None:
            opened = self._open(declared, call.node, scope)
            for part in reading.head(call)[-2:]:
                for word in part:
                    if _IDENTIFIER.match(word):
                        opened.call(word, Given(call.node))
            return opened
        if names and call.inner is None:
            self._remember(call, names, scope)
        if not call.node.dead:
            skip_of_call(reading, call, names, scope)
        return scope

    def _remember(self, call: Call, names: Names, scope: CodeScope) -> None:
        """A call of what may be a function of the same file."""
        name = names[-1]
        scope.runs.append((name, Given(call.node)))
        if name in scope.calls and scope.calls[name].node is not None:
            return
        given: tuple[str, ...] = ()
        if call.arguments is not None and call.arguments.end - call.arguments.start < _LONGEST_HEAD:
            given = ("",)
        scope.call(name, Given(call.node, given, True))

    def settle(self) -> None:
        """Add what is known only when all scopes and assertions are."""
        for scope, node in self._returns:
            early_return(self._reading, scope, node)
        functions = {scope.name for scope in self._reading.scopes if scope.role is Role.FUNCTION}
        for scope in self._reading.scopes:
            for name, given in scope.calls.items():
                if name in functions and given.node is not None and given.node not in self._reading.tests:
                    given.certain = not given.node.conditional and not depends(self._reading, given.node)
                    given.arguments = self._given(given)
            for name, each in scope.runs:
                if name in functions:
                    self._run(each)
            if scope.role is Role.TEST and scope.runs:
                scope.doings = partial(self._doings, scope)
        for function, declared, scope in self._declared:
            if declared.must_fail is not None:
                scope.losing = self._turned_around(function.node, declared)
        self._tell_apart()
        self._drop_twins()
        own = self._reading.language.quirks.settle
        if own is not None:
            own(self._reading)
        if self._reading.language.declaring.shared is not None:
            self._stand_alone(self._reading.language.declaring.shared)

    def _stand_alone(self, refused: re.Pattern[str]) -> None:
        """A function that asserts and that nothing here calls stands for itself: tests elsewhere may call it."""
        scopes = self._reading.scopes
        called = {"", *(name for scope in scopes for name, _ in scope.runs)}
        for scope in scopes:
            alone = scope.role is Role.FUNCTION and bool(scope.written) and scope.name not in called
            if alone and not refused.match(scope.name):
                scope.role, scope.collected = Role.TEST, False

    def _turned_around(self, node: Node, declared: DeclaredPart) -> range:
        """The lines whose assertions nothing hears of in a test that must fail.

        What stands at its end can't hold; where any failure will do, none must.
        """
        tree = self._reading.tree
        if declared.must_fail:
            return range(tree.line(node.start), tree.line(node.end) + 1)
        body = node.part_child(Part.BLOCK)
        last = body.children[-1] if body is not None and body.children else None
        if last is None or last.part not in (Part.STATEMENT, Part.CALL):
            return range(0)
        return range(tree.line(last.start), tree.line(last.end) + 1)

    def _tell_apart(self) -> None:
        """Tests that share a name get names with their parameters."""
        times = Counter((scope.parent, scope.name) for _, _, scope in self._declared)
        for function, _, scope in self._declared:
            if times[scope.parent, scope.name] > 1 and function.takes:
                scope.name = f"{scope.name}({joined(self._reading.words_in(function.takes))})"

    def _drop_twins(self) -> None:
        """Of two tests with one name, one of which no build has, only the other is a test."""
        tests = [scope for _, _, scope in self._declared]
        out = {
            scope
            for scope in tests
            if any(each.kind == "excluded" and not each.conditional for each in scope.skips)
        }
        alive = {(scope.parent, scope.name) for scope in tests if scope not in out} if out else set()
        self._reading.scopes = [
            scope for scope in self._reading.scopes if scope not in out or (scope.parent, scope.name) not in alive
        ]

    def _given(self, given: Given) -> tuple[str, ...]:
        call = self._reading.calls.get(given.node) if given.node is not None else None
        if call is None or not given.arguments or given.arguments != ("",):
            return given.arguments
        link = self._reading.links(call)[-1]
        return tuple(joined(each) for each in link.arguments or ())

    def _doings(self, scope: CodeScope) -> list[str]:
        """The calls that a test makes by themselves, and not for another call or to say something."""
        reading = self._reading
        silent = [given.node for _, given in scope.runs if given.node is not None and not given.node.dead]
        nodes = [each for each in silent if not reading.talks(reading.calls[each])]
        own = [each for each in nodes if not any(a.part is Part.CALL for a in islice(each.ancestors(), 6))]
        return [joined(reading.words_of(each))[:_MOST_TEXT] for each in own]

    def _is_called_in(self, names: Names, branch: Node) -> bool:
        """Whether another branch calls the same function."""
        within = self._reading.tree.within(branch.start, branch.end)
        calls = (self._reading.calls.get(each) for each in within)
        return any(call is not None and call.names == names for call in calls)

    def _run(self, given: Given) -> None:
        """Follow a call's arguments to where they came from."""
        reading, node = self._reading, given.node
        call = reading.calls.get(node) if node is not None else None
        if call is not None and node is not None and node.end - node.start < _LONGEST_HEAD:
            link = reading.without_handle(reading.links(call)[-1])
            given.words = [reading.following.filled(each, node, containers=True) for each in link.arguments or ()]
            given.rounds = rounds(reading, node)
            given.guarded = guard_of(reading, node, partial(self._is_called_in, call.names)).guarded


_FAR_BEFORE = 400


_ENDS = re.compile(r"[{};()]")


def has_heirs(reading: Reading, name: str) -> bool:
    """Whether a class of the file extends another one."""
    text = reading.tree.text
    for found in islice(re.finditer(rf"\b{name}\b", text), FAR):
        before = _ENDS.split(text[max(0, found.start() - _FAR_BEFORE) : found.start()])[-1]
        if ":" in before or "extends" in before:
            return True
    return False


def parameter_defaults(reading: Reading, takes: str) -> dict[str, list[str]]:
    """Default values of parameters."""
    if "=" not in takes:
        return {}
    parts = [each for each in split(reading.words_in(takes)) if "=" in each]
    return {each[0]: each[each.index("=") + 1 :] for each in parts}
