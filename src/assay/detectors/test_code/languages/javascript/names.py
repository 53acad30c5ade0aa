"""The meaning of names in JavaScript: imports and aliases of the words of runners and assertions."""

import re
from collections.abc import Callable
from functools import cache

from assay.detectors.test_code.engine.expressions.brackets import DOUBLE, SINGLE, lexicon_pattern
from assay.detectors.test_code.engine.expressions.calls import Names
from assay.detectors.test_code.engine.expressions.parts import FUNCTIONS, Part
from assay.detectors.test_code.engine.expressions.words import Lexicon, quoted, words_in
from assay.detectors.test_code.engine.reading import Reading, noted
from assay.detectors.test_code.tree import Node
from assay.detectors.test_code.word_sets import word_set

_PLAIN = re.compile(r"\s*+(?:\?\.|\.)?\s*+[\w$]++(?:\s*+(?:\?\.|\.)\s*+[\w$]++)*+\s*+\Z")
_NAME = re.compile(r"[\w$]+")
_FROM = re.compile(r"""import\s++(?:type\s++)?(.*?)\s{0,400}from\s*['"]([^'"]+)['"]""", re.DOTALL)
_REQUIRE = re.compile(r"""\s*(?:await\s+)?(?:require|import)\(\s*['"`]([^'"`]+)['"`]\s*\)""")
_BINDING = re.compile(
    r"\s*(?:(?:globalThis|global|window)\.)?([\w$]+|\{[^{}]*\})\s*(?::[^=]*)?=(?![=>])\s*", re.DOTALL
)
_MEMBER = re.compile(r"([\w$]+)(?:\s*(?:as|:)\s*([\w$]+))?")
_ASSERT_MODULES = word_set("assert assert/strict node:assert node:assert/strict power-assert")
_DEFAULTS: dict[str, Names] = {
    **dict.fromkeys(_ASSERT_MODULES, ("assert",)),
    **dict.fromkeys(("ava", "node:test", "tape", "tap", "test"), ("test",)),
    **dict.fromkeys(("expect", "expect.js", "unexpected"), ("expect",)),
}
KNOWN = word_set(
    "it test specify describe context suite xit xtest xspecify xdescribe xcontext fit ftest fdescribe "
    "fcontext expect assert should chai before beforeEach after afterEach beforeAll afterAll pending fail "
    "QUnit Deno"
)
_TRANSPARENT = word_set("global globalThis window self chai mocha vitest jest QUnit Deno")
_LOADERS = frozenset(("require", "import"))
_SKIPPING = word_set("xit xtest xdescribe xcontext xspecify")
_LONGEST, _LONGEST_VALUE, _MOST_BELOW = 400, 200, 200
_WORDS = Lexicon(lexicon_pattern(rf"{DOUBLE}|{SINGLE}|`[^`$]*`"), quoted)


def read_names(text: str) -> Names:
    """The names in a callee: ``it["sk" + "ip"]`` as it, skip. Nothing where it is no chain of names."""
    if len(text) > _LONGEST:
        return ()
    return tuple(_NAME.findall(text)) if _PLAIN.match(text) else _names_in(words_in(_WORDS, text))


def _names_in(words: list[str]) -> Names:
    """A choice between chains gives the one that skips, with a question mark behind its last name."""
    if "?" in words:
        return _choice(words)
    names: list[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        if word == "[" and index + 2 < len(words) and words[index + 1][0] == '"' and words[index + 2] == "]":
            names.append(words[index + 1][1:-1])
            index += 2
        elif word in ("as", "satisfies", "<"):
            while index + 1 < len(words) and words[index + 1] not in (".", "?.", ")"):
                index += 1
        elif _NAME.fullmatch(word):
            names.append(word)
        elif word not in (".", "?.", "!", "(", ")"):
            return ("", words[-1]) if words[-2:-1] == ["."] else ()
        index += 1
    return tuple(names)


def _choice(words: list[str]) -> Names:
    at = words.index("?")
    rest = [word for word in words[at + 1 :] if word != ")"]
    if ":" not in rest or "?" in rest:
        return ()
    middle = rest.index(":")
    yes, no = _names_in(rest[:middle]), _names_in(rest[middle + 1 :])
    condition = [word for word in words[:at] if word != "("]
    if condition in (["true"], ["1"]):
        return yes
    if condition in (["false"], ["0"]):
        return no
    for names in (yes, no):
        if names and (names[-1] in ("skip", "todo", "fixme") or names[0] in _SKIPPING):
            return (*names[:-1], names[-1] + "?")
    return yes


class Aliases:
    """The aliases of one file; ``stubs`` are words of the runner that do nothing."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._found: dict[str, Names] = {}
        self.modules: set[str] = set()
        self.stubs: set[str] = set()
        for node in reading.tree.nodes:
            if node.part in (Part.BINDING, Part.ASSIGNMENT):
                self._bind(node)
            elif node.part is Part.IMPORT:
                self._import(reading.tree.source(node))
            elif node.part is Part.FUNCTION:
                self._stub(node, "")

    def resolve(self, names: Names) -> Names:
        used: set[str] = set()
        while names and names[0] not in used:
            used.add(names[0])
            if names[0] in self._found:
                names = self._found[names[0]] + names[1:]
            elif names[:2] == ("QUnit", "module"):
                names = ("describe", *names[2:])
            elif len(names) > 1 and names[0] in _TRANSPARENT and names[1] in KNOWN:
                names = names[1:]
        return names

    def _import(self, text: str) -> None:
        found = _FROM.match(text)
        if found is None:
            return
        clause, module = found.groups()
        self.modules.add(module)
        before, brace, named = clause.partition("{")
        default = before.strip().rstrip(",").strip()
        if default.startswith("*"):
            self._alias(default.rpartition(" ")[2], ("assert",) if module in _ASSERT_MODULES else ())
        elif default and module in _DEFAULTS:
            self._alias(default, _DEFAULTS[module])
        if brace:
            self._members(named.rstrip("} "), ("assert",) if module in _ASSERT_MODULES else ())

    def _members(self, text: str, prefix: Names) -> None:
        for name, renamed in _MEMBER.findall(text):
            if prefix or name in KNOWN:
                self._alias(renamed or name, (*prefix, name))

    def _alias(self, name: str, meaning: Names) -> None:
        if meaning != (name,):
            self._found[name] = meaning

    def _bind(self, node: Node) -> None:
        text = self._reading.tree.text
        binding = _BINDING.match(text, node.start, node.end)
        if binding is None:
            return
        target, start = binding[1], binding.end()
        if target in KNOWN:
            self._stub(node, target)
        elif node.part is Part.ASSIGNMENT:
            return
        value = text[start : min(node.end, start + _LONGEST_VALUE)]
        mentioned = _NAME.findall(value)
        if node.end - start < _LONGEST_VALUE and any(
            word in KNOWN or word in _LOADERS or word in self._found for word in mentioned
        ):
            self._alias_of(target, value)

    def _alias_of(self, target: str, value: str) -> None:
        prefix: Names = ()
        module = _REQUIRE.match(value)
        destructured = target[0] == "{"
        if module is not None:
            self.modules.add(module[1])
            asserting: Names = ("assert",) if module[1] in _ASSERT_MODULES else ()
            prefix = asserting if destructured else _DEFAULTS.get(module[1], ())
            value = value[module.end() :]
        names = (*prefix, *(read_names(value) if value.strip(" ;\n") else ()))
        known = names != () and names[0] in KNOWN
        if destructured:
            if module is not None or known:
                self._members(target, names)
        elif known or (names and names[0] in self._found):
            self._alias(target, names)

    def _stub(self, node: Node, name: str) -> None:
        """Remember a word of the runner that is redefined as a function with nothing in it."""
        if not name:
            head = self._reading.tree.text[node.start : node.start + 80]
            found = _MEMBER.match(head.removeprefix("async ").removeprefix("function").lstrip(" *"))
            name = found[1] if found is not None else ""
        function = node.part is Part.FUNCTION or any(child.part in FUNCTIONS for child in node.children)
        if name in KNOWN and function:
            within = self._reading.tree.within(node.start + 1, node.end)[:_MOST_BELOW]
            if not any(each.part in (Part.CALL, Part.THROW) for each in within):
                self.stubs.add(name)


aliases_of = noted(Aliases)


def aliases(reading: Reading) -> Callable[[Names], Names]:
    """Makes what replaces aliases and takes namespaces off."""
    return cache(aliases_of(reading).resolve)
