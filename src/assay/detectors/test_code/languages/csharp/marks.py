"""Attributes of C#'s tests: which make a test, which skip it, and how often data make it run."""

import re
from collections.abc import Mapping
from dataclasses import replace

from assay.detectors.test_code.engine.language import Declared
from assay.detectors.test_code.engine.marks import Class, Function, Mark
from assay.detectors.test_code.engine.parts import Part
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.engine.rules import plain_type
from assay.detectors.test_code.engine.scopes import Role, Scope
from assay.detectors.test_code.engine.suites import read_mark
from assay.detectors.test_code.engine.words import joined
from assay.detectors.test_code.languages.csharp.directives import Directives
from assay.detectors.test_code.languages.csharp.parsing import Built
from assay.detectors.test_code.model import Assertion, Skip, Strength
from assay.detectors.test_code.tree import Node
from assay.detectors.test_code.word_sets import word_set

_TESTS = re.compile(r"\w*(?:Fact|Theory|TestMethod|Test)|TestCase|TestCaseSource|Property")
_NO_TESTS = frozenset(("NonTest", "BeforeTest", "AfterTest"))
_ROWS = frozenset(("InlineData", "TestCase", "DataRow"))
_DATA = frozenset(("InlineData", "MemberData", "ClassData", "DataRow", "DynamicData"))
_MSTEST = ("TestMethod", "DataTestMethod")
_HOOKS = word_set("SetUp OneTimeSetUp TestInitialize ClassInitialize")
_LIFE = word_set("TearDown OneTimeTearDown TestCleanup ClassCleanup AssemblyInitialize Conditional")
_NEUTRAL = word_set(
    "Trait Category Description Ignore Explicit TestCategory Order Timeout ExpectedException Owner Priority Author"
)
_UNCOUNTED = word_set("MemberData ClassData TestCaseSource DynamicData Sequential Pairwise AutoData Property")
_SKIPS = frozenset(("Ignore", "Explicit", "Skip", "Disabled"))
_CONDITION = re.compile(
    r"Platform|OSCondition|PlatformSpecific|SupportedOSPlatform|CICondition|(?:Conditional|SkipOn|EnableOn)\w+"
)
_NOTHING = (["null"], ["default"], ['""'])
_TEST_CLASS = re.compile(r"(?:Tests?|Specs?|Fixture|Should|Facts)$")
_RETURNS = frozenset(("void", "Task", "ValueTask"))
_ASSERTS = re.compile(r"\b(?:\w*Assert\s*\.|\w*Should\w*\s*[(.<]|Verify\w*\s*\()")
_DERIVED = re.compile(r"(?:Fact|Theory|Test\w*?)(?:Attribute)?")
_SETS_SKIP = re.compile(r"\b(?:Skip|Ignore)\s*(?:=(?!=)|=>)")
_DECIDES = re.compile(r"\bif\s*\(|\?")
_HOLDS_TESTS = re.compile(r"\[\s*(?:\w+\.){0,9}(?>\w*?(?:Fact|Theory|Test))(?:Method|Case)?\b")
_LONGEST = 20_000


def values_of(mark: Mark) -> tuple[list[list[str]], dict[str, list[str]]]:
    """What an attribute is given by place, and by name."""
    named = {each[0]: each[2:] for each in mark.given if len(each) > 2 and each[1] == "="}
    return [each for each in mark.given if not (len(each) > 2 and each[1] == "=")], named


def marks(reading: Reading, declaration: Node) -> list[Mark]:
    """The attributes in front of a declaration that some build sees."""
    built = _built(reading)
    around = built.at(declaration.end)
    found = []
    for node in declaration.children:
        if node.part is not Part.MARK:
            continue
        part = built.at(node.start)
        # What the whole declaration depends on is not the attribute's own condition.
        holds = True if part is None or part == around else part.built
        if holds is not False or (around is not None and around.built is False):
            mark = read_mark(reading, node)
            name = mark.name.removesuffix("Attribute")
            found.append(replace(mark, name=name, text=f"[{mark.text}]", unsure=holds is None))
    return found


def _built(reading: Reading) -> Directives:
    return reading.tree.built if isinstance(reading.tree, Built) else Directives("")


def _own(reading: Reading) -> tuple[dict[str, bool], set[str]]:
    """The file's own attributes: those that skip, and whether they decide it; and those that mean nothing."""
    return reading.notes.setdefault("attributes", ({}, set()))  # type: ignore[return-value]


def klass(reading: Reading, found: Class) -> Declared:
    """A class with what skips all of its tests. One may be an attribute of the file's own."""
    source = reading.tree.source(found.node)[:_LONGEST]
    skipping, hollow = _own(reading)
    name = found.name.removesuffix("Attribute")
    if found.parents in (("Attribute",), ("System", "Attribute")):
        hollow.add(name)
    elif any(map(_DERIVED.fullmatch, found.parents)) and _SETS_SKIP.search(source):
        skipping[name] = _DECIDES.search(source) is not None
    skips = _skips(reading, found.marks)
    if (
        "abstract" in found.words
        and re.search(rf":[^{{;()]{{0,400}}\b{re.escape(found.name)}\b", reading.tree.text) is None
    ):
        skips.append(Skip("excluded", reading.line(found.node), f"abstract class {found.name}", conditional=True))
    return Declared(Role.SUITE, found.name, collected=False, skips=skips)


def function(reading: Reading, found: Function) -> Declared | None:
    """What a method is by its attributes, or by its looks where those are gone."""
    if found.node.kind == "constructor_declaration":
        # xUnit makes an object for every test.
        return Declared(Role.HOOK, found.name)
    if found.node.kind != "method_declaration" or found.owner is None:
        return None
    if found.has(*_HOOKS) or found.name == "InitializeAsync":
        return Declared(Role.HOOK, found.name)
    if found.has("Conditional"):
        # Calls of it are only there in some builds.
        return Declared(Role.FUNCTION)
    collected = _collected(reading, found)
    if not collected and not _looks_like_test(reading, found):
        return None
    skips = [*_unseen(reading, found), *_left_out(reading, found.node), *_skips(reading, found.marks)]
    declared = Declared(Role.TEST, found.name, collected, skips)
    declared.cases = _cases(reading, found)
    if found.takes:
        declared.rows = [
            [joined(each) for each in values_of(mark)[0]] for mark in found.marks if mark.name in _ROWS
        ]
    for mark in found.marks:
        _expect(reading, found, mark, declared)
    return declared


def _makes_test(reading: Reading, found: Function) -> bool:
    hollow = _own(reading)[1]
    return any(
        _TESTS.fullmatch(mark.name) and mark.name not in _NO_TESTS and mark.name not in hollow
        for mark in found.marks
    )


def _collected(reading: Reading, found: Function) -> bool:
    if not _makes_test(reading, found) or "abstract" in found.words:
        return False
    hidden = found.words & {"private", "protected", "internal"}
    return not (hidden and not found.has("Fact", "Theory")) and not (
        found.has(*_MSTEST) and "static" in found.words
    )


def _looks_like_test(reading: Reading, found: Function) -> bool:
    """A test whose attribute is gone, and no method that others call or that a framework needs."""
    if _makes_test(reading, found):
        return "abstract" not in found.words
    if found.has(*_DATA):
        return True
    if found.has(*_LIFE) or not all(mark.name in _NEUTRAL for mark in found.marks) or found.takes:
        return False
    words = found.words
    if "public" not in words or not words & _RETURNS or words & {"static", "override", "abstract"}:
        return False
    if found.name in ("Dispose", "DisposeAsync") or reading.values.mentions(found.name) > 1 or found.owner is None:
        return False
    whole = reading.tree.source(found.owner.node)[:_LONGEST]
    holds = _TEST_CLASS.search(found.owner.name) or re.search(
        r"\[\s*(?:\w+\.)*\w*(?:Fact|Theory|Test\w*)\b", whole
    )
    asserts = _ASSERTS.search(reading.tree.source(found.node)[:_LONGEST])
    return bool(holds) and (asserts is not None or found.name.startswith("Test"))


def _unseen(reading: Reading, found: Function) -> list[Skip]:
    """MSTest wants an attribute on the class, and like xUnit a public one."""
    owner, mstest = found.owner, found.has(*_MSTEST)
    if owner is None or ("abstract" in owner.words):
        return []
    marked = any(mark.name.endswith("TestClass") for mark in owner.marks)
    unmarked = mstest and not marked and "partial" not in owner.words
    hidden = bool(owner.words & {"internal", "private"}) and (mstest or found.has("Fact", "Theory"))
    text = f"the runner doesn't see class {owner.name}"
    return [Skip("excluded", reading.line(owner.node), text)] if unmarked or hidden else []


def _left_out(reading: Reading, node: Node) -> list[Skip]:
    """What conditional compilation does to the whole method."""
    part = _built(reading).at(node.end)
    if part is None or part.built is True:
        return []
    return [Skip("excluded", reading.tree.line(part.start), part.text, conditional=part.built is None)]


def _skips(reading: Reading, found: list[Mark]) -> list[Skip]:
    """The skips among attributes."""
    rows = [mark for mark in found if mark.name in _ROWS]
    skips = []
    for mark in found:
        conditional = _is_skip(reading, mark, _own(reading)[0])
        if conditional is not None:
            one_of_many = mark in rows and len(rows) > 1
            skips.append(Skip("disabled", mark.line, mark.text, conditional or mark.unsure or one_of_many))
    return skips


def _is_skip(reading: Reading, mark: Mark, own: Mapping[str, bool]) -> bool | None:
    """Whether it is a condition that skips; None where nothing does."""
    if mark.name in own:
        return own[mark.name]
    if mark.name in _SKIPS:
        return False
    values, named = values_of(mark)
    if mark.name == "ActiveIssue":
        return len(values) > 1
    if _CONDITION.fullmatch(mark.name):
        return True
    if any(key in named and named[key] not in _NOTHING for key in ("Skip", "Ignore", "IgnoreReason")):
        return "SkipWhen" in named or "SkipUnless" in named
    return False if "Explicit" in named and reading.truth(named["Explicit"]) is not False else None


def _cases(reading: Reading, found: Function) -> int | None:
    """How often a test runs."""
    names = {mark.name for mark in found.marks}
    if names & _UNCOUNTED or ("Theory" in names and "InlineData" not in names):
        return None
    count = sum(mark.name in _ROWS for mark in found.marks) or 1
    listed = found.node.child("parameter_list")
    for mark in marks(reading, listed) if listed is not None else ():
        if mark.name in ("Range", "Random", "ValueSource"):
            return None
        count *= max(1, len(mark.given)) if mark.name == "Values" else 1
    return count


def _expect(reading: Reading, found: Function, mark: Mark, declared: Declared) -> None:
    """``[TestCase(2, ExpectedResult = 4)]``, and ``[ExpectedException(typeof(X))]`` that turns a test around."""
    values, named = values_of(mark)
    if mark.name == "TestCase" and "ExpectedResult" in named:
        subject = f"{found.name}({', '.join(map(joined, values))})"
        wanted = joined(named["ExpectedResult"])
        declared.assertions.append(Assertion(mark.line, mark.text, Strength.EXACT, subject, wanted))
    if mark.name != "ExpectedException":
        return
    kind = joined(plain_type(values[0])) if values else "Exception"
    broad = kind.rsplit(".", 1)[-1] in reading.language.broad or "Assert" in kind
    body = found.node.part_child(Part.BLOCK)
    end = body.children[-1] if body is not None and body.children else None
    subject = joined(reading.words_of(end)) if end is not None else ""
    strength = Strength.SHAPE if broad else Strength.EXACT
    declared.assertions.append(Assertion(mark.line, mark.text, strength, subject, kind))
    declared.must_fail = broad


def settle(reading: Reading) -> None:
    """Of two methods with one name, of which the build leaves one out, only the other is a test."""
    tests = [scope for scope in reading.scopes if scope.role is Role.TEST]
    alive = {(scope.parent, scope.name) for scope in tests if not _is_out(scope)}
    for scope in tests:
        if _is_out(scope) and (scope.parent, scope.name) in alive:
            reading.scopes.remove(scope)


def _is_out(scope: Scope) -> bool:
    return any(
        skip.kind == "excluded" and not skip.conditional and skip.text.startswith("#if") for skip in scope.skips
    )
