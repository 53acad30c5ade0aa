"""Effects of marks on a function: a test, what skips it, what it expects."""

import re

from assay.detectors.test_code.engine.expressions.parts import Part
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.language import DeclaredPart
from assay.detectors.test_code.engine.marks import Class, Function, Mark
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.engine.scopes import Role
from assay.detectors.test_code.engine.skipping import mark_skips
from assay.detectors.test_code.model import Assertion, Strength
from assay.detectors.test_code.tree import Node

_THROWS = re.compile(r"(?:\w+::)*+(?:throw\b|raise\b|(?:panic|unreachable|todo|unimplemented)!)")


def read_mark(reading: Reading, node: Node) -> Mark:
    """A mark by its words: ``@Tag("slow")``, ``[Fact(Skip = "why")]``, ``#[ignore]``."""
    words = whole = reading.words(node.start, node.end)
    while words and words[0] in ("@", "#", "[", "!"):
        words = words[1:-1] if words[0] == "[" and words[-1] == "]" else words[1:]
    if words and words[0][0] == "@":
        words = [words[0][1:], *words[1:]]
    link = reading.chain(words)[-1]
    return Mark(link.name, link, joined(whole), reading.line(node))


def declared_function(reading: Reading, found: Function) -> DeclaredPart | None:
    """A function's declaration, by its marks and name."""
    declaring, quirks = reading.language.declaring, reading.language.quirks
    holder = found.node.parent
    if holder is not None and holder.part is Part.BLOCK:
        # The grammar may have a node for the body of a class.
        holder = holder.parent
    if holder is not None and holder.part not in (Part.CLASS, Part.FILE):
        # A function in another one, or of an anonymous class, belongs to the code around it.
        return None
    if found.has(*declaring.hook_marks) or found.name in declaring.hook_names:
        return DeclaredPart(Role.HOOK, found.name)
    marked = any(declaring.marks.fullmatch(mark.name) for mark in found.marks)
    if quirks.collected is not None:
        collected = quirks.collected(reading, found, marked)
    else:
        marked = marked or (declaring.names.match(found.name) is not None and _holds_tests(reading, found.owner))
        collected = marked and declaring.refused.isdisjoint(found.words)
    if not collected and (not marked or "abstract" in found.words):
        return None
    declared = DeclaredPart(Role.TEST, found.name, collected, mark_skips(reading, found.marks))
    if quirks.completed is not None:
        quirks.completed(reading, found, declared)
    return declared


def _holds_tests(reading: Reading, owner: Class | None) -> bool:
    pattern = reading.language.declaring.parents
    if pattern.pattern == "(?!)":
        return True
    return owner is not None and any(pattern.search(parent) for parent in owner.parents)


def expect_error(reading: Reading, node: Node, mark: Mark, kind: str, declared: DeclaredPart, broad: bool) -> None:
    """A mark that demands an error of a test turns its assertions around: the last one can't hold."""
    body = node.part_child(Part.BLOCK)
    last = body.children[-1] if body is not None and body.children else None
    words = [word for word in reading.words_of(last) if word != ";"] if last is not None else []
    # A test that throws by itself does what it waits for.
    own = _THROWS.match(joined(words))
    strength = Strength.VACUOUS if own else Strength.SHAPE if broad or not kind else Strength.EXACT
    declared.assertions.append(Assertion(mark.line, mark.text, strength, joined(words), kind or None))
    declared.must_fail = broad
