"""Attributes of C#'s tests: which make a test, which skip it, and how often data make it run."""

import re
from collections.abc import Sequence
from dataclasses import replace

from assay.detectors.test_code.engine.expressions.parts import Part
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.language import DeclaredPart, Declaring
from assay.detectors.test_code.engine.marked import expect_error, read_mark
from assay.detectors.test_code.engine.marks import Class, Function, Mark
from assay.detectors.test_code.engine.reading import LONGEST, Reading, noted
from assay.detectors.test_code.engine.rules import plain_type
from assay.detectors.test_code.engine.scopes import Role
from assay.detectors.test_code.languages.csharp.directives import Directives
from assay.detectors.test_code.languages.csharp.parsing import Built
from assay.detectors.test_code.model import Assertion, Skip, Strength
from assay.detectors.test_code.tree import Node
from assay.detectors.test_code.word_sets import word_set

DECLARING = Declaring(
    marks=re.compile(
        r"(?!NonTest|BeforeTest|AfterTest)\w*(?:Fact|Theory|TestMethod|Test)|TestCase|TestCaseSource|Property"
    ),
    hook_marks=word_set("SetUp OneTimeSetUp TestInitialize ClassInitialize"),
    hook_names=frozenset(("InitializeAsync",)),
)
_ROWS = frozenset(("InlineData", "TestCase", "DataRow"))
_MSTEST = ("TestMethod", "DataTestMethod")
_UNCOUNTED = word_set("MemberData ClassData TestCaseSource DynamicData Sequential Pairwise AutoData Property")
_CONDITION = re.compile(
    r"Platform|OSCondition|PlatformSpecific|SupportedOSPlatform|CICondition|(?:Conditional|SkipOn|EnableOn)\w+"
)
_NOTHING = (["null"], ["default"], ['""'])
_DERIVED = re.compile(r"(?:Fact|Theory|Test\w*?)(?:Attribute)?")
_SETS_SKIP = re.compile(r"\b(?:Skip|Ignore)\s*(?:=(?!=)|=>)")
_DECIDES = re.compile(r"\bif\s*\(|\?")


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
            name = f"own {name}" if name in _own(reading)[1] else name
            found.append(replace(mark, name=name, text=f"[{mark.text}]", unsure=holds is None))
    return found


def _built(reading: Reading) -> Directives:
    return reading.tree.built if isinstance(reading.tree, Built) else Directives("")


@noted
def _own(_: Reading) -> tuple[dict[str, bool], set[str]]:
    """The file's own attributes: those that skip, and whether they decide it; and those that mean nothing."""
    return {}, set()


def klass(reading: Reading, found: Class) -> None:
    """One may be an attribute of the file's own."""
    source = reading.tree.source(found.node)[:LONGEST]
    skipping, hollow = _own(reading)
    name = found.name.removesuffix("Attribute")
    if found.parents in (("Attribute",), ("System", "Attribute")):
        hollow.add(name)
    elif any(map(_DERIVED.fullmatch, found.parents)) and _SETS_SKIP.search(source):
        skipping[name] = _DECIDES.search(source) is not None


def function(reading: Reading, found: Function) -> DeclaredPart | None:
    """xUnit makes an object for every test; calls of a conditional method are only there in some builds."""
    if found.node.kind == "constructor_declaration":
        return DeclaredPart(Role.HOOK, found.name)
    return DeclaredPart(Role.FUNCTION) if found.has("Conditional") else None


def collected(reading: Reading, found: Function, marked: bool) -> bool:
    hidden = not found.words.isdisjoint(("private", "protected", "internal")) and not found.has("Fact", "Theory")
    static = found.has(*_MSTEST) and "static" in found.words
    return marked and "abstract" not in found.words and not hidden and not static


def completed(reading: Reading, found: Function, declared: DeclaredPart) -> None:
    """How often a test runs and with what, what it expects, and which builds have it."""
    declared.skips = [*_unseen(reading, found), *_left_out(reading, found.node), *declared.skips]
    declared.cases = _cases(reading, found)
    if found.takes:
        declared.rows = [[joined(each) for each in mark.values] for mark in found.marks if mark.name in _ROWS]
    for mark in found.marks:
        if mark.name == "TestCase" and "ExpectedResult" in mark.named:
            subject = f"{found.name}({', '.join(map(joined, mark.values))})"
            wanted = joined(mark.named["ExpectedResult"])
            declared.assertions.append(Assertion(mark.line, mark.text, Strength.EXACT, subject, wanted))
        elif mark.name == "ExpectedException":
            kind = joined(plain_type(mark.values[0])) if mark.values else "Exception"
            broad = kind.rsplit(".", 1)[-1] in reading.language.broad or "Assert" in kind
            expect_error(reading, found.node, mark, kind, declared, broad)


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
    """Skips of the whole method by conditional compilation."""
    part = _built(reading).at(node.end)
    if part is None or part.built is True:
        return []
    return [Skip("excluded", reading.tree.line(part.start), part.text, conditional=part.built is None)]


def skips(reading: Reading, mark: Mark, among: Sequence[Mark]) -> bool | None:
    """True for a condition that skips, or one row of many; None where nothing does."""
    own, named = _own(reading)[0], mark.named
    if mark.name in own:
        return own[mark.name]
    if mark.name == "ActiveIssue":
        return len(mark.values) > 1
    if _CONDITION.fullmatch(mark.name):
        return True
    one_of_many = mark.name in _ROWS and sum(each.name in _ROWS for each in among) > 1
    if any(key in named and named[key] not in _NOTHING for key in ("Skip", "Ignore", "IgnoreReason")):
        return "SkipWhen" in named or "SkipUnless" in named or one_of_many
    return one_of_many if "Explicit" in named and reading.truth(named["Explicit"]) is not False else None


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
