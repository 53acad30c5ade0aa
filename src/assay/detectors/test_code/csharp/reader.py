"""Test code in C#: xUnit, NUnit and MSTest."""

import re
from collections.abc import Iterable

from assay.detectors.test_code.csharp.attributes import attribute_skips, cases, rows
from assay.detectors.test_code.csharp.bodies import expected_exception, expected_results, read_bodies
from assay.detectors.test_code.csharp.directives import Directives, directives
from assay.detectors.test_code.csharp.grammar import FLOW, KINDS, mark_dropped_failures, swallows
from assay.detectors.test_code.csharp.members import Class, Method, classes, methods
from assay.detectors.test_code.curly.bodies import Body, whole_body
from assay.detectors.test_code.curly.constants import named_constants
from assay.detectors.test_code.curly.flow import Flow
from assay.detectors.test_code.curly.overloads import told_apart
from assay.detectors.test_code.curly.rows import parameter_names, written_out
from assay.detectors.test_code.model import Assertion, Skip, Test, TestCode
from assay.detectors.test_code.tree import Tree, parse

_SETUP = ("SetUp", "OneTimeSetUp", "TestInitialize", "ClassInitialize")
_LIFE = (
    *_SETUP,
    "TearDown",
    "OneTimeTearDown",
    "TestCleanup",
    "ClassCleanup",
    "AssemblyInitialize",
    "Conditional",
)
_NEUTRAL = frozenset(
    {
        "Trait",
        "Category",
        "Description",
        "Ignore",
        "Explicit",
        "TestCategory",
        "Order",
        "Timeout",
        "ExpectedException",
        "Owner",
        "Priority",
        "Author",
    }
)
_TEST_CLASS = re.compile(r"(?:Tests?|Specs?|Fixture|Should|Facts)$")
_PLAIN_ATTRIBUTE = re.compile(r"(?:System\s*\.\s*)?Attribute")
_RETURNS = frozenset({"void", "Task", "ValueTask"})


def read_csharp(text: str) -> TestCode:
    """Read a file of C# tests."""
    built = directives(text)
    tree = parse(built.text, "csharp", KINDS)
    if tree.problems and built.parts:
        single = parse(built.single_branch(), "csharp", KINDS)
        tree = single if len(single.problems) < len(tree.problems) else tree
    names = named_constants(tree.text)
    _mark_left_out(tree, built)
    mark_dropped_failures(tree)
    flow = Flow(tree, FLOW, names, swallows)
    flow.mark()
    reader = _Reader(flow, built)
    tests = [(test, method.takes) for method in reader.members if (test := reader.test(method)) is not None]
    return TestCode("csharp", told_apart(_without_dead_twins(tests)), (), tree.problems)


def _mark_left_out(tree: Tree, built: Directives) -> None:
    """Code in a branch that no build sees, inside a method that builds see, never runs."""
    if not built.parts:
        return
    for node in tree.nodes:
        if node.kind != "method_declaration":
            continue
        around = built.at(node.end)
        if around is not None and around.likely is False:
            continue
        for inside in tree.within(node.start + 1, node.end):
            part = built.at(inside.start)
            inside.dead = part is not None and part.likely is False


class _Reader:
    """What is known of the whole file while its tests are read one by one."""

    def __init__(self, flow: Flow, built: Directives) -> None:
        self.tree = tree = flow.tree
        self.built = built
        self.names = flow.names
        found = classes(tree, built)
        self.members = methods(tree, found, built)
        self.faked = {
            one.attribute_name for one in found.values() if _PLAIN_ATTRIBUTE.fullmatch(one.bases.strip(" :"))
        }
        self.bodies = read_bodies(flow, self.members)
        self.by_name = {one.name: self.bodies[id(one.node)] for one in self.members if not one.has("Conditional")}
        self.called = {call.name for body in self.bodies.values() for call in body.calls}
        self.test_classes = {id(one.owner.node) for one in self.members if self._makes_test(one)}
        self.aliases = _skipping_attributes(tree, found.values())
        self.bases = " ".join(one.bases for one in found.values())
        self.setups = self._setup_skips()

    def test(self, method: Method) -> Test | None:
        """The test that a method is, or looks like."""
        body = self.bodies[id(method.node)]
        collected = self._collected(method)
        if not collected and not self._looks_like_test(method, body):
            return None
        whole = whole_body(body, self.by_name)
        own = attribute_skips(method.attributes, self.names, self.aliases)
        return Test(
            identity=" > ".join((*method.owner.path, method.name)),
            line=self.tree.line(method.node.start),
            end_line=self.tree.line(method.node.end),
            skips=(*self._around(method), *self._left_out(method), *own, *whole.skips),
            assertions=tuple(self._assertions(method, whole)),
            cases=cases(method.attributes, method.parameters),
            collected=collected,
        )

    def _assertions(self, method: Method, whole: Body) -> list[Assertion]:
        given = rows(method.attributes) if method.takes else []
        found = written_out(whole.assertions, parameter_names(method.takes), given) if given else whole.assertions
        return [*expected_results(method), *expected_exception(self.tree, method, found)]

    def _makes_test(self, method: Method) -> bool:
        return any(one.makes_test and one.name not in self.faked for one in method.attributes)

    def _collected(self, method: Method) -> bool:
        if not self._makes_test(method) or "abstract" in method.words:
            return False
        hidden = method.words & {"private", "protected", "internal"}
        mstest = method.has("TestMethod", "DataTestMethod")
        return not (hidden and not method.has("Fact", "Theory")) and not (mstest and "static" in method.words)

    def _looks_like_test(self, method: Method, body: Body) -> bool:
        """A test whose attribute is gone, and no method that others call or that a framework needs."""
        if self._makes_test(method):
            return "abstract" not in method.words
        if any(one.is_data for one in method.attributes):
            return True
        if not self._could_be_test(method):
            return False
        in_tests = id(method.owner.node) in self.test_classes or _TEST_CLASS.search(method.owner.name)
        return bool(in_tests) and (bool(body.assertions) or method.name.startswith("Test"))

    def _could_be_test(self, method: Method) -> bool:
        if method.has(*_LIFE) or not all(one.name in _NEUTRAL for one in method.attributes):
            return False
        return not method.takes and method.name not in self.called and _is_own_action(method)

    def _around(self, method: Method) -> list[Skip]:
        """The skips of a class, of its set-up and of the classes around it."""
        found: list[Skip] = []
        inside: Class | None = method.owner
        while inside is not None:
            found = [*self._of_class(inside, method), *self.setups.get(id(inside.node), []), *found]
            inside = inside.outer
        return found

    def _of_class(self, owner: Class, method: Method) -> list[Skip]:
        own = attribute_skips(owner.attributes, self.names, self.aliases)
        line = self.tree.line(owner.node.start)
        if "abstract" in owner.words and owner.name not in self.bases:
            own.append(Skip("excluded", line, f"abstract class {owner.name}", conditional=True))
        elif owner is method.owner and self._is_unseen(owner, method):
            own.append(Skip("excluded", line, f"the runner doesn't see class {owner.name}"))
        return own

    def _is_unseen(self, owner: Class, method: Method) -> bool:
        """MSTest wants an attribute on the class, and like xUnit a public one."""
        mstest = method.has("TestMethod", "DataTestMethod")
        marked = any(one.name.endswith("TestClass") for one in owner.attributes)
        if mstest and not marked and not owner.words & {"partial", "abstract"}:
            return True
        return bool(owner.words & {"internal", "private"}) and (mstest or method.has("Fact", "Theory"))

    def _left_out(self, method: Method) -> list[Skip]:
        """What conditional compilation does to the whole method."""
        part = self.built.at(method.node.end)
        if part is None or part.built is True:
            return []
        return [Skip("excluded", self.tree.line(part.start), part.text, conditional=part.built is None)]

    def _setup_skips(self) -> dict[int, list[Skip]]:
        """What set-up methods skip, they skip for every test of their class."""
        skips: dict[int, list[Skip]] = {}
        for method in self.members:
            if method.has(*_SETUP) or method.name == "InitializeAsync":
                whole = whole_body(self.bodies[id(method.node)], self.by_name)
                skips.setdefault(id(method.owner.node), []).extend(whole.skips)
        return skips


def _is_own_action(method: Method) -> bool:
    """Is this a public method that gives nothing back and that no interface asks for?"""
    words = method.words
    if "public" not in words or not words & _RETURNS or words & {"static", "override", "abstract"}:
        return False
    return method.name not in ("Dispose", "InitializeAsync", "DisposeAsync")


def _skipping_attributes(tree: Tree, found: Iterable[Class]) -> dict[str, bool]:
    """The file's own attributes that skip every test they stand on, and whether they decide it by a condition."""
    return {one.attribute_name: _decides(tree, one) for one in found if _skips_all(tree, one)}


def _skips_all(tree: Tree, owner: Class) -> bool:
    """Is this an attribute like ``Fact`` that sets its own reason to skip?"""
    derived = re.search(r"(?:Fact|Theory|Test\w*)(?:Attribute)?\b", owner.bases)
    return bool(derived) and bool(re.search(r"\b(?:Skip|Ignore)\s*(?:=(?!=)|=>)", tree.source(owner.node)))


def _decides(tree: Tree, owner: Class) -> bool:
    return bool(re.search(r"\bif\s*\(|\?", tree.source(owner.node)))


def _without_dead_twins(tests: list[tuple[Test, str]]) -> list[tuple[Test, str]]:
    """Of two methods with one name, of which the build leaves one out, only the other is a test."""
    alive = {test.identity for test, _ in tests if not _is_out(test)}
    return [(test, takes) for test, takes in tests if test.identity not in alive or not _is_out(test)]


def _is_out(test: Test) -> bool:
    return any(
        skip.kind == "excluded" and not skip.conditional and skip.text.startswith("#if") for skip in test.skips
    )
