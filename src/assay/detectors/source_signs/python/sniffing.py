"""Python that behaves otherwise when it is tested: it asks the stack, the environment or the loaded modules."""

import ast
import re
import sys
from collections.abc import Iterable, Iterator

from assay.detectors.source_signs.python.module import PythonModule, constant_text
from assay.detectors.source_signs.sign import Sign
from assay.detectors.source_signs.variables import CI_VARIABLES

_STACK = frozenset({
    "inspect.stack", "inspect.currentframe", "inspect.getouterframes", "inspect.trace", "sys._getframe",
    "traceback.extract_stack", "traceback.format_stack", "traceback.walk_stack", "sys._current_frames",
    "traceback.print_stack", "sys._getframemodulename",
})  # fmt: skip
# The frame that called another one, however one got hold of that.
_FRAMES = frozenset({"f_back"})
_PROCESS = re.compile(r"/proc/(?:self|\d+|\{.*\})/(?:cmdline|comm|exe|environ|stat(?:us)?)")
_RUNNER_VARIABLES = re.compile(r"PYTEST(?:_\w*)?|UNITTEST_\w+|_PYTEST_\w+|TOX_ENV_NAME|NOX_CURRENT_SESSION")
_ENVIRONMENT = frozenset(
    {"os.environ", "os.getenv", "os.environ.get", "os.environb", "environ.get", "getenv", "environ"}
)
_RUNNERS = frozenset({"pytest", "_pytest", "py.test", "unittest", "nose", "nose2", "pytest.py", "conftest"})
_MARKS = frozenset({"_called_from_test", "_pytest_running", "_running_under_pytest"})
_FROM_OUTSIDE = ("sys.", "os.", "psutil.", "inspect.", "__main__", "importlib.", "globals", "multiprocessing.")
_MOST_ROUNDS = 4


def stack_signs(module: PythonModule) -> Iterator[Sign]:
    """The stack, asked in a condition, directly or by way of a name or of a function of the module."""
    if not any(_is_of_stack(node, module) for node in module.nodes):
        return
    telling = frozenset(function.name for function in module.functions() if _tells(function, module))
    for scope in (module.tree, *module.functions()):
        nodes = list(_own(scope))
        held = _held(nodes, module, telling)
        for condition in conditions(nodes):
            if _is_about(condition, module, held, telling) and _asks_who(condition):
                yield module.sign("stack_inspected", condition)
        for node in nodes:
            # What a caller compares with stands among its constants. Nobody else needs those.
            if (
                isinstance(node, ast.Attribute)
                and node.attr == "co_consts"
                and _is_about(node, module, held, telling)
            ):
                yield module.sign("stack_inspected", node)


def environment_signs(module: PythonModule, *, ci_counts: bool) -> Iterator[Sign]:
    """Questions whether a test runner is there. ``ci_counts`` is false for code that serves a build."""
    texts = [node for node in module.nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    names_runner = any(node.value in _RUNNERS for node in texts)
    for node in module.nodes:
        if _is_about_runner(node, module, names_runner=names_runner):
            yield module.sign("environment_sniffed", node)
    if names_runner:
        yield from (module.sign("environment_sniffed", node) for node in texts if _PROCESS.match(str(node.value)))
    if ci_counts:
        yield from _ci_conditions(module)


def _is_about_runner(node: ast.AST, module: PythonModule, *, names_runner: bool) -> bool:
    text = constant_text(node) if isinstance(node, ast.Constant | ast.BinOp) else None
    if text is not None and _RUNNER_VARIABLES.fullmatch(text):
        return True
    if names_runner and isinstance(node, ast.Compare | ast.Call) and _asks_for_runner(node, module):
        return True
    return isinstance(node, ast.Attribute | ast.Constant) and _mark(node) in _MARKS


def conditions(nodes: Iterable[ast.AST]) -> Iterator[ast.expr]:
    """Every expression that decides what happens."""
    for node in nodes:
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            yield node.test
        elif isinstance(node, ast.comprehension):
            yield from node.ifs
        elif isinstance(node, ast.Match):
            yield node.subject
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.BoolOp | ast.Compare):
            yield node.value
        elif isinstance(node, ast.GeneratorExp | ast.ListComp) and isinstance(node.elt, ast.Compare | ast.BoolOp):
            yield node.elt


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function or a module without those of the functions inside of it."""
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting += ast.iter_child_nodes(node)


def _tells(function: ast.FunctionDef | ast.AsyncFunctionDef, module: PythonModule) -> bool:
    """Whether a function returns something of the stack."""
    nodes = list(_own(function))
    held = _held(nodes, module, frozenset())
    returned = [node.value for node in nodes if isinstance(node, ast.Return) and node.value is not None]
    return any(_is_about(value, module, held, frozenset()) for value in returned)


def _held(nodes: list[ast.AST], module: PythonModule, telling: frozenset[str]) -> frozenset[str]:
    """The names of a scope that hold something of the stack."""
    found: frozenset[str] = frozenset()
    for _ in range(_MOST_ROUNDS):
        grown = found | {name for node in nodes for name in _passed_on(node, module, found, telling)}
        if grown == found:
            break
        found = grown
    return found


def _passed_on(
    node: ast.AST, module: PythonModule, held: frozenset[str], telling: frozenset[str]
) -> Iterator[str]:
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        if _is_about(node.value, module, held, telling):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (name for target in targets for name in _names(target))
    elif isinstance(node, ast.For | ast.comprehension) and _is_about(node.iter, module, held, telling):
        yield from _names(node.target)


def _names(target: ast.expr) -> Iterator[str]:
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    yield from (part.id for part in parts if isinstance(part, ast.Name))


def _is_about(expression: ast.AST, module: PythonModule, held: frozenset[str], telling: frozenset[str]) -> bool:
    for part in ast.walk(expression):
        if isinstance(part, ast.Name) and part.id in held:
            return True
        if isinstance(part, ast.Call) and (_asks_stack(part, module) or module.dotted(part.func) in telling):
            return True
        if isinstance(part, ast.Attribute) and part.attr in _FRAMES:
            return True
    return False


def _is_of_stack(node: ast.AST, module: PythonModule) -> bool:
    return _asks_stack(node, module) or (isinstance(node, ast.Attribute) and node.attr in _FRAMES)


def _asks_stack(node: ast.AST, module: PythonModule) -> bool:
    return isinstance(node, ast.Call) and module.dotted(node.func) in _STACK


def _asks_who(condition: ast.expr) -> bool:
    """Whether a condition asks for a name. That a frame is there, or is of Python's own library, tells nothing."""
    texts = [
        part.value
        for part in ast.walk(condition)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]
    return any(not _is_internal(text) for text in texts)


def _is_internal(text: str) -> bool:
    first = text.partition(".")[0]
    runner = first in ("unittest", "doctest", "test")
    return (
        text == ""
        or text.startswith(("__", "<"))
        or text == "?"
        or (first in sys.stdlib_module_names and not runner)
    )


def _asks_for_runner(node: ast.Compare | ast.Call, module: PythonModule) -> bool:
    """``"pytest" in sys.modules``, ``sys.argv[0].endswith("pytest")``, ``find_spec("pytest")``."""
    if isinstance(node, ast.Call) and not isinstance(node.func, ast.Attribute | ast.Name):
        return False
    if isinstance(node, ast.Call) and module.dotted(node.func) in ("__import__", "importlib.import_module"):
        return False
    parts = list(ast.walk(node))
    if len(parts) > 60:
        return False
    named = any(
        isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value in _RUNNERS for part in parts
    )
    return named and any(
        isinstance(part, ast.Attribute | ast.Name) and module.dotted(part).startswith(_FROM_OUTSIDE)
        for part in parts
    )


def _mark(node: ast.Attribute | ast.Constant) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.value if isinstance(node.value, str) else ""


def _ci_conditions(module: PythonModule) -> Iterator[Sign]:
    held = {
        part.id
        for node in module.nodes
        if isinstance(node, ast.Assign) and _reads_ci(node.value, module)
        for target in node.targets
        for part in ast.walk(target)
        if isinstance(part, ast.Name)
    }
    for condition in conditions(module.nodes):
        names = {part.id for part in ast.walk(condition) if isinstance(part, ast.Name)}
        if names & held or _reads_ci(condition, module):
            yield module.sign("environment_sniffed", condition)


def _reads_ci(expression: ast.AST, module: PythonModule) -> bool:
    parts = list(ast.walk(expression))
    named = any(
        isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value in CI_VARIABLES
        for part in parts
    )
    return named and any(
        isinstance(part, ast.Attribute | ast.Name) and module.dotted(part) in _ENVIRONMENT for part in parts
    )
