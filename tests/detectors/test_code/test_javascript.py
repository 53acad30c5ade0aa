"""What is particular to the reader of tests in JavaScript and TypeScript."""

import pytest

from assay.detectors.test_code.engine.reader import read
from assay.detectors.test_code.languages.javascript import LANGUAGE, TSX
from assay.detectors.test_code.model import Strength
from tests.detectors.test_code.languages import JAVASCRIPT, TYPESCRIPT

VACUOUS, EXACT = Strength.VACUOUS, Strength.EXACT


def test_a_type_hides_no_skip() -> None:
    (skip,) = TYPESCRIPT.only("(it as any).skip('t', () => {})").skips
    assert (skip.kind, skip.conditional) == ("skip", False)


def test_a_group_without_anything_in_it_is_told() -> None:
    assert [skip.kind for skip in read(LANGUAGE, "describe('a', () => {})").skips] == ["disabled"]
    assert read(LANGUAGE, "describe('a', () => { runsSharedTests() })").skips == ()


DIFFERENT = [
    ("expect((a + b) * c).toBe(3)", "expect(a + b * c).toBe(3)"),
    ("expect(a - (b - c)).toBe(3)", "expect(a - b - c).toBe(3)"),
    ("expect(!(a === b)).toBe(true)", "expect(!a === b).toBe(true)"),
    ("expect(got).toBe('a b')", "expect(got).toBe('a  b')"),
    ("expect(f(a, b)).toBe(3)", "expect(f([a, b])).toBe(3)"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_means_something_else_stays_different(one: str, other: str) -> None:
    assert JAVASCRIPT.assertion(one).text != JAVASCRIPT.assertion(other).text


def test_functions_and_hooks_count_for_the_tests_that_run_them() -> None:
    code = read(
        LANGUAGE,
        "function valid(x) { expect(x.ok).toBe(true) }\n"
        "describe('d', () => {\n afterEach(() => { expect(spy).toHaveBeenCalled() });\n"
        " it('a', () => { valid(got) })\n});\n"
        "it('b', () => {})",
    )
    found = {test.identity: [assertion.subject for assertion in test.assertions] for test in code.tests}
    assert found == {"d > a": ["spy", "got.ok"], "b": []}


def test_a_redefined_expect_demands_nothing() -> None:
    test = JAVASCRIPT.only("const expect = () => ({ toBe() {} }); it('t', () => { expect(a).toBe(1) })")
    assert [assertion.strength for assertion in test.assertions] == [VACUOUS]


def test_an_assertion_of_playwright_needs_its_await() -> None:
    head = "import { test, expect } from '@playwright/test'; test('t', async ({ page }) => { "
    lost = TYPESCRIPT.only(head + "expect(page.locator('a')).toHaveText('x') })")
    kept = TYPESCRIPT.only(head + "await expect(page.locator('a')).toHaveText('x') })")
    assert [found.swallowed for found in (*lost.assertions, *kept.assertions)] == [True, False]


def test_names_of_nodes_own_assert_are_followed() -> None:
    test = JAVASCRIPT.only("import { strictEqual as same } from 'node:assert'; it('t', () => { same(got, 3) })")
    assert [found.strength for found in test.assertions] == [EXACT]


def test_typescript_and_jsx_parse() -> None:
    typed = TYPESCRIPT.read("it<Foo>('t', (): void => { expect<number>(got as number).toBe(3 satisfies number) })")
    jsx = read(TSX, "it('t', () => { render(<App title='x'>don't</App>); expect(a).toBe(1) })")
    assert (typed.problems, jsx.problems) == ((), ())
    assert [found.strength for test in (*typed.tests, *jsx.tests) for found in test.assertions] == [EXACT, EXACT]
