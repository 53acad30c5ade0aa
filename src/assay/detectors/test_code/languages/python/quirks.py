"""Peculiarities of tests in Python: mocks, ``raises``, context managers, calls that skip."""

import ast
import re

from assay.detectors.test_code.engine.demand import Demand, WrittenDemand
from assay.detectors.test_code.engine.expressions.calls import Call
from assay.detectors.test_code.engine.expressions.chains import chain
from assay.detectors.test_code.engine.expressions.literals import is_inert
from assay.detectors.test_code.engine.expressions.parts import Part
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.expressions.wrapping import Wrapping
from assay.detectors.test_code.engine.language import Quirks
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.engine.scopes import CodeScope, Role
from assay.detectors.test_code.languages.python import collecting
from assay.detectors.test_code.languages.python.asserts import RAISING
from assay.detectors.test_code.languages.python.conditions import condition
from assay.detectors.test_code.languages.python.hooks import hook_skips
from assay.detectors.test_code.languages.python.names import is_made_up, marks, meant, resolve
from assay.detectors.test_code.languages.python.rebinding import Rebinding
from assay.detectors.test_code.languages.python.spelling import spelled
from assay.detectors.test_code.languages.python.tree import PythonTree, parse
from assay.detectors.test_code.model import Skip, Strength
from assay.detectors.test_code.tree import Node

_RAISING = frozenset(RAISING.split())
_MOCKS = {
    "assert_called": Strength.PRESENCE, "assert_called_once": Strength.SHAPE,
    "assert_awaited": Strength.PRESENCE, "assert_awaited_once": Strength.SHAPE,
    "assert_any_call": Strength.SHAPE, "assert_any_await": Strength.SHAPE,
    "assert_called_with": Strength.EXACT, "assert_called_once_with": Strength.EXACT,
    "assert_awaited_with": Strength.EXACT, "assert_awaited_once_with": Strength.EXACT,
    "assert_has_calls": Strength.EXACT, "assert_has_awaits": Strength.EXACT,
    "assert_not_called": Strength.EXACT, "assert_not_awaited": Strength.EXACT,
}  # fmt: skip
_EXITS = frozenset(("os._exit", "sys.exit", "exit", "quit"))
_ENDS_WELL = re.compile(r"\(\s*+0?+\s*+\)\Z")
_ANY = re.compile(r"\bANY\b")
_LONGEST = 240
_CALLS = {
    **dict.fromkeys(
        ("pytest.skip", "pytest.importorskip", "pytest.skip.Exception", "_pytest.outcomes.skip"), "skip"
    ),
    **dict.fromkeys(("_pytest.outcomes.Skipped",), "skip"),
    **dict.fromkeys(("pytest.xfail", "_pytest.outcomes.xfail"), "xfail"),
    "pytest.exit": "disabled",
}
_ABSENT = re.compile("nonexist|not_exist|notexist|no_such|nosuch|does_not|not_installed|impossible|bogus")
_LOADS_NOTHING = re.compile(r"\A[^\n]*\n(?:[^\n]*\n)?\s*(?:return(?: None| [\w.]*Suite\(\))?|pass)\s*\Z")


def _made(reading: Reading, node: Node) -> ast.AST | None:
    return reading.tree.made.get(node) if isinstance(reading.tree, PythonTree) else None


def _asserted(reading: Reading, call: Call, scope: CodeScope) -> list[WrittenDemand] | None:
    """Mocks, and ``raises`` around a block."""
    name = call.names[-1] if call.names else ""
    if name in _MOCKS and (len(call.names) > 1 or call.inner is not None):
        return [_mock(reading, call, name)]
    if (reading.names(call) or call.names)[-1:] and (reading.names(call) or call.names)[-1] in _RAISING:
        return _raising(reading, call)
    return None


def _mock(reading: Reading, call: Call, name: str) -> WrittenDemand:
    words = reading.words_of(call.node)
    link = reading.chain(words)[-1]
    expected = ", ".join(joined(each).replace(" = ", "=") for each in link.arguments or ())
    strength = min(_MOCKS[name], Strength.SHAPE) if _ANY.search(expected) else _MOCKS[name]
    said = "not called" if "not" in name else f"called({expected})" if expected or "with" in name else "called"
    end = call.arguments.start if call.arguments is not None else call.node.end
    owner = reading.words(call.node.start, end)[:-2]
    return WrittenDemand(joined(words), Demand(strength, joined(owner), said))


def _raising(reading: Reading, call: Call) -> list[WrittenDemand]:
    """An exception is demanded, and by ``match`` or a pattern what it says."""
    link = reading.links(call)[-1]
    name = ".".join(call.names)
    given = link.positional
    kinds = link.labelled("expected_exception", "expected_warning") or (given[0] if given else [])
    by_pattern = "egex" in name
    subject, own = _body(reading, call)
    if not subject and not by_pattern and len(given) > 1:
        subject = f"{joined(given[1])}({', '.join(joined(each) for each in given[2:])})"
    expected = joined(kinds) or "any"
    broad = expected in reading.language.broad or expected == "any" or (kinds[0] == "(" and "," in kinds)
    strength = Strength.VACUOUS if own else Strength.SHAPE if broad else Strength.EXACT
    found = [WrittenDemand(f"{name}({expected})", Demand(strength, subject, expected))]
    pattern = link.labelled("match", "expected_regex") or (given[1] if by_pattern and len(given) > 1 else [])
    if pattern and joined(pattern) not in ("None", '""', '".*"', '".+"'):
        wanted = joined(pattern)
        strength = Strength.VACUOUS if own else Strength.SHAPE
        message = Demand(strength, f"message of {subject}", f"match {wanted}")
        found.append(WrittenDemand(f"{name}({expected}, match={wanted})", message))
    return found


def _body(reading: Reading, call: Call) -> tuple[str, bool]:
    """A block's body, and whether it has nothing to do with the code under test."""
    holder = call.node.parent
    made = _made(reading, holder) if holder is not None else None
    if holder is None or not isinstance(made, ast.With | ast.AsyncWith):
        return "", False
    shown, own = list[str](), True
    for each in made.body:
        value = getattr(each, "value", None)
        if isinstance(value, ast.Await):
            value = value.value
        if isinstance(value, ast.expr):
            shown.append(joined(reading.words_in(spelled(value))))
        else:
            shown.append(type(each).__name__.lower())
        alone = isinstance(value, ast.Call) and is_inert(reading.words_in(shown[-1]), reading.language.logic.pure)
        own &= isinstance(each, ast.Raise | ast.Pass) or alone
    return "; ".join(shown)[:_LONGEST], own


def _awaited(reading: Reading, node: Node, tried: Node) -> WrittenDemand | None:
    """``pytest.raises``, written out: a ``try`` that fails where nothing is raised."""
    made, thrown = _made(reading, tried), _made(reading, node)
    if not isinstance(made, ast.Try | ast.TryStar) or len(made.handlers) != 1 or made.handlers[0].type is None:
        return None
    if isinstance(thrown, ast.Raise) and "AssertionError" not in reading.tree.source(node):
        return None
    handler = tried.part_child(Part.CATCH)
    kind = joined(reading.words_in(spelled(made.handlers[0].type)))
    if handler is None or reading.language.catching.assertions.search(f"except {kind}"):
        return None
    own = [each for each in made.body if getattr(each, "value", each) is not thrown]
    subject = "; ".join(joined(reading.words_in(spelled(getattr(each, "value", each)))) for each in own)[:_LONGEST]
    strength = Strength.SHAPE if kind in reading.language.broad or kind[0] == "(" else Strength.EXACT
    return WrittenDemand(f"pytest.raises({kind})", Demand(strength, subject, kind))


def _silences(reading: Reading, node: Node) -> bool:
    """A context manager that takes a failing assertion: suppress, a broad ``raises``, what is put on a stack."""
    call = reading.calls[node] if node.part is Part.CALL else None
    if call is None or node.parent is None or not call.names:
        return False
    name = (reading.names(call) if call.inner is None else call.names)[-1]
    holds = node.parent.kind in ("With", "AsyncWith") and (name == "suppress" or name in _RAISING)
    if not holds and name not in ("enter_context", "push"):
        return False
    link = reading.links(call)[-1]
    if name == "enter_context":
        return _takes_failures(reading, chain(link.argument(0))[0].name, link.argument(0)[1:], node)
    if name == "push":
        return joined(link.argument(0)).endswith(": True")
    return _takes_failures(reading, name, [word for each in link.positional for word in each], node)


def _takes_failures(reading: Reading, name: str, given: list[str], node: Node) -> bool:
    kinds = joined(reading.following.filled(given, node, containers=True))
    taken = name == "suppress" or name in _RAISING
    return taken and reading.language.catching.assertions.search(kinds) is not None


def _skip(reading: Reading, call: Call, scope: CodeScope) -> Skip | None:
    """``pytest.skip()`` and its like, by whatever name, and what ends the program as if all was well."""
    names, thrown = reading.names(call) if call.inner is None else (), call.node.parent
    throws = reading.language.skipping.throws
    if thrown is not None and thrown.part is Part.THROW and throws.match(reading.tree.text, thrown.start):
        return None
    bound = len(names) == 1 and reading.following.value(names[0], call.node) is not None
    if bound or (call.inner is not None and is_made_up(call.inner.names)):
        links = chain(meant(reading, reading.words_of(call.node), call.node))
        names = links[0].names if len(links) == 1 else ()
    dotted, line = ".".join(names), reading.line(call.node)
    if dotted in _EXITS and call.inner is None:
        ends = scope.role is Role.FILE or _ENDS_WELL.search(reading.tree.source(call.node)[-100:])
        return Skip("disabled", line, reading.text(call.node)) if ends else None
    kind = _CALLS.get(dotted) or ("skip" if names[-1:] in (("SkipTest",), ("skipTest",)) else None)
    if kind is None:
        return None
    asks = names[-1] == "importorskip" and not _is_absent(joined(reading.links(call)[-1].argument(0)))
    return Skip(kind, line, joined(reading.words_of(call.node))[:_LONGEST], asks)


def _is_absent(module: str) -> bool:
    """A module that nobody could have, by its name."""
    name = module.strip('"')
    if module[:1] != '"':
        return False
    return not all(part.isidentifier() for part in name.split(".")) or _ABSENT.search(name.lower()) is not None


def _loaded(reading: Reading) -> list[Skip]:
    """``def load_tests(…): return unittest.TestSuite()``: a suite that nothing was put into."""
    for node in reading.tree.nodes[0].children if "def load_tests" in reading.tree.text else ():
        source = reading.tree.source(node)
        if node.part is Part.FUNCTION and source.startswith("def load_tests") and _LOADS_NOTHING.search(source):
            return [Skip("excluded", reading.line(node), "load_tests")]
    return []


def _settle(reading: Reading) -> None:
    file, wrapping = reading.scopes[0], Wrapping(reading)
    Rebinding(reading).settle()
    for scope in reading.scopes:
        found = collecting.known(reading).tests.get(scope.node)
        if found is not None:
            wrapping.put_around(scope, found.marks)
        elif scope.role is Role.FUNCTION:
            file.skips += [skip for skip in hook_skips(reading, scope) if skip not in file.skips]
    for call in reading.calls.values():
        holder = call.node.parent
        if holder is None or holder.kind not in ("With", "AsyncWith") or len(call.names) != 1:
            continue
        if wrapping.drops(call.names[0]) or _leaves_quietly(reading, call.names[0]):
            for each in reading.tree.within(holder.start, holder.end):
                each.swallowed = True
    collecting.settle(reading)


def _leaves_quietly(reading: Reading, name: str) -> bool:
    """Whether a class of the file drops what its block raises."""
    found = collecting.method(reading, collecting.known(reading), name, "__exit__")
    body = found.part_child(Part.BLOCK) if found is not None else None
    returns = [each for each in body.children if each.part is Part.RETURN] if body is not None else []
    return any(reading.truth(reading.words_of(each)[1:]) for each in returns)


QUIRKS = Quirks(
    parse=parse,
    resolve=resolve,
    marks=marks,
    file_skips=_loaded,
    function=collecting.function,
    klass=collecting.klass,
    asserted=_asserted,
    condition=condition,
    awaited=_awaited,
    silences=_silences,
    skip=_skip,
    settle=_settle,
)
