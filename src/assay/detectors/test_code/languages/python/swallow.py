"""Whether a failing assertion would be caught and dropped."""

import ast

from assay.detectors.test_code.languages.python.asserts import CUSTOM, FUNCTIONS, RAISING
from assay.detectors.test_code.languages.python.constants import truth
from assay.detectors.test_code.languages.python.module import Module

_RAISING = frozenset(RAISING.split())
_CATCHING = frozenset({
    "Exception", "BaseException", "AssertionError", "builtins.Exception", "builtins.AssertionError",
    "builtins.BaseException", "unittest.TestCase.failureException", "self.failureException",
})  # fmt: skip


def catches_failure(kind: ast.expr | None, module: Module, depth: int = 0) -> bool:
    """Whether an ``except`` or a ``suppress`` for this kind also takes a failing assertion."""
    if kind is None:
        return True
    if depth > 4:
        return False
    if isinstance(kind, ast.Name) and kind.id in module.bound:
        return catches_failure(module.bound[kind.id], module, depth + 1)
    if isinstance(kind, ast.Tuple | ast.List):
        return any(catches_failure(each, module, depth + 1) for each in kind.elts)
    return (module.dotted(kind) or "") in _CATCHING


def try_swallows(node: ast.Try | ast.TryStar, module: Module) -> bool:
    """Whether a failure in the body of a ``try`` is dropped: by a handler, or by a ``finally`` that leaves."""
    for handler in node.handlers:
        if catches_failure(handler.type, module):
            if not _complains(handler.body, module):
                return True
            break
    return any(isinstance(each, ast.Return | ast.Break | ast.Continue) for each in node.finalbody)


def _complains(body: list[ast.stmt], module: Module) -> bool:
    """Whether a handler raises, fails or asserts something itself, where it can be reached."""
    for statement in body:
        if isinstance(statement, ast.Raise):
            return not _raises_skip(statement, module)
        if isinstance(statement, ast.Assert):
            return truth(statement.test) is not True
        if _fails(statement, module):
            return True
        if isinstance(statement, ast.If) and truth(statement.test) is False:
            continue
        if isinstance(statement, ast.Return | ast.Continue | ast.Break):
            return False
        if any(_complains(inner, module) for inner in _blocks(statement)):
            return True
    return False


def _fails(statement: ast.stmt, module: Module) -> bool:
    """Whether a statement is a call that asserts, or that ends the process with an error."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and (_asserts(call, module) or _exits(call, module))


def _raises_skip(node: ast.Raise, module: Module) -> bool:
    """A failure that becomes a skip is dropped, too."""
    kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    name = module.dotted(kind) or ""
    return name.rsplit(".", 1)[-1] in ("SkipTest", "Skipped") or name in (
        "pytest.skip.Exception",
        "pytest.xfail.Exception",
    )


def _asserts(call: ast.Call, module: Module) -> bool:
    last = (module.dotted(call.func) or "").rsplit(".", 1)[-1]
    return last == "fail" or last in FUNCTIONS.functions or CUSTOM.match(last) is not None


def _exits(node: ast.Call, module: Module) -> bool:
    return (
        (module.dotted(node.func) or "") in ("sys.exit", "os._exit", "exit")
        and bool(node.args)
        and truth(node.args[0]) is True
    )


def _blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    return [block for block in blocks if isinstance(block, list) and block]


def with_swallows(node: ast.expr, module: Module) -> bool:
    """Whether a context manager takes a failing assertion: suppress, a broad ``raises``, one of the file's own."""
    if not isinstance(node, ast.Call):
        return False
    name = module.dotted(node.func) or ""
    if name.rsplit(".", 1)[-1] == "suppress":
        return any(catches_failure(each, module) for each in node.args)
    if name.rsplit(".", 1)[-1] in _RAISING:
        return bool(node.args) and catches_failure(node.args[0], module)
    manager = module.functions.get(name) if isinstance(node.func, ast.Name) else None
    if manager is not None:
        return function_swallows(manager, module, ast.Yield)
    owner = module.classes.get(name)
    leaves = module.method(owner, "__exit__")
    return leaves is not None and any(_says_true(each) for each in leaves.body)


def stack_swallows(item: ast.withitem, body: list[ast.stmt], module: Module) -> bool:
    """Whether something is put on an ``ExitStack`` that takes a failing assertion."""
    call, stack = item.context_expr, item.optional_vars
    if not (isinstance(call, ast.Call) and isinstance(stack, ast.Name)):
        return False
    if not (module.dotted(call.func) or "").endswith("ExitStack"):
        return False
    put = [each.value for each in body if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)]
    return any(_takes_failures(each, stack.id, module) for each in put)


def _takes_failures(call: ast.Call, stack: str, module: Module) -> bool:
    function = call.func
    if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and call.args):
        return False
    if function.value.id != stack:
        return False
    given = call.args[0]
    if function.attr == "enter_context":
        return with_swallows(given, module)
    return function.attr == "push" and isinstance(given, ast.Lambda) and truth(given.body) is True


def _says_true(node: ast.stmt) -> bool:
    return isinstance(node, ast.Return) and node.value is not None and truth(node.value) is True


def function_swallows(function: ast.AST, module: Module, kind: type[ast.AST]) -> bool:
    """Whether a function has its yield, or its call of what it wraps, inside a ``try`` that drops failures."""
    for node in ast.walk(function):
        drops = isinstance(node, ast.Try | ast.TryStar) and try_swallows(node, module)
        if isinstance(node, ast.With | ast.AsyncWith):
            drops = any(_suppresses(item.context_expr, module) for item in node.items)
        if drops and any(isinstance(each, kind) for part in getattr(node, "body", ()) for each in ast.walk(part)):
            return True
    return False


def _suppresses(node: ast.expr, module: Module) -> bool:
    called = isinstance(node, ast.Call) and (module.dotted(node.func) or "").endswith("suppress")
    return called and isinstance(node, ast.Call) and any(catches_failure(each, module) for each in node.args)
