"""Every regular expression of ours, with the ways in which it is used.

A call of ``re`` is found in the syntax tree, and its pattern is worked out with the names of its module. A part
that is only known when the code runs needs a sample in ``SAMPLES``; without one, collecting fails. Patterns in
tables are taken from the values of the module.
"""

import ast
import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import assay
from tests.patterns.samples import MATCHED_ELSEWHERE, SAMPLES

ROOT = Path(assay.__file__).parent
ANCHORED = frozenset(("match", "fullmatch"))
_SEARCHING = frozenset(("search", "sub", "subn", "split", "findall", "finditer"))
_FUNCTIONS = ANCHORED | _SEARCHING | {"compile"}
_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Used:
    """A pattern, where it is, and the methods that are called on it."""

    where: str
    pattern: re.Pattern[Any]
    methods: frozenset[str]

    @property
    def searched(self) -> bool:
        return not self.methods <= ANCHORED


def patterns() -> list[Used]:
    """All patterns of ours, each once for each way to use it."""
    trees = {path: ast.parse(path.read_text("utf-8")) for path in sorted(ROOT.rglob("*.py"))}
    nodes = {path: list(ast.walk(tree)) for path, tree in trees.items()}
    uses = _uses(nodes)
    found = (used for path, tree in trees.items() for used in _in_module(path, tree, _calls(nodes[path]), uses))
    return list({(used.pattern, used.methods): used for used in found}.values())


def modules_that_hide_re() -> list[str]:
    """Modules that import ``re`` in another way than ``import re``, so that its calls would not be seen."""
    hidden = re.compile(r"^[ \t]*(?:from re[ .]|import re as )", re.MULTILINE)
    return [str(path) for path in sorted(ROOT.rglob("*.py")) if hidden.search(path.read_text("utf-8"))]


def _in_module(
    path: Path, tree: ast.Module, calls: list[ast.Call], uses: Mapping[str, set[str]]
) -> Iterator[Used]:
    if not calls:
        return
    named = {call: name for name, statement in _assigned(tree) for call in _calls(ast.walk(statement))}
    repeated = _repeated(tree)
    place = path.relative_to(ROOT).as_posix()
    module = importlib.import_module(".".join(("assay", *path.relative_to(ROOT).with_suffix("").parts)))
    names = {**vars(module), **SAMPLES.get(place, {})}
    for name, value in vars(module).items():
        for pattern in _inside(value, _DEPTH):
            yield Used(f"{place}:{name}", pattern, _methods(place, name, {}))
    for call in calls:
        if call in repeated:
            continue
        name = named.get(call, "")
        methods = _methods(place, name, uses) if _function(call) == "compile" else frozenset((_function(call),))
        pattern = _pattern(call, names, place)
        yield Used(f"{place}:{name or call.lineno}", pattern, methods)


def _methods(place: str, name: str, uses: Mapping[str, set[str]]) -> frozenset[str]:
    """What is called on a name; a search where it is handed on, unless it is known what for."""
    if f"{place}:{name}" in MATCHED_ELSEWHERE:
        return frozenset(("match",))
    known = uses.get(_key(place, name), {""}) & {"", *_FUNCTIONS}
    return frozenset(known) if "" not in known else frozenset(("search",))


def _calls(nodes: Iterable[ast.AST]) -> list[ast.Call]:
    return [node for node in nodes if isinstance(node, ast.Call) and _function(node)]


def _function(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(value=ast.Name(id="re"), attr=attr) if attr in _FUNCTIONS:
            return attr
    return ""


def _assigned(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name, node


def _repeated(tree: ast.Module) -> set[ast.Call]:
    """Calls at the top of a module that make several patterns, which are then found in its values."""
    return {
        call
        for statement in tree.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for loop in ast.walk(statement)
        if isinstance(loop, ast.DictComp | ast.GeneratorExp | ast.ListComp)
        for call in _calls(ast.walk(loop))
    }


def _pattern(call: ast.Call, names: Mapping[str, Any], place: str) -> re.Pattern[Any]:
    try:
        source = eval(compile(ast.Expression(call.args[0]), place, "eval"), dict(names))  # noqa: S307
    except NameError as error:
        message = f"{place}:{call.lineno}: SAMPLES needs a sample for what {ast.unparse(call.args[0])} is made of"
        raise AssertionError(message) from error
    flags = 0
    for argument in (*call.args[1:], *(keyword.value for keyword in call.keywords)):
        if re.match(r"re\.[A-Z]", ast.unparse(argument)):
            flags |= eval(ast.unparse(argument), {"re": re})  # noqa: S307
    return source if isinstance(source, re.Pattern) else re.compile(source, flags)


def _inside(value: Any, depth: int) -> Iterator[re.Pattern[Any]]:
    """The patterns in a table or a record; one that has a name is found where it is written."""
    if isinstance(value, re.Pattern):
        if depth < _DEPTH:
            yield value
    elif depth and isinstance(value, tuple | list | set | frozenset):
        yield from _inside_each(value, depth - 1)
    elif depth and isinstance(value, dict):
        yield from _inside_each(value.values(), depth - 1)
    elif depth and is_dataclass(value) and not isinstance(value, type):
        yield from _inside_each([getattr(value, field.name) for field in fields(value)], depth - 1)


def _inside_each(values: Iterable[Any], depth: int) -> Iterator[re.Pattern[Any]]:
    for value in values:
        yield from _inside(value, depth)


def _uses(modules: Mapping[Path, list[ast.AST]]) -> dict[str, set[str]]:
    """For each name, the attributes that are taken of it; "" for any other use. A private name is its module's."""
    uses: dict[str, set[str]] = {}
    for path, nodes in modules.items():
        place = path.relative_to(ROOT).as_posix()
        owners = set()
        for node in nodes:
            match node:
                case ast.Attribute(value=ast.Name(id=name) | ast.Attribute(attr=name) as owner, attr=attr):
                    owners.add(owner)
                    uses.setdefault(_key(place, name), set()).add(attr)
        for node in nodes:
            match node:
                case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name, ctx=ast.Load()):
                    uses.setdefault(_key(place, name), set()).update([] if node in owners else [""])
    return uses


def _key(place: str, name: str) -> str:
    return f"{place}:{name}" if name.startswith("_") else name
