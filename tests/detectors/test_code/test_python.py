"""What the reader of Python test code understands, as tables of cases."""

# ruff: noqa: E501, SIM905 - a row of a table is a line.

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.detectors.test_code.languages.python import read_python
from assay.detectors.test_code.model import Assertion, Skip, Strength, Test, TestCode
from tests.sampling import examples

VACUOUS, PRESENCE, SHAPE, CLOSE, EXACT = Strength


def read(text: str) -> TestCode:
    code = read_python(textwrap.dedent(text))
    assert code.problems == ()
    return code


def only(text: str) -> Test:
    (test,) = read(text).tests
    return test


def body(*lines: str) -> Test:
    return only(
        "import pytest, unittest, math\nimport numpy as np\n\ndef test_a(x, m):\n"
        + textwrap.indent("\n".join(lines), "    ")
    )


def assertion(statement: str) -> Assertion:
    (found,) = body(*statement.split("\n")).assertions
    return found


@pytest.mark.parametrize(
    ("statement", "strength", "subject", "expected"),
    [
        ("assert f(1) == 2", EXACT, "f(1)", "2"),
        ("assert 2 == f(1)", EXACT, "f(1)", "2"),
        ("assert f(1) is None", EXACT, "f(1)", "None"),
        ("assert not f(1) != 2", EXACT, "f(1)", "2"),
        ("assert f(1) == {'b': 1, 'a': 2}", EXACT, "f(1)", '{ "a" : 2, "b" : 1 }'),
        ("assert f(1) == set(['b', 'a'])", EXACT, "f(1)", '{ "a", "b" }'),
        ("assert f(1) == x.encode('utf-8')", EXACT, "f(1)", "x.encode()"),
        ("assert (await f(1)) == 2", EXACT, "f(1)", "2"),
        ("r = f(1)\nassert r == 2", EXACT, "f(1)", "2"),
        ("e = 2\nassert f(1) == e", EXACT, "f(1)", "2"),
        ("assert np.array_equal(f(1), x)", EXACT, "f(1)", "x"),
        ("assert (f(1) == x).all()", EXACT, "f(1)", "x"),
        ("self.assertEqual(f(1), 2)", EXACT, "f(1)", "2"),
        ("self.assertEqual(2, f(1), 'why')", EXACT, "f(1)", "2"),
        ("self.assertIs(f(1), x)", EXACT, "f(1)", "x"),
        ("self.assertIsNone(f(1))", EXACT, "f(1)", "None"),
        ("self.assertTrue(f(1) == 2)", EXACT, "f(1)", "2"),
        ("np.testing.assert_array_equal(f(1), x)", EXACT, "f(1)", "x"),
        ("m.assert_called_once_with(1, a=2)", EXACT, "m", "called(1, a=2)"),
        ("m.assert_not_called()", EXACT, "m", "not called"),
        ("with pytest.raises(KeyError):\n    f(1)", EXACT, "f(1)", "KeyError"),
        ("with self.assertRaises(KeyError):\n    f(1)", EXACT, "f(1)", "KeyError"),
        ("pytest.raises(KeyError, f, 1)", EXACT, "f(1)", "KeyError"),
        ("self.assertRaises(KeyError, f, 1)", EXACT, "f(1)", "KeyError"),
        ("assert_that(f(1)).is_equal_to(2)", EXACT, "f(1)", "2"),
        ("assert_frame_equal(f(1), x)", EXACT, "f(1)", "x"),
        ("assert f(1) == pytest.approx(2)", CLOSE, "f(1)", "2"),
        ("assert pytest.approx(2) == f(1)", CLOSE, "f(1)", "2"),
        ("assert math.isclose(f(1), 2)", CLOSE, "f(1)", "2"),
        ("assert abs(f(1) - 2) < 0.1", CLOSE, "f(1)", "2"),
        ("assert round(f(1), 2) == 2.25", CLOSE, "f(1)", "2.25"),
        ("self.assertAlmostEqual(f(1), 2)", CLOSE, "f(1)", "2"),
        ("np.testing.assert_allclose(f(1), x)", CLOSE, "f(1)", "x"),
        ("assert f(1) != 2", SHAPE, "f(1)", "not 2"),
        ("assert f(1) > 2", SHAPE, "f(1)", "> 2"),
        ("assert 2 < f(1)", SHAPE, "f(1)", "> 2"),
        ("assert 'a' in f(1)", SHAPE, "f(1)", 'contain("a")'),
        ("assert f(1) in (2, 3)", SHAPE, "f(1)", "oneof((2, 3))"),
        ("assert len(f(1)) == 2", SHAPE, "f(1)", "len 2"),
        ("assert isinstance(f(1), int)", SHAPE, "f(1)", "instanceof(int)"),
        ("assert f(1) == 2 or f(1) == 3", SHAPE, "f(1) == 2 or f(1) == 3", None),
        ("assert not f(1)", SHAPE, "f(1)", "false"),
        ("assert f(1) == []", SHAPE, "f(1)", "false"),
        ("assert len(f(1)) == 0", SHAPE, "f(1)", "false"),
        ("with pytest.raises(Exception):\n    f(1)", SHAPE, "f(1)", "Exception"),
        ("m.assert_called_once()", SHAPE, "m", "called"),
        ("m.assert_called_with(ANY)", SHAPE, "m", "called(ANY)"),
        ("if f(1):\n    assert x.y == 2", CLOSE, "x.y", "2"),
        ("assert f(1)", PRESENCE, "f(1)", "true"),
        ("assert f(1) is True", PRESENCE, "f(1)", "true"),
        ("assert f(1) is not None", PRESENCE, "f(1)", "not None"),
        ("assert len(f(1)) > 0", PRESENCE, "f(1)", "true"),
        ("m.assert_called()", PRESENCE, "m", "called"),
    ],
)  # fmt: skip
def test_what_an_assertion_demands(statement: str, strength: Strength, subject: str, expected: str | None) -> None:
    found = assertion(statement)
    assert (found.strength, found.subject, found.expected) == (strength, subject, expected)


@pytest.mark.parametrize(
    "statement",
    [
        "assert True",
        "assert 1",
        "assert 'text'",
        "assert not False",
        "assert x == x",
        "assert f(x) == f(x)",
        "assert x is x",
        "assert (x == 1, 'message')",
        "assert [x]",
        "assert x == 1 or True",
        "assert x or not x",
        "assert x == 1 or x != 1",
        "assert x is None or x is not None",
        "assert len(x) >= 0",
        "assert len(x) > -1",
        "assert x < float('inf')",
        "assert isinstance(x, object)",
        "assert isinstance(x, (int, object))",
        "assert str(x) is not None",
        "assert x in [x]",
        "assert bool(x) in (True, False)",
        "assert x == ANY",
        "assert 1 + 1 == 2",
        "assert len('abc') == 3",
        "assert all([])",
        "r = 3\nassert r == 3",
        "r = f(1)\nr = 3\nassert r == 3",
        "r = f(1)\nif True:\n    r = 3\nassert r == 3",
        "r = [3][0]\nassert r == 3",
        "f = lambda n: 3\nr = f(1)\nassert r == 3",
        "def f(n):\n    return 3\nassert f(1) == 3",
        "f = Mock(return_value=3)\nassert f(1) == 3",
        "self.assertTrue(True)",
        "self.assertEqual(1, 1)",
        "self.assertEqual(x, x)",
        "np.testing.assert_allclose(x, x)",
    ],
)
def test_assertions_that_always_hold(statement: str) -> None:
    assert assertion(statement).strength is VACUOUS


@pytest.mark.parametrize(
    "statement",
    [
        "r = []\nf(r)\nassert r == [1]",
        "r = 0\ndef up():\n    nonlocal r\n    r += 1\nf(up)\nassert r == 0",
        "r = 0\nfor n in f():\n    r += n\nassert r == 0",
        "r = None\nif f():\n    r = 3\nassert r is None",
        "r = None\ntry:\n    r = f()\nexcept E:\n    pass\nassert r is None",
        "assert a == b",
        "assert f(3) == 3",
        "assert Mock(x).y == 3",
        "m.called = False\nf(m)\nassert m.called is False",
    ],
)
def test_assertions_in_which_the_code_under_test_has_a_say(statement: str) -> None:
    assert assertion(statement).strength > VACUOUS


@pytest.mark.parametrize(
    ("statement", "tolerance"),
    [
        ("assert f() == pytest.approx(2)", 1e-6),
        ("assert f() == pytest.approx(2, rel=0.1)", 0.1),
        ("assert f() == pytest.approx(2, 0.1, 0.5)", 0.5),
        ("t = 0.25\nassert f() == pytest.approx(2, abs=t)", 0.25),
        ("assert abs(f() - 2) < 1e-3", 1e-3),
        ("assert round(f(), 2) == 2.0", 0.005),
        ("self.assertAlmostEqual(f(), 2)", 1e-7),
        ("self.assertAlmostEqual(f(), 2, 3)", 1e-3),
        ("self.assertAlmostEqual(f(), 2, delta=4)", 4.0),
        ("np.testing.assert_allclose(f(), 2, rtol=0.5)", 0.5),
        ("np.testing.assert_almost_equal(f(), 2, decimal=1)", 0.1),
        ("assert math.isclose(f(), 2, rel_tol=0.3)", 0.3),
        ("assert f() == 2", None),
    ],
)
def test_tolerances(statement: str, tolerance: float | None) -> None:
    assert assertion(statement).tolerance == (None if tolerance is None else pytest.approx(tolerance))


@pytest.mark.parametrize(
    ("lines", "reachable"),
    [
        (["return", "assert f() == 1"], False),
        (["raise E", "assert f() == 1"], False),
        (["sys.exit(0)", "assert f() == 1"], False),
        (["pytest.skip()", "assert f() == 1"], False),
        (["if False:", "    assert f() == 1"], False),
        (["if not 1:", "    assert f() == 1"], False),
        (["if True:", "    pass", "else:", "    assert f() == 1"], False),
        (["while 0:", "    assert f() == 1"], False),
        (["for i in ():", "    assert f() == 1"], False),
        (["for i in x[:0]:", "    assert f() == 1"], False),
        (["if x:", "    return", "else:", "    return", "assert f() == 1"], False),
        (["with open(x):", "    return", "assert f() == 1"], False),
        (["try:", "    pass", "finally:", "    return", "assert f() == 1"], False),
        (["def g():", "    assert f() == 1"], False),
        (["def g():", "    assert f() == 1", "g()"], True),
        (["def g():", "    assert f() == 1", "run(g)"], True),
        (["def g():", "    assert f() == 1", "run(target=g)"], True),
        (["with pytest.raises(E):", "    raise E", "assert f() == 1"], True),
        (["try:", "    raise E", "except E:", "    pass", "assert f() == 1"], True),
        (["for i in x:", "    continue", "assert f() == 1"], True),
        (["if x:", "    return", "assert f() == 1"], True),
    ],
)
def test_reachability(lines: list[str], reachable: bool) -> None:
    (found,) = [each for each in body(*lines).assertions if "f() ==" in each.text]
    assert found.reachable is reachable


@pytest.mark.parametrize(
    ("lines", "swallowed"),
    [
        (["try:", "    assert f() == 1", "except AssertionError:", "    pass"], True),
        (["try:", "    assert f() == 1", "except (KeyError, Exception):", "    log()"], True),
        (["E = AssertionError", "try:", "    assert f() == 1", "except:", "    ..."], True),
        (["try:", "    assert f() == 1", "except Exception:", "    if False:", "        raise"], True),
        (["for i in x:", "    try:", "        assert f() == 1", "    finally:", "        continue"], True),
        (["with contextlib.suppress(Exception):", "    assert f() == 1"], True),
        (["with pytest.raises(AssertionError):", "    assert f() == 1"], True),
        (["with self.assertRaises(Exception):", "    assert f() == 1"], True),
        (["try:", "    assert f() == 1", "except KeyError:", "    pass"], False),
        (["try:", "    assert f() == 1", "except AssertionError:", "    print(x)", "    raise"], False),
        (["try:", "    assert f() == 1", "except AssertionError as e:", "    pytest.fail(str(e))"], False),
        (["try:", "    assert f() == 1", "finally:", "    close()"], False),
        (["with contextlib.suppress(KeyError):", "    assert f() == 1"], False),
        (["with pytest.raises(KeyError):", "    assert f() == 1"], False),
    ],
)
def test_swallowing(lines: list[str], swallowed: bool) -> None:
    (found,) = [each for each in body(*lines).assertions if "f() ==" in each.text]
    assert found.swallowed is swallowed


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def test_a(): f()", {"test_a": True}),
        ("def testable(): f()", {"testable": True}),
        ("def _test_a(): f()", {"_test_a": False}),
        ("def my_test(): f()", {"my_test": False}),
        ("async def test_a(): f()", {"test_a": True}),
        ("def test_a(): f()\ntest_a = None", {"test_a": False}),
        ("def test_a(): f()\ndel test_a", {"test_a": False}),
        ("def test_a(): f()\ndel globals()['test_a']", {"test_a": False}),
        ("def test_a(): f()\ntest_a = wrap(test_a)", {"test_a": True}),
        ("def test_a(): f()\ntest_a.__test__ = False", {"test_a": False}),
        ("if False:\n    def test_a(): f()", {"test_a": False}),
        ("if __name__ == '__main__':\n    def test_a(): f()", {"test_a": False}),
        ("if LINUX:\n    def test_a(): f()", {"test_a": True}),
        ("try:\n    def test_a(): f()\nexcept E: pass", {"test_a": True}),
        ("import pytest\n@pytest.fixture\ndef test_a(): f()", {"test_a": False}),
        ("class TestA:\n    def test_a(self): f()", {"TestA > test_a": True}),
        ("class TestA:\n    class TestB:\n        def test_a(self): f()", {"TestA > TestB > test_a": True}),
        ("class TestA:\n    def __init__(self): pass\n    def test_a(self): f()", {"TestA > test_a": False}),
        ("class TestA:\n    __test__ = False\n    def test_a(self): f()", {"TestA > test_a": False}),
        ("class TestA:\n    def test_a(self): f()\nTestA.__test__ = False", {"TestA > test_a": False}),
        ("class TestA:\n    def test_a(self): f()\ndel TestA.test_a", {"TestA > test_a": False}),
        ("class TestA:\n    def test_a(self): f()\nsetattr(TestA, 'test_a', None)", {"TestA > test_a": False}),
        ("class TestA:\n    @property\n    def test_a(self): f()", {"TestA > test_a": False}),
        ("class Other:\n    def test_a(self): f()", {"Other > test_a": False}),
        ("import unittest\nclass Other(unittest.TestCase):\n    def test_a(self): f()", {"Other > test_a": True}),
        ("from x import BaseCase\nclass Other(BaseCase):\n    def test_a(self): f()", {"Other > test_a": True}),
        ("class Mixin:\n    def test_a(self): f()\nclass TestA(Mixin): pass", {"Mixin > test_a": True}),
        ("def outer():\n    def test_a(): f()", {}),
        ("test_data = {'a': 1}", {}),
        ("# def test_a(): pass", {}),
    ],
)
def test_what_is_collected(text: str, names: dict[str, bool]) -> None:
    assert {test.identity: test.collected for test in read(text).tests} == names


def test_a_second_definition_takes_the_name() -> None:
    first, second = read("def test_a():\n    assert f() == 1\n\ndef test_a():\n    assert g() == 1\n").tests
    assert (first.collected, second.collected) == (False, True)


@pytest.mark.parametrize(
    ("decorators", "cases"),
    [
        ([], 1),
        (["pytest.mark.parametrize('a', [1, 2, 3])"], 3),
        (["pytest.mark.parametrize('a, b', [(1, 2), (3, 4)])", "pytest.mark.parametrize('c', [1, 2])"], 4),
        (["pytest.mark.parametrize(['a', 'b'], ((1, 2),))"], 1),
        (["pytest.mark.parametrize('a', ROWS)"], 2),
        (["pytest.mark.parametrize('a', [*ROWS, 3])"], None),
        (["pytest.mark.parametrize('a', ROWS + [3])"], None),
        (["pytest.mark.parametrize('a', range(2, 7))"], 5),
        (["pytest.mark.parametrize('a', range(0, n))"], None),
        (["pytest.mark.parametrize('a', [pytest.param(1, id='x'), 2])"], 2),
        (["pytest.mark.parametrize('a', load())"], None),
        (["pytest.mark.parametrize('a', [n for n in load()])"], None),
        (["pytest.mark.parametrize('a', [])"], 0),
    ],
)
def test_cases(decorators: list[str], cases: int | None) -> None:
    head = "import pytest\nROWS = [1, 2]\n"
    text = (
        head + "".join(f"@{each}\n" for each in decorators) + "def test_a(a=1, b=1, c=1):\n    assert f(0) == 1\n"
    )
    assert only(text).cases == cases


def test_cases_of_sub_tests_and_of_fixtures() -> None:
    loop = "class TestA(TestCase):\n    def test_a(self):\n        for n in [1, 2, 3]:\n            with self.subTest(n):\n                self.assertEqual(f(n), 1)\n"
    assert only(loop).cases == 3
    fixture = "import pytest\n@pytest.fixture(params=[1, 2])\ndef n(request): return request.param\ndef test_a(n): assert f(n) == 1\n"
    assert only(fixture).cases == 2


def test_each_case_is_written_out() -> None:
    test = only(
        "import pytest\n@pytest.mark.parametrize('a, b', [(1, 2), (3, 4)])\ndef test_a(a, b):\n    r = f(a)\n    assert r == b\n"
    )
    assert [(each.subject, each.expected) for each in test.assertions] == [("f(1)", "2"), ("f(3)", "4")]


def test_a_helper_counts_for_its_caller() -> None:
    text = "def check(a, b=2):\n    assert a.x == b\n\ndef test_a():\n    check(f(1))\n    check(f(2), 3)\n"
    assert [(each.subject, each.expected) for each in only(text).assertions] == [("f(1).x", "2"), ("f(2).x", "3")]
    assert [
        each.text for each in only("def check(a):\n    pass\n\ndef test_a():\n    check(f(1))\n").assertions
    ] == ["runs without an error"]


def test_methods_and_predicates_are_helpers_too() -> None:
    method = "class TestA:\n    def check(self, a):\n        assert a == 1\n\n    def test_a(self):\n        self.check(f())\n"
    assert [each.subject for each in only(method).assertions] == ["f()"]
    fine = "def fine(a):\n    return a == 1\n\ndef test_a():\n    assert fine(f())\n"
    assert [(each.subject, each.expected) for each in only(fine).assertions] == [("f()", "1")]
    assert only(fine.replace("a == 1", "True")).assertions[0].strength is VACUOUS


def test_a_helper_that_nobody_calls_here_is_no_test() -> None:
    test = only("def assert_fine(x):\n    assert x.ok == 1\n")
    assert (test.identity, test.collected, len(test.assertions)) == ("assert_fine", False, 1)


def test_recursion_ends() -> None:
    assert (
        only("def check(a):\n    assert a == 1\n    check(a)\n\ndef test_a():\n    check(f())\n").assertions != ()
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("assert f(1)==2", "assert (f( 1 ) == 2), 'message'"),
        ("assert f('a') == 2", 'assert f("a") == 2'),
        ("assert f(1_000) == 0x10", "assert f(1000) == 16"),
        ("assert f(a, b) == [1, 2]", "assert f(\n    a,\n    b,\n) == [\n    1,\n    2,\n]"),
        ("self.assertEqual(a, b)", "self.assertEqual(a, b, msg='why')"),
        ("assert 'ab' in f()", "assert ('a' 'b') in f()"),
    ],
)
def test_reformatting_changes_no_text(old: str, new: str) -> None:
    assert assertion(old).text == assertion(new).text


def skips(text: str) -> list[tuple[str, bool]]:
    return [(skip.kind, skip.conditional) for skip in only(text).skips]


@pytest.mark.parametrize(
    ("decorator", "found"),
    [
        ("pytest.mark.skip", [("skip", False)]),
        ("pytest.mark.xfail(raises=KeyError)", [("xfail", False)]),
        ("pytest.mark.xfail(False, reason='x')", []),
        ("pytest.mark.skipif(X, reason='x')", [("skip", True)]),
        ("pytest.mark.skipif(False, reason='x')", []),
        ("pytest.mark.skipif(__debug__ or True, reason='x')", [("skip", False)]),
        ("pytest.mark.skipif(not X or True, reason='x')", [("skip", False)]),
        ("pytest.mark.skipif('not False')", [("skip", False)]),
        ("pytest.mark.skipif(sys.version_info < (3, 6), reason='')", []),
        ("pytest.mark.skipif(sys.version_info < (3, 12), reason='')", [("skip", True)]),
        ("unittest.skipUnless(0, 'x')", [("skip", False)]),
        ("unittest.skipUnless(X, 'x')", [("skip", True)]),
        ("pytest.Mark('skip', (), {})", [("skip", False)]),
        ("pytest.mark.skip.with_args(reason='x')", [("skip", False)]),
        ("pytest.mark.quarantine", [("disabled", True)]),
        ("pytest.mark.slow", []),
        ("pytest.mark.usefixtures('skip')", []),
        ("mock.patch('x.skip')", []),
    ],
)
def test_skips_by_decorator(decorator: str, found: list[tuple[str, bool]]) -> None:
    assert skips(f"import pytest, unittest, sys\n\n@{decorator}\ndef test_a():\n    assert f() == 1\n") == found


def test_a_name_that_is_bound_in_a_branch_is_no_constant() -> None:
    head = "import pytest\ntry:\n    import ctypes\nexcept ImportError:\n    ctypes = None\n\n"
    assert skips(head + "@pytest.mark.xfail(ctypes is None)\ndef test_a():\n    assert f() == 1\n") == [
        ("xfail", True)
    ]


def test_a_generator_is_no_test_of_pytest() -> None:
    assert skips("def test_a():\n    yield f\n    assert f() == 1\n") == [("xfail", False)]


def test_fixtures_are_followed() -> None:
    text = "import pytest\n@pytest.fixture\ndef low(): pytest.skip('x')\n@pytest.fixture\ndef high(low): return 1\ndef test_a(high): assert f(high) == 1\n"
    assert [(each.kind, each.line) for each in only(text).skips] == [("skip", 3)]


def test_lines_are_those_of_the_file() -> None:
    first, second = read(
        "import pytest\n\ndef test_a():\n    assert f() == 1\n\n@pytest.mark.skip\ndef test_b():\n    assert g() == 1\n"
    ).tests
    assert (first.line, first.end_line, first.assertions[0].line) == (3, 4, 4)
    assert (second.line, second.skips[0].line, second.assertions[0].line) == (7, 6, 8)


def test_what_is_no_python() -> None:
    code = read_python("def test_a(:\n    pass\n")
    assert code.tests == ()
    assert code.skips == (Skip("disabled", 1, "a syntax error"),)
    assert code.problems != ()


@pytest.mark.parametrize(
    "text",
    [
        "", "\x00", "\ufeffdef test_a(): pass", "x = '\udc80'", "(" * 500, "-" * 5000 + "1", "a" + ".b" * 5000, "a" + "[0]" * 3000,
        "assert " + "+".join(["1"] * 5000) + "\n", "def test_a():\n    assert " + " and ".join(["x == 1"] * 3000),
        "def test_a():\n    assert " + "not " * 2000 + "x", "def test_a():\n    assert f" + "(f" * 90 + ")" * 90 + " == 1",
        "x = 0x" + "f" * 9000 + "\ndef test_a():\n    assert f() == x", "def test_a():\n    assert '{'.format(1) == '%' % 1",
        "def test_a():\n    x = y = 1\n" + "".join("    x = x + x\n" for _ in range(200)) + "    assert f(x) == 1",
        "def test_a():\n    assert f() == 'a' * 10 ** 10", "def test_a():\n    assert f() == 10 ** 10 ** 10",
        "skip = skip\n@skip\ndef test_a(): pass", "a = b\nb = a\n@a\ndef test_a(): pass", "class A(A):\n    def test_a(self): self.b()",
        "class A(B): pass\nclass B(A):\n    def test_a(self): self.c()",
    ],
)  # fmt: skip
def test_nothing_makes_it_raise(text: str) -> None:
    assert read_python(text).language == "python"


_WORDS = st.sampled_from(
    "def test_a ( ) : \n \n\n \n     assert x == 1 not in is None True lambda : [ ] { } , . @pytest.mark.skip import pytest if"
    " else for try except with return raise yield await async class TestA ( f'{x}' 'a' % * ** self.assertEqual(1, 2) while"
    " pytest.raises(E): pytestmark = del global".split(" ")
)


@examples(300)
@given(st.one_of(st.text(), st.lists(_WORDS, max_size=60).map(" ".join)))
def test_it_never_raises(text: str) -> None:
    code = read_python(text)
    assert isinstance(code, TestCode)
    assert all(isinstance(each.line, int) for test in code.tests for each in test.assertions)
