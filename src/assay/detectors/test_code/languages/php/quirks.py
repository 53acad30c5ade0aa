"""Peculiarities of tests in PHP: marks in comments, data providers, what follows Pest's tests."""

import re

from assay.detectors.test_code.engine.expressions.brackets import closing
from assay.detectors.test_code.engine.expressions.calls import Call, Names
from assay.detectors.test_code.engine.expressions.chains import Link
from assay.detectors.test_code.engine.expressions.parts import Part
from assay.detectors.test_code.engine.expressions.words import joined, split
from assay.detectors.test_code.engine.language import DeclaredPart
from assay.detectors.test_code.engine.marked import read_mark
from assay.detectors.test_code.engine.marks import Function, Mark
from assay.detectors.test_code.engine.reading import Reading, names_of
from assay.detectors.test_code.engine.rows import closure_names, handed, listed
from assay.detectors.test_code.engine.scopes import CodeScope, Role, title
from assay.detectors.test_code.engine.skipping import mark_skips
from assay.detectors.test_code.tree import Node

_COMMENT = re.compile(r"/\*\*((?:(?!\*/).){0,2000})\*/\s*+(?:\#\[[^\n]*+\s*+)*+\Z", re.DOTALL)
_TOLD = re.compile(r"@(\w+)[ \t]*([^\n*@]*)")
_EXIT = re.compile(r"\s*(exit|die)\b")
_MODIFIERS = {"skip": "skip", "todo": "todo", "fails": "xfail", "only": "focus"}
_WHERE = re.compile(r"skip(?:On\w+|Locally)\Z")
"""What skips a test in some places only."""
_LOOP = re.compile(r"foreach\s*\(\s*(\$\w+)\s+as\b")
_LONGEST = 20_000


def names(text: str) -> Names:
    found = _EXIT.match(text)
    return (found[1],) if found is not None else names_of(text.replace("\\", ""))


def marks(reading: Reading, node: Node) -> list[Mark]:
    """Attributes, and the words with an at sign in the comment before a declaration."""
    found = [
        read_mark(reading, each)
        for holder in node.children
        if holder.part is Part.MARKS
        for each in holder.children
    ]
    comment = _COMMENT.search(reading.tree.text, max(0, node.start - 3000), node.start)
    for name, given in _TOLD.findall(comment[1]) if comment is not None else ():
        arguments = [[f'"{given.strip()}"']] if given.strip() else []
        found.append(Mark(name, Link((name,), arguments), f"@{name} {given}".strip(), reading.line(node)))
    return found


def function(reading: Reading, found: Function) -> DeclaredPart | None:
    """A test with its data provider; everything else goes by name."""
    provided = [mark for mark in found.marks if mark.name in ("DataProvider", "dataProvider")]
    given = [mark for mark in found.marks if mark.name in ("TestWith", "testWith")]
    if not provided and not given:
        return None
    refused = not found.words.isdisjoint(reading.language.declaring.refused)
    declared = DeclaredPart(Role.TEST, found.name, not refused, mark_skips(reading, found.marks))
    rows = [_cells(mark.given[0]) for mark in given if mark.given and mark.name == "TestWith"]
    for mark in provided:
        more = _provider(reading, joined(mark.given[0]).strip("\"'") if mark.given else "")
        if more is None:
            declared.cases = None
            return declared
        rows += more
    declared.cases = len(rows)
    declared.rows = [row for row in rows if row]
    return declared


def _provider(reading: Reading, name: str) -> list[list[str]] | None:
    """The rows that a provider of the file returns or yields."""
    start = re.search(rf"function\s+{re.escape(name)}\s*\(", reading.tree.text) if name else None
    if start is None:
        return None
    body = reading.tree.text[start.end() : start.end() + _LONGEST]
    listed = re.search(r"\breturn\s*(?=\[|array\()", body)
    if listed is None:
        return None
    words = reading.words_in(body[listed.end() :])
    at = 1 if words[0] == "array" else 0
    return [_cells(row) for row in split(words[at + 1 : closing(words, at)])]


def _cells(row: list[str]) -> list[str]:
    """The values of a row; its name is left out."""
    if len(row) > 2 and row[1] == "=>":
        row = row[2:]
    return [joined(cell) for cell in split(row[1:-1])] if row[:1] == ["["] else [joined(row)]


def call(reading: Reading, found: Call, scope: CodeScope) -> DeclaredPart | None:
    """``it('adds', …)->with([…])->skip()``."""
    role = reading.language.declaring.calls.get(".".join(found.names)) if found.inner is None else None
    if role is None or role is Role.HOOK:
        return DeclaredPart(role) if role is not None else None
    head = reading.head(found)
    given = found.arguments
    if not head or given is None or (given.part_child(Part.CLOSURE) is None and scope.role is not Role.FILE):
        return None
    declared = DeclaredPart(role, title(head[0]))
    around = found.node.parent
    while around is not None and around in reading.calls and reading.calls[around].root is found:
        _follow(reading, reading.calls[around], declared)
        around = around.parent
    return declared


def _follow(reading: Reading, chained: Call, declared: DeclaredPart) -> None:
    name = chained.names[-1] if chained.names else ""
    kind, line = _MODIFIERS.get(name), reading.line(chained.node)
    link = reading.links(chained)[-1]
    if name == "with":
        rows = listed(reading, link.argument(0), chained.node)
        body = chained.root.arguments.part_child(Part.CLOSURE) if chained.root.arguments is not None else None
        names = closure_names(reading, body) if body is not None else []
        declared.cases = None if rows is None else len(rows)
        declared.given = lambda: [handed(names, row) for row in rows or ()]
    elif _WHERE.match(name):
        declared.add("skip", line, f"->{name}()", True)
    elif kind is not None:
        condition = link.argument(0)
        told = not condition or condition[0][0] in "\"'"
        always = True if told else reading.truth(condition)
        if always is not False:
            declared.add(kind, line, f"->{name}()", always is None)


def empty(reading: Reading, loop: Node) -> bool:
    """A loop over a name that is bound to an empty list and never filled."""
    found = _LOOP.match(reading.tree.text, loop.start)
    if found is None or found[1] not in reading.values.lists:
        return False
    start, end = reading.values.lists[found[1]]
    written = reading.tree.text[start:end].rstrip("; ")
    return written in ("[]", "array()") and reading.values.mentions(found[1]) == 2
