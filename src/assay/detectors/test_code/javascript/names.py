"""What names stand for in a file: imports and aliases of the runner's words, constants, and lists of cases."""

import re
from dataclasses import dataclass, field

from assay.detectors.test_code.calls import Names
from assay.detectors.test_code.javascript.callees import NameReader
from assay.detectors.test_code.javascript.text import FUNCTIONS, LEXICON
from assay.detectors.test_code.named_values import NamedValues
from assay.detectors.test_code.node_scopes import below
from assay.detectors.test_code.tree import Node, Tree
from assay.detectors.test_code.uniform import words
from assay.detectors.test_code.word_sets import word_set

_FROM = re.compile(r"""import\s++(?:type\s++)?(.*?)\s{0,400}from\s*['"]([^'"]+)['"]""", re.DOTALL)
_REQUIRE = re.compile(r"""\s*(?:await\s+)?(?:require|import)\(\s*['"`]([^'"`]+)['"`]\s*\)""")
_BINDING = re.compile(
    r"\s*(?:(?:globalThis|global|window)\.)?([\w$]+|\{[^{}]*\})\s*(?::[^=]*)?=(?![=>])\s*", re.DOTALL
)
_CONSTANT = re.compile(r"""(?:true|false|null|undefined|-?\d[\d_.]*|"[^"\\\n]*"|'[^'\\\n]*')\s*\Z""")
_NAMED = re.compile(r"([\w$]+)(?:\s*(?:as|:)\s*([\w$]+))?")

_ASSERT_MODULES = word_set("assert assert/strict node:assert node:assert/strict power-assert")
_DEFAULTS: dict[str, Names] = {
    **dict.fromkeys(_ASSERT_MODULES, ("assert",)),
    **dict.fromkeys(("ava", "node:test", "tape", "tap", "test"), ("test",)),
    **dict.fromkeys(("expect", "expect.js", "unexpected"), ("expect",)),
}
_KNOWN = word_set(
    "it test specify describe context suite xit xtest xspecify xdescribe xcontext fit ftest fdescribe "
    "fcontext expect assert should chai before beforeEach after afterEach beforeAll afterAll pending fail "
    "QUnit Deno"
)
_TRANSPARENT = word_set("global globalThis window self chai mocha vitest jest QUnit Deno")
_LOADERS = frozenset(("require", "import"))
_WORD = re.compile(r"[\w$]+")
_LONGEST_VALUE = 200


@dataclass(slots=True)
class Vocabulary:
    """The names of one file.

    ``values`` has where the value of a name is written, for names that are bound once; ``stubs`` are words of the
    runner that the file redefines as functions which check and run nothing.
    """

    aliases: dict[str, Names] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    values: dict[str, tuple[int, int]] = field(default_factory=dict)
    modules: set[str] = field(default_factory=set)
    stubs: set[str] = field(default_factory=set)
    named_values: NamedValues = field(kw_only=True)
    _resolved: dict[Names, Names] = field(default_factory=dict)

    def resolve(self, names: Names) -> Names:
        """The names with aliases replaced and namespaces taken off."""
        found = self._resolved.get(names)
        if found is None:
            found = self._resolved[names] = self._resolve(names)
        return found

    def _resolve(self, names: Names) -> Names:
        used: set[str] = set()
        while names and names[0] not in used:
            used.add(names[0])
            replaced = self._once(names)
            if replaced == names:
                break
            names = replaced
        return names

    def _once(self, names: Names) -> Names:
        if not names:
            return names
        if names[0] in self.aliases:
            return self.aliases[names[0]] + names[1:]
        if len(names) > 1 and names[0] in _TRANSPARENT and names[1] in _KNOWN:
            return names[1:]
        return ("describe", *names[2:]) if names[:2] == ("QUnit", "module") else names


def vocabulary(tree: Tree) -> Vocabulary:
    """Read what the names of a file stand for."""
    reader = _Reader(tree)
    for node in tree.nodes:
        if node.kind == "variable_declarator":
            reader.declare(node)
        elif node.kind in ("assignment_expression", "augmented_assignment_expression"):
            reader.assign(node)
        elif node.kind == "import_statement":
            reader.imports(tree.source(node))
        elif node.kind == "function_declaration":
            reader.stub(node)
    return reader.finish()


class _Reader:
    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._names = NameReader()
        self._bound: dict[str, int] = {}
        self._assigned: set[str] = set()
        self._words = Vocabulary(
            named_values=NamedValues(FUNCTIONS, lambda start, end: words(tree, LEXICON, start, end))
        )

    def imports(self, text: str) -> None:
        found = _FROM.match(text)
        if found is None:
            return
        clause, module = found.groups()
        self._words.modules.add(module)
        before, brace, named = clause.partition("{")
        default = before.strip().rstrip(",").strip()
        if default.startswith("*"):
            self._alias(default.rpartition(" ")[2], _DEFAULTS.get(module, ()) if module in _ASSERT_MODULES else ())
        elif default and module in _DEFAULTS:
            self._alias(default, _DEFAULTS[module])
        if brace:
            self._members(named.rstrip("} "), _member_prefix(module))

    def _members(self, text: str, prefix: Names) -> None:
        for name, renamed in _NAMED.findall(text):
            if prefix or name in _KNOWN:
                self._alias(renamed or name, (*prefix, name))

    def _alias(self, name: str, meaning: Names) -> None:
        if meaning != (name,):
            self._words.aliases[name] = meaning

    def declare(self, node: Node) -> None:
        binding = _BINDING.match(self._tree.text, node.start, node.end)
        if binding is None:
            return
        target = binding[1]
        self._bound[target] = self._bound.get(target, 0) + 1
        self._words.named_values.bind(target, node, binding.end(), node.end)
        declared_const = self._tree.text[max(0, node.start - 6) : node.start].strip() == "const"
        self._bind(target, binding.end(), node, declared_const)

    def assign(self, node: Node) -> None:
        binding = _BINDING.match(self._tree.text, node.start, node.end)
        left = self._tree.text[node.start : min(node.end, node.start + _LONGEST_VALUE)].partition("=")[0]
        self._assigned.update(_WORD.findall(left))
        for name in _WORD.findall(left):
            self._words.named_values.bind(name, node, node.end, node.end)
        if binding is not None and binding[1] in _KNOWN:
            self._bind(binding[1], binding.end(), node, False)

    def _bind(self, target: str, start: int, node: Node, constant: bool) -> None:
        text = self._tree.text
        value = text[start : min(node.end, start + _LONGEST_VALUE)]
        if target in _KNOWN:
            self.stub(node, target)
        if _CONSTANT.match(value):
            if constant or value.strip() in ("true", "false"):
                self._words.constants[target] = value.strip().replace("'", '"')
        elif value[:1] == "[":
            self._words.values[target] = (start, node.end)
        elif node.end - start < _LONGEST_VALUE and self._may_name(value):
            self._alias_of(target, value)

    def _may_name(self, value: str) -> bool:
        """A cheap look before the value is read: an alias mentions a word of the runner, a module or an alias."""
        return any(
            word in _KNOWN or word in _LOADERS or word in self._words.aliases for word in _WORD.findall(value)
        )

    def _alias_of(self, target: str, value: str) -> None:
        prefix: Names = ()
        module = _REQUIRE.match(value)
        destructured = target[0] == "{"
        if module is not None:
            self._words.modules.add(module[1])
            prefix = _member_prefix(module[1]) if destructured else _DEFAULTS.get(module[1], ())
            value = value[module.end() :]
        names = (*prefix, *(self._names.read(value) if value.strip(" ;\n") else ()))
        known = names != () and names[0] in _KNOWN
        if destructured:
            if module is not None or known:
                self._members(target, names)
        elif known or (names and names[0] in self._words.aliases):
            self._alias(target, names)

    def stub(self, node: Node, name: str = "") -> None:
        """Remember a word of the runner that is redefined as a function with nothing in it."""
        head = self._tree.text[node.start : node.start + 80]
        name = name or (_NAMED.match(head.removeprefix("async ").removeprefix("function").lstrip(" *")) or [""])[0]
        if name in _KNOWN and _is_function(node) and not _calls_something(node):
            self._words.stubs.add(name)

    def finish(self) -> Vocabulary:
        words = self._words
        for name in [name for name, times in self._bound.items() if times > 1 or name in self._assigned]:
            words.constants.pop(name, None)
            words.values.pop(name, None)
        return words


def _member_prefix(module: str) -> Names:
    return ("assert",) if module in _ASSERT_MODULES else ()


def _is_function(node: Node) -> bool:
    return node.kind == "function_declaration" or any(child.kind in FUNCTIONS for child in node.children)


def _calls_something(node: Node) -> bool:
    """Whether a function calls or throws anything at all, or hands something on that may."""
    return any(child.kind in ("call_expression", "throw_statement") for child in below(node))
