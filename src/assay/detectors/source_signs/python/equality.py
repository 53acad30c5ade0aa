"""Python objects that are equal to everything, so that any assertion on them holds."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

from assay.detectors.source_signs.python.module import PythonModule, constant_text
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


_Functions = dict[str, ast.FunctionDef | ast.AsyncFunctionDef]


def equality_signs(module: PythonModule) -> Iterator[Sign]:
    """Comparison methods with an answer that does not depend on anything, in classes and set from outside."""
    functions: _Functions = {node.name: node for node in module.functions()}
    for node in module.nodes:
        if isinstance(node, ast.ClassDef):
            yield from (module.sign("always_equal", part) for part in _always_equal_parts(node, functions))
        elif isinstance(node, ast.Assign):
            given = [(target.attr, node.value) for target in node.targets if isinstance(target, ast.Attribute)]
            yield from _each_answer(node, given, module, functions)
        elif isinstance(node, ast.Call):
            yield from _each_answer(node, _set_or_made(node, module), module, functions)


def _each_answer(
    node: ast.AST, given: Iterable[tuple[str, ast.expr]], module: PythonModule, functions: _Functions
) -> Iterator[Sign]:
    for name, value in given:
        if _answers(name, value, functions):
            yield module.sign("always_equal", node)


def _answers(name: str, value: ast.expr, functions: _Functions) -> bool:
    """Whether a value makes a comparison method always give the answer that passes tests."""
    return name in _ANSWERS and _always(value, _ANSWERS[name], functions)


def _always_equal_parts(node: ast.ClassDef, functions: _Functions) -> Iterator[ast.stmt]:
    truthy = any(
        isinstance(method, ast.FunctionDef) and method.name == "__bool__" and _returns(method, True)
        for method in node.body
    )
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and part.name in _ANSWERS:
            if _is_always_equal(part, node.name, truthy):
                yield part
        elif isinstance(part, ast.Assign):
            names = [target.id for target in part.targets if isinstance(target, ast.Name)]
            if any(_answers(name, part.value, functions) for name in names):
                yield part


def _is_always_equal(method: ast.FunctionDef, owner: str, truthy: bool) -> bool:
    wanted = _ANSWERS[method.name]
    if _returns(method, wanted) or (truthy and wanted and _returns_self(method)):
        return True
    return method.name == "__eq__" and (
        _asks_for_a_type_only(method, owner) or _is_blind(method.args, method.body)
    )


def _set_or_made(call: ast.Call, module: PythonModule) -> Iterator[tuple[str, ast.expr]]:
    """The attributes in ``setattr(cls, "__eq__", …)`` and ``type("X", (), {"__eq__": …})``."""
    called = module.dotted(call.func)
    if called == "setattr" and len(call.args) == 3:
        yield constant_text(call.args[1]) or "", call.args[2]
    if called == "type" and len(call.args) == 3 and isinstance(call.args[2], ast.Dict):
        for key, value in zip(call.args[2].keys, call.args[2].values, strict=True):
            yield constant_text(key) or "", value


def _always(value: ast.expr, wanted: bool, functions: _Functions) -> bool:
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
    match node:
        case ast.Constant(value=value):
            return bool(value) if value is not Ellipsis else None
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = truth(operand, depth - 1)
            return None if inner is None else not inner
        case ast.BoolOp():
            return _truth_of_parts(node, depth)
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if ast.dump(left) == ast.dump(right):
            return isinstance(operator, ast.Eq | ast.Is | ast.LtE | ast.GtE)
        case ast.IfExp(body=body, orelse=orelse):
            both = {truth(body, depth - 1), truth(orelse, depth - 1)}
            return both.pop() if len(both) == 1 else None
        case ast.Call(func=ast.Name(id="bool"), args=[first, *_]):
            return truth(first, depth - 1)
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id="object")]):
            return True
    return None


def _truth_of_parts(node: ast.BoolOp, depth: int) -> bool | None:
    parts = [truth(part, depth - 1) for part in node.values]
    decides = isinstance(node.op, ast.Or)
    if decides and _has_opposites(node.values):
        return True
    return decides if decides in parts else (None if None in parts else not decides)
