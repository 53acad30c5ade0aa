"""What decorators of a file's own do to the tests under them: skip them, drop their failures, never call them."""

import ast
from dataclasses import dataclass, replace
from enum import Flag, auto

from assay.detectors.test_code.languages.python.constants import Names
from assay.detectors.test_code.languages.python.module import Function, Module
from assay.detectors.test_code.languages.python.skips import call_skip, decorator_skip
from assay.detectors.test_code.languages.python.spelling import LONGEST, spelled
from assay.detectors.test_code.languages.python.swallow import function_swallows
from assay.detectors.test_code.model import Skip


class Effect(Flag):
    """What becomes of a decorated test."""

    NONE = 0
    SWALLOWS = auto()
    NEVER_CALLS = auto()


def own_decorator(node: ast.expr, module: Module) -> Function | None:
    """The function of this file that a decorator is; None for one from elsewhere."""
    target = node.func if isinstance(node, ast.Call) else node
    return module.functions.get(target.id) if isinstance(target, ast.Name) else None


@dataclass(frozen=True, slots=True)
class Own:
    """What a decorator of this file does: the skip that it puts on, and its effect as it is and when called."""

    skip: Skip | None
    plain: Effect
    called: Effect


def skip_of(node: ast.expr, module: Module, names: Names) -> Skip | None:
    """The skip that a decorator means, be it a mark or a function of this file that puts one on."""
    function = own_decorator(node, module)
    if function is None:
        return decorator_skip(node, module, names)
    skip = _own(function, module).skip
    return replace(skip, line=node.lineno, text=f"@{spelled(node)[:LONGEST]}") if skip is not None else None


def effect_of(node: ast.expr, module: Module) -> Effect:
    """What a decorator does to the test under it."""
    function = own_decorator(node, module)
    if function is not None:
        own = _own(function, module)
        return own.called if isinstance(node, ast.Call) else own.plain
    drops = isinstance(node, ast.Lambda) and not _mentions(node.body, _first(node.args))
    return Effect.NEVER_CALLS if drops else Effect.NONE


def _own(function: Function, module: Module) -> Own:
    """Worked out once for each decorator, however many tests are under it."""
    known = module.effects.get(id(function))
    if not isinstance(known, Own):
        known = Own(_put_on(function, module), _effect(function, module), _effect(_inner(function), module))
        module.effects[id(function)] = known
    return known


def _put_on(function: Function, module: Module) -> Skip | None:
    for each in ast.walk(function):
        if not isinstance(each, ast.Call | ast.Attribute):
            continue
        found = decorator_skip(each, module, module.constants)
        if found is None and isinstance(each, ast.Call):
            found = call_skip(each, module, module.constants)
        if found is not None:
            return replace(found, conditional=found.conditional or _has_condition(function))
    return None


def _has_condition(function: Function) -> bool:
    return any(isinstance(each, ast.If | ast.IfExp) for each in ast.walk(function))


def _inner(function: Function) -> Function:
    """A decorator with arguments makes the decorator; the function in it takes the test."""
    inner = [each for each in function.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    if not inner:
        return function
    deeper = any(isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) for each in inner[-1].body)
    return inner[-1] if deeper or _returned(inner[-1]) else function


def _effect(function: Function, module: Module) -> Effect:
    wrapped = _first(function.args)
    if wrapped is None or not _mentions(function, wrapped):
        return Effect.NEVER_CALLS
    if not _calls(function, wrapped) and not _hands_on(function, wrapped):
        return Effect.NEVER_CALLS
    return Effect.SWALLOWS if _swallows(function, module, wrapped) else Effect.NONE


def _first(arguments: ast.arguments) -> str | None:
    listed = [*arguments.posonlyargs, *arguments.args]
    return listed[0].arg if listed else arguments.vararg.arg if arguments.vararg else None


def _mentions(node: ast.AST, name: str | None) -> bool:
    return any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(node))


def _returned(function: Function) -> bool:
    return any(isinstance(each, ast.Return) for each in function.body)


def _calls(function: Function, name: str) -> bool:
    return any(isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == name
               for each in ast.walk(function))  # fmt: skip


def _hands_on(function: Function, name: str) -> bool:
    """Whether the test itself is returned or given to something else, wraps apart."""
    for each in ast.walk(function):
        if isinstance(each, ast.Return) and each.value is not None:
            if isinstance(each.value, ast.Name) and each.value.id == name:
                return True
            if isinstance(each.value, ast.Call) and any(_mentions(part, name) for part in each.value.args):
                return True
    return False


def _swallows(function: Function, module: Module, name: str) -> bool:
    inner = [each for each in ast.walk(function) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    return any(function_swallows(each, module, ast.Call) and _calls(each, name) for each in inner)
