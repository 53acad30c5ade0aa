"""Groups, tests, hooks and functions of a JavaScript file as scopes, with what skips them."""

import re
from itertools import islice

from assay.detectors.test_code.calls import Call
from assay.detectors.test_code.case_rows import is_row
from assay.detectors.test_code.conditions import truth
from assay.detectors.test_code.javascript.flow import FAR, JavascriptRules
from assay.detectors.test_code.javascript.names import Vocabulary
from assay.detectors.test_code.javascript.tables import Tables
from assay.detectors.test_code.javascript.text import FUNCTIONS, LEXICON
from assay.detectors.test_code.javascript.words import PARAMETERS, SKIPS, Declaration, declaration
from assay.detectors.test_code.model import Skip
from assay.detectors.test_code.node_scopes import add_skip, mark_certain, title
from assay.detectors.test_code.scopes import Role, Scope
from assay.detectors.test_code.tree import Node, Tree
from assay.detectors.test_code.uniform import joined, quoted, split, words

_FUNCTION_NAME = re.compile(r"(?:async\s++)?(?:function\s*+\*?\s*+)?([\w$]+)")
_PLAIN_HEAD = re.compile(r"""\(\s*('[^'\\\n]*'|"[^"\\\n]*")\s*,?\s*""")
_LONGEST_HEAD = 4000
_CONTEXTS = frozenset(("this", "t", "ctx", "context", "test", "self"))
_INSIDE = {"skip": "skip", "fixme": "skip", "pending": "skip", "todo": "todo"}
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*\Z")
_TOLD = re.compile(
    r"""process\.(?:stdin\.(?:on|once)\(\s*['"`](?:end|close)|(?:on|once)\(\s*['"`]SIG[A-Z]+)['"`]"""
)


class Suites:
    """Finds the scope of every node while the tree is walked from its beginning."""

    def __init__(
        self, tree: Tree, vocabulary: Vocabulary, calls: dict[Node, Call], rules: JavascriptRules
    ) -> None:
        self._tree = tree
        self._vocabulary = vocabulary
        self._calls = calls
        self._rules = rules
        self._tables = Tables(tree, vocabulary, calls)
        self.scopes = [Scope(Role.FILE, "", 1, tree.line(len(tree.text)))]
        self.of: dict[Node, Scope] = {tree.nodes[0]: self.scopes[0]}
        self.tests: set[Node] = set()
        self._returns: list[tuple[Scope, Node]] = []

    def visit(self, node: Node) -> Scope:
        """The scope that a node opens, or the one it stands in."""
        scope = self.of[node.parent] if node.parent is not None else self.scopes[0]
        call = self._calls.get(node)
        if call is not None:
            scope = self._visit_call(call, scope)
        elif node.kind in FUNCTIONS and scope.role in (Role.FILE, Role.SUITE):
            scope = self._function(node, scope)
        elif node.kind == "return_statement" and scope.role is Role.TEST and not node.dead:
            self._returns.append((scope, node))
        self.of[node] = scope
        return scope

    def _visit_call(self, call: Call, scope: Scope) -> Scope:
        names = self._vocabulary.resolve(call.root.names)
        if call.inner is None:
            scope.calls.add(names[-1] if names else "")
        declared = self._declared(call, names)
        if declared is not None:
            return self._open(call, declared, scope)
        if call.inner is None and call.outermost:
            self._skip_inside(call, names, scope)
        return scope

    def _declared(self, call: Call, names: tuple[str, ...]) -> Declaration | None:
        """What a call declares: itself, or as ``it.each(table)(name, body)`` with the call it is made on."""
        if (call.inner is not None and (call.names or call.inner.inner is not None)) or not names:
            return None
        found = declaration(names)
        if found is None:
            return None
        last = names[-1].rstrip("?")
        makes_another = last in PARAMETERS or last in ("skipIf", "runIf", "if", "extend", "configure")
        if makes_another is (call.inner is None):
            return None
        return found if self._declares(call, found) else None

    def _declares(self, call: Call, found: Declaration) -> bool:
        """Whether the arguments are those of a declaration: a name or a function, or both."""
        arguments = call.arguments
        if arguments is None or arguments.kind != "arguments":
            return False
        if arguments.child(*FUNCTIONS) is not None or found.role is Role.HOOK:
            return True
        head = self._head(arguments)
        if len(head) == 1:
            return found.role is Role.TEST and head[0][0][:1] in '"`'
        return len(head) > 1 and head[0][0] not in ("true", "false") and not head[1][0].startswith(('"', "`"))

    def _head(self, arguments: Node) -> list[list[str]]:
        """The arguments before the function: the name and the options."""
        body = arguments.child(*FUNCTIONS)
        end = body.start if body is not None else arguments.end - 1
        end = min(end, arguments.start + _LONGEST_HEAD)
        plain = _PLAIN_HEAD.match(self._tree.text, arguments.start, end)
        if plain is not None and plain.end() == end:
            return [[quoted(plain[1])]]
        return split(words(self._tree, LEXICON, arguments.start + 1, end))

    def _open(self, call: Call, declared: Declaration, outer: Scope) -> Scope:
        node, line = call.node, self._tree.line(call.node.start)
        head = self._head(call.arguments) if call.arguments is not None else []
        name = "" if declared.role is Role.HOOK else _title(head)
        scope = Scope(declared.role, name, line, self._tree.line(node.end), outer, dead=node.dead)
        handed = [word for part in head[-2:] for word in part if _IDENTIFIER.match(word)]
        scope.calls.update(handed)
        scope.certain.update(handed)
        if declared.role is not Role.HOOK:
            self._describe(scope, outer, call, declared, head)
        self.scopes.append(scope)
        self.tests.add(node)
        return scope

    def _describe(
        self, scope: Scope, outer: Scope, call: Call, declared: Declaration, head: list[list[str]]
    ) -> None:
        """Cases, rows and skips of a test or a group."""
        scope.cases = self._tables.cases(call, outer, self.of)
        if declared.role is Role.TEST:
            scope.assertions.extend(self._tables.rows(call))
        if declared.modifiers or scope.dead or self._vocabulary.stubs:
            self._modifiers(call, declared, scope)
        if len(head) > 1:
            self._options(head[1:], scope)
        self._bodiless(call.arguments, head, scope)

    def _modifiers(self, call: Call, declared: Declaration, scope: Scope) -> None:
        text = joined(
            words(self._tree, LEXICON, call.node.start, call.arguments.start if call.arguments else call.node.end)
        )
        for name, conditional in declared.modifiers:
            kind = SKIPS.get(name)
            if name in ("skipIf", "runIf", "if"):
                self._conditional(call, name, text, scope)
            elif kind == "focus":
                scope.focus = Skip("focus", scope.line, text, conditional)
            elif kind is not None:
                scope.skips.append(Skip(kind, scope.line, text, conditional))
        if scope.dead:
            scope.skips.append(Skip("disabled", scope.line, "code that is never reached"))
        if self._vocabulary.stubs & {"it", "test", "describe"} & {text.partition(".")[0]}:
            scope.skips.append(Skip("disabled", scope.line, f"{text} is redefined and runs nothing"))

    def _conditional(self, call: Call, name: str, text: str, scope: Scope) -> None:
        given = call.root.arguments
        found = words(self._tree, LEXICON, given.start + 1, given.end - 1) if given is not None else []
        always = truth(found, self._vocabulary.constants)
        if always is not (name != "skipIf"):
            scope.skips.append(Skip("skip", scope.line, text, always is None))

    def _options(self, options: list[list[str]], scope: Scope) -> None:
        """The options that node:test, Vitest and Playwright take: ``{ skip: true }``."""
        for part in options:
            for option in split(part[1:-1]) if part[:1] == ["{"] else ():
                kind = SKIPS.get(option[0].strip('"'))
                value = option if len(option) == 1 else option[2:] if option[1] == ":" else []
                always = truth(value, self._vocabulary.constants)
                if kind is not None and always is not False and value:
                    add_skip(scope, Skip(kind, scope.line, joined(part), always is None))

    def _bodiless(self, arguments: Node | None, head: list[list[str]], scope: Scope) -> None:
        """A test with a name and nothing else is pending."""
        if scope.role is not Role.TEST or arguments is None or len(head) != 1 or scope.skips:
            return
        if arguments.child("call_expression", *FUNCTIONS) is None:
            scope.skips.append(Skip("todo", scope.line, joined(head[0])))

    def _skip_inside(self, call: Call, names: tuple[str, ...], scope: Scope) -> None:
        """``this.skip()``, ``pending()`` and ``process.exit()``."""
        owner = scope.within(Role.TEST, Role.HOOK, Role.FUNCTION, Role.SUITE) or scope
        kind = _kind_inside(names)
        if kind is None or call.node.dead or (owner.role is Role.FILE and kind != "disabled"):
            return
        if self._ends_when_told(call.node):
            return
        conditional = self._depends(call.node) or self._argument_depends(call)
        if conditional is not None:
            text = " ".join(self._tree.text[call.node.start : call.node.end][:200].split())
            owner.skips.append(Skip(kind, self._tree.line(call.node.start), text, conditional))

    def _ends_when_told(self, node: Node) -> bool:
        """``process.on("SIGTERM", () => process.exit(0))``: a program that ends with the one that started it."""
        handler = next((around for around in islice(node.ancestors(), FAR) if around in self._calls), None)
        return handler is not None and _TOLD.match(self._tree.text, handler.start) is not None

    def _argument_depends(self, call: Call) -> bool | None:
        """``test.skip(condition, why)``: whether the condition decides; None where it never holds."""
        head = (
            self._head(call.arguments) if call.arguments is not None and call.arguments.kind == "arguments" else []
        )
        if not head or head[0][0][:1] in ('"', "`") or call.names[:1] == ("process",):
            return False
        always = truth(head[0], self._vocabulary.constants)
        return None if always is False else always is None

    def settle(self) -> None:
        """Say which calls of functions that skip are made for certain, and what else is known only at the end."""
        for scope, node in self._returns:
            self._early_return(scope, node)
        self._uncalled()
        mark_certain(self.scopes, self.of, self._calls, self._depends)

    def _early_return(self, scope: Scope, node: Node) -> None:
        """A return before every assertion, on a condition, leaves all of them out."""
        line = self._tree.line(node.start)
        branch = _nearest(node, frozenset(("if_statement",)))
        body = _nearest(node, FUNCTIONS)
        if branch is None or body is None or branch.start < body.start or not self._is_test_body(body):
            return
        if scope.assertions and all(each.line > line for each in scope.assertions if not is_row(each)):
            said = " ".join(self._tree.text[branch.start : node.end][:200].split())
            scope.skips.append(Skip("disabled", line, said, conditional=True))

    def _is_test_body(self, function: Node) -> bool:
        return function.parent is not None and function.parent.parent in self.tests

    def _uncalled(self) -> None:
        """Tests in a function that is bound to a name which nobody mentions again."""
        for scope in self.scopes:
            holder = scope.within(Role.FUNCTION) if scope.role is Role.TEST else None
            if holder is not None and holder.name and self._is_alone(holder):
                scope.collected = False

    def _is_alone(self, holder: Scope) -> bool:
        named = rf"(?<![\w$.])(export\s[^\n=]{{0,400}}?)?{re.escape(holder.name)}(?![\w$])"
        mentions = re.findall(named, self._tree.text)
        return len(mentions) == 1 and not mentions[0]

    def _depends(self, node: Node) -> bool:
        """Whether a node of a function runs only under a condition that isn't constant."""
        for around in islice(node.ancestors(), FAR):
            if around in self.tests:
                return False
            if around.kind in FUNCTIONS:
                return self._may_be_left(around, node) or not self._is_body(around)
            if around.kind == "if_statement" and self._rules.condition(around) is None:
                return True
            if around.kind in (
                "switch_case",
                "catch_clause",
                "while_statement",
                "for_statement",
                "for_in_statement",
            ):
                return True
        before = self._tree.text[max(0, node.start - 3) : node.start].rstrip()
        return before.endswith(("&&", "||", "?"))

    def _may_be_left(self, function: Node, node: Node) -> bool:
        """Whether a return somewhere before a node may keep it from running."""
        before = self._tree.within(function.start, node.start)
        return any(inner.kind == "return_statement" and not inner.dead for inner in before[:FAR])

    def _is_body(self, function: Node) -> bool:
        """Whether a function is a test's or has a name, and is not one that something may call or not."""
        given = function.parent
        named = given is not None and self.of.get(function) is not self.of.get(given)
        return named or (given is not None and given.parent in self.tests)

    def _function(self, node: Node, outer: Scope) -> Scope:
        """A function that tests may call; a callback without a name belongs to the scope around it."""
        name = self._function_name(node)
        if not name:
            return outer
        scope = Scope(Role.FUNCTION, name, self._tree.line(node.start), self._tree.line(node.end), outer)
        self.scopes.append(scope)
        return scope

    def _function_name(self, node: Node) -> str:
        parent = node.parent
        start = node.start
        if node.kind in ("arrow_function", "function_expression"):
            while parent is not None and parent.kind == "parenthesized_expression":
                parent = parent.parent
            if parent is None or parent.kind not in ("variable_declarator", "assignment_expression"):
                return ""
            start = parent.start
        found = _FUNCTION_NAME.match(self._tree.text, start)
        return found[1] if found is not None else ""


def _kind_inside(names: tuple[str, ...]) -> str | None:
    """What kind of skip a call within a test is, if it is one."""
    if names in (("process", "exit"), ("process", "abort")):
        return "disabled"
    if names == ("test", "fail"):
        return "xfail"
    if names in (("pending",), ("skip",)) or (len(names) == 2 and names[0] in _CONTEXTS):
        return _INSIDE.get(names[-1])
    return None


def _nearest(node: Node, kinds: frozenset[str]) -> Node | None:
    return next((around for around in islice(node.ancestors(), FAR) if around.kind in kinds), None)


def _title(head: list[list[str]]) -> str:
    """The name of a test: a string's content, or the expression that makes it."""
    if not head:
        return "(no name)"
    return title(head[0], '"`')
