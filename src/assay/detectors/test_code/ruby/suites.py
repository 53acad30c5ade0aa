"""Groups, tests, hooks and methods of a Ruby file as scopes, with what skips them."""

import re
from itertools import islice

from assay.detectors.test_code.calls import Call
from assay.detectors.test_code.conditions import RUBY_FALSY, truth
from assay.detectors.test_code.model import Skip
from assay.detectors.test_code.node_scopes import add_skip, mark_certain, scope_of, title
from assay.detectors.test_code.ruby.flow import FAR, METHODS, RubyRules
from assay.detectors.test_code.ruby.text import BLOCKS, ruby_words
from assay.detectors.test_code.ruby.values import LOOPS, Values
from assay.detectors.test_code.ruby.words import (
    COLLECTED,
    HOOK_METHODS,
    INSIDE,
    METADATA,
    OVERRIDES,
    TESTLIKE,
    Declaration,
    declaration,
    includes,
)
from assay.detectors.test_code.scopes import Role, Scope
from assay.detectors.test_code.tree import Node, Tree
from assay.detectors.test_code.uniform import joined, split

_CLASS = re.compile(r"(?:class|module)\s+([\w:]+)")
_METHOD = re.compile(r"def\s+(?:self\.)?([\w]+[?!=]?)")
_SENDS = frozenset(("send", "public_send", "__send__"))
_SENT = re.compile(r"""(?:self\.)?(?:public_|__)?send(?:__)?\s*+\(?\s*+:?["']?(\w+)""")
_TAKEN_AWAY = re.compile(r"^[ \t]*(?:undef_method|remove_method|undef)\b[ \t(]*:?(test\w+)", re.MULTILINE)
_DEFINES_TEST = re.compile(r"""define_method\s*+\(?\s*+(?::|:?["'])test_""")
_CONDITIONAL = frozenset(
    ("if", "unless", "elsif", "if_modifier", "unless_modifier", "when", "rescue", "conditional", "while", "until")
)
_LONGEST_HEAD = 4000


class Suites:
    """Finds the scope of every node while the tree is walked from its beginning."""

    def __init__(self, tree: Tree, values: Values, calls: dict[Node, Call], rules: RubyRules) -> None:
        self._tree = tree
        self._values = values
        self._calls = calls
        self._rules = rules
        self.scopes = [Scope(Role.FILE, "", 1, tree.line(len(tree.text)))]
        self.of: dict[Node, Scope] = {tree.nodes[0]: self.scopes[0]}
        self.tests: set[Node] = set()
        self._hidden: set[Node] = set()
        self._returns: list[tuple[Scope, Node]] = []

    def visit(self, node: Node) -> Scope:
        """The scope that a node opens, or the one it stands in."""
        scope = self.of[node.parent] if node.parent is not None else self.scopes[0]
        if node.kind in ("class", "module"):
            scope = self._class(node, scope)
        elif node.kind in METHODS:
            scope = self._method(node, scope)
        elif node in self._calls:
            scope = self._call(self._calls[node], scope)
        elif node.kind == "identifier":
            self._bare(node, scope)
        elif node.kind in ("return", "next") and scope.role is Role.TEST and not node.dead:
            self._returns.append((scope, node))
        self.of[node] = scope
        return scope

    def _open(self, role: Role, name: str, node: Node, outer: Scope) -> Scope:
        scope = scope_of(self._tree, role, name, node, outer)
        self.scopes.append(scope)
        self.tests.add(node)
        return scope

    def _class(self, node: Node, outer: Scope) -> Scope:
        found = _CLASS.match(self._tree.text, node.start)
        scope = self._open(Role.SUITE, found[1] if found is not None else "", node, outer)
        # A class need not be one of tests, so an empty one says nothing.
        scope.collected = False
        return scope

    def _method(self, node: Node, outer: Scope) -> Scope:
        found = _METHOD.match(self._tree.text, node.start)
        name = found[1] if found is not None else ""
        if outer.role is not Role.SUITE or node.parent is None:
            return self._open(Role.FUNCTION, name, node, outer)
        if name in OVERRIDES and self._owner(node) == "class":
            outer.skips.append(Skip("disabled", self._tree.line(node.start), f"def {name}"))
        if name in HOOK_METHODS:
            return self._open(Role.HOOK, name, node, outer)
        bare = node.child("method_parameters") is None
        if node.kind == "method" and bare and self._is_test(name):
            scope = self._open(Role.TEST, name, node, outer)
            scope.collected = self._is_collected(name, node)
            return scope
        return self._open(Role.FUNCTION, name, node, outer)

    def _owner(self, node: Node) -> str:
        for around in islice(node.ancestors(), FAR):
            if around.kind in ("class", "module"):
                return around.kind
        return ""

    def _is_test(self, name: str) -> bool:
        """A method that is a test, or that looks like one and is called by nobody."""
        return bool(COLLECTED.match(name)) or (bool(TESTLIKE.search(name)) and self._values.mentions(name) < 2)

    def _is_collected(self, name: str, node: Node) -> bool:
        """A public method that begins with ``test_``, of a class that is derived from another."""
        if not COLLECTED.match(name):
            return False
        if self.of[node.parent or node].collected:
            return True
        owner = next((each for each in islice(node.ancestors(), FAR) if each.kind in ("class", "module")), None)
        hidden = owner in self._hidden or (node.parent is not None and node.parent.kind == "argument_list")
        derived = owner is not None and (owner.kind == "module" or owner.child("superclass") is not None)
        return derived and not hidden

    def _call(self, call: Call, scope: Scope) -> Scope:
        if call.inner is not None:
            return scope
        if call.names:
            scope.calls.add(call.names[-1])
        in_suite = scope.role in (Role.FILE, Role.SUITE)
        found = declaration(call.names, scope.role is Role.SUITE) if in_suite else None
        if found is not None and self._declares(call, found):
            return self._declared(call, found, scope)
        word = self._called_word(call)
        if word in INSIDE:
            self._skip(word, call.node, scope)
        elif call.names in (("exit",), ("exit!",), ("abort",), ("at_exit",)):
            self._exit(call, scope)
        return scope

    def _called_word(self, call: Call) -> str:
        """The one word that is called, by itself or through ``send``."""
        if call.names[-1:] and call.names[-1] in _SENDS:
            sent = _SENT.match(self._tree.text, call.node.start, call.node.end)
            return sent[1] if sent is not None else ""
        return call.names[0] if len(call.names) == 1 else ""

    def _declares(self, call: Call, found: Declaration) -> bool:
        named = call.arguments is not None and call.arguments.kind == "argument_list"
        has_block = call.node.child(*BLOCKS) is not None
        if found.role is Role.HOOK:
            return has_block
        if call.names[-1] == "define_method":
            return has_block and named and bool(_DEFINES_TEST.match(self._tree.text, call.node.start))
        if call.names[-1] in ("should", "test", "skip", "pending", "focus", "context") or found.role is Role.SUITE:
            return has_block or includes(call.names)
        return named or has_block

    def _declared(self, call: Call, found: Declaration, outer: Scope) -> Scope:
        given = call.arguments if call.arguments is not None and call.arguments.kind == "argument_list" else None
        head = self._head(given) if given is not None else []
        name = self._title(call, head) if found.role is not Role.HOOK else ""
        scope = self._open(found.role, name, call.node, outer)
        text = ".".join(call.names)
        if found.kind is not None:
            add_skip(scope, Skip(found.kind, scope.line, text))
        if not includes(call.names):
            self._metadata(head[1:], scope)
            if found.role is Role.TEST and call.node.child(*BLOCKS) is None and not self._handed(head):
                scope.skips.append(Skip("todo", scope.line, f"{text} without a block"))
        scope.cases = self._cases(call.node, outer)
        return scope

    def _handed(self, head: list[list[str]]) -> bool:
        return any(part[0] == "&" for part in head)

    def _head(self, given: Node) -> list[list[str]]:
        found = ruby_words(self._tree, given.start, min(given.end, given.start + _LONGEST_HEAD))
        return split(found[1:-1] if found[:1] == ["("] else found)

    def _title(self, call: Call, head: list[list[str]]) -> str:
        """The names a group or test is given; several are joined, as RSpec does."""
        titles = [title(part) for part in head if not _is_metadata(part)]
        if titles:
            return " ".join(titles[:3]) if not includes(call.names) else f"behaves like {titles[0]}"
        block = call.node.child(*BLOCKS)
        if block is None or call.names[-1:] not in (("it",), ("specify",), ("example",)):
            return "(no name)"
        return joined(ruby_words(self._tree, block.start, min(block.end, block.start + 300)))[1:-1].strip()

    def _metadata(self, parts: list[list[str]], scope: Scope) -> None:
        """``skip: true``, ``:focus`` and ``if: false``."""
        for part in parts:
            symbol = part[0][1:] if len(part) == 1 and part[0][:1] == ":" else ""
            key = part[0].strip('"') if part[1:2] == [":"] else symbol
            kind = METADATA.get(key)
            if kind is None:
                continue
            always = True if symbol else truth(part[2:], self._values.constants, RUBY_FALSY)
            if kind in ("if", "unless"):
                kind, always = "skip", None if always is None else always is (kind == "unless")
            if always is not False:
                add_skip(scope, Skip(kind, scope.line, joined(part), always is None))

    def _cases(self, node: Node, outer: Scope) -> int | None:
        """How often the loops around a declaration run it."""
        count: int | None = 1
        for around in islice(node.ancestors(), FAR):
            if self.of.get(around) is not outer:
                break
            call = self._calls.get(around)
            if call is None or not self._loops(call):
                continue
            times = (
                self._values.loop(around, call.names[0] if len(call.names) == 2 else "")
                if call.inner is None
                else None
            )
            count = None if times is None or count is None else count * times
        return count

    def _loops(self, call: Call) -> bool:
        if call.names:
            return call.names[-1] in LOOPS
        block = call.node.child(*BLOCKS)
        callee = self._tree.text[call.node.start : block.start if block is not None else call.node.end][-40:]
        return callee.rpartition(".")[2].strip() in LOOPS

    def _bare(self, node: Node, scope: Scope) -> None:
        """A word by itself that is a call."""
        word = self._tree.source(node)
        parent = node.parent
        if parent is not None and parent in self._calls:
            return
        if word in ("private", "protected", "public") and parent is not None and parent.kind == "class":
            (self._hidden.discard if word == "public" else self._hidden.add)(parent)
        elif word in INSIDE and parent is not None and parent.kind != "argument_list":
            self._skip(word, node, scope)

    def _skip(self, word: str, node: Node, scope: Scope) -> None:
        owner = scope.within(Role.TEST, Role.HOOK, Role.FUNCTION)
        if owner is None or node.dead:
            return
        conditional = self._depends(node)
        head = self._head(node.children[0]) if node.children and node.children[0].kind == "argument_list" else []
        if word in ("omit_if", "omit_unless") and head:
            always = truth(head[0], self._values.constants, RUBY_FALSY)
            conditional = conditional or always is None
            if always is (word == "omit_unless"):
                return
        text = joined(ruby_words(self._tree, node.start, min(node.end, node.start + 200)))
        owner.skips.append(Skip(INSIDE[word], self._tree.line(node.start), text, conditional))

    def _exit(self, call: Call, scope: Scope) -> None:
        """Leaving the program, at once or in the end, keeps failures from counting."""
        text = self._tree.source(call.node)[:200]
        if call.names == ("at_exit",) and "exit" not in text.replace("at_exit", ""):
            return
        line = self._tree.line(call.node.start)
        block = call.node.parent
        outer = self._calls.get(block.parent) if block is not None and block.parent is not None else None
        in_the_end = outer is not None and outer.names == ("at_exit",)
        if not call.node.dead and not in_the_end:
            scope.skips.append(Skip("disabled", line, " ".join(text.split()), self._depends(call.node)))

    def settle(self) -> None:
        """Say which calls of functions that skip are made for certain, and which tests are taken away again."""
        for left, node in self._returns:
            self._early_return(left, node)
        away = set(_TAKEN_AWAY.findall(self._tree.text))
        for scope in self.scopes if away else ():
            scope.collected = scope.collected and not (scope.role is Role.TEST and scope.name in away)
        mark_certain(self.scopes, self.of, self._calls, self._depends)

    def _early_return(self, scope: Scope, node: Node) -> None:
        """A return before every assertion, on a condition, leaves all of them out."""
        around = list(islice(node.ancestors(), FAR))
        owner = next((at for at, each in enumerate(around) if each in self.tests), 0)
        blocks = sum(each.kind in BLOCKS for each in around[:owner])
        line = self._tree.line(node.start)
        # An example is a block itself, a method is none; a block within leaves only itself.
        if blocks > (around[owner].kind not in METHODS) or not self._depends(node):
            return
        if scope.assertions and all(each.line > line for each in scope.assertions):
            said = self._tree.text[node.start : node.end + 80].split("\n", 1)[0]
            scope.skips.append(Skip("disabled", line, said, conditional=True))

    def _depends(self, node: Node) -> bool:
        """Whether a node of a test or hook runs only under a condition that isn't constant."""
        for around in islice(node.ancestors(), FAR):
            if around in self.tests:
                return False
            if around.kind in ("if", "unless", "if_modifier", "unless_modifier"):
                if self._rules.condition(around) is None:
                    return True
            elif around.kind in _CONDITIONAL:
                return True
        return False


def _is_metadata(part: list[str]) -> bool:
    return (
        part[1:2] == [":"]
        or (len(part) == 1 and part[0][:1] == ":" and len(part[0]) > 1)
        or part[0] in ("**", "&")
    )
