"""Changes of a Python file to tests it has defined: takes them away, marks them, ignores files."""

import re
from collections.abc import Iterator

from assay.detectors.test_code.engine.expressions.parts import FUNCTIONS, LOOPS, Part
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.engine.scopes import CodeScope, Role
from assay.detectors.test_code.languages.python.collecting import known, marks_in, value_of
from assay.detectors.test_code.languages.python.names import mark_of, skips_of
from assay.detectors.test_code.model import Skip
from assay.detectors.test_code.tree import Node

_LONGEST = 240
_NAMED = r"(?:(?:globals|vars|locals)\(\)\[\s*[\"'](?P<key>\w+)[\"']\s*\]|(?P<name>[\w.]+))"
_SET = re.compile(rf"{_NAMED}\s*(?::[^=\n]{{1,80}})?\+?=(?!=)")
_DELETED = re.compile(rf"del\s+{_NAMED}")
_REFLECTING = re.compile(
    r"(?P<way>set|del)attr\((?P<owner>[\w.]+), \"(?P<name>\w+)\"(?:, (?P<value>.*))?\)\Z", re.DOTALL
)
_TAKEN = re.compile(r"(?:globals|vars)\(\)\.(?:pop\(\"(?P<name>\w+)\"|clear\()")
_LOOSE = re.compile(r"del\s+globals\(\)\[[^\]]*\]|globals\(\)\.pop\b")
_IGNORING = re.compile(r"collect_ignore(?:_glob)?\b")


class Rebinding:
    """Goes over what a file does outside of its functions."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._known = known(reading)
        self._file = reading.scopes[0]
        self._tests: list[tuple[str, CodeScope]] = []
        for scope in reading.scopes:
            if scope.node in self._known.tests:
                self._tests.append((_path(scope, self._known.tests[scope.node].name), scope))

    def settle(self) -> None:
        self._shadow()
        for node, inside in self._statements():
            if node.part in (Part.BINDING, Part.ASSIGNMENT):
                self._assign(node, inside)
            elif node.part is Part.CALL and self._reading.calls[node].outermost:
                self._call(node, inside)
            elif node.part in LOOPS and not inside:
                self._loop(node)

    def _statements(self) -> Iterator[tuple[Node, str]]:
        """The nodes outside of functions, each with the path of the classes around it."""
        waiting = [(each, "") for each in reversed(self._reading.tree.nodes[0].children)]
        while waiting:
            node, path = waiting.pop()
            if node.dead or node.part in FUNCTIONS or node.part is Part.GIVEN:
                continue
            yield node, path
            if node.part is Part.CLASS:
                named = self._reading.language.heads.klass.match(self._reading.tree.text, node.start)
                path = " > ".join(filter(None, (path, named["name"] if named is not None else "?")))
            if node.part is not Part.CALL:
                waiting += [(each, path) for each in reversed(node.children)]

    def _shadow(self) -> None:
        """A second definition takes the name of the first."""
        last: dict[str, CodeScope] = {}
        for path, scope in self._tests:
            if scope.node is not None and not scope.node.conditional and not scope.node.dead:
                earlier = last.get(path)
                if earlier is not None and not any(skip.kind == "excluded" for skip in earlier.skips):
                    earlier.collected = False
            last[path] = scope

    def _under(self, path: str, node: Node) -> list[CodeScope]:
        """The tests of that name, or inside the class of that name, that are there before a node."""
        return [
            scope
            for own, scope in self._tests
            if path
            and (own == path or own.startswith(f"{path} > "))
            and scope.node is not None
            and scope.node.start < node.start
        ]

    def _assign(self, node: Node, inside: str) -> None:
        source = self._reading.tree.source(node)[:_LONGEST]
        deleted = _DELETED.match(source)
        found = deleted or _SET.match(source)
        if found is None:
            return
        named = (found["key"] or found["name"]).replace(".", " > ")
        if deleted is not None:
            self._take("" if found["key"] else inside, named, node)
            if "globals" in source and not found["key"]:
                self._exclude(node, source)
            return
        self._set("" if found["key"] else inside, named, node, value_of(self._reading, node) or ["?"])

    def _take(self, inside: str, named: str, node: Node) -> None:
        for scope in self._under(" > ".join(filter(None, (inside, named))), node) if not node.conditional else ():
            scope.collected = False

    def _set(self, inside: str, named: str, node: Node, value: list[str]) -> None:
        owner, _, name = named.rpartition(" > ")
        path = " > ".join(filter(None, (inside, named)))
        if name == "pytestmark" and not inside:
            marks = marks_in(self._reading, value, self._reading.line(node))
            self._mark(marks, node, owner)
        elif name in ("__test__", "__unittest_skip__") and not inside:
            if self._reading.truth(value) is (name == "__unittest_skip__"):
                self._switch_off(owner, name, node)
        elif not inside and _IGNORING.fullmatch(named) and self._reading.truth(value) is not False:
            self._exclude(node, joined(self._reading.words_of(node)))
        else:
            self._replace(path, node, value)

    def _mark(self, marks: list, node: Node, owner: str) -> None:  # type: ignore[type-arg]
        skips = skips_of(self._reading, marks)
        if owner:
            for scope in self._under(owner, node):
                scope.skips += skips
            return
        self._known.marks += marks
        self._file.skips += [
            Skip(each.kind, each.line, each.text, each.conditional or node.conditional) for each in skips
        ]

    def _switch_off(self, owner: str, name: str, node: Node) -> None:
        if not owner:
            self._exclude(node, f"{name} = False")
        for scope in self._under(owner, node):
            scope.skips.append(Skip("excluded", self._reading.line(node), f"{name} set"))
            scope.collected = False

    def _replace(self, path: str, node: Node, value: list[str]) -> None:
        """``test_x = None`` takes a test away; ``test_x = skip(test_x)`` is a decorator by another spelling."""
        hit = self._under(path, node)
        if not hit:
            return
        wraps = path.rpartition(" > ")[2] in value
        mark = mark_of(
            self._reading, value[: value.index("(")] if "(" in value else value, self._reading.line(node), node
        )
        skips = skips_of(self._reading, [mark]) if wraps and "(" in value else []
        for scope in hit:
            scope.skips += skips
            if not wraps and not node.conditional:
                scope.collected = False

    def _exclude(self, node: Node, text: str) -> None:
        self._file.skips.append(Skip("excluded", self._reading.line(node), text[:_LONGEST], node.conditional))

    def _call(self, node: Node, inside: str) -> None:
        words = self._reading.words_of(node)
        text = joined(words) if len(words) < _LONGEST else ""
        reflecting, taken = _REFLECTING.match(text), _TAKEN.match(text)
        if text.startswith("pytestmark.") and not inside:
            link = self._reading.links(self._reading.calls[node])[-1]
            self._mark(marks_in(self._reading, link.argument(0), self._reading.line(node)), node, "")
        elif _IGNORING.match(text) and not inside:
            self._exclude(node, text)
        elif reflecting is not None:
            named = f"{reflecting['owner']}.{reflecting['name']}".replace(".", " > ")
            if reflecting["way"] == "del":
                self._take("", named, node)
            else:
                self._set("", named, node, self._reading.words_in(reflecting["value"] or "?"))
        elif taken is not None:
            for scope in self._under(taken["name"], node) if taken["name"] else [each for _, each in self._tests]:
                scope.collected = scope.collected and node.conditional

    def _loop(self, node: Node) -> None:
        """A loop that takes names out of ``globals()`` takes tests away."""
        found = _LOOSE.search(self._reading.tree.source(node)[:2000])
        if found is not None:
            self._exclude(node, found[0])


def _path(scope: CodeScope, name: str) -> str:
    names = [name]
    while scope.parent is not None:
        scope = scope.parent
        if scope.role is Role.SUITE:
            names.insert(0, scope.name)
    return " > ".join(names)
