"""Peculiarities of tests in Rust."""

import re
from dataclasses import replace
from itertools import islice

from assay.detectors.test_code.engine.demand import Demand, WrittenDemand
from assay.detectors.test_code.engine.expressions.brackets import closing
from assay.detectors.test_code.engine.expressions.calls import Call, Names
from assay.detectors.test_code.engine.expressions.parts import Part
from assay.detectors.test_code.engine.expressions.sides import unborrowed
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.language import DeclaredPart
from assay.detectors.test_code.engine.marked import expect_error
from assay.detectors.test_code.engine.marks import Class, Function, Mark
from assay.detectors.test_code.engine.reading import FAR, Reading, names_of, noted
from assay.detectors.test_code.engine.rules import demand_of
from assay.detectors.test_code.engine.scopes import CodeScope, Role
from assay.detectors.test_code.languages.rust.asserts import CLOSE, MACROS, matched, near, trimmed
from assay.detectors.test_code.languages.rust.attributes import (
    TESTS,
    answers,
    attributes,
    cases,
    inside,
    rows,
    skips,
)
from assay.detectors.test_code.languages.rust.macros import regions
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.tree import Node

_MACRO = re.compile(r"\s*+(?:::\s*)?((?:\w+\s*::\s*)*+\w+)\s*!\s*[(\[{]")
_DEFINED = re.compile(r"macro_rules!\s*(\w+)")
_ASSERTS = re.compile(r"\b(?:panic|unwrap|expect|(?>\w*?assert)\w*+)\b")
_ASSERTING = re.compile(r"\b(?:panic|unreachable|(?>\w*?assert)\w*+)!")
_SWALLOWS_ASSERTS = re.compile(r"\W*|.*(?:assert|left|right|panicked|failed).*")
_RESULTS = re.compile(r"\)\s*->\s*([^{;]{1,200})\{?\Z")
_CHECKS = {"success": False, "failure": False, "code": True, "stdout": True, "stderr": True, "interrupted": False}
_OF_TESTS = frozenset(("case", "ignore", "should_panic"))
_CHAINED = re.compile(r"\.\s*assert(?:_eq|_debug_eq)?\s*\(")
_CASE = re.compile(r"#\[case\]\s*+(?:mut\s++)?+(\w++)")
_LONGEST = 20_000


def names(text: str) -> Names:
    """The names of what is called; a macro's with its exclamation mark."""
    macro = _MACRO.match(text)
    if macro is None:
        return names_of(text)
    found = re.findall(r"\w+", macro[1])
    return (*found[:-1], f"{found[-1]}!")


def klass(reading: Reading, found: Class) -> DeclaredPart:
    """A module, a trait, an implementation."""
    return DeclaredPart(Role.SUITE, " ".join(found.name.split()), False, skips(found.marks))


def function(reading: Reading, found: Function) -> DeclaredPart | None:
    """A test by its attributes, what looks like one, or a function that tests may call."""
    own = found.marks
    collected = any(one.name in TESTS and not one.unsure for one in own) or _in_region(reading, found.node)
    marked = collected or any(one.name in TESTS or one.name in _OF_TESTS for one in own)
    if not marked and not _looks_like_test(reading, found):
        if reading.scope_of[found.node.parent].role is Role.TEST:  # type: ignore[index]
            return None
        # Beside unit tests stands production code, which may assert for reasons of its own.
        return DeclaredPart(Role.FUNCTION, found.name if _is_among_tests(reading, found.node) else "")
    declared = DeclaredPart(Role.TEST, found.name, collected, skips(own))
    takes = _takes(reading, found.node)
    declared.cases = cases(reading, own, takes)
    declared.rows = _rows(reading, found, own, takes)
    declared.assertions += answers(found.name, own)
    for one in own:
        if one.name == "should_panic":
            expected = joined([word for word in inside(one) if word not in ("expected", "=")]).strip('"')
            expect_error(reading, found.node, one, expected, declared, broad=not expected)
            # Without an expected message, any assertion that fails will do.
            declared.must_fail = _SWALLOWS_ASSERTS.fullmatch(expected) is not None
    return declared


def _takes(reading: Reading, node: Node) -> str:
    """The head of a function, with the attributes of its parameters."""
    body = node.part_child(Part.BLOCK)
    return reading.tree.text[node.start : min(body.start if body is not None else node.end, node.start + 2000)]


def _rows(reading: Reading, found: Function, own: list[Mark], takes: str) -> list[list[str]]:
    """The values of every case; rstest gives them only to the parameters that ask for them."""
    given, taken = rows(own), reading.parameters(found.takes)
    asking = _CASE.findall(takes) or list(taken)
    tables = [dict(zip(asking, row, strict=False)) for row in given]
    return [[table.get(name, name) for name in taken] for table in tables]


def _in_region(reading: Reading, node: Node) -> bool:
    """Whether a macro around a function makes a test of it."""
    return any(start <= node.start < end for start, end in regions(reading))


@noted
def _with_tests(reading: Reading) -> set[Node | None]:
    """Parents of functions with a test's attribute."""
    every = (node for node in reading.tree.nodes if node.part is Part.FUNCTION)
    return {each.parent for each in every if any(one.name in TESTS for one in attributes(reading, each))}


def _is_among_tests(reading: Reading, node: Node) -> bool:
    held = _with_tests(reading)
    return any(around in held for around in islice(node.ancestors(), FAR))


def _looks_like_test(reading: Reading, found: Function) -> bool:
    """A test whose attribute is gone, and no function that others call."""
    holder = reading.scope_of[found.node.parent]  # type: ignore[index]
    if holder.role not in (Role.SUITE, Role.FILE) or found.takes or found.name == "main":
        return False
    results = _RESULTS.search(_takes(reading, found.node))
    if (results is not None and "Result" not in results[1]) or reading.values.mentions(found.name) > 1:
        return False
    if found.node.parent not in _with_tests(reading) and holder.name not in ("tests", "test"):
        return False
    body = found.node.part_child(Part.BLOCK)
    asserts = body is not None and _ASSERTING.search(reading.tree.text, body.start, body.end)
    return found.name.startswith("test_") or bool(asserts)


def asserted(reading: Reading, call: Call, scope: CodeScope) -> list[WrittenDemand] | None:
    """``cmd.assert().success()``, ``expect![…].assert_eq(&x)``, and what stands in macros that have no tree."""
    name = call.names[-1] if call.names else ""
    if not name.endswith("!"):
        return _chained(reading, call) if call.inner is not None or len(call.names) > 1 else None
    if name in reading.language.fails:
        return None
    if MACROS.rule(name) is None:
        text = reading.tree.text
        inside = text.find("assert", call.node.start, min(call.node.end, call.node.start + _LONGEST))
        return _nested(reading, reading.words_of(call.node)) or None if inside >= 0 else None
    if name.rstrip("!") in _hollow(reading):
        found = _nested(reading, reading.words_of(call.node))
        return [each._replace(demand=replace(each.demand, strength=Strength.VACUOUS)) for each in found]
    return None


def _chained(reading: Reading, call: Call) -> list[WrittenDemand] | None:
    end = min(call.node.end, call.node.start + _LONGEST)
    if _CHAINED.search(reading.tree.text, call.node.start, end) is None:
        return None
    words = reading.words_of(call.node)
    links = reading.chain(words)
    for at, link in enumerate(links):
        if link.arguments is None:
            continue
        if link.name in ("assert_eq", "assert_debug_eq") and len(words) > 4 and words[0] != link.name:
            before = joined(words[: len(words) - words[::-1].index(link.name) - 2])
            subject = joined(unborrowed(link.argument(0), reading.language.logic))
            return [WrittenDemand(joined(words), Demand(Strength.EXACT, subject, before))]
        if link.name == "assert" and not link.given and links[at + 1 :]:
            subject = joined(words[: words.index("assert") - 1])
            return [
                _checked(subject, one.name, one.text(0) or "") for one in links[at + 1 :] if one.name in _CHECKS
            ]
    return None


def _checked(subject: str, name: str, given: str) -> WrittenDemand:
    strength = Strength.EXACT if _CHECKS[name] else Strength.SHAPE
    said = f"{name}({given})"
    return WrittenDemand(f"{subject}.assert().{said}", Demand(strength, subject, said))


def _nested(reading: Reading, words: list[str]) -> list[WrittenDemand]:
    """The assertions in the words of a macro, of which there is no tree."""
    found, at = list[WrittenDemand](), 0
    while at < len(words) - 2:
        rule = MACROS.rule(words[at]) if "assert" in words[at] and words[at][-1] == "!" else None
        if rule is not None and words[at + 1] in ("(", "[", "{"):
            end = closing(words, at + 1)
            link = trimmed(reading.chain([words[at], "(", *words[at + 2 : end], ")"])[-1])
            text = f"{link.name}({', '.join(joined(each) for each in link.arguments or ())})"
            found.append(WrittenDemand(text, demand_of(rule, link, reading.facts)))
            at = end
        at += 1
    return found


@noted
def _hollow(reading: Reading) -> frozenset[str]:
    """Macros of the file that are called like assertions and assert nothing."""
    sources = (reading.tree.source(node) for node in reading.tree.nodes if node.kind == "macro_definition")
    defined = [(_DEFINED.match(source), source) for source in sources]
    return frozenset(named[1] for named, source in defined if named and not _ASSERTS.search(source, named.end()))


def condition(reading: Reading, words: list[str], wanted: bool, node: Node) -> WrittenDemand | None:
    """``matches!(x, Ok(_))``, ``let Ok(_) = x`` and ``relative_eq!(x, 1.0)``."""
    if words[:1] == ["let"] and "=" in words:
        at = words.index("=")
        pattern = [
            "_" if word[0].islower() and words[i - 1] in ("(", ",") else word for i, word in enumerate(words)
        ]
        return WrittenDemand(joined(words), matched(words[at + 1 :], pattern[1:at], reading.facts, wanted))
    if len(words) < 4 or words[0][-1] != "!" or closing(words, 1) != len(words) - 1:
        return None
    link, demand = reading.chain(words)[-1], None
    if link.name == "matches!" and link.given > 1:
        demand = matched(link.argument(0), link.argument(1), reading.facts, wanted)
    elif CLOSE.fullmatch(link.name) and link.given > 1 and wanted:
        demand = near(link, reading.facts, link.argument(0))
    return WrittenDemand(joined(words), demand) if demand is not None else None


def settle(reading: Reading) -> None:
    """A test begins with its attributes."""
    for scope in reading.scopes:
        before = attributes(reading, scope.node) if scope.role is Role.TEST and scope.node is not None else []
        scope.line = before[0].line if before else scope.line
