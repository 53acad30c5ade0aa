"""What names stand for in a Ruby file: constants and lists of cases."""

import re
from collections import Counter

from assay.detectors.test_code.named_values import NamedValues
from assay.detectors.test_code.ruby.text import ruby_words
from assay.detectors.test_code.tree import Node, Tree
from assay.detectors.test_code.uniform import split

_BINDING = re.compile(r"\s*([@$]*\w+)\s*=(?![=~>])\s*")
_CONSTANT = re.compile(r"""(?:true|false|nil|-?\d[\d_.]*|"[^"\\#\n]*"|'[^'\\\n]*')\s*\Z""")
_NAMES = re.compile(r"(?:(?<![@$])[@$]++)?\w+[?!]?")
_LET = re.compile(r"let!?\(?\s*+:(\w+)\s*+\)?\s*+(\{|do\b)\s*")
_LONGEST_LET = 200
_SCOPES = frozenset(("method", "singleton_method", "do_block", "block", "lambda"))
_LISTS = frozenset(("array", "hash", "string_array", "symbol_array"))
LOOPS = frozenset(("each", "map", "each_with_index", "each_pair", "flat_map", "each_with_object"))


class Values:
    """The values of one file."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._lists: dict[str, Node] = {}
        self._lengths: dict[Node, int] = {}
        self._bound: dict[str, int] = {}
        self._mentioned: Counter[str] | None = None
        self.constants: dict[str, str] = {}
        self.named_values = NamedValues(_SCOPES, lambda start, end: ruby_words(tree, start, end))
        for node in tree.nodes:
            if node.kind in ("assignment", "operator_assignment"):
                self._bind(node)
            elif node.kind == "call" and tree.text.startswith("let", node.start):
                self._let(node)
        for name in [name for name, times in self._bound.items() if times > 1]:
            self.constants.pop(name, None)
            self._lists.pop(name, None)

    def _bind(self, node: Node) -> None:
        binding = _BINDING.match(self._tree.text, node.start, node.end)
        if binding is None:
            left = self._tree.text[node.start : min(node.end, node.start + 200)].partition("=")[0]
            for name in _NAMES.findall(left):
                self._bound[name] = self._bound.get(name, 0) + 2
                self.named_values.bind(name, node, node.end, node.end)
            return
        name, start = binding[1], binding.end()
        self._bound[name] = self._bound.get(name, 0) + 1
        self.named_values.bind(name, node, start, node.end)
        value = self._tree.text[start : min(node.end, start + 100)]
        if _CONSTANT.match(value):
            self.constants[name] = value.strip().replace("'", '"')
        for child in node.children:
            if child.start == start and child.kind in _LISTS:
                self._lists[name] = child

    def _let(self, node: Node) -> None:
        """``let(:both) { [1, 2] }`` binds a name in the group around it."""
        found = _LET.match(self._tree.text, node.start, min(node.end, node.start + _LONGEST_LET))
        if found is not None:
            end = node.end - (1 if found[2] == "{" else 3)
            self.named_values.bind(found[1], node, found.end(), end)

    def loop(self, call: Node, receiver: str) -> int | None:
        """How often ``[1, 2].each`` or ``CASES.each`` runs; None where that is not written down."""
        first = call.children[0] if call.children else None
        if first is not None and first.kind in _LISTS and first.start == call.start:
            return self._length(first)
        if receiver not in self._lists:
            return None
        length = self._length(self._lists[receiver])
        # An empty list may be filled later; one that is mentioned nowhere else is not.
        return None if length == 0 and self.mentions(receiver) != 2 else length

    def mentions(self, name: str) -> int:
        """How often a name stands in the file."""
        if self._mentioned is None:
            self._mentioned = Counter(_NAMES.findall(self._tree.text))
        return self._mentioned[name]

    def _length(self, node: Node) -> int:
        if node not in self._lengths:
            found = ruby_words(self._tree, node.start, node.end)
            if node.kind in ("string_array", "symbol_array"):
                self._lengths[node] = len(self._tree.source(node)[3:-1].split())
            else:
                self._lengths[node] = len(split(found[1:-1]))
        return self._lengths[node]
