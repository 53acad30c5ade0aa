"""How often a JavaScript test runs: tables of cases and loops around it."""

from itertools import islice

from assay.detectors.test_code.calls import Call
from assay.detectors.test_code.case_rows import rows_of
from assay.detectors.test_code.chains import closing
from assay.detectors.test_code.javascript.flow import FAR
from assay.detectors.test_code.javascript.names import Vocabulary
from assay.detectors.test_code.javascript.text import FUNCTIONS, LEXICON
from assay.detectors.test_code.javascript.words import PARAMETERS
from assay.detectors.test_code.model import Assertion
from assay.detectors.test_code.scopes import Scope
from assay.detectors.test_code.tree import Node, Tree
from assay.detectors.test_code.uniform import split, words

_LOOPS = frozenset(("for_in_statement", "for_statement", "while_statement", "do_statement"))
_LOOPING_CALLS = frozenset(("forEach", "map", "flatMap"))


class Tables:
    """Counts cases."""

    def __init__(self, tree: Tree, vocabulary: Vocabulary, calls: dict[Node, Call]) -> None:
        self._tree = tree
        self._vocabulary = vocabulary
        self._calls = calls
        self._counted: dict[Node, int | None] = {}

    def cases(self, call: Call, outer: Scope, of: dict[Node, Scope]) -> int | None:
        """How many times a declaration runs within the scope around it."""
        count = self._table(call)
        for around in islice(call.node.ancestors(), FAR):
            if of.get(around) is not outer or count is None:
                break
            if around not in self._counted:
                self._counted[around] = self._loop(around)
            times = self._counted[around]
            count = None if times is None else count * times
        return count

    def rows(self, call: Call) -> list[Assertion]:
        """What the rows of ``it.each([…])`` want, each for itself."""
        inner = call.inner
        given = inner.arguments if inner is not None and _has_table(inner) else None
        if given is None or given.kind == "template_string":
            return []
        elements = self._elements(given.start + 1, given.end - 1)
        return rows_of(self._tree.line(given.start), elements or [])

    def _table(self, call: Call) -> int | None:
        inner = call.inner
        if inner is None or not _has_table(inner):
            return 1
        given = inner.arguments
        if given is None:
            return None
        if given.kind == "template_string":
            rows = [line for line in self._tree.source(given).strip("`").splitlines() if line.strip()]
            return max(0, len(rows) - 1)
        return self._list(given.start + 1, given.end - 1)

    def _list(self, start: int, end: int) -> int | None:
        """The length of a list that is written out, here or where its name is bound."""
        elements = self._elements(start, end)
        return None if elements is None else len(elements)

    def _elements(self, start: int, end: int) -> list[list[str]] | None:
        source = self._tree.text[start:end].strip()
        if source in self._vocabulary.values:
            start, end = self._vocabulary.values[source]
        found = words(self._tree, LEXICON, start, end)
        if not found or found[0] != "[":
            return None
        stop = closing(found, 0)
        if stop + 1 < len(found) and found[stop + 1] not in ("as", ",", "satisfies"):
            return None
        elements = split(found[1:stop])
        return None if any(element[0] == "..." for element in elements) else elements

    def _loop(self, node: Node) -> int | None:
        if node.kind == "for_in_statement":
            return self._for_of(node)
        if node.kind in _LOOPS:
            return None
        given = node.parent
        if node.kind not in FUNCTIONS or given is None or given.kind != "arguments" or given.parent is None:
            return 1
        call = self._calls.get(given.parent)
        return 1 if call is None else self._called_with(call, given)

    def _called_with(self, call: Call, arguments: Node) -> int | None:
        """How often a call runs a function that it is given."""
        if call.names and call.names[-1] not in _LOOPING_CALLS:
            return 1
        if call.inner is not None:
            return None if call.names else 1
        return self._receiver(call, arguments)

    def _receiver(self, call: Call, arguments: Node) -> int | None:
        """How long the list is that ``forEach`` is called on."""
        start = call.node.start
        receiver, _, method = self._tree.text[start : arguments.start].rstrip().rpartition(".")
        if method.strip() not in _LOOPING_CALLS:
            return 1
        return self._list(start, start + len(receiver))

    def _for_of(self, node: Node) -> int | None:
        body = node.child("statement_block")
        head = self._tree.text[node.start : body.start if body is not None else node.end].rstrip()
        at = head.find(" of ")
        if at < 0 or not head.endswith(")"):
            return None
        return self._list(node.start + at + 4, node.start + len(head) - 1)


def _has_table(call: Call) -> bool:
    return bool(call.names) and call.names[-1].rstrip("?") in PARAMETERS
