"""What a conftest.py does to a whole folder: hooks that skip, drop or ignore tests, and lists to ignore."""

import ast
import re

from assay.detectors.test_code.languages.python.constants import constant, truth
from assay.detectors.test_code.languages.python.module import Function, Module, argument
from assay.detectors.test_code.languages.python.skips import call_skip, decorator_skip
from assay.detectors.test_code.languages.python.spelling import LONGEST, spelled
from assay.detectors.test_code.model import Skip

_SEES_ITEMS = frozenset({
    "pytest_collection_modifyitems", "pytest_itemcollected", "pytest_collection_finish", "pytest_runtest_setup",
    "pytest_runtest_call", "pytest_runtest_protocol", "pytest_pyfunc_call", "pytest_generate_tests",
    "pytest_fixture_setup", "pytest_runtest_logstart", "pytest_collectstart", "pytest_make_collect_report",
})  # fmt: skip
_ANSWERS = frozenset({
    "pytest_ignore_collect", "pytest_pyfunc_call", "pytest_runtest_protocol", "pytest_runtest_call",
    "pytest_pycollect_makeitem", "pytest_pycollect_makemodule", "pytest_collect_file",
})  # fmt: skip
_REMOVES = frozenset({"clear", "remove", "pop"})
IGNORES = frozenset({"collect_ignore", "collect_ignore_glob"})


def hook_name(function: Function, module: Module) -> str:
    """The hook that a function is, by its name or by ``specname``."""
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and (module.dotted(decorator.func) or "").endswith("hookimpl"):
            given = constant(argument(decorator, "specname"))
            if isinstance(given, str):
                return given
    return function.name


def hook_skips(function: Function, module: Module) -> list[Skip]:
    """The skips of one hook. A condition anywhere around them makes them conditional."""
    name = hook_name(function, module)
    found: list[Skip] = []
    if name in _SEES_ITEMS:
        _note_marks(function, module)
        _look(function.body, module, guarded=False, found=found)
    if name in _ANSWERS:
        found += _answers(function.body, name, guarded=False)
    return found


def _note_marks(function: Function, module: Module) -> None:
    """``skip_slow = pytest.mark.skip(…)`` inside the hook."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            module.bound.setdefault(node.targets[0].id, node.value)


def _look(body: list[ast.stmt], module: Module, *, guarded: bool, found: list[Skip]) -> bool:
    """Whether what follows the block is only reached under a condition."""
    for statement in body:
        for skip in _of_statement(statement, module):
            found.append(Skip(skip.kind, skip.line, skip.text, skip.conditional or guarded))
        held = truth(statement.test) if isinstance(statement, ast.If | ast.While) else True
        for index, block in enumerate(_blocks(statement)):
            if held is False and index == 0:
                continue
            _look(block, module, guarded=guarded or held is None, found=found)
        if isinstance(statement, ast.If) and held is None and _leaves(statement.body):
            guarded = True
    return guarded


def _blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    blocks = [getattr(statement, name, None) for name in ("body", "orelse", "finalbody")]
    handlers = [handler.body for handler in getattr(statement, "handlers", [])]
    return [block for block in [*blocks, *handlers] if isinstance(block, list) and block]


def _leaves(body: list[ast.stmt]) -> bool:
    return any(isinstance(each, ast.Return | ast.Continue) for each in body)


def _of_statement(node: ast.stmt, module: Module) -> list[Skip]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return _of_call(node.value, module)
    if isinstance(node, ast.Raise) and node.exc is not None:
        call = node.exc if isinstance(node.exc, ast.Call) else ast.copy_location(ast.Call(node.exc, [], []), node)
        skip = call_skip(call, module, module.constants)
        return [skip] if skip is not None else []
    if not isinstance(node, ast.Assign | ast.Delete) or not any(map(_is_items, node.targets)):
        return []
    target = spelled(node.targets[0])
    if isinstance(node, ast.Delete):
        return [Skip("excluded", node.lineno, f"del {target}")]
    if not _drops(node.value, module):
        return []
    return [Skip("excluded", node.lineno, f"{target} = {spelled(node.value)[:LONGEST]}")]


def _is_items(node: ast.expr) -> bool:
    whole = node.value if isinstance(node, ast.Subscript) else None
    return whole is not None and spelled(whole).rsplit(".", 1)[-1] == "items"


def _of_call(node: ast.Call, module: Module) -> list[Skip]:
    skip = call_skip(node, module, module.constants)
    if skip is not None:
        return [skip]
    if not isinstance(node.func, ast.Attribute):
        return []
    owner, name = spelled(node.func.value), node.func.attr
    if name == "add_marker" and node.args:
        return _of_marker(node, node.args[0], module)
    if (name in _REMOVES and owner.rsplit(".", 1)[-1] == "items") or name == "pytest_deselected":
        return [Skip("excluded", node.lineno, spelled(node)[:LONGEST])]
    if name == "parametrize" and len(node.args) > 1 and truth(node.args[1]) is False:
        return [Skip("skip", node.lineno, spelled(node)[:LONGEST])]
    return []


def _of_marker(node: ast.Call, mark: ast.expr, module: Module) -> list[Skip]:
    """``item.add_marker("skip")``, ``item.add_marker(pytest.mark.skip)``."""
    named = constant(mark, module.constants)
    if named in ("skip", "xfail"):
        return [Skip(str(named), node.lineno, spelled(node)[:LONGEST])]
    found = decorator_skip(mark, module, module.constants) or _local_mark(mark)
    return [Skip(found.kind, node.lineno, spelled(node)[:LONGEST], found.conditional)] if found else []


def _local_mark(node: ast.expr) -> Skip | None:
    """A mark under a local name that says what it is: ``item.add_marker(skip_slow)``."""
    name = spelled(node).lower()
    if isinstance(node, ast.Name) and re.search(r"skip|xfail", name):
        return Skip("xfail" if "xfail" in name else "skip", node.lineno, name)
    return None


def _drops(node: ast.expr, module: Module) -> bool:
    """Whether a new list of items has fewer: a filter, nothing, a slice. Sorting and joining keep them all."""
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        return any(each.ifs for each in node.generators)
    if isinstance(node, ast.Call):
        name = module.dotted(node.func) or ""
        if name in ("sorted", "reversed", "list", "tuple") and node.args:
            return _drops(node.args[0], module)
        return name in ("filter", "list", "random.sample", "itertools.islice")
    if isinstance(node, ast.Name):
        return node.id != "items" and not node.id.startswith(("sorted", "reordered", "ordered", "shuffled"))
    return isinstance(node, ast.Subscript | ast.List) and not (isinstance(node, ast.List) and _keeps_all(node))


def _keeps_all(node: ast.List) -> bool:
    return any(isinstance(each, ast.Starred) for each in node.elts)


def _answers(body: list[ast.stmt], name: str, *, guarded: bool) -> list[Skip]:
    """Returns of a hook that mean "I took care of it"."""
    found: list[Skip] = []
    for statement in body:
        if (
            isinstance(statement, ast.Return)
            and statement.value is not None
            and _takes_over(statement.value, name)
        ):
            text = f"{name}: return {spelled(statement.value)}"[:LONGEST]
            found.append(Skip("excluded", statement.lineno, text, guarded or truth(statement.value) is None))
        held = truth(statement.test) if isinstance(statement, ast.If) else True
        for block in _blocks(statement):
            if held is not False:
                found += _answers(block, name, guarded=guarded or held is None)
    return found


def _takes_over(node: ast.expr, name: str) -> bool:
    if name == "pytest_ignore_collect":
        return truth(node) is not False and constant(node) is not None
    if name.startswith(("pytest_pycollect", "pytest_collect")):
        return isinstance(node, ast.List) and not node.elts
    return truth(node) is True
