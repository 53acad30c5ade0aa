"""Attributes of C#'s tests: which make a test, which skip it, and how often data make it run."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from assay.detectors.test_code.csharp.directives import Directives, Part
from assay.detectors.test_code.curly.constants import constant
from assay.detectors.test_code.curly.tokens import Tokens, arguments, split, tokens, uniform
from assay.detectors.test_code.model import Skip
from assay.detectors.test_code.tree import Node, Tree

_NAME = re.compile(r"(?:\w+\s*:\s*)?(?:\w+\s*(?:\.|::)\s*)*(\w+)")
_TESTS = re.compile(r"\w*(?:Fact|Theory|TestMethod|Test)|TestCase|TestCaseSource|Property")
_NO_TESTS = frozenset({"NonTest", "BeforeTest", "AfterTest"})
_DATA = frozenset({"InlineData", "MemberData", "ClassData", "DataRow", "DynamicData"})
_EQUALS = frozenset({"="})
_SKIPS = frozenset({"Ignore", "Explicit", "Skip", "Disabled"})
_CONDITIONS = frozenset(
    {
        "Platform",
        "OSCondition",
        "PlatformSpecific",
        "SkipOnPlatform",
        "SupportedOSPlatform",
        "CICondition",
        "SkipOnCI",
    }
)
_NOTHING = (["null"], ["default"], ['""'])


class Attribute(NamedTuple):
    """One attribute; ``conditional`` where the build decides whether it is there."""

    name: str
    values: list[Tokens]
    named: Mapping[str, Tokens]
    line: int
    text: str
    conditional: bool = False

    @property
    def makes_test(self) -> bool:
        return bool(_TESTS.fullmatch(self.name)) and self.name not in _NO_TESTS

    @property
    def is_data(self) -> bool:
        return self.name in _DATA


def attributes(tree: Tree, declaration: Node, built: Directives) -> list[Attribute]:
    """The attributes in front of a declaration that some build sees."""
    around = built.at(declaration.end)
    found = []
    for node in _attribute_nodes(declaration):
        part = built.at(node.start)
        # What the whole declaration depends on is not the attribute's own condition.
        holds = True if part is None or part == around else part.built
        if holds is not False or _out(around):
            found.append(_attribute(tree, node, conditional=holds is None))
    return found


def _attribute_nodes(declaration: Node) -> list[Node]:
    lists = [child for child in declaration.children if child.kind == "attribute_list"]
    return [node for listed in lists for node in listed.children if node.kind == "attribute"]


def _out(part: Part | None) -> bool:
    return part is not None and part.built is False


def _attribute(tree: Tree, node: Node, conditional: bool) -> Attribute:
    source = tree.source(node)
    found = _NAME.match(source)
    name = found[1].removesuffix("Attribute") if found else ""
    inside = tokens(source[found.end() :]) if found else []
    if inside[:1] == ["<"]:
        inside = inside[inside.index("(") :] if "(" in inside else []
    inside = inside[1:-1]
    values: list[Tokens] = []
    named: dict[str, Tokens] = {}
    for argument in arguments(inside):
        pieces = split(argument, _EQUALS)
        if len(pieces) == 2 and len(pieces[0]) == 1:
            named[pieces[0][0]] = pieces[1]
        else:
            values.append(argument)
    text = f"[{name}({uniform(inside)})]" if inside else f"[{name}]"
    return Attribute(name, values, named, tree.line(node.start), text, conditional)


def attribute_skips(found: list[Attribute], names: Mapping[str, bool], aliases: Mapping[str, bool]) -> list[Skip]:
    """The skips among attributes. ``aliases`` has those of the file's own that skip, and whether they decide."""
    rows = [one for one in found if one.name in ("InlineData", "TestCase", "DataRow")]
    skips = []
    for one in found:
        conditional = _skips(one, names, aliases)
        if conditional is None:
            continue
        one_row_of_many = one in rows and len(rows) > 1
        skips.append(Skip("disabled", one.line, one.text, conditional or one.conditional or one_row_of_many))
    return skips


def _skips(one: Attribute, names: Mapping[str, bool], aliases: Mapping[str, bool]) -> bool | None:
    """Whether it is a condition that skips; None where nothing does."""
    if one.name in aliases:
        return aliases[one.name]
    if one.name in _SKIPS:
        return False
    if one.name == "ActiveIssue":
        return len(one.values) > 1
    if _is_condition(one.name):
        return True
    if any(key in one.named and one.named[key] not in _NOTHING for key in ("Skip", "Ignore", "IgnoreReason")):
        return "SkipWhen" in one.named or "SkipUnless" in one.named
    explicit = one.named.get("Explicit")
    return False if explicit is not None and constant(explicit, names) is not False else None


def _is_condition(name: str) -> bool:
    if name in _CONDITIONS:
        return True
    return name.startswith(("Conditional", "SkipOn", "EnableOn")) and name != "Conditional"


def cases(found: list[Attribute], parameters: list[Attribute]) -> int | None:
    """How often a test runs."""
    names = {one.name for one in found}
    if names & {
        "MemberData",
        "ClassData",
        "TestCaseSource",
        "DynamicData",
        "Sequential",
        "Pairwise",
        "AutoData",
        "Property",
    }:
        return None
    count = sum(one.name in ("InlineData", "TestCase", "DataRow") for one in found) or 1
    if names & {"Theory"} and not names & {"InlineData"}:
        return None
    for one in parameters:
        if one.name in ("Range", "Random", "ValueSource"):
            return None
        count *= max(1, len(one.values)) if one.name == "Values" else 1
    return count


def rows(found: list[Attribute]) -> list[list[str]]:
    """The literal values of each row of data."""
    return [
        [uniform(value) for value in one.values]
        for one in found
        if one.name in ("InlineData", "TestCase", "DataRow")
    ]
