"""Attributes of Rust: what makes a test, what skips it, and what conditional compilation leaves out."""

import re
from bisect import bisect_left
from collections.abc import Mapping

from assay.detectors.test_code.engine.expressions.brackets import closing
from assay.detectors.test_code.engine.expressions.chains import Link
from assay.detectors.test_code.engine.expressions.parts import Part
from assay.detectors.test_code.engine.expressions.truth import combined
from assay.detectors.test_code.engine.expressions.words import joined, split
from assay.detectors.test_code.engine.marks import Mark
from assay.detectors.test_code.engine.reading import Reading, noted
from assay.detectors.test_code.model import Assertion, Skip, Strength
from assay.detectors.test_code.tree import Node
from assay.detectors.test_code.word_sets import word_set

CONFIGURATION = {
    "cfg!(test)": "true",
    "cfg!(not(test))": "false",
    "cfg!(any())": "false",
    "cfg!(all())": "true",
    "cfg!(FALSE)": "false",
}
"""Conditions of the build that are always decided."""
TESTS = word_set("test rstest test_case quickcheck wasm_bindgen_test test_matrix parameterized gtest")
_BLANK = re.compile(r"(?:\s|//[^\n]*+|/\*(?>.*?\*/))*+", re.DOTALL)
_KNOWN = word_set(
    "unix windows debug_assertions doc doctest docsrs miri loom fuzzing tarpaulin nightly kani coverage"
)
_NEVER = re.compile(
    r"(?i)never\w*|disabled?\w*|none|nope|false|off|skip\w*|ignored?\w*|broken\w*|todo|unused|no_?such\w*|nonexist\w*"
)
_VALUES = re.compile(r"#\[\s*values\s*(\()")
_LOOSE = frozenset(("matches", "with", "using", "panics", "is", "it", "has"))
_NO_ANSWER = ("ignore", "inconclusive")
_MOST, _DEEPEST, _LONGEST = 40, 12, 2000


def marks(reading: Reading, node: Node) -> list[Mark]:
    """The attributes in front of an item, and those inside of a module."""
    return [*attributes(reading, node), *_inner(reading, node)]


def attributes(reading: Reading, node: Node) -> list[Mark]:
    """The attributes in front of an item: they stand there as its siblings."""
    known = _attributes_of(reading)
    if node not in known:
        known[node] = _before(reading, node)
    return known[node]


@noted
def _attributes_of(_: Reading) -> dict[Node, list[Mark]]:
    return {}


def inside(mark: Mark) -> list[str]:
    """The words between an attribute's parentheses."""
    return [word for each in mark.given for word in (*each, ",")][:-1]


def _before(reading: Reading, node: Node) -> list[Mark]:
    if node.parent is None:
        return []
    siblings = node.parent.children
    found: list[Mark] = []
    start, at = node.start, bisect_left(siblings, node.start, key=lambda each: each.start)
    for other in reversed(siblings[max(0, at - _MOST) : at]):
        blank = _BLANK.match(reading.tree.text, other.end, start)
        if other.kind != "attribute_item" or blank is None or blank.end() != start:
            break
        found = [*_read(reading, other), *found]
        start = other.start
    return found


def _inner(reading: Reading, node: Node) -> list[Mark]:
    if node.part not in (Part.CLASS, Part.FILE):
        return []
    inner = [child for child in node.children if child.kind == "inner_attribute_item"]
    return [one for child in inner for one in _read(reading, child)]


def _read(reading: Reading, node: Node) -> list[Mark]:
    """The marks of an attribute; a conditional one may be none or several."""
    end = min(node.end, node.start + _LONGEST)
    words = reading.language.lexicon.words(reading.tree.text, node.start, end)
    inside = words[words.index("[") + 1 : -1] if "[" in words else []
    return _attributes(inside, reading.line(node), False, 0)


def _attributes(inside: list[str], line: int, conditional: bool, depth: int) -> list[Mark]:
    bracket = next((at for at, word in enumerate(inside) if word in ("(", "=", "[")), len(inside))
    name = _name([word for word in inside[:bracket] if word != "::"])
    rest = inside[bracket + 1 :]
    rest = rest[:-1] if inside[bracket : bracket + 1] == ["("] else rest
    if name != "cfg_attr" or depth > _DEEPEST:
        return [Mark(name, Link((name,), split(rest)), f"#[{joined(inside)}]", line, unsure=conditional)]
    pieces = split(rest)
    holds = configured(pieces[0]) if pieces else False
    if holds is False:
        return []
    conditional = conditional or holds is None
    return [one for piece in pieces[1:] for one in _attributes(piece, line, conditional, depth + 1)]


def _name(path: list[str]) -> str:
    """``tokio::test`` is a test, ``case::first`` a case."""
    if not path:
        return ""
    return path[0] if path[0] in ("case", "cfg_attr") else path[-1]


def configured(words: list[str], depth: int = 0) -> bool | None:
    """Does a ``cfg`` condition hold when tests are built? None where that depends on the build."""
    if not words or depth > _DEEPEST:
        return None
    word = words[0]
    if words[1:2] == ["("] and word in ("all", "any", "not"):
        values = [configured(piece, depth + 1) for piece in split(words[2:-1])]
        if word == "not":
            return None if values[:1] in ([], [None]) else not values[0]
        return combined(values, word == "any")
    named = split(words, "=")
    if len(named) == 2:
        value = joined(named[1]).strip('"')
        return False if named[0] == ["feature"] and _NEVER.fullmatch(value) else None
    return True if word in ("test", "true") else _set_by_build(word)


def _set_by_build(word: str) -> bool | None:
    """A name of several words is likely one that a build script sets."""
    could_be_set = word in _KNOWN or ("_" in word and word.islower())
    return None if could_be_set and not _NEVER.fullmatch(word) else False


def left_out(reading: Reading) -> Mapping[Node, bool | None]:
    """The statements that no build has, or only some builds have."""
    found: dict[Node, bool | None] = {}
    for node in reading.tree.nodes:
        if node.kind != "attribute_item" or node.parent is None or node.parent.part is not Part.BLOCK:
            continue
        blank = _BLANK.match(reading.tree.text, node.end)
        siblings = node.parent.children
        at = bisect_left(siblings, blank.end() if blank is not None else 0, key=lambda each: each.start)
        for one in _read(reading, node) if at < len(siblings) else ():
            holds = configured(inside(one)) if one.name == "cfg" else True
            if holds is not True and found.get(siblings[at]) is not True:
                found[siblings[at]] = True if holds is False else None
    return found


def file_skips(reading: Reading) -> list[Skip]:
    return skips(_inner(reading, reading.tree.nodes[0]))


def skips(found: list[Mark]) -> list[Skip]:
    """The skips among attributes."""
    made = []
    for one in found:
        answer = split(inside(one), "=>")[1:2]
        if one.name == "ignore" or (one.name == "test_case" and answer and answer[0][0] in _NO_ANSWER):
            made.append(Skip("skip", one.line, one.text, one.unsure))
        elif one.name == "cfg":
            holds = configured(inside(one))
            if holds is not True:
                made.append(Skip("excluded", one.line, one.text, one.unsure or holds is None))
    return made


def cases(reading: Reading, found: list[Mark], takes: str) -> int | None:
    """How often a test runs; ``takes`` has the attributes of its parameters."""
    if any(one.name in ("apply", "template", "test_matrix", "files") for one in found) or "#[files" in takes:
        return None
    count = sum(one.name in ("case", "test_case") for one in found) or 1
    for listed in _VALUES.finditer(takes):
        inside = reading.language.lexicon.words(takes, listed.start(1))
        count *= max(1, len(split(inside[1 : closing(inside, 0)])))
    return count


def answers(name: str, found: list[Mark]) -> list[Assertion]:
    """The answers that cases expect of a test: ``#[test_case(1, 2 => 3)]``."""
    made = []
    for one in found:
        given, *answers = split(inside(one), "=>") if one.name == "test_case" else [[]]
        answer = split(answers[0], ";")[0] if answers else []
        if answer and answer[0] not in _NO_ANSWER:
            strength = Strength.SHAPE if answer[0] in _LOOSE else Strength.EXACT
            made.append(Assertion(one.line, one.text, strength, f"{name}({joined(given)})", joined(answer)))
    return made


def rows(found: list[Mark]) -> list[list[str]]:
    """The literal values of each case."""
    given = [inside(one) for one in found if one.name in ("case", "test_case")]
    values = [split(split(one, "=>")[0], ";")[0] if one else [] for one in given]
    return [[joined(value) for value in split(one)] for one in values]
