"""Attributes of Rust: what makes a test, what skips it, and what conditional compilation leaves out."""

import re
from typing import NamedTuple

from assay.detectors.test_code.curly.tokens import Tokens, arguments, split, tokens, uniform
from assay.detectors.test_code.model import Skip
from assay.detectors.test_code.tree import Node, Tree

_TESTS = frozenset(
    {"test", "rstest", "test_case", "quickcheck", "wasm_bindgen_test", "test_matrix", "parameterized", "gtest"}
)
_BLANK = re.compile(r"(?:\s|//[^\n]*+|/\*(?>.*?\*/))*+", re.DOTALL)
_EQUALS = frozenset({"="})
_KNOWN = frozenset(
    [
        "unix",
        "windows",
        "debug_assertions",
        "doc",
        "doctest",
        "docsrs",
        "miri",
        "loom",
        "fuzzing",
        "tarpaulin",
        "nightly",
        "kani",
        "coverage",
    ]
)
_NEVER = re.compile(
    r"(?i)never\w*|disabled?\w*|none|nope|false|off|skip\w*|ignored?\w*|broken\w*|todo|unused|no_?such\w*|nonexist\w*"
)
_MOST_DEPTH = 12


class Attribute(NamedTuple):
    """One attribute that applies; ``conditional`` where a condition decides whether it does."""

    name: str
    inside: Tokens
    line: int
    text: str
    conditional: bool = False

    @property
    def makes_test(self) -> bool:
        return self.name in _TESTS


def outer_attributes(tree: Tree, node: Node, before: list[Node]) -> list[Attribute]:
    """The attributes in front of an item; ``before`` has the nodes before it, the nearest one last."""
    found: list[Attribute] = []
    start = node.start
    for other in reversed(before):
        blank = _BLANK.match(tree.text, other.end, start)
        if other.kind != "attribute_item" or blank is None or blank.end() != start:
            break
        found = [*read_attribute(tree, other), *found]
        start = other.start
    return found


def read_attribute(tree: Tree, node: Node) -> list[Attribute]:
    """What an attribute comes to; a conditional one may be none or several."""
    parts = tokens(tree.source(node))
    inside = parts[parts.index("[") + 1 : -1] if "[" in parts else []
    return _attributes(inside, tree.line(node.start), False, 0)


def _attributes(inside: Tokens, line: int, conditional: bool, depth: int) -> list[Attribute]:
    bracket = next((at for at, part in enumerate(inside) if part in ("(", "=", "[")), len(inside))
    name = _name([part for part in inside[:bracket] if part != "::"])
    rest = inside[bracket + 1 :]
    rest = rest[:-1] if inside[bracket : bracket + 1] == ["("] else rest
    if name != "cfg_attr" or depth > _MOST_DEPTH:
        return [Attribute(name, rest, line, f"#[{uniform(inside)}]", conditional)]
    pieces = arguments(rest)
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


def configured(parts: Tokens, depth: int = 0) -> bool | None:
    """Does a ``cfg`` condition hold when tests are built? None where that depends on the build."""
    if not parts or depth > _MOST_DEPTH:
        return None
    word = parts[0]
    if parts[1:2] == ["("] and word in ("all", "any", "not"):
        return _joined(word, [configured(piece, depth + 1) for piece in arguments(parts[2:-1])])
    named = split(parts, _EQUALS)
    if len(named) == 2:
        value = uniform(named[1]).strip('"')
        return False if named[0] == ["feature"] and _NEVER.fullmatch(value) else None
    return True if word in ("test", "true") else _set_by_build(word)


def _joined(word: str, values: list[bool | None]) -> bool | None:
    if word == "not":
        return not values[0] if values and values[0] is not None else None
    decides = word == "any"
    if decides in values:
        return decides
    return None if None in values else not decides


def _set_by_build(word: str) -> bool | None:
    """A name of several words is likely one that a build script sets."""
    could_be_set = word in _KNOWN or ("_" in word and word.islower())
    return None if could_be_set and not _NEVER.fullmatch(word) else False


def optional_statements(tree: Tree) -> frozenset[int]:
    """The statements that only some builds have; those that none has are marked as dead."""
    found = set()
    for node in tree.nodes:
        following = _statement_after(tree, node) if node.kind == "attribute_item" else None
        if following is None:
            continue
        for one in read_attribute(tree, node):
            holds = configured(one.inside) if one.name == "cfg" else True
            following.dead = following.dead or holds is False
            if holds is None:
                found.add(id(following))
    return frozenset(found)


def _statement_after(tree: Tree, attribute: Node) -> Node | None:
    """The statement that an attribute in a block belongs to."""
    block = attribute.parent
    blank = _BLANK.match(tree.text, attribute.end)
    if block is None or block.kind != "block" or blank is None:
        return None
    return next((one for one in block.children if one.start == blank.end()), None)


def attribute_skips(found: list[Attribute]) -> list[Skip]:
    """The skips among attributes."""
    skips = []
    for one in found:
        if one.name == "ignore":
            skips.append(Skip("skip", one.line, one.text, one.conditional))
        elif one.name == "cfg":
            holds = configured(one.inside)
            if holds is not True:
                skips.append(Skip("excluded", one.line, one.text, one.conditional or holds is None))
        elif one.name == "test_case" and "=>" in one.inside:
            answer = one.inside[one.inside.index("=>") + 1 :]
            if answer[:1] in (["ignore"], ["inconclusive"]):
                skips.append(Skip("skip", one.line, one.text, one.conditional))
    return skips


_VALUES = re.compile(r"#\[\s*values\s*(\()")


def cases(found: list[Attribute], parameters: str) -> int | None:
    """How often a test runs."""
    if any(one.name in ("apply", "template", "test_matrix", "files") for one in found):
        return None
    count = sum(one.name in ("case", "test_case") for one in found) or 1
    for listed in _VALUES.finditer(parameters):
        inside = tokens(parameters[listed.start(1) :])
        count *= max(1, len(arguments(inside[1 : _closed(inside)])))
    return None if "#[files" in parameters else count


def _closed(parts: Tokens) -> int:
    depth = 0
    for at, part in enumerate(parts):
        depth += (part in "([{") - (part in ")]}")
        if depth == 0:
            return at
    return len(parts)


def rows(found: list[Attribute]) -> list[list[str]]:
    """The literal values of each case."""
    return [
        [uniform(value) for value in arguments(split(split(one.inside, _ARROW)[0], _SEMICOLON)[0])]
        for one in found
        if one.name in ("case", "test_case")
    ]


_ARROW, _SEMICOLON = frozenset({"=>"}), frozenset({";"})
