"""Python that reaches into the interpreter to get at tests: import hooks, tracing, other code for a function."""

import ast
import re
from collections.abc import Iterator

from assay.detectors.source_signs.python.module import PythonModule
from assay.detectors.source_signs.sign import Sign

_IMPORT_HOOKS = re.compile(r"sys\.(?:meta_path|path_hooks)(?:\.(?:insert|append|extend))?$")
_TRACERS = frozenset({"sys.settrace", "sys.setprofile", "threading.settrace", "threading.setprofile"})
_ABOUT_TESTS = re.compile(r"_?tests?(?:_.*)?|test\w+|.*_test|unittest(?:\..*)?|_?pytest(?:\..*)?|conftest")
_FRAME_PARTS = frozenset({"f_lineno", "f_locals", "f_trace_lines"})


def interpreter_signs(module: PythonModule) -> Iterator[Sign]:
    """Hooks that ask for names of tests or change frames, functions that get other code, and ``mock.ANY``."""
    asks = any(_names_tests(node) for node in module.nodes)
    changes = any(isinstance(node, ast.Assign) and any(map(_is_frame_part, node.targets)) for node in module.nodes)
    for node in module.nodes:
        if isinstance(node, ast.Call) and _calls_hook(module.dotted(node.func), asks, changes):
            yield module.sign("interpreter_hooked", node)
        elif isinstance(node, ast.Assign):
            if any(isinstance(target, ast.Attribute) and target.attr == "__code__" for target in node.targets):
                yield module.sign("interpreter_hooked", node)
            if asks and any(_IMPORT_HOOKS.match(_place(target, module)) for target in node.targets):
                yield module.sign("interpreter_hooked", node)
        elif isinstance(node, ast.Attribute | ast.Name) and _is_any(node, module):
            yield module.sign("always_equal", node)


def _calls_hook(called: str, asks: bool, changes: bool) -> bool:
    return (_IMPORT_HOOKS.match(called) is not None and asks) or (called in _TRACERS and (asks or changes))


def _place(target: ast.expr, module: PythonModule) -> str:
    return module.dotted(target.value if isinstance(target, ast.Subscript) else target)


def _names_tests(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and _ABOUT_TESTS.fullmatch(node.value) is not None
    )


def _is_frame_part(target: ast.expr) -> bool:
    place = target.value if isinstance(target, ast.Subscript) else target
    return isinstance(place, ast.Attribute) and place.attr in _FRAME_PARTS


def _is_any(node: ast.Attribute | ast.Name, module: PythonModule) -> bool:
    """The thing of ``unittest.mock`` that is equal to all others; source has no use for it."""
    return isinstance(node.ctx, ast.Load) and module.dotted(node) in ("unittest.mock.ANY", "mock.ANY")
