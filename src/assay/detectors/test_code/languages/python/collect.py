"""Walks over a Python file as a runner's collection would: which tests there are, and what happens to them."""

import ast
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

from assay.detectors.test_code.languages.python.classes import assigned, is_collected, is_test_case, switched_off
from assay.detectors.test_code.languages.python.constants import constant, truth
from assay.detectors.test_code.languages.python.decorators import skip_of
from assay.detectors.test_code.languages.python.fixtures import fixture_decorator
from assay.detectors.test_code.languages.python.hooks import IGNORES
from assay.detectors.test_code.languages.python.items import Item, Place, addressed, marks_in, truth_of
from assay.detectors.test_code.languages.python.module import Function, Module
from assay.detectors.test_code.languages.python.skips import call_skip
from assay.detectors.test_code.languages.python.spelling import LONGEST, spelled
from assay.detectors.test_code.model import Skip

_EXITS = frozenset({"sys.exit", "os._exit", "exit", "quit", "pytest.exit"})
_NOT_CALLED = frozenset({"property", "cached_property", "functools.cached_property", "staticproperty"})


class Collection:
    """Everything that is found in one file. ``skips`` are those of the file as a whole."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.items: list[Item] = []
        self.skips: list[Skip] = []
        self.marks: list[ast.expr] = []
        self.helpers: list[tuple[str, Function, ast.ClassDef | None]] = []
        self._under: dict[str, list[Item]] = defaultdict(list)
        self._mixed_in = self._bases_of_collected()

    def _bases_of_collected(self) -> set[str]:
        """Classes that run by way of a class that is collected."""
        found: set[str] = set()
        waiting = [each for each in self.module.classes.values() if is_collected(each, self.module)]
        while waiting:
            for base in waiting.pop().bases:
                known = self.module.class_of(base)
                if known is not None and known.name not in found:
                    found.add(known.name)
                    waiting.append(known)
        return found

    def block(self, statements: list[ast.stmt], place: Place) -> None:
        for statement in statements:
            rule = _RULES.get(type(statement))
            if rule is not None:
                rule(self, statement, place)

    def on_function(self, node: Function, place: Place) -> None:
        path = (*place.names, node.name)
        named_so = node.name.startswith("test")
        fixture = fixture_decorator(node, self.module) is not None
        if not named_so and ("test" not in node.name.lower() or fixture or node.name.startswith("pytest_")):
            self.helpers.append((" > ".join(path), node, place.owner))
            return
        known = [self.module.dotted(each) or "" for each in node.decorator_list]
        collected = named_so and place.collected and not fixture and not _NOT_CALLED.intersection(known)
        identity = " > ".join(path)
        if not place.conditional:
            self._shadow(identity)
        marks = [*node.decorator_list, *place.marks]
        item = Item(identity, node, place.owner, marks, list(place.skips), collected)
        self.items.append(item)
        for number in range(len(path)):
            self._under[" > ".join(path[: number + 1])].append(item)

    def _shadow(self, identity: str) -> None:
        """A second definition takes the name of the first."""
        for item in self.under(identity):
            if item.identity == identity and not any(skip.kind == "excluded" for skip in item.skips):
                item.collected = False

    def on_class(self, node: ast.ClassDef, place: Place) -> None:
        collected = place.collected and (is_collected(node, self.module) or node.name in self._mixed_in)
        off = switched_off(node, self.module)
        skips = [*place.skips, *self.mark_skips(node.decorator_list), *self._taken_over(node)]
        if off is not None:
            skips.append(Skip("excluded", off.lineno, "__test__ = False"))
        inner = Place((*place.names, node.name), node, [*node.decorator_list, *place.marks], skips,
                      collected and off is None, place.conditional)  # fmt: skip
        for statement in node.body:
            if isinstance(statement, ast.Assign | ast.AnnAssign) and "pytestmark" in assigned(statement):
                listed = marks_in(statement.value)
                inner.marks = [*inner.marks, *listed]
                inner.skips += self.mark_skips(listed)
        self.block(node.body, inner)

    def _taken_over(self, node: ast.ClassDef) -> list[Skip]:
        """A test case that overrides ``run`` or ``__call__`` without calling the original one."""
        runs = next((each for each in node.body if getattr(each, "name", "") in ("run", "__call__")), None)
        if runs is None or "super" in ast.dump(runs) or not is_test_case(node, self.module):
            return []
        return [Skip("excluded", runs.lineno, "an overridden run() that runs no test")]

    def mark_skips(self, marks: list[ast.expr]) -> list[Skip]:
        found = [skip_of(mark, self.module, self.module.constants) for mark in marks]
        return [skip for skip in found if skip is not None]

    def on_assign(self, node: ast.Assign | ast.AnnAssign, place: Place) -> None:
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Attribute | ast.Subscript):
                self._set(target, node)
            elif isinstance(target, ast.Name):
                self._rebind(target.id, node, place)

    def _rebind(self, name: str, node: ast.Assign | ast.AnnAssign, place: Place) -> None:
        if place.owner is None and name == "pytestmark":
            self.file_marks(node.value, place)
        elif place.owner is None and name == "__test__" and constant(node.value) is False:
            self.skips.append(Skip("excluded", node.lineno, "__test__ = False", place.conditional))
        elif place.owner is None and name in IGNORES and truth_of(node.value) is not False:
            text = f"{name} = {spelled(node.value)[:LONGEST]}" if node.value is not None else name
            self.skips.append(Skip("excluded", node.lineno, text, place.conditional))
        elif node.value is not None:
            self._replace(" > ".join((*place.names, name)), node.value, place)

    def file_marks(self, value: ast.expr | None, place: Place) -> None:
        listed = marks_in(value)
        self.marks += listed
        for skip in self.mark_skips(listed):
            self.skips.append(Skip(skip.kind, skip.line, skip.text, skip.conditional or place.conditional))

    def _replace(self, identity: str, value: ast.expr, place: Place) -> None:
        """``test_x = None`` takes a test away; ``test_x = skip(test_x)`` is a decorator by another spelling."""
        hit = self.under(identity)
        if not hit:
            return
        last = identity.rsplit(" > ", 1)[-1]
        wraps = any(isinstance(each, ast.Name) and each.id == last for each in ast.walk(value))
        decorator = value.func if isinstance(value, ast.Call) else None
        skip = skip_of(decorator, self.module, self.module.constants) if wraps and decorator is not None else None
        for item in hit:
            if skip is not None:
                item.skips.append(skip)
            elif not wraps and not place.conditional:
                item.collected = False

    def under(self, identity: str) -> list[Item]:
        """The tests of that name, or inside the class of that name."""
        return self._under.get(identity, [])

    def _set(self, target: ast.Attribute | ast.Subscript, node: ast.Assign | ast.AnnAssign) -> None:
        """``TestA.test_x = None``, ``test_x.__test__ = False``, ``globals()["test_x"] = None``"""
        owner, name = addressed(target, self.module)
        whole = f"{owner} > {name}".removeprefix(" > ")
        if name in ("__test__", "__unittest_skip__"):
            off = constant(node.value) is (name == "__unittest_skip__")
            self._take_away(owner, Skip("excluded", node.lineno, f"{name} set"), taken=off)
        elif name == "pytestmark":
            for skip in self.mark_skips(marks_in(node.value)):
                for item in self.under(owner):
                    item.skips.append(skip)
        elif node.value is not None:
            self._replace(whole, node.value, Place())

    def _take_away(self, identity: str, skip: Skip, *, taken: bool) -> None:
        for item in self.under(identity) if taken else ():
            item.skips.append(skip)
            item.collected = False

    def on_delete(self, node: ast.Delete, place: Place) -> None:
        for target in node.targets:
            name = (
                target.id
                if isinstance(target, ast.Name)
                else " > ".join(part for part in addressed(target, self.module) if part)
            )
            whole = " > ".join((*place.names, name))
            for item in self.under(whole) if not place.conditional else ():
                item.collected = False
            if isinstance(target, ast.Subscript) and "globals" in spelled(target) and not name:
                self.skips.append(Skip("excluded", node.lineno, f"del {spelled(target)}", place.conditional))

    def on_add(self, node: ast.AugAssign, place: Place) -> None:
        if place.owner is None and "pytestmark" in assigned(node):
            self.file_marks(node.value, place)
        elif place.owner is None and IGNORES.intersection(assigned(node)):
            self.skips.append(
                Skip(
                    "excluded",
                    node.lineno,
                    f"{spelled(node.target)} += {spelled(node.value)[:LONGEST]}",
                    place.conditional,
                )
            )

    def on_expression(self, node: ast.Expr, place: Place) -> None:
        call = node.value
        if not isinstance(call, ast.Call) or place.owner is not None:
            return
        name = self.module.dotted(call.func) or spelled(call.func)
        skip = call_skip(call, self.module, self.module.constants)
        if skip is None and name in _EXITS:
            skip = Skip("disabled", node.lineno, spelled(call)[:LONGEST])
        if skip is not None:
            self.skips.append(replace(skip, conditional=skip.conditional or place.conditional))
        elif name.startswith("pytestmark.") and call.args:
            self.file_marks(call.args[0], place)
        elif name.split(".")[0] in IGNORES and call.args:
            self.skips.append(Skip("excluded", node.lineno, spelled(call)[:LONGEST], place.conditional))
        else:
            self._reflect(call, name, place)

    def _reflect(self, call: ast.Call, name: str, place: Place) -> None:
        """setattr, delattr, ``globals().pop`` and ``globals().clear``."""
        values = [constant(each, self.module.constants) for each in call.args]
        if name in ("setattr", "delattr") and len(values) > 1 and isinstance(values[1], str):
            target = ast.copy_location(ast.Attribute(call.args[0], values[1]), call)
            if name == "delattr":
                self.on_delete(ast.copy_location(ast.Delete([target]), call), place)
            elif len(call.args) > 2:
                self._set(target, ast.copy_location(ast.Assign([target], call.args[2]), call))
        elif spelled(call.func) in ("globals().pop", "globals().clear", "vars().pop"):
            hit = self.under(str(values[0])) if values else self.items
            for item in hit if not place.conditional else ():
                item.collected = False

    def on_raise(self, node: ast.Raise, place: Place) -> None:
        call = node.exc if isinstance(node.exc, ast.Call) else None
        name = self.module.dotted(call.func if call is not None else node.exc) or ""
        if place.owner is None and name.rsplit(".", 1)[-1] in ("SkipTest", "Exception", "Skipped", "SystemExit"):
            kind = "disabled" if name == "SystemExit" else "skip"
            self.skips.append(Skip(kind, node.lineno, f"raise {name}", place.conditional))

    def on_if(self, node: ast.If, place: Place) -> None:
        held = False if "__main__" in spelled(node.test) else truth(node.test, self.module.constants)
        for block, taken in ((node.body, held), (node.orelse, None if held is None else not held)):
            if taken is not False:
                self.block(block, place if taken else self._conditional(place, node))
            else:
                self.block([each for each in block if isinstance(each, _DEFINING)], self._dead(place))

    def _conditional(self, place: Place, node: ast.If) -> Place:
        skip = Skip("excluded", node.lineno, f"if {spelled(node.test)[:LONGEST]}", conditional=True)
        return Place(place.names, place.owner, place.marks, [*place.skips, skip], place.collected, True)

    def _dead(self, place: Place) -> Place:
        return Place(place.names, place.owner, place.marks, place.skips, collected=False, conditional=True)

    def on_try(self, node: ast.Try | ast.TryStar, place: Place) -> None:
        self.block([*node.body, *node.orelse, *node.finalbody], place)
        inner = Place(place.names, place.owner, place.marks, place.skips, place.collected, True)
        for handler in node.handlers:
            self.block(handler.body, inner)

    def on_block(self, node: ast.With | ast.For | ast.While, place: Place) -> None:
        looped = not isinstance(node, ast.With)
        inner = Place(
            place.names, place.owner, place.marks, place.skips, place.collected, place.conditional or looped
        )
        if looped and place.owner is None:
            self._loop(node)
        self.block(node.body, inner)

    def _loop(self, node: ast.AST) -> None:
        """A loop that takes names out of ``globals()`` takes tests away."""
        for each in ast.walk(node):
            if isinstance(each, ast.Delete) or (
                isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute)
            ):
                shown = (
                    spelled(each.func)
                    if isinstance(each, ast.Call)
                    else " ".join(spelled(t) for t in each.targets)
                )
                if "globals()" in shown and (isinstance(each, ast.Delete) or shown.endswith(".pop")):
                    self.skips.append(Skip("excluded", each.lineno, shown[:LONGEST]))


_DEFINING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_RULES: dict[type[ast.stmt], Callable[..., None]] = {
    ast.FunctionDef: Collection.on_function,
    ast.AsyncFunctionDef: Collection.on_function,
    ast.ClassDef: Collection.on_class,
    ast.Assign: Collection.on_assign,
    ast.AnnAssign: Collection.on_assign,
    ast.AugAssign: Collection.on_add,
    ast.Delete: Collection.on_delete,
    ast.Expr: Collection.on_expression,
    ast.Raise: Collection.on_raise,
    ast.If: Collection.on_if,
    ast.Try: Collection.on_try,
    ast.TryStar: Collection.on_try,
    ast.With: Collection.on_block,
    ast.For: Collection.on_block,
    ast.While: Collection.on_block,
}
