"""Test code in Java: JUnit 3, 4 and 5, TestNG."""

import re

from assay.detectors.test_code.curly.bodies import Body, whole_body
from assay.detectors.test_code.curly.constants import named_constants
from assay.detectors.test_code.curly.flow import Flow
from assay.detectors.test_code.curly.overloads import told_apart
from assay.detectors.test_code.curly.rows import parameter_names, written_out
from assay.detectors.test_code.java.annotations import Annotation, annotation_skips, cases, rows
from assay.detectors.test_code.java.bodies import constant_answers, expected_exceptions, provided, read_bodies
from assay.detectors.test_code.java.grammar import FLOW, KINDS, swallows
from assay.detectors.test_code.java.members import Class, Method, classes, methods
from assay.detectors.test_code.model import Assertion, Skip, Test, TestCode
from assay.detectors.test_code.tree import parse

_SETUP = ("Before", "BeforeEach", "BeforeAll", "BeforeClass", "BeforeMethod", "BeforeTest", "BeforeSuite")


_LIFE = (*_SETUP, "AfterMethod", "AfterClass", "DataProvider")
_NEUTRAL = frozenset(
    {
        "Disabled",
        "Ignore",
        "DisplayName",
        "Tag",
        "Tags",
        "Timeout",
        "Order",
        "Category",
        "SuppressWarnings",
        "Issue",
    }
)
_ANNOTATED = re.compile(r"^import\s+org\.(?:junit\.(?:Test|\*|jupiter\b)|testng\.annotations)", re.MULTILINE)
_TEST_CLASS = re.compile(r"(?:^|[a-z0-9_])(?:Tests?|IT|Spec|TestCase|Should)$|^Test[A-Z]")


def read_java(text: str) -> TestCode:
    """Read a file of Java tests."""
    tree = parse(text, "java", KINDS)
    names = named_constants(tree.text)
    flow = Flow(tree, FLOW, names, swallows)
    flow.mark()
    found = classes(tree)
    members = methods(tree, found)
    reader = _Reader(flow, found, members)
    tests = [(test, method.takes) for method in members if (test := reader.test(method)) is not None]
    return TestCode("java", told_apart(tests), (), tree.problems)


class _Reader:
    """What is known of the whole file while its tests are read one by one."""

    def __init__(self, flow: Flow, found: dict[int, Class], members: list[Method]) -> None:
        self.tree = tree = flow.tree
        self.members = members
        self.names = flow.names
        self.bodies = read_bodies(flow, members)
        self.answers = constant_answers(tree, members)
        self.provided = provided(tree, members)
        self.by_name = {method.name: body for method, body in zip(members, self.bodies.values(), strict=True)}
        self.called = {call.name for body in self.bodies.values() for call in body.calls}
        self.annotated = bool(_ANNOTATED.search(tree.text))
        self.jupiter = "org.junit.jupiter" in tree.text
        self.test_classes = {id(one.owner) for one in members if self._makes_test(one)}
        self.bases = {one.parent for one in found.values()}
        self.setups = self._setup_skips()
        self.aliases = {
            one.name: one.annotations for one in found.values() if one.node.kind == "annotation_type_declaration"
        }
        self.class_skips: dict[int, list[Skip]] = {}

    def test(self, method: Method) -> Test | None:
        """The test that a method is, or looks like."""
        body = self.bodies[id(method.node)]
        collected = self._collected(method)
        if not collected and not self._looks_like_test(method, body):
            return None
        whole = whole_body(body, self.by_name)
        made_by = self._all_annotations(method.annotations)
        skips = [*self._around(method.owner), *annotation_skips(made_by, self.names, self.answers), *whole.skips]
        return Test(
            identity=" > ".join((*method.owner.path, method.name)),
            line=self.tree.line(method.node.start),
            end_line=self.tree.line(method.node.end),
            skips=tuple(skips),
            assertions=tuple(self._assertions(method, made_by, whole)),
            cases=self._cases(method, made_by),
            collected=collected,
        )

    def _assertions(self, method: Method, found: list[Annotation], whole: Body) -> list[Assertion]:
        given = rows(found, method.takes) if method.takes else []
        all_found = (
            written_out(whole.assertions, parameter_names(method.takes), given) if given else whole.assertions
        )
        return expected_exceptions(self.tree, method, all_found)

    def _all_annotations(self, found: list[Annotation]) -> list[Annotation]:
        """Annotations with those that the file's own annotations stand for."""
        stood_for = [replaced for one in found for replaced in self.aliases.get(one.name, ())]
        return [*found, *stood_for]

    def _makes_test(self, method: Method) -> bool:
        return any(one.makes_test for one in method.annotations)

    def _collected(self, method: Method) -> bool:
        made = [one for one in self._all_annotations(method.annotations) if one.makes_test]
        if method.words & {"private", "static", "abstract"}:
            return False
        if made:
            plain = all(one.name == "Test" for one in made)
            return (not plain or "void" in method.words) and self._class_collected(method.owner)
        if not {"public", "void"} <= method.words:
            return False
        if any(one.name == "Test" for one in method.owner.annotations):
            return not method.has(*_LIFE)
        return self._is_old_style(method)

    def _is_old_style(self, method: Method) -> bool:
        """JUnit 3 collects by name; its class may be behind one of the project's own."""
        parent = method.owner.parent
        if method.takes or not method.name.startswith("test"):
            return False
        return parent.endswith("TestCase") or ("Test" in parent and not self.annotated)

    def _class_collected(self, owner: Class) -> bool:
        """JUnit 5 runs an inner class only if it says so."""
        inside: Class | None = owner
        while inside is not None and inside.outer is not None:
            nested = any(one.name == "Nested" for one in inside.annotations)
            inner = inside.node.kind == "class_declaration" and "static" not in inside.words
            if (nested and "private" in inside.words) or (inner and not nested and self.jupiter):
                return False
            inside = inside.outer
        return True

    def _looks_like_test(self, method: Method, body: Body) -> bool:
        """A test whose annotation is gone, and no method that others call or that a framework needs."""
        if self._makes_test(method):
            return "abstract" not in method.words
        if any(one.is_source for one in method.annotations):
            return True
        known = all(one.name in _NEUTRAL for one in method.annotations)
        if not known or not self._could_be_test(method):
            return False
        return bool(body.assertions) or method.name.lower().startswith("test")

    def _could_be_test(self, method: Method) -> bool:
        if "void" not in method.words or method.takes or method.name in self.called:
            return False
        return id(method.owner) in self.test_classes or _TEST_CLASS.search(method.owner.name) is not None

    def _around(self, owner: Class) -> list[Skip]:
        """The skips of a class, of its set-up and of the classes around it."""
        found: list[Skip] = []
        inside: Class | None = owner
        while inside is not None:
            found = [*self._of_class(inside), *found]
            inside = inside.outer
        return found

    def _of_class(self, owner: Class) -> list[Skip]:
        if id(owner) not in self.class_skips:
            own = annotation_skips(self._all_annotations(owner.annotations), self.names, self.answers)
            if "abstract" in owner.words and owner.name not in self.bases:
                line = self.tree.line(owner.node.start)
                own.append(Skip("excluded", line, f"abstract class {owner.name}", conditional=True))
            self.class_skips[id(owner)] = [*own, *self.setups.get(id(owner), [])]
        return self.class_skips[id(owner)]

    def _setup_skips(self) -> dict[int, list[Skip]]:
        """What set-up methods skip, they skip for every test of their class."""
        skips: dict[int, list[Skip]] = {}
        for method in self.members:
            if method.has(*_SETUP) or method.name == "setUp":
                whole = whole_body(self.bodies[id(method.node)], self.by_name)
                skips.setdefault(id(method.owner), []).extend(whole.skips)
        return skips

    def _cases(self, method: Method, found: list[Annotation]) -> int | None:
        runner = next((one.text for one in method.owner.annotations if one.name == "RunWith"), "")
        if "Parameterized" in runner or "Theories" in runner:
            return None
        own = {name.rsplit(".", 1)[-1]: count for name, count in self.provided.items()}
        if any(one.name == "MethodSource" and not one.values for one in found):
            return own.get(method.name)
        return cases(found, self.provided)
