"""How long a script or a test sleeps at least, if it comes to its end."""

import ast
import math
import re
from collections.abc import Iterator

from assay.formats.python_paths import called_name
from assay.formats.shell import command_lines
from assay.formats.shell_paths import shell_tokens

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_DURATION = re.compile(r"['\"]?(\d+(?:\.\d+)?)([smhd]?)['\"]?")
_IN_PYTHON = re.compile(r"\btime\.sleep\((\d+(?:\.\d+)?)\)")
_COUNT = re.compile(r"\bseq (?:1 )?(\d+)|\{1\.\.(\d+)\}|(?:-lt|-le|<=?) (\d+)")
_LEAVES = frozenset({"break", "exit", "return"})
_BEGINS = frozenset({";", "\n", "&&", "do", "then", "else", "{", "("})


def shell_sleeps(script: str) -> Iterator[tuple[int, float]]:
    """The lines that sleep, each with the seconds up to there. What may be left out counts as nothing."""
    words = [(line.number, word) for line in command_lines(script) for word in shell_tokens(line.text)]
    slept, factors = 0.0, [1.0]
    for at, (number, word) in enumerate(words):
        rest = [word for _, word in words[at:]]
        seconds = sum(map(float, _IN_PYTHON.findall(word)))
        if at == 0 or words[at - 1][1] in _BEGINS:
            if word in ("for", "while", "until", "if", "case"):
                factors.append(_times(rest) if word in ("for", "while") else 0.0)
            elif word in ("done", "fi", "esac") and len(factors) > 1:
                factors.pop()
            elif word == "sleep" and len(rest) > 1 and rest[2:3] != ["&"]:
                found = _DURATION.fullmatch(rest[1])
                seconds = (
                    float(found[1]) * _UNITS[found[2]] if found else math.inf if rest[1] == "infinity" else 0.0
                )
        if seconds and all(factors):
            slept += seconds * math.prod(factors)
            yield number, slept


def _times(loop: list[str]) -> float:
    """How often a loop runs at least; it may end early where its body can leave it."""
    body = loop[: loop.index("done")] if "done" in loop else loop
    head = body[: body.index("do")] if "do" in body else body
    found = _COUNT.search(" ".join(head))
    listed = [word for word in head[3:] if word not in (";", "\n")] if head[2:3] == ["in"] else []
    times = float(next(filter(None, found.groups()))) if found else float(len(listed) or 1)
    return 0.0 if _LEAVES & set(body) else times


def python_sleeps(tree: ast.Module) -> Iterator[tuple[int, float]]:
    """The lines of tests that sleep in any case, each with its seconds."""
    values = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    tests = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test"))
    for test in tests:
        for node in test.body:
            times, inner = 1.0, [node]
            if isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and called_name(node.iter) == "range":
                leaves = any(isinstance(one, ast.Break | ast.Return) for one in ast.walk(node))
                times, inner = 0.0 if leaves else _number(node.iter.args[-1], values), node.body
            for one in inner:
                call = one.value if isinstance(one, ast.Expr) else None
                if isinstance(call, ast.Call) and called_name(call) == "sleep" and call.args:
                    yield call.lineno, times * _number(call.args[0], values)


def _number(node: ast.expr, values: dict[str, ast.expr]) -> float:
    """The value of a number, a product, or a constant of the file; 0 for all else."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _number(left, values) * _number(right, values)
        case ast.Name(id=name) if name in values:
            return _number(values[name], {})
    return 0.0
