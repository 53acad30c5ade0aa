"""Python that executes code which nobody can read: decoded or unpacked from a literal."""

import ast
from collections.abc import Iterator

from assay.detectors.source_signs.python.module import PythonModule
from assay.detectors.source_signs.sign import Sign

_RUNS_CODE = frozenset({"exec", "eval", "builtins.exec", "builtins.eval", "compile", "marshal.loads"})
_DECODES = frozenset({
    "b64decode", "urlsafe_b64decode", "b32decode", "b85decode", "a85decode", "fromhex", "unhexlify",
    "decompress", "rot13",
})  # fmt: skip


def hidden_code(module: PythonModule) -> Iterator[Sign]:
    """``exec(b64decode("…"))``, with the decoding inside the call or one name away."""
    decoded = {
        target.id
        for node in module.nodes
        if isinstance(node, ast.Assign) and _decodes(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in module.nodes:
        if isinstance(node, ast.Call) and module.dotted(node.func) in _RUNS_CODE and node.args:
            names = {part.id for part in ast.walk(node.args[0]) if isinstance(part, ast.Name)}
            if _decodes(node.args[0]) or names & decoded:
                yield module.sign("hidden_code", node)


def _decodes(expression: ast.AST) -> bool:
    return any(
        (isinstance(part, ast.Attribute) and part.attr in _DECODES)
        or (isinstance(part, ast.Name) and part.id in _DECODES)
        for part in ast.walk(expression)
    )
