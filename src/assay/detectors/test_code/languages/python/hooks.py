"""Effects of a conftest.py on a whole folder: hooks of pytest that skip, drop or ignore tests."""

import re
from itertools import islice

from assay.detectors.test_code.engine.expressions.parts import BRANCHING, FUNCTIONS, Part
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.reading import FAR, Reading
from assay.detectors.test_code.engine.scopes import CodeScope
from assay.detectors.test_code.languages.python.names import mark_of, skips_of
from assay.detectors.test_code.model import Skip
from assay.detectors.test_code.tree import Node
from assay.detectors.test_code.word_sets import word_set

_SEES_ITEMS = word_set(
    "pytest_collection_modifyitems pytest_itemcollected pytest_collection_finish pytest_runtest_setup "
    "pytest_runtest_call pytest_runtest_protocol pytest_pyfunc_call pytest_generate_tests pytest_fixture_setup "
    "pytest_runtest_logstart pytest_collectstart pytest_make_collect_report"
)
_ANSWERS = word_set(
    "pytest_ignore_collect pytest_pyfunc_call pytest_runtest_protocol pytest_runtest_call "
    "pytest_pycollect_makeitem pytest_pycollect_makemodule pytest_collect_file"
)
_SPECIFIED = re.compile(r"hookimpl\([^()]*specname\s*=\s*[\"'](\w+)[\"']")
_REMOVES = re.compile(r"(?:[\w.]+\.)?items\.(?:clear|remove|pop)\(|(?:[\w.]+\.)?pytest_deselected\(")
_CUT = re.compile(r"(?:del (?:[\w.]+\.)?items\[|(?:[\w.]+\.)?items\[[^\]]*\] = )")
_ORDERED = re.compile(r"(?:sorted|reversed|list|tuple)\((?=.)")
_FEWER = re.compile(
    r"\[(?!\*)(?:.* for .* if |(?!.* for ))|(?:filter|list|random\.sample|itertools\.islice)\(|\w+\["
    r"|\(.* for .* if |(?!items\b|sorted|reordered|ordered|shuffled)\w+\Z"
)
_LONGEST = 240


def hook_skips(reading: Reading, scope: CodeScope) -> list[Skip]:
    """The skips of one hook. A condition anywhere around them makes them conditional."""
    node = scope.node
    if node is None:
        return []
    head = reading.tree.text[max(0, node.start - _LONGEST) : node.start].rpartition("\n\n")[2]
    specified = _SPECIFIED.search(head)
    name = specified[1] if specified is not None else scope.name
    if not name.startswith("pytest_"):
        return []
    inside = [each for each in reading.tree.within(node.start + 1, node.end) if not each.dead]
    found = [*scope.skips] if name in _SEES_ITEMS else []
    for each in inside if name in _SEES_ITEMS else ():
        found += _of_items(reading, each)
    for each in inside if name in _ANSWERS else ():
        if each.part is Part.RETURN and _takes_over(reading, reading.words_of(each)[1:], name):
            words = reading.words_of(each)[1:]
            asks = _asks(reading, each) or reading.truth(words) is None
            found.append(Skip("excluded", reading.line(each), f"{name}: return {joined(words)}"[:_LONGEST], asks))
    return found


def _of_items(reading: Reading, node: Node) -> list[Skip]:
    if node.part not in (Part.ASSIGNMENT, Part.CALL):
        return []
    line, text = reading.line(node), joined(reading.words_of(node))[:_LONGEST]
    call = reading.calls.get(node)
    if node.part is Part.ASSIGNMENT:
        cut = _CUT.match(text)
        kinds = ["excluded"] if cut is not None and _drops(text[cut.end() :], text) else []
    elif call is not None and call.names[-1:] == ("add_marker",):
        return [
            Skip(each.kind, line, text, each.conditional or _asks(reading, node))
            for each in _marked(reading, node)
        ]
    elif call is not None and call.names[-1:] == ("parametrize",):
        given = reading.links(call)[-1].argument(1)
        kinds = ["skip"] if given and reading.truth(given) is False else []
    else:
        kinds = ["excluded"] if _REMOVES.match(text) else []
    return [Skip(kind, line, text, _asks(reading, node)) for kind in kinds]


def _marked(reading: Reading, node: Node) -> list[Skip]:
    """``item.add_marker("skip")``, ``add_marker(pytest.mark.skip)``, a mark under a name that says what it is."""
    given = reading.links(reading.calls[node])[-1].argument(0)
    text = joined(given).strip('"').lower()
    found = skips_of(reading, [mark_of(reading, given, reading.line(node), node)]) if given else []
    if not found and text.isidentifier() and re.search("skip|xfail", text):
        found = [Skip("xfail" if "xfail" in text else "skip", 0, "")]
    return found


def _drops(value: str, text: str) -> bool:
    """Whether a new list of items has fewer: a filter, nothing, a slice. Sorting and joining keep them all."""
    while (ordered := _ORDERED.match(value)) is not None and value[ordered.end()] != ")":
        value = value[ordered.end() :].removesuffix(")")
    return text.startswith("del") or (" + " not in value and _FEWER.match(value) is not None)


def _asks(reading: Reading, node: Node) -> bool:
    """Whether a condition decides on a node of a hook; a loop over all items is none."""
    for around in islice(node.ancestors(), FAR):
        if around.part in FUNCTIONS:
            before = reading.tree.within(around.start, node.start)
            return any(each.part in (Part.RETURN, Part.BREAK) and each.conditional for each in before)
        if around.part is Part.CATCH or (around.part in BRANCHING and reading.decided(around) is None):
            return True
    return False


def _takes_over(reading: Reading, words: list[str], name: str) -> bool:
    """Whether what a hook returns means that it took care of it."""
    if name == "pytest_ignore_collect":
        return bool(words) and reading.truth(words) is not False
    if name.startswith(("pytest_pycollect", "pytest_collect")):
        return words == ["[", "]"]
    return reading.truth(words) is True
