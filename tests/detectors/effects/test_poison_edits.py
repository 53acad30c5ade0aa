"""Edits of tests: what must fail fails, what stays means the same, and everything can still be read."""

import ast
import itertools

import pytest
from ast_grep_py import SgRoot

from assay.detectors.effects.mutants import SourceText
from assay.detectors.effects.poison.edits import Dice, Fate, edited
from assay.detectors.effects.poison.find import spots_in
from assay.detectors.effects.poison.spots import Spot
from tests.sampling import SEARCHING

PATHS = {"python": "tests/test_a.py", "javascript": "a.test.js", "typescript": "a.test.ts", "go": "a_test.go"}
FAILS, SAME, AT_ONCE = Fate.FAILS, Fate.SAME, Fate.FAILS_AT_ONCE
EACH = list(itertools.product(range(6 if SEARCHING else 2), (FAILS, SAME, AT_ONCE)))


def spots(language: str, text: str) -> list[Spot]:
    return spots_in(SourceText(PATHS[language], language, text))


def with_role(language: str, text: str, role: Fate, seed: int = 0) -> str:
    found = spots(language, text)
    assert found, text
    return edited(text, [(spot, role) for spot in found], Dice(f"{role}{seed}"))


# Bodies of a test that passes. ``f`` returns its argument.
PYTHON = {
    "an assertion": "assert f(2)",
    "a comparison": "assert f(2) == 2",
    "a comparison of text, with a message": "assert f('a') == 'a', 'message'",
    "a negated assertion": "assert not f(0)",
    "an assertion on several lines": "assert (\n        f(1) and\n        f(2)\n    )",
    "a chain": "assert 1 < f(2) < 3",
    "a value that comes once": "ones = iter([1])\n    assert next(ones) == 1",
    "a raised error": "try:\n        f()\n    except TypeError:\n        pass",
    "a loop": "for one in (1, 2):\n        assert f(one) == one",
    "an early return": "if f(1):\n        return\n    assert False",
    "something after the assertion": "assert f(1) == 1\n    f(2)",
    "a docstring alone": "'''Nothing.'''",
    "a docstring and a block": "'''Something.'''\n    if f(1):\n        pass",
    "a comment at the end": "f(1)  # ends",
    "nothing": "pass",
    "an inner function": "def inner():\n        return 1\n    assert inner() == 1",
    "a walrus": "assert (one := f(1)) and one",
    "a lambda": "assert (lambda: f(1))()",
}  # fmt: skip
METHODS = {
    "assertEqual": "self.assertEqual(f(2), 2)",
    "turned": "self.assertEqual('a', f('a'))",
    "with a message": "self.assertEqual(f(2), 2, 'message')",
    "by name": "self.assertEqual(first=f(2), second=2)",
    "no literal": "self.assertEqual(f([1]), [1])",
    "assertTrue": "self.assertTrue(f(1))",
    "a generator": "self.assertTrue(one for one in (1,))",
    "assertIn": "self.assertIn(f(1), (\n            1,\n        ))",
    "assertRaises": "with self.assertRaises(TypeError):\n            f()",
    "assertGreater": "self.assertGreater(f(2), 1)",
    "assertCountEqual": "self.assertCountEqual([f(1)], [1])",
}


def outcome(text: str, method: bool) -> bool:
    """Whether the test in a text passes."""
    names: dict[str, object] = {"f": lambda one: one}
    exec(compile(text, "x", "exec"), names)  # noqa: S102 - our own text
    try:
        if method:
            case = names["TestIt"]("test_it")  # type: ignore[operator]
            case.test_it()
        else:
            names["test_it"]()  # type: ignore[operator]
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize(("seed", "role"), EACH)
@pytest.mark.parametrize("name", PYTHON)
def test_functions(name: str, seed: int, role: Fate) -> None:
    text = f"def test_it():\n    {PYTHON[name]}\n\n\ndef other():\n    pass\n"
    assert outcome(text, method=False)
    assert outcome(with_role("python", text, role, seed), method=False) is (role is SAME)


@pytest.mark.parametrize(("seed", "role"), EACH)
@pytest.mark.parametrize("name", METHODS)
def test_methods(name: str, seed: int, role: Fate) -> None:
    text = (
        f"import unittest\n\n\nclass TestIt(unittest.TestCase):\n    def test_it(self):\n        {METHODS[name]}\n"
    )
    assert outcome(text, method=True)
    assert outcome(with_role("python", text, role, seed), method=True) is (role is SAME)


@pytest.mark.parametrize("name", ["a comparison", "an assertion", "a chain"])
def test_a_broken_program_passes_what_was_turned_around(name: str) -> None:
    """So that running edited tests honestly, and only those, is found as well."""
    text = f"def test_it():\n    {PYTHON[name]}\n".replace("f(2)", "f(0)")
    assert not outcome(text, method=False)
    assert outcome(with_role("python", text, FAILS), method=False)


def test_edits_keep_the_lines_of_simple_statements() -> None:
    text = "def test_it():\n    f(1)\n    f(2)\n"
    assert all(with_role("python", text, role).count("\n") == 3 for role in Fate)


def test_no_two_edits_are_the_same() -> None:
    text = "def test_it():\n    f(1)\n"
    assert len({with_role("python", text, role, seed) for seed in range(20) for role in (FAILS, SAME)}) == 40


def test_an_async_test_is_not_plain() -> None:
    text = "async def test_a():\n    assert await f(1) == 1\n\n\n@calm\ndef test_b():\n    pass\n"
    text += "\n\ndef test_c():\n    pass\n"
    assert {spot.name: spot.plain for spot in spots("python", text)} == {
        "tests.test_a.test_a": False,
        "tests.test_a.test_b": False,
        "tests.test_a.test_c": True,
    }
    for role in Fate:
        ast.parse(with_role("python", text, role))


def test_a_property_is_left_alone() -> None:
    text = "@given(st.integers())\ndef test_a(n):\n    assert n == n\n\n\ndef test_b():\n    pass\n"
    assert [spot.name for spot in spots("python", text)] == ["tests.test_a.test_b"]


JAVASCRIPT = """\
describe("a sum", () => {
  it("adds", async () => {
    const total = await sum(1, 2)
    expect(total).toBe(3)
  });
  test('says "no"', () => expect(sum).not.toThrow());
  test("is a text", function () { expect(text()).toEqual("abc"); });
});
test("equals", () => { assert.equal(sum(1, 2), 3); });
test("equals in depth", (t) => { assert.deepStrictEqual([sum(1, 2)], [3]) });
test("holds", () => assert.ok(sum(1, 2) > 2, "message"));
test("returns", () => { return later().then(() => expect(1).toBe(1)); });
test("counts", () => { expect.assertions(1); expect(a).toBe(1); });
test("nothing", () => {});
test.each([1])("row %s", (n) => expect(n).toBe(1));
test.skip("later", () => {});
test(`made ${up}`, () => {});
"""
TYPESCRIPT = JAVASCRIPT.replace("const total =", "const total: number =")
GO = """\
package sum

import "testing"

func TestSum(t *testing.T) {
	if got := Sum(1, 2); got != 3 {
		t.Errorf("got %d", got)
	}
}

func TestRows(tt *testing.T) {
	for _, row := range rows {
		tt.Run(row.name, func(t *testing.T) { return })
	}
}

func TestEarly(t *testing.T) {
	if short {
		return
	}
	t.Log("long")
}

func TestMain(m *testing.M) {}

func helper(t *testing.T) {}
"""
TITLES = ["adds", 'says "no"', "is a text", "equals", "equals in depth", "holds", "returns", "counts", "nothing"]
NAMES = {"javascript": TITLES, "typescript": TITLES, "go": ["TestSum", "TestRows", "TestEarly"]}
TEXTS = {"javascript": JAVASCRIPT, "typescript": TYPESCRIPT, "go": GO}


@pytest.mark.parametrize("language", TEXTS)
def test_the_tests_of_a_file(language: str) -> None:
    assert [spot.name for spot in spots(language, TEXTS[language])] == NAMES[language]


@pytest.mark.parametrize(("seed", "role"), EACH)
@pytest.mark.parametrize("language", TEXTS)
def test_edited_files_can_be_read(language: str, seed: int, role: Fate) -> None:
    text = with_role(language, TEXTS[language], role, seed)
    assert text != TEXTS[language]
    root = SgRoot(text, language).root()
    assert root.find(kind="ERROR") is None
    assert [spot.name for spot in spots(language, text)] == NAMES[language]


def one(language: str, text: str, role: Fate) -> str:
    """The only test of a text, with everything that is random left out."""
    made = {with_role(language, text, role, seed) for seed in range(30)}
    return min(made, key=len)


def test_assertions_of_javascript_are_turned_around() -> None:
    expectation = 'test("a", () => { expect(f()).toContain(1) })'
    assert one("javascript", expectation, FAILS) == 'test("a", () => { expect(f()).not.toContain(1) })'
    pair = 'test("a", () => { assert.deepEqual(f(), [1]) })'
    assert one("javascript", pair, FAILS) == 'test("a", () => { assert.notDeepEqual(f(), [1]) })'
    truth = 'test("a", () => assert(f()))'
    assert one("javascript", truth, FAILS) == 'test("a", () => assert(!(f())))'
    assert one("javascript", truth, SAME) == 'test("a", () => assert(!!(f())))'


def test_a_condition_of_go_is_turned_around() -> None:
    text = "package a\n\nfunc TestA(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Fatal(1)\n\t}\n}\n"
    assert one("go", text, FAILS) == text.replace("f() != 1", "!(f() != 1)")
    assert one("go", text, SAME) == text.replace("f() != 1", "(f() != 1)")


def test_what_a_test_in_go_fails_with_has_its_own_name() -> None:
    rows = next(spot for spot in spots("go", GO) if spot.name == "TestRows")
    assert "tt.Fatal(" in edited(GO, [(rows, FAILS)], Dice("x"))


def test_other_languages_have_no_tests_here() -> None:
    assert spots_in(SourceText("a.rb", "ruby", "def test_a\nend\n")) == []
