"""Follows the statements of a test: what it asserts where, what can be reached, and what skips it on the way."""

import ast
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum

from assay.detectors.test_code.model import Assertion, Skip, Strength
from assay.detectors.test_code.python.binding import bound_in
from assay.detectors.test_code.python.call_demands import call_demands
from assay.detectors.test_code.python.constants import truth
from assay.detectors.test_code.python.demand import PythonDemand
from assay.detectors.test_code.python.helpers import bind_arguments, helper_of
from assay.detectors.test_code.python.module import Function, Module
from assay.detectors.test_code.python.skips import call_skip
from assay.detectors.test_code.python.text import LONGEST, Value, uniform

MOST_ASSERTIONS = 4000
"""As many as one test may have; a table of cases times a long body would not end otherwise."""
MOST_IN_A_FILE = 50_000
_DEEPEST = 6
_EXITS = frozenset({"sys.exit", "os._exit", "exit", "quit", "os.abort", "pytest.exit", "builtins.exit"})
_ITSELF = frozenset({"os.getpid()", "getpid()", "0"})


class End(Enum):
    """How a block of statements ends."""

    NEXT = "next"
    RETURN = "return"
    BREAK = "break"
    CONTINUE = "continue"
    RAISE = "raise"


Rules = Mapping[type[ast.stmt], Callable[..., End]]


class Flow:
    """Where following one test stands, and what has been found. ``rules`` say what each kind of statement does."""

    def __init__(
        self,
        rules: Rules,
        module: Module,
        owner: ast.ClassDef | None,
        names: dict[str, Value],
        given: frozenset[str] = frozenset(),
    ) -> None:
        self._rules = rules
        self.module = module
        self.owner = owner
        self.names = names
        self.given = given
        self.unstable: frozenset[str] = frozenset()
        """Names that a function inside the test may set, so that nothing is known of them."""
        self.assertions: list[Assertion] = []
        self.skips: list[Skip] = []
        self.doings: list[str] = []
        self.rounds = 1
        self.reachable = True
        self.swallowed = False
        self.guarded = False
        self.chosen = False
        self.local: dict[str, Function] = {}
        self.inside: tuple[int, ...] = ()
        self.last = ""
        """What was done last: a test that must not get further is about that."""
        self.left_at: list[Skip] = []

    def body(self, statements: list[ast.stmt]) -> End:
        """Follow a block. What stands behind its end is walked too, as something that is never reached."""
        end = End.NEXT
        reachable = self.reachable
        for statement in statements:
            rule = self._rules.get(type(statement))
            found = rule(self, statement) if rule is not None else End.NEXT
            if found is not End.NEXT and end is End.NEXT:
                end = found
                self.reachable = False
        self.reachable = reachable
        return end

    def add(self, found: list[PythonDemand], line: int) -> End:
        """Note the demands of one assertion."""
        self.module.spent += len(found)
        for demand in found if len(self.assertions) < MOST_ASSERTIONS else ():
            text = demand.text or f"assert {uniform(demand.node, self.names)}"
            subject = self.last if demand.fails else demand.subject
            self.assertions.append(
                Assertion(
                    line,
                    text,
                    self._strength(demand.strength),
                    subject,
                    demand.expected,
                    demand.tolerance,
                    self.reachable,
                    self.swallowed,
                )
            )
        return End.RAISE if any(demand.fails for demand in found) else End.NEXT

    def _strength(self, strength: Strength) -> Strength:
        """An assertion that is only made under some condition demands less."""
        return Strength(max(strength - 1, Strength.PRESENCE)) if self.guarded and strength else strength

    @contextmanager
    def within(
        self, *, guarded: bool = False, swallowed: bool = False, unreachable: bool = False, chosen: bool = False
    ) -> Iterator[None]:
        """A block in other circumstances. ``chosen`` is one that some of the test's cases run and others don't."""
        kept = self.guarded, self.swallowed, self.reachable, self.chosen
        self.guarded |= guarded
        self.chosen |= chosen
        self.swallowed |= swallowed
        self.reachable &= not unreachable
        try:
            yield
        finally:
            self.guarded, self.swallowed, self.reachable, self.chosen = kept

    def forget(self, statements: list[ast.stmt]) -> None:
        if self.names:
            for name in bound_in(statements):
                self.names.pop(name, None)

    def skip(self, skip: Skip) -> None:
        """Note a skip. After a condition it is conditional; in unreachable code it doesn't count."""
        if self.reachable:
            conditional = skip.conditional or self.guarded or self.chosen
            self.skips.append(Skip(skip.kind, skip.line, skip.text, conditional))

    def value(self, node: ast.expr | None) -> End:
        """An expression that is evaluated for what it does."""
        if isinstance(node, ast.Await | ast.NamedExpr):
            return self.value(node.value)
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, ast.BoolOp):
            return self._lazily(node)
        if isinstance(node, ast.Attribute | ast.Subscript | ast.BinOp | ast.Compare):
            self.last = uniform(node, self.names)[:LONGEST]
        if isinstance(node, ast.IfExp):
            with self.within(guarded=truth(node.test, self.names) is None):
                self.value(node.body)
                self.value(node.orelse)
        return End.NEXT

    def _lazily(self, node: ast.BoolOp) -> End:
        """``condition and pytest.skip()``"""
        condition = truth(node.values[0], self.names)
        never = condition is not None and condition is not isinstance(node.op, ast.And)
        with self.within(guarded=condition is None, unreachable=never):
            ends = [self.value(each) for each in node.values[1:]]
        return ends[-1] if condition is not None and not never else End.NEXT

    def call(self, node: ast.Call) -> End:
        """A call: an assertion, a skip, an exit, a helper of this file, or something that is tested."""
        self._may_fill(node.func)
        skip = call_skip(node, self.module, self.names)
        if skip is not None:
            self.skip(skip)
            return End.NEXT if "importorskip" in skip.text else End.RAISE
        helper = helper_of(node, self.module, self.owner, self.local)
        if helper is not None:
            return self.run_helper(node, helper)
        name = self.module.dotted(node.func) or ""
        if self._is_exit(node, name):
            return End.RAISE
        emptied = isinstance(self.module.bound.get(name), ast.Lambda | ast.Constant)
        found = None if emptied else call_demands(node, self.module, self.names)
        if found is not None:
            return self.add(found, node.lineno)
        self._done(uniform(node, self.names)[:LONGEST])
        self._run_handed(node.args)
        return End.NEXT

    def _is_exit(self, node: ast.Call, name: str) -> bool:
        """Whether a call ends the process."""
        if name in _EXITS:
            return True
        return name == "os.kill" and bool(node.args) and uniform(node.args[0], self.names) in _ITSELF

    def _run_handed(self, arguments: list[ast.expr]) -> None:
        """A function of the test that is handed over is run by whoever gets it."""
        for argument in arguments:
            if isinstance(argument, ast.Name) and argument.id in self.local:
                self.inline(self.local.pop(argument.id), {})

    def _may_fill(self, function: ast.expr) -> None:
        """``expected.append(3)``: from here on it is not known what is in it."""
        owner = function.value if isinstance(function, ast.Attribute) else None
        if isinstance(owner, ast.Name) and owner.id in self.names and self.names[owner.id].container:
            self.names.pop(owner.id)

    def _done(self, text: str) -> None:
        self.last = text
        if self.reachable:
            self.doings.append(text)

    def run_helper(self, node: ast.Call, helper: Function) -> End:
        self.local.pop(helper.name, None)
        self._done(uniform(node, self.names)[:LONGEST])
        if not self.module.says_something(helper):
            return End.NEXT
        return self.inline(helper, bind_arguments(node, helper, self.names))

    def inline(self, function: Function, arguments: dict[str, Value]) -> End:
        """What a helper asserts counts for its caller."""
        spent = len(self.assertions) >= MOST_ASSERTIONS or self.module.spent >= MOST_IN_A_FILE
        if id(function) in self.inside or len(self.inside) >= _DEEPEST or spent:
            return End.NEXT
        self.module.inlined.add(id(function))
        kept, self.inside = (self.names, self.local), (*self.inside, id(function))
        self.names = {**self.module.constants, **arguments} if arguments or not self.names else dict(self.names)
        end = self.body(function.body)
        self.names, self.local = kept
        self.inside = self.inside[:-1]
        return end if end is End.RAISE else End.NEXT

    def asks_for_given(self, test: ast.expr) -> bool:
        """A condition on the test's own parameters chooses a case; it doesn't avoid the assertion."""
        asked = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
        return bool(asked & self.given) and all(name in self.given or name in _PLAIN for name in asked)

    def finish(self, statements: list[ast.stmt]) -> None:
        """Look back: a return before every assertion skips them, and a function that nobody names is never run."""
        if self.assertions:
            self.skips += self.left_at
        if not self.local:
            return
        named = {node.id for each in statements for node in ast.walk(each) if isinstance(node, ast.Name)}
        for function in list(self.local.values()):
            with self.within(unreachable=function.name not in named):
                self.inline(function, {})


_PLAIN = frozenset({
    "isinstance", "len", "str", "int", "bool", "type", "None", "True", "False", "issubclass", "Exception",
})  # fmt: skip
