"""Python objects that are equal to everything, so that any assertion on them holds."""

import ast
from collections import Counter
from collections.abc import Iterator

from assay.detectors.source_signs.python_module import PythonModule, constant_text
from assay.detectors.source_signs.sign import Sign

# The method, and what it would always have to say for a test to pass.
_ANSWERS = {
    "__eq__": True,
    "__ne__": False,
    "__contains__": True,
    "__instancecheck__": True,
    "__subclasscheck__": True,
}
_VALUE_TYPES = frozenset(
    {"int", "float", "complex", "str", "bytes", "bool", "list", "tuple", "dict", "set", "object"}
)
_DEEPEST = 8
_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Is: ast.IsNot, ast.Eq: ast.NotEq, ast.In: ast.NotIn}


def equality_signs(module: PythonModule) -> Iterator[Sign]:
    """Comparison methods with an answer that does not depend on anything, in classes and set from outside."""
    lambdas = {node.name: node for node in module.functions()}
    for node in module.nodes:
        if isinstance(node, ast.ClassDef):
            yield from _in_class(node, module, lambdas)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                name = target.attr if isinstance(target, ast.Attribute) else ""
                if name in _ANSWERS and _always(node.value, _ANSWERS[name], lambdas):
                    yield module.sign("always_equal", node)
        elif isinstance(node, ast.Call):
            yield from _set_or_made(node, module, lambdas)


def _in_class(
    node: ast.ClassDef, module: PythonModule, functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef]
) -> Iterator[Sign]:
    truthy = any(
        isinstance(method, ast.FunctionDef) and method.name == "__bool__" and _returns(method, True)
        for method in node.body
    )
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and part.name in _ANSWERS:
            wanted = _ANSWERS[part.name]
            foreign = part.name == "__eq__" and _asks_for_a_type_only(part, node.name)
            blind = part.name == "__eq__" and _is_blind(part.args, part.body)
            if _returns(part, wanted) or foreign or blind or (truthy and wanted and _returns_self(part)):
                yield module.sign("always_equal", part)
        elif isinstance(part, ast.Assign):
            names = [
                target.id for target in part.targets if isinstance(target, ast.Name) and target.id in _ANSWERS
            ]
            if any(_always(part.value, _ANSWERS[name], functions) for name in names):
                yield module.sign("always_equal", part)


def _set_or_made(
    call: ast.Call, module: PythonModule, functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef]
) -> Iterator[Sign]:
    """``setattr(cls, "__eq__", …)`` and ``type("X", (), {"__eq__": …})``."""
    called = module.dotted(call.func)
    if called == "setattr" and len(call.args) == 3:
        name = constant_text(call.args[1]) or ""
        if name in _ANSWERS and _always(call.args[2], _ANSWERS[name], functions):
            yield module.sign("always_equal", call)
    if called == "type" and len(call.args) == 3 and isinstance(call.args[2], ast.Dict):
        for key, value in zip(call.args[2].keys, call.args[2].values, strict=True):
            name = constant_text(key) or ""
            if name in _ANSWERS and _always(value, _ANSWERS[name], functions):
                yield module.sign("always_equal", call)


def _always(value: ast.expr, wanted: bool, functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef]) -> bool:
    if isinstance(value, ast.Lambda):
        return truth(value.body) is wanted or (wanted and _is_blind(value.args, [ast.Return(value.body)]))
    return isinstance(value, ast.Name) and value.id in functions and _returns(functions[value.id], wanted)


def _returns(function: ast.FunctionDef | ast.AsyncFunctionDef, wanted: bool) -> bool:
    """Whether a function can only give this answer: every return gives it, and the end is not reached."""
    nodes = list(ast.walk(function))
    returns = [node for node in nodes if isinstance(node, ast.Return)]
    if not returns or any(isinstance(node, ast.Raise | ast.Yield) for node in nodes):
        return False
    held = _held_constants(nodes)
    values = [
        held.get(node.value.id) or node.value if isinstance(node.value, ast.Name) else node.value
        for node in returns
    ]
    return all(value is not None and truth(value) is wanted for value in values)


def _held_constants(nodes: list[ast.AST]) -> dict[str, ast.expr]:
    """Names that are given a value once, with it."""
    given = [node for node in nodes if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)]
    names = [node.targets[0].id for node in given if isinstance(node.targets[0], ast.Name)]
    counts = Counter(names)
    return {name: node.value for name, node in zip(names, given, strict=True) if counts[name] == 1}


def _is_blind(arguments: ast.arguments, body: list[ast.stmt]) -> bool:
    """Whether a comparison says something of itself, and never looks at what it is compared with."""
    nodes = [node for statement in body for node in ast.walk(statement)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    returned = [node.value for node in nodes if isinstance(node, ast.Return)]
    given = [argument.arg for argument in arguments.args]
    constant = all(value is None or isinstance(value, ast.Constant | ast.Name) for value in returned)
    if len(given) != 2 or constant or any(isinstance(node, ast.Raise) for node in nodes):
        return False
    return given[0] in names and not names & {given[1], "super", "locals", "NotImplemented"}


def _returns_self(function: ast.FunctionDef) -> bool:
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    first = function.args.args[0].arg if function.args.args else ""
    return bool(returns) and all(isinstance(node.value, ast.Name) and node.value.id == first for node in returns)


def _asks_for_a_type_only(function: ast.FunctionDef, owner: str) -> bool:
    """``return isinstance(other, float)`` in a class of another name: equal to every number there is."""
    returns = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    value = returns[0] if len(returns) == 1 else None
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name) or len(value.args) != 2:
        return False
    kinds = value.args[1].elts if isinstance(value.args[1], ast.Tuple) else [value.args[1]]
    names = {kind.id for kind in kinds if isinstance(kind, ast.Name)}
    return value.func.id == "isinstance" and len(names) == len(kinds) and names <= _VALUE_TYPES - {owner}


def _has_opposites(parts: list[ast.expr]) -> bool:
    """``other is None or other is not None``"""
    known = {ast.dump(part) for part in parts}
    return any(ast.dump(opposite) in known for part in parts if (opposite := _opposite(part)) is not None)


def _opposite(part: ast.expr) -> ast.expr | None:
    if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not):
        return part.operand
    if isinstance(part, ast.Compare) and len(part.ops) == 1 and type(part.ops[0]) in _OPPOSITES:
        return ast.Compare(part.left, [_OPPOSITES[type(part.ops[0])]()], part.comparators)
    return None


def truth(node: ast.expr, depth: int = _DEEPEST) -> bool | None:
    """What an expression always is in a condition; None where that depends on something."""
    if depth == 0:
        return None
    if isinstance(node, ast.Constant):
        return bool(node.value) if node.value is not Ellipsis else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = truth(node.operand, depth - 1)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp):
        parts = [truth(part, depth - 1) for part in node.values]
        decides = isinstance(node.op, ast.Or)
        if decides and _has_opposites(node.values):
            return True
        return decides if decides in parts else (None if None in parts else not decides)
    if (
        isinstance(node, ast.Compare)
        and len(node.ops) == 1
        and ast.dump(node.left) == ast.dump(node.comparators[0])
    ):
        return isinstance(node.ops[0], ast.Eq | ast.Is | ast.LtE | ast.GtE)
    if isinstance(node, ast.IfExp):
        both = {truth(node.body, depth - 1), truth(node.orelse, depth - 1)}
        return both.pop() if len(both) == 1 else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "bool" and node.args:
        return truth(node.args[0], depth - 1)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "isinstance"
        and len(node.args) == 2
    ):
        return True if isinstance(node.args[1], ast.Name) and node.args[1].id == "object" else None
    return None
