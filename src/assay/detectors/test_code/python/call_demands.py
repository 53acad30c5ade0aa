"""What a call demands: assertions of unittest, pytest, numpy.testing and mocks, and functions with such names."""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.python.condition_demands import argument_tolerance, condition_demands
from assay.detectors.test_code.python.constants import constant
from assay.detectors.test_code.python.demand import PythonDemand, expected_of, subject_of
from assay.detectors.test_code.python.module import Module
from assay.detectors.test_code.python.text import Names, uniform
from assay.detectors.test_code.python.tolerance import argument, number, ten_to

_COMPARING: dict[str, type[ast.cmpop]] = {
    "assertEqual": ast.Eq, "assertEquals": ast.Eq, "assertIs": ast.Is, "assertListEqual": ast.Eq,
    "assertDictEqual": ast.Eq, "assertTupleEqual": ast.Eq, "assertSetEqual": ast.Eq,
    "assertMultiLineEqual": ast.Eq, "assertSequenceEqual": ast.Eq, "assertNotEqual": ast.NotEq,
    "assertNotEquals": ast.NotEq, "assertIsNot": ast.IsNot, "assertIn": ast.In, "assertNotIn": ast.NotIn,
    "assertGreater": ast.Gt, "assertGreaterEqual": ast.GtE,
    "assertLess": ast.Lt, "assertLessEqual": ast.LtE, "failUnlessEqual": ast.Eq, "eq_": ast.Eq,
    "assert_equal": ast.Eq, "assert_array_equal": ast.Eq, "assert_string_equal": ast.Eq,
    "assert_frame_equal": ast.Eq,
    "assert_series_equal": ast.Eq, "assert_index_equal": ast.Eq,
}  # fmt: skip
_TRUTH = {"assertTrue": True, "assert_": True, "failUnless": True, "ok_": True, "assert_true": True,
          "assertFalse": False, "failIf": False, "assert_false": False}  # fmt: skip
_NONE = {
    "assertIsNone": ast.Is,
    "assertIsNotNone": ast.IsNot,
    "assert_is_none": ast.Is,
    "assert_is_not_none": ast.IsNot,
}
_CLOSE = {"assertAlmostEqual": ("places", 7.0), "assertAlmostEquals": ("places", 7.0),
          "assert_almost_equal": ("decimal", 7.0), "assert_array_almost_equal": ("decimal", 6.0),
          "assert_approx_equal": ("significant", 7.0)}  # fmt: skip
_CLOSE_BY_TOLERANCE = {"assert_allclose": 1e-7, "assert_close": 1e-5, "assert_all_close": 1e-5}


_OF_TWO = _COMPARING.keys() | _CLOSE.keys() | _CLOSE_BY_TOLERANCE.keys()
_OF_ONE = _TRUTH.keys() | _NONE.keys() | {"assertIsInstance", "assertNotIsInstance"}
_RAISING = re.compile(
    r"(?:^|\.)(?:raises|warns|assertRaises|assertRaisesRegex|assertWarns|assertWarnsRegex|assert_raises"
    r"|assert_raises_regex|assertRaisesRegexp|assertRaisesMessage|RaisesGroup|raises_group|assert_warns)$"
)
_BROAD = frozenset({"Exception", "BaseException", "Warning", "UserWarning", "object", "builtins.Exception"})
_MOCKS = {"assert_called": Strength.PRESENCE, "assert_called_once": Strength.SHAPE,
          "assert_awaited": Strength.PRESENCE, "assert_awaited_once": Strength.SHAPE,
          "assert_any_call": Strength.SHAPE, "assert_any_await": Strength.SHAPE,
          "assert_called_with": Strength.EXACT, "assert_called_once_with": Strength.EXACT,
          "assert_awaited_with": Strength.EXACT, "assert_awaited_once_with": Strength.EXACT,
          "assert_has_calls": Strength.EXACT, "assert_has_awaits": Strength.EXACT,
          "assert_not_called": Strength.EXACT, "assert_not_awaited": Strength.EXACT}  # fmt: skip
_FAILING = frozenset({"pytest.fail", "self.fail", "cls.fail", "_pytest.outcomes.fail"})
_NAMED_SO = re.compile(r"^(?:assert|expect)(?:_|[A-Z]|$)")
_OWN_WORDS = re.compile(r"^(?:(?:self|cls)\.)?_*(?:verify|check|ensure|should)_(?!output\b|call\b)\w+$")
_MESSAGES = frozenset({"msg", "err_msg", "message", "verbose", "obj", "reason", "pytrace"})


def is_raising(name: str) -> bool:
    return _RAISING.search(name) is not None


def call_demands(node: ast.Call, module: Module, names: Names) -> list[PythonDemand] | None:
    """The demands of a call that asserts; None for a call that does something else."""
    name = module.dotted(node.func) or uniform(node.func)
    last = name.rsplit(".", 1)[-1]
    if name in _FAILING:
        return [PythonDemand(node, Strength.SHAPE, "never reached", None, None, True, f"{name}()")]
    if is_raising(name):
        return list(raising_demands(node, module, names))
    if last in _MOCKS and isinstance(node.func, ast.Attribute):
        return [_mock(node, node.func, last, names)]
    if last in _OF_TWO and len(node.args) > 1:
        return _two(node, last, names)
    if last in _OF_ONE and node.args:
        return _one(node, last, names)
    return _by_name(node, last, names)


def _by_name(node: ast.Call, last: str, names: Names) -> list[PythonDemand] | None:
    """A call that asserts by what it is called."""
    chained = _chain_root(node)
    if chained is not None and _NAMED_SO.match(uniform(chained.func).rsplit(".", 1)[-1]):
        return [_fluent(node, chained, names)]
    if _NAMED_SO.match(last) or _OWN_WORDS.match(uniform(node.func)):
        return [_opaque(node, last, names)]
    return None


def _spelled(node: ast.Call, names: Names, count: int) -> str:
    """The call without its message."""
    kept = [word for word in node.keywords if word.arg not in _MESSAGES]
    return uniform(ast.Call(node.func, node.args[:count], kept), names)


def _two(node: ast.Call, last: str, names: Names) -> list[PythonDemand]:
    left, right = node.args[:2]
    text = _spelled(node, names, 2)
    if last in _COMPARING:
        test: ast.expr = ast.copy_location(ast.Compare(left, [_COMPARING[last]()], [right]), node)
        options = [f"{word.arg}={uniform(word.value)}" for word in node.keywords if word.arg not in _MESSAGES]
        found = [replace(demand, text=text) for demand in condition_demands(test, names)]
        # check_dtype=False and its like ask for less, so they belong to what is expected.
        more = f" {' '.join(options)}" if options else ""
        return [replace(demand, expected=f"{demand.expected}{more}") for demand in found] if more else found
    equal = next(condition_demands(ast.copy_location(ast.Compare(left, [ast.Eq()], [right]), node), names))
    if equal.strength is Strength.VACUOUS:
        return [PythonDemand(node, Strength.VACUOUS, "", text=text)]
    tolerance = _closeness(node, last, names)
    return [PythonDemand(node, Strength.CLOSE, equal.subject, equal.expected, tolerance, text=text)]


def _closeness(node: ast.Call, last: str, names: Names) -> float:
    if last in _CLOSE:
        return _places(node, last, names)
    return argument_tolerance(node, names, _CLOSE_BY_TOLERANCE[last])


def _places(node: ast.Call, last: str, names: Names) -> float:
    word, default = _CLOSE[last]
    if (delta := argument(node, "delta")) is not None and constant(delta, names) is not None:
        value = number(delta, names)
        return 1.0 if value is None else value
    given = argument(node, word, 2)
    if given is None or constant(given, names) is None or isinstance(constant(given, names), str):
        return ten_to(-default)
    digits = number(given, names)
    return ten_to(-digits) if digits is not None else 1.0


def _one(node: ast.Call, last: str, names: Names) -> list[PythonDemand]:
    test: ast.expr = node.args[0]
    if last in _NONE:
        test = ast.Compare(test, [_NONE[last]()], [ast.Constant(None)])
    elif last.endswith("IsInstance"):
        test = ast.Call(ast.Name("isinstance"), node.args[:2], [])
        test = ast.UnaryOp(ast.Not(), test) if "Not" in last else test
    elif not _TRUTH[last]:
        test = ast.UnaryOp(ast.Not(), test)
    text = _spelled(node, names, 2 if last.endswith("IsInstance") else 1)
    return [replace(demand, text=text) for demand in condition_demands(ast.copy_location(test, node), names)]


def raising_demands(node: ast.Call, module: Module, names: Names, body: str = "") -> Iterator[PythonDemand]:
    """An exception is demanded, and by ``match`` or a pattern what it says."""
    name = uniform(node.func)
    by_pattern = "egex" in name
    kinds = argument(node, "expected_exception", 0) or argument(node, "expected_warning", 0)
    subject = body or ("" if by_pattern else _handed_call(node, names))
    expected = expected_of(kinds, names) if kinds is not None else "any"
    strength = Strength.SHAPE if _is_broad(kinds, module) else Strength.EXACT
    yield PythonDemand(node, strength, subject, expected, text=f"{name}({expected})")
    pattern = argument(node, "match") or argument(node, "expected_regex", 1 if by_pattern else None)
    if pattern is not None and constant(pattern, names) not in (None, "", ".*", ".+"):
        wanted = expected_of(pattern, names)
        yield PythonDemand(
            node,
            Strength.SHAPE,
            f"message of {subject}",
            f"match {wanted}",
            text=f"{name}({expected}, match={wanted})",
        )


def _handed_call(node: ast.Call, names: Names) -> str:
    """The call that ``assertRaises(ValueError, f, 1)`` makes itself."""
    called = [uniform(each, names) for each in node.args[1:]]
    return f"{called[0]}({', '.join(called[1:])})" if called else ""


def _is_broad(kinds: ast.expr | None, module: Module) -> bool:
    """Whether more than one exception will do."""
    return (module.dotted(kinds) or "any") in _BROAD or (isinstance(kinds, ast.Tuple) and len(kinds.elts) > 1)


def _mock(node: ast.Call, function: ast.Attribute, last: str, names: Names) -> PythonDemand:
    expected = ", ".join(
        [
            *(expected_of(each, names) for each in node.args),
            *(f"{w.arg}={expected_of(w.value, names)}" for w in node.keywords),
        ]
    )
    anything = re.search(r"\bANY\b", expected) is not None
    strength = min(_MOCKS[last], Strength.SHAPE) if anything else _MOCKS[last]
    wanted = "not called" if "not" in last else f"called ({expected})" if expected or "with" in last else "called"
    return PythonDemand(node, strength, subject_of(function.value, names), wanted)


def _chain_root(node: ast.Call) -> ast.Call | None:
    """``assert_that(x)`` of ``assert_that(x).is_equal_to(3)``."""
    inner: ast.expr = node.func
    for _ in range(20):
        if isinstance(inner, ast.Attribute):
            inner = inner.value
        elif isinstance(inner, ast.Call):
            if not isinstance(inner.func, ast.Attribute) or not isinstance(
                inner.func.value, ast.Call | ast.Attribute
            ):
                return inner
            inner = inner.func
        else:
            return None
    return None


def _fluent(node: ast.Call, root: ast.Call, names: Names) -> PythonDemand:
    subject = subject_of(root.args[0], names) if root.args else ""
    wanted = uniform(node, names).removeprefix(uniform(root, names))
    exact = re.search(r"equal|\bto_be\(|\bbe\(|is_same|have_text|have_value", wanted)
    strength = Strength.EXACT if exact and node.args else Strength.SHAPE if node.args else Strength.PRESENCE
    return PythonDemand(node, strength, subject, wanted)


def _opaque(node: ast.Call, last: str, names: Names) -> PythonDemand:
    """An assertion that is defined elsewhere: its name says how much it demands."""
    subject = subject_of(node.args[0], names) if node.args else ""
    rest = [expected_of(each, names) for each in node.args[1:]]
    rest += [f"{word.arg}={uniform(word.value, names)}" for word in node.keywords if word.arg not in _MESSAGES]
    exact = "equal" in last.lower() and "not" not in last.lower() and "almost" not in last.lower()
    strength = Strength.EXACT if exact else Strength.SHAPE
    return PythonDemand(node, strength, subject, f"{last}({', '.join(rest)})" if rest or not exact else None)
