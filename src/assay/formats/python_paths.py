"""The paths that Python source names: which it reads, writes or runs, and which contents it compares.

A reader's answer, without running anything: names stand for what was last assigned to them, paths may be joined
with ``/``, ``os.path.join`` or ``Path``, and a call of one of the file's own functions stands for the paths in it.
"""

import ast
import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum

_PATH = re.compile(r"(?:\.{0,2}/)?[\w.+@-]+(?:/[\w.+@-]+)*/?")
_PATH_IN_TEXT = re.compile(r"(?<![\w./:~$}*-])/[\w.+@-]+(?:/[\w.+@-]+)*")
_WRITERS = frozenset({"write_text", "write_bytes", "mkdir", "touch", "unlink", "rmtree", "makedirs", "remove"})
_COPIERS = frozenset({"copy", "copy2", "copyfile", "copytree", "move", "rename", "replace", "symlink"})
_RUNNERS = frozenset({"run", "Popen", "check_output", "check_call", "call", "system", "getoutput", "popen"})
_PATH_CALLS = frozenset({"Path", "PurePath", "PosixPath", "PurePosixPath", "join", "str", "joinpath", "fspath"})
_UNCHANGED = frozenset({"resolve", "absolute", "expanduser", "as_posix", "abspath", "realpath", "normpath"})
_FAILING = (ast.Raise, ast.Assert)
_MOST_NODES = 100_000


class Use(Enum):
    """The way a file uses a path."""

    READ = "read"
    WRITTEN = "written"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class Mention:
    """A path in a source file. ``name`` is the variable that its content is assigned to."""

    path: str
    line: int
    use: Use
    name: str = ""


@dataclass(frozen=True, slots=True)
class EqualityTest:
    """An equality: the variables and the paths on its two sides, and the texts that are compared with."""

    line: int
    names: tuple[frozenset[str], frozenset[str]]
    paths: tuple[frozenset[str], frozenset[str]]
    literals: frozenset[str]


@dataclass(frozen=True, slots=True)
class PythonPaths:
    """The paths of one source file. What is at an ``optional`` one isn't missed if it isn't there."""

    mentions: tuple[Mention, ...]
    comparisons: tuple[EqualityTest, ...]
    optional: frozenset[str] = frozenset()


NO_PATHS = PythonPaths((), ())


def parse_python(text: str) -> ast.Module | None:
    """The source as a tree; None if it can't be parsed or is too large to be read here."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree if sum(1 for _ in ast.walk(tree)) <= _MOST_NODES else None


def python_paths(tree: ast.Module) -> PythonPaths:
    """All paths that a source file names."""
    reader = _PathReader(tree)
    try:
        mentions = tuple(dict.fromkeys(reader.mentions()))
        return PythonPaths(mentions, tuple(reader.comparisons()), frozenset(reader.optional()))
    except RecursionError:
        return NO_PATHS


def called_name(node: ast.Call) -> str:
    """The last part of a called function's name: ``run`` of ``subprocess.run``."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


@dataclass(slots=True)
class _PathReader:
    tree: ast.Module
    values: dict[str, str] = field(default_factory=dict)
    sources: dict[str, frozenset[str]] = field(default_factory=dict)
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    inside: set[str] = field(default_factory=set)
    resolving: set[str] = field(default_factory=set)
    """Names whose values are being looked up: one may be made of itself."""
    local: dict[int, ast.expr | None] = field(default_factory=dict)
    """What a name stands for inside of a function, by the id of its node; None if only its caller knows."""

    def __post_init__(self) -> None:
        self.functions = {node.name: node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef)}
        for function in self.functions.values():
            self._bind(function)
        for name, value in _assignments(self.tree):
            text = self.text(value)
            if text is not None:
                self.values[name] = text
        for name, value in _assignments(self.tree):
            self.sources[name] = self.sources.get(name, frozenset()) | self.paths(value)

    def text(self, node: ast.AST) -> str | None:
        """The text that an expression comes to; None if that can't be told."""
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.Name(id=name):
                return self._of_name(node, name)
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return self._together([left, right], posixpath.join)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._together([left, right], _added)
            case ast.JoinedStr(values=parts):
                inside = [part.value if isinstance(part, ast.FormattedValue) else part for part in parts]
                return self._together(inside, _added)
            case ast.Call():
                return self._of_call(node)
            case ast.Attribute(value=value, attr="parent"):
                inner = self.text(value)
                return None if inner is None else posixpath.dirname(inner)
        return None

    def _bind(self, function: ast.FunctionDef) -> None:
        given = function.args
        own: dict[str, ast.expr | None] = {
            one.arg: None
            for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)
            if one.arg not in self.functions
        }
        own |= dict(_assignments(function))
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id in own:
                self.local[id(node)] = own[node.id]

    def _of_name(self, node: ast.AST, name: str) -> str | None:
        """What a name comes to: what its function gives it, or else the last that any place of the file does."""
        if id(node) not in self.local or name in self.resolving:
            return self.values.get(name)
        value = self.local[id(node)]
        self.resolving.add(name)
        text = self.text(value) if value is not None else None
        self.resolving.discard(name)
        return text

    def _of_call(self, node: ast.Call) -> str | None:
        name = called_name(node)
        if name in ("get", "getenv") and len(node.args) == 2:
            return self.text(node.args[1])
        receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name in _UNCHANGED:
            inside = node.args[0] if node.args else receiver
            return None if inside is None else self.text(inside)
        if name not in _PATH_CALLS or not (node.args or name == "joinpath"):
            return None
        parts = [receiver, *node.args] if name == "joinpath" and receiver is not None else node.args
        return self._together(parts, posixpath.join)

    def _together(self, parts: list[ast.expr], join: Callable[..., str]) -> str | None:
        """The text of several parts; None if one of them isn't known."""
        known = [text for part in parts if (text := self.text(part)) is not None]
        return join(*known) if len(known) == len(parts) else None

    def paths(self, node: ast.AST) -> frozenset[str]:
        """The paths that a value may come from."""
        found: set[str] = set()
        for inner in _all_pieces(node):
            text = self.text(inner) if isinstance(inner, ast.expr) else None
            if text is not None and is_path(text):
                found.add(text)
            if isinstance(inner, ast.Name):
                found |= self.sources.get(inner.id, frozenset())
                found |= self._of_function(inner.id)  # A function of the file, or a fixture of pytest.
        # Without the folders of other paths among them, which were only joined to something.
        return frozenset(one for one in found if not any(other.startswith(f"{one}/") for other in found))

    def _of_function(self, name: str) -> frozenset[str]:
        function = self.functions.get(name)
        if function is None or name in self.inside:
            return frozenset()
        self.inside.add(name)
        found = frozenset().union(
            *(self.paths(node.value) for node in ast.walk(function) if isinstance(node, ast.Return) and node.value)
        )
        self.inside.discard(name)
        return found

    def mentions(self) -> Iterator[Mention]:
        uses = dict(self._uses())
        names = {id(value): name for name, value in _assignments(self.tree)}
        for node in _outermost(self.tree, self.text):
            text = self.text(node) or ""
            use = uses.get(id(node), Use.READ)
            if is_path(text):
                yield Mention(text, node.lineno, use)
            else:
                for path in _PATH_IN_TEXT.findall(text) if use is Use.RUN else ():
                    yield Mention(path, node.lineno, Use.RUN)
        for value in ast.walk(self.tree):
            if isinstance(value, ast.expr) and id(value) in names:
                for path in self.paths(value):
                    yield Mention(path, value.lineno, Use.READ, names[id(value)])

    def _uses(self) -> Iterator[tuple[int, Use]]:
        """The use of each expression that isn't merely read."""
        for call in (node for node in ast.walk(self.tree) if isinstance(node, ast.Call)):
            name, receiver = called_name(call), call.func.value if isinstance(call.func, ast.Attribute) else None
            if name == "open" and _opens_to_write(call):
                target = receiver if isinstance(receiver, ast.expr) and self.text(receiver) else None
                yield from ((id(node), Use.WRITTEN) for node in [target, *call.args[:1]] if node is not None)
            elif name in _WRITERS and receiver is not None:
                yield from ((id(node), Use.WRITTEN) for node in [receiver, *call.args[:1]])
            elif name in _COPIERS and call.args:
                yield id(call.args[-1]), Use.WRITTEN
            elif name in _RUNNERS:
                yield from ((id(node), Use.RUN) for argument in call.args for node in ast.walk(argument))

    def optional(self) -> Iterator[str]:
        """Those of which one is enough, that are read only if they exist, or that a command is given."""
        lists = {name: value for name, value in _assignments(self.tree) if isinstance(value, ast.List | ast.Tuple)}
        # The conditions of branches without which a test fails.
        branches = [node for node in ast.walk(self.tree) if isinstance(node, ast.If)]
        needed = {id(one.test) for one in branches if any(isinstance(part, _FAILING) for part in one.orelse)}
        runners = {name for name, function in self.functions.items() if _runs_a_program(function)}
        for node in ast.walk(self.tree):
            for choices in _tried_in_turn(node):
                yield from self._listed(lists.get(choices.id) if isinstance(choices, ast.Name) else choices)
            if isinstance(node, ast.Call) and called_name(node) in _RUNNERS:
                names = (inner.id for part in node.args for inner in ast.walk(part) if isinstance(inner, ast.Name))
                yield from (self.values[name] for name in names if name in self.values)
            if isinstance(node, ast.Call) and called_name(node) in runners:
                yield from (text for part in node.args for inner in ast.walk(part) if (text := self.text(inner)))
            if isinstance(node, ast.If | ast.IfExp) and id(node.test) not in needed:
                yield from (text for one in _looked_for(node.test) if (text := self.text(one)) is not None)

    def _listed(self, choices: ast.expr | None) -> Iterator[str]:
        """The paths in a list."""
        if isinstance(choices, ast.List | ast.Tuple):
            yield from (text for one in choices.elts if (text := self.text(one)) is not None)

    def comparisons(self) -> Iterator[EqualityTest]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq):
                sides = (node.left, node.comparators[0])
                texts = (side.value for side in sides if isinstance(side, ast.Constant))
                yield EqualityTest(
                    node.lineno,
                    (_names(sides[0]), _names(sides[1])),
                    (self.paths(sides[0]), self.paths(sides[1])),
                    frozenset(text for text in texts if isinstance(text, str)),
                )


def _runs_a_program(function: ast.FunctionDef) -> bool:
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
    return not function.name.startswith("test") and any(called_name(call) in _RUNNERS for call in calls)


def _tried_in_turn(node: ast.AST) -> Iterator[ast.expr]:
    """The choices that a loop goes through until one exists."""
    match node:
        case ast.Call(func=ast.Name(id="any" | "next"), args=[ast.GeneratorExp(generators=[part, *_]), *_]):
            yield part.iter
        case ast.For(iter=choices, body=[*_, ast.If() as last]) if any(_looked_for(last.test)) and not last.orelse:
            yield choices
        case ast.ListComp(generators=[ast.comprehension(iter=choices, ifs=[test])]) if any(_looked_for(test)):
            yield choices


def _looked_for(test: ast.expr) -> Iterator[ast.expr]:
    """The paths whose existence a condition asks for, as it is written."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            for value in values:
                yield from _looked_for(value)
        case ast.Call(func=ast.Attribute(attr="exists" | "isfile"), args=[path]):
            yield path
        case ast.Call(func=ast.Attribute(value=path, attr="exists" | "is_file"), args=[]):
            yield path


def _added(*texts: str) -> str:
    return "".join(texts)


def is_path(text: str) -> bool:
    """Whether a text is the path of a file or folder: absolute, or with a folder and a suffix."""
    if len(text) > 300 or _PATH.fullmatch(text) is None:
        return False
    return (text.startswith("/") and len(text) > 2) or ("/" in text and "." in posixpath.basename(text))


def _assignments(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Names and what is assigned to them, in the order of the file."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case ast.With(items=items):
                for item in items:
                    if isinstance(item.optional_vars, ast.Name):
                        yield item.optional_vars.id, item.context_expr


def _pieces(node: ast.AST) -> list[ast.AST]:
    """The parts of an expression that stand on their own.

    What follows something unknown in a text is no path: ``/a.txt`` in ``f"{address}/a.txt"``.
    """
    match node:
        case ast.JoinedStr(values=[first, *others]):
            return [first, *(part for part in others if not isinstance(part, ast.Constant))]
        case ast.BinOp(left=left, op=ast.Add(), right=ast.Constant()):
            return [left]
    return list(ast.iter_child_nodes(node))


def _all_pieces(node: ast.AST) -> Iterator[ast.AST]:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += _pieces(each)


def _outermost(node: ast.AST, text: Callable[[ast.AST], str | None]) -> Iterator[ast.expr]:
    """The largest expressions with a known text: a joined path and not its parts."""
    for inner in _pieces(node):
        known = isinstance(inner, ast.expr) and not isinstance(inner, ast.Name) and text(inner) is not None
        if known and isinstance(inner, ast.expr):
            yield inner
        else:
            yield from _outermost(inner, text)


def _opens_to_write(call: ast.Call) -> bool:
    modes = [*call.args[:2], *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    return any(
        isinstance(mode, ast.Constant)
        and isinstance(mode.value, str)
        and re.fullmatch(r"[wax]\w?[+bt]*", mode.value)
        for mode in modes
    )


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
