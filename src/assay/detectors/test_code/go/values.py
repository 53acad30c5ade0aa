"""What names stand for in a Go file: constants, tables of cases, and the names that ``*testing.T`` goes by."""

import re
from collections import Counter

from assay.detectors.test_code.go.text import FUNCTIONS, words_of
from assay.detectors.test_code.named_values import NamedValues
from assay.detectors.test_code.tree import Node, Tree
from assay.detectors.test_code.uniform import split

_BINDINGS = frozenset(
    ("short_var_declaration", "var_spec", "const_spec", "assignment_statement", "inc_statement", "dec_statement")
)
_BINDING = re.compile(r"\s*(\w+)\s*(?:[\w.\[\]*]+\s*)?(:?=)?\s*(?!,)")
_LEFT_SIDE = re.compile(r"[^=:+\-*/%&|^<>]*")
_POINTERS = re.compile(r"&(\w+)")
_STRUCT = re.compile(r"\bstruct\s*\{([^{}]*)\}")
_ELEMENT = re.compile(r"[\]*](\w+)\s*\Z")
_FIELDS = re.compile(r"(?:^|[\n;,])[^\S\n]*+(\w+)(?=\s*,|[ \t]+[\w*\[(])")
_SIZED = re.compile(r"\[(\d{1,9})\]")
_NAMES = re.compile(r"\w+")
_CONSTANT = re.compile(r'(?:true|false|nil|-?\d[\d_.]*|"[^"\\\n]*")\s*\Z')
_HANDLES = re.compile(r"\b(\w+)\s+(?:\*testing\.[TBF]|testing\.TB|\*check\.C|\*C|\*qt\.C|GinkgoTInterface)\b")
_FAKE = re.compile(r"(?:&\s*testing\.T\s*\{|new\(\s*testing\.T\s*\)|testing\.T\s*\{)")
_NAME = re.compile(r"\w+\Z")
_MADE = re.compile(r"(?:\w+\.)?New(?:WithT|GomegaWithT)?\(\s*(?:t|tt|tb|b|c|s\.T\(\)|suite\.T\(\))\s*[,)]")
PACKAGES = frozenset(("assert", "require", "is", "must", "qt", "should"))


class Values:
    """The values of one file."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._tables: dict[str, Node] = {}
        self._lengths: dict[Node, int | None] = {}
        self._mentioned: Counter[str] | None = None
        self.constants: dict[str, str] = {}
        self.named_values = NamedValues(FUNCTIONS, lambda start, end: words_of(tree.text[start:end]))
        self.handles = {"t"} | set(_HANDLES.findall(tree.text))
        self.fakes: set[Node] = set()
        self.fake_names: set[str] = set()
        self.helpers = {*PACKAGES, "c", "s", "suite"}
        self._bound: dict[str, int] = {}
        for node in tree.nodes:
            if node.kind in _BINDINGS:
                self._bind(node)
        pointed_at = set(_POINTERS.findall(tree.text)) if self.constants else set()
        for name in [name for name in self.constants if self._bound[name] > 1 or name in pointed_at]:
            del self.constants[name]

    def _bind(self, node: Node) -> None:
        binding = _BINDING.match(self._tree.text, node.start, node.end)
        if binding is None or binding[2] is None:
            self._count(node)
            return
        name, start = binding[1], binding.end()
        self._bound[name] = self._bound.get(name, 0) + 1
        self.named_values.bind(name, node, start, node.end)
        self._learn(name, node, self._tree.text[start : min(node.end, start + 100)])
        for child in node.children:
            if child.kind == "composite_literal" and child.start == start:
                self._tables[name] = child

    def _learn(self, name: str, node: Node, value: str) -> None:
        """What the beginning of its value says about a name."""
        if _FAKE.match(value):
            (self.fakes.add(node) if name in self.handles else self.fake_names.add(name))
        if _MADE.match(value):
            self.helpers.add(name)
        if _CONSTANT.match(value) and node.kind != "assignment_statement":
            self.constants[name] = value.strip()

    def _count(self, node: Node) -> None:
        """Several names at once, one without a value, or one that is counted up: none of them is a constant."""
        for name in _NAMES.findall(_LEFT_SIDE.match(self._tree.text, node.start, node.end)[0]):  # type: ignore[index]
            self._bound[name] = self._bound.get(name, 0) + 2
            self.named_values.bind(name, node, node.end, node.end)

    def named_table(self, name: str) -> Node | None:
        """The table that a name stands for, if it is written out and nothing else is put in its place."""
        return self._tables.get(name) if _NAME.match(name) and self._bound.get(name) == 1 else None

    def named_length(self, name: str) -> int | None:
        """The number of rows of the table that a name stands for."""
        table = self.named_table(name)
        length = self.length(table) if table is not None else None
        # An empty table may be filled later; one that is mentioned nowhere else is not.
        return None if length == 0 and self.mentions(name) != 2 else length

    def mentions(self, name: str) -> int:
        """How often a name stands in the file."""
        if self._mentioned is None:
            self._mentioned = Counter(_NAMES.findall(self._tree.text))
        return self._mentioned[name]

    def length(self, table: Node) -> int | None:
        """The number of rows of a table that is written out."""
        if table not in self._lengths:
            sized = _SIZED.match(self._tree.text, table.start)
            rows = self.rows(table)
            length = None if rows is None else len(rows)
            self._lengths[table] = int(sized[1]) if sized is not None else length
        return self._lengths[table]

    def rows(self, table: Node) -> list[list[str]] | None:
        """The words of each row of a table; None where it has no body."""
        body = table.child("literal_value")
        return split(words_of(self._tree.text[body.start + 1 : body.end - 1])) if body is not None else None

    def fields(self, table: Node) -> list[str]:
        """The names of a table's columns: those of its struct, written in its type or declared under a name."""
        body = table.child("literal_value")
        written = self._tree.text[table.start : body.start if body is not None else table.end]
        found = _STRUCT.search(written)
        if found is None:
            name = _ELEMENT.search(written)
            found = re.search(rf"\btype\s+{name[1]}\s+struct\s*{{([^{{}}]*)}}", self._tree.text) if name else None
        return _FIELDS.findall(found[1]) if found is not None else []
