"""Fixtures and set-up functions of a Python file: what they skip, and how often they make a test run."""

import ast
from dataclasses import dataclass, field

from assay.detectors.test_code.languages.python.constants import constant
from assay.detectors.test_code.languages.python.module import Function, Module, argument
from assay.detectors.test_code.languages.python.parameters import Table, written_elements

MODULE_SETUPS = ("setUpModule", "setup_module", "setup_function", "setup")
CLASS_SETUPS = ("setUp", "setUpClass", "setup_method", "setup_class", "asyncSetUp", "setup", "tearDown")


@dataclass(slots=True)
class Fixtures:
    """The fixtures of one scope, by name. A class sees those of its module."""

    module: Module
    by_name: dict[str, tuple[Function, ast.expr]] = field(default_factory=dict)

    def add(self, functions: list[Function]) -> None:
        for function in functions:
            decorator = fixture_decorator(function, self.module)
            if decorator is not None:
                named = argument(decorator, "name") if isinstance(decorator, ast.Call) else None
                name = constant(named) if named is not None else function.name
                self.by_name[str(name)] = (function, decorator)

    def automatic(self) -> list[str]:
        """Fixtures that every test uses without naming them."""
        return [name for name, (_, decorator) in self.by_name.items() if _autouse(decorator)]

    def used_by(self, names: list[str]) -> list[str]:
        """The fixtures behind some names, and those that they use in turn."""
        found: dict[str, None] = {}
        waiting = [name for name in names if name in self.by_name]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = None
                waiting += [each for each in arguments_of(self.by_name[name][0]) if each in self.by_name]
        return list(found)

    def table(self, name: str) -> Table | None:
        """A fixture with params makes each of its tests run once for each of them."""
        decorator = self.by_name[name][1]
        params = argument(decorator, "params") if isinstance(decorator, ast.Call) else None
        if params is None:
            return None
        elements = written_elements(params, self.module)
        return Table((), None if elements is None else [(each,) for each in elements], filled=False)


def fixture_decorator(function: Function, module: Module) -> ast.expr | None:
    for decorator in function.decorator_list:
        name = module.dotted(decorator.func if isinstance(decorator, ast.Call) else decorator) or ""
        if name.rsplit(".", 1)[-1] in ("fixture", "yield_fixture"):
            return decorator
    return None


def _autouse(decorator: ast.expr) -> bool:
    given = argument(decorator, "autouse") if isinstance(decorator, ast.Call) else None
    return given is not None and constant(given) is not False


def arguments_of(function: Function) -> list[str]:
    arguments = function.args
    return [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
