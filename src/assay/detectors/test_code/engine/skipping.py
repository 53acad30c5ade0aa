"""Ways to keep a test from running: marks, calls, errors thrown for it, a return before every assertion."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from assay.detectors.test_code.engine.expressions.calls import Call, Names
from assay.detectors.test_code.engine.expressions.chains import Link
from assay.detectors.test_code.engine.expressions.parts import ALTERNATIVES, BRANCHING, FUNCTIONS, LOOPS, Part
from assay.detectors.test_code.engine.language import SkipCall
from assay.detectors.test_code.engine.marks import Mark
from assay.detectors.test_code.engine.reading import FAR, Reading
from assay.detectors.test_code.engine.scopes import CodeScope, Role
from assay.detectors.test_code.model import Skip
from assay.detectors.test_code.tree import Node

_MOST_TEXT = 300
_ENDS_WELL = re.compile(r"(?:\(\s*+0?+\s*+\)|\bexit)\s*+;?\Z")


def mark_skips(reading: Reading, marks: Sequence[Mark]) -> list[Skip]:
    """The skips that marks make."""
    skipping, own = reading.language.skipping, reading.language.quirks.mark_skips
    found: list[Skip | None] = []
    for mark in marks:
        kind, rule = skipping.marks.get(mark.name), skipping.asked.get(mark.name)
        if kind is not None:
            found.append(Skip(kind, mark.line, mark.text[:_MOST_TEXT], mark.unsure))
        elif rule is not None:
            found.append(asked_skip(reading, rule, mark.link, mark.line, mark.text[:_MOST_TEXT]))
        elif skipping.conditional.match(mark.name):
            found.append(Skip("skip", mark.line, mark.text[:_MOST_TEXT], conditional=True))
        elif own is not None and (conditional := own(reading, mark, marks)) is not None:
            found.append(Skip("disabled", mark.line, mark.text[:_MOST_TEXT], conditional or mark.unsure))
    return [skip for skip in found if skip is not None]


def asked_skip(reading: Reading, rule: SkipCall, link: Link, line: int, text: str) -> Skip | None:
    """The skip that a call or a mark makes by what it is given; None where it never does."""
    given = link.labelled(rule.label) if rule.label else []
    if not given and rule.at is not None:
        given = (link.positional[rule.at : rule.at + 1] or [[]])[0] if rule.label else link.argument(rule.at)
    if given and given[0][0] in "\"'" and not rule.label and link.given > (rule.at or 0) + 1:
        given = link.argument((rule.at or 0) + 1)
    if not given:
        return Skip(rule.kind, line, text)
    if rule.label and len(given) == 1 and given[0][0] == '"':
        # The condition may be written as a text.
        given = reading.words_in(given[0][1:-1]) or given
    always = reading.truth(given)
    never = rule.unless if rule.unless is not None else False
    return None if always is never else Skip(rule.kind, line, text, always is None)


def skip_of_call(reading: Reading, call: Call, names: Names, scope: CodeScope) -> None:
    """Put the skip that a call makes on the scope that it is made in."""
    own = reading.language.quirks.skip
    found = own(reading, call, scope) if own is not None else None
    if found is None:
        found = _skip_call(reading, call, names)
    if found is None:
        return
    owner = scope.within(Role.TEST, Role.HOOK, Role.FUNCTION, Role.SUITE) or scope
    if owner.role is Role.FILE and found.kind != "disabled" and not reading.language.skipping.whole:
        return
    if not found.conditional and depends(reading, call.node):
        found = replace(found, conditional=True)
    owner.skips.append(found)


def _skip_call(reading: Reading, call: Call, names: Names) -> Skip | None:
    skipping = reading.language.skipping
    last = call.names[-1] if call.names else ""
    rule = skipping.calls.get(last)
    line = reading.line(call.node)
    if skipping.exits and call.inner is None and call.names in reading.language.exits:
        text = reading.text(call.node)
        return Skip("disabled", line, text) if _ENDS_WELL.search(text) else None
    if rule is None or not reading.is_received(call, names, skipping.receivers):
        return None
    text = reading.text(call.node)
    if rule.at is None:
        return Skip(rule.kind, line, text)
    return asked_skip(reading, rule, reading.without_handle(reading.links(call)[-1]), line, text)


def thrown_skip(reading: Reading, node: Node, scope: CodeScope) -> None:
    """Put the skip on a scope that throws an error for it."""
    found = reading.language.skipping.throws.match(reading.tree.text, node.start, node.end)
    owner = scope.within(Role.TEST, Role.HOOK, Role.FUNCTION)
    if owner is None and reading.language.skipping.whole:
        owner = scope.within(Role.FILE)
    if found is not None and owner is not None:
        owner.skips.append(Skip("skip", reading.line(node), reading.text(node), depends(reading, node)))


def depends(reading: Reading, node: Node) -> bool:
    """Whether a node of a function runs only under a condition that isn't constant."""
    for around in islice(node.ancestors(), FAR):
        if around in reading.tests and around.part is not Part.FUNCTION:
            return False
        if around.part in FUNCTIONS:
            return _may_be_left(reading, around, node) or not is_body(reading, around)
        if around.part in BRANCHING and reading.decided(around) is None:
            return True
        if around.part in ALTERNATIVES or around.part in LOOPS:
            return True
    before = reading.tree.text[max(0, node.start - 3) : node.start].rstrip()
    return before.endswith(("&&", "||", "?"))


def _may_be_left(reading: Reading, function: Node, node: Node) -> bool:
    """Whether a return somewhere before a node may keep it from running."""
    before = reading.tree.within(function.start, node.start)
    return any(inner.part is Part.RETURN and not inner.dead for inner in before[:FAR])


def is_body(reading: Reading, function: Node) -> bool:
    """Whether a function is a test's or has a name, and is not one that something may call or not."""
    if function.part is Part.FUNCTION:
        return True
    holder = function.parent
    if holder is not None and holder.part is Part.GIVEN:
        holder = holder.parent
    return holder in reading.tests


def early_return(reading: Reading, scope: CodeScope, node: Node) -> None:
    """A return before every assertion, on a condition, leaves all of them out."""
    branch = next(
        (
            each
            for each in islice(node.ancestors(), FAR)
            if each.part in BRANCHING or each.part in FUNCTIONS or each in reading.left
        ),
        None,
    )
    if branch is None or branch.part in FUNCTIONS or not _is_alone(node, branch):
        return
    body = reading.function_around(branch)
    own = body is not None and (body in reading.tests or (body.part is Part.CLOSURE and is_body(reading, body)))
    if not own or reading.decided(branch) is not None:
        return
    line = reading.line(node)
    written = [each.line for each in scope.assertions]
    written += [reading.line(each.node) for each in scope.written]
    if written and all(each >= line for each in written):
        said = " ".join(reading.tree.text[branch.start : node.end][:200].split())
        scope.skips.append(Skip("skip", line, said, conditional=True))


def _is_alone(node: Node, branch: Node) -> bool:
    """Whether a return is all there is in its branch."""
    holder = node.parent
    while holder is not None and holder is not branch:
        if holder.part in (Part.BLOCK, Part.STATEMENT, Part.ELSE) and len(holder.children) > 1:
            return False
        holder = holder.parent
    return True
