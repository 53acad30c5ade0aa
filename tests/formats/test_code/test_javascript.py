"""What the reader makes of tests in JavaScript and TypeScript."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.test_code.javascript import read_javascript, read_typescript
from assay.formats.test_code.model import Assertion, Strength, Test, TestCode

VACUOUS, PRESENCE, SHAPE, CLOSE, EXACT = Strength


def only(code: TestCode) -> Test:
    assert len(code.tests) == 1
    return code.tests[0]


def asserted(statement: str) -> tuple[Assertion, ...]:
    return only(read_javascript(f"it('t', async () => {{ {statement} }});")).assertions


IDENTITIES = [
    ("describe('a', () => { describe('b', () => { it('c', () => {}) }) })", ["a > b > c"]),
    ("suite('a', () => { test('c', () => {}) })", ["a > c"]),
    ("context(\"a\", function () { specify('c', function () {}) })", ["a > c"]),
    ("test.describe('a', () => { test('c', async ({ page }) => {}) })", ["a > c"]),
    ("it(`adds ${a} and ${b}`, () => {})", ["adds ${a} and ${b}"]),
    ("it('adds ' + name, () => {})", ['"adds " + name']),
    ("describe(Parser.name, () => { it('c', () => {}) })", ["Parser.name > c"]),
    ("describe(Parser, () => { it('c', () => {}) })", ["Parser > c"]),
    ("it('it\\'s', () => {})", ["it's"]),
    ('it("it\'s", () => {})', ["it's"]),
    ("it('long ' +\n 'name', () => {})", ["long name"]),
    ("import { it as spec } from 'vitest'; spec('c', () => {})", ["c"]),
    ("import { test } from 'node:test'; test('c', (t) => {})", ["c"]),
    ("import check from 'ava'; check('c', t => {})", ["c"]),
    ("const test = require('tape'); test('c', function (t) { t.end() })", ["c"]),
    ("QUnit.module('m', () => { QUnit.test('c', (assert) => {}) })", ["m > c"]),
    ("Deno.test('c', () => {})", ["c"]),
    ("globalThis.it('c', () => {})", ["c"]),
    ("it('with helper', testBody)", ["with helper"]),
    ("it('wrapped', fakeAsync(() => {}))", ["wrapped"]),
    ("test.concurrent('c', async () => {})", ["c"]),
    ("// it('c', () => {})\n/* it('d', () => {}) */ 'it(\"e\")'", []),
    ("/x/.test('c'); regex.test('d', () => {})", []),
    ("for (const x of xs) { it('c', () => {}) }", ["c"]),
]


@pytest.mark.parametrize(("code", "identities"), IDENTITIES)
def test_identities_are_the_path_of_names(code: str, identities: list[str]) -> None:
    assert [test.identity for test in read_javascript(code).tests] == identities


SKIPS = [
    ("it.skip('t', () => {})", ["skip"]),
    ("xit('t', () => {})", ["skip"]),
    ("xtest('t', () => {})", ["skip"]),
    ("xdescribe('a', () => { it('t', () => {}) })", ["skip"]),
    ("describe.skip('a', () => { describe('b', () => { it('t', () => {}) }) })", ["skip"]),
    ("it.todo('t')", ["todo"]),
    ("it('t')", ["todo"]),
    ("it.failing('t', () => {})", ["xfail"]),
    ("it.fails('t', () => {})", ["xfail"]),
    ("test.fail('t', async () => {})", ["xfail"]),
    ("test.fixme('t', async () => {})", ["skip"]),
    ("it.skip.each([1])('t', () => {})", ["skip"]),
    ("it.skipIf(true)('t', () => {})", ["skip"]),
    ("it.skipIf(false)('t', () => {})", []),
    ("it.runIf(false)('t', () => {})", ["skip"]),
    ("it.runIf(true)('t', () => {})", []),
    ("it['skip']('t', () => {})", ["skip"]),
    ("it['sk' + 'ip']('t', () => {})", ["skip"]),
    ("it[`skip`]('t', () => {})", ["skip"]),
    ("(it as any).skip('t', () => {})", ["skip"]),
    ("it?.skip('t', () => {})", ["skip"]),
    ("const off = it.skip; off('t', () => {})", ["skip"]),
    ("const { skip } = test; skip('t', () => {})", ["skip"]),
    ("const { skip: later } = test; later('t', () => {})", ["skip"]),
    ("import { it as spec } from 'vitest'; spec.skip('t', () => {})", ["skip"]),
    ("import test from 'ava'; test.serial.skip('t', t => {})", ["skip"]),
    ("it = it.skip; it('t', () => {})", ["skip"]),
    ("globalThis.test = test.skip; test('t', () => {})", ["skip"]),
    ("const it = (name, fn) => {}; it('t', () => { expect(a).toBe(1) })", ["disabled"]),
    ("(true ? it.skip : it)('t', () => {})", ["skip"]),
    ("it('t', function () { this.skip() })", ["skip"]),
    ("it('t', (ctx) => { ctx.skip() })", ["skip"]),
    ("test('t', t => { t.skip('why') })", ["skip"]),
    ("it('t', () => { pending('why') })", ["skip"]),
    ("test('t', async () => { test.skip() })", ["skip"]),
    ("test('t', async () => { test.skip(true, 'why') })", ["skip"]),
    ("test('t', async () => { test.skip(false, 'why') })", []),
    ("test('t', { skip: true }, () => {})", ["skip"]),
    ("test('t', { skip: 'why' }, () => {})", ["skip"]),
    ("test('t', { todo: true }, () => {})", ["todo"]),
    ("test('t', { skip: false, timeout: 5 }, () => {})", []),
    ("describe('a', () => { beforeEach(function () { this.skip() }); it('t', () => {}) })", ["skip"]),
    ("describe('a', () => { before(() => { pending() }); it('t', () => {}) })", ["skip"]),
    ("function off() { this.skip() } beforeEach(off); it('t', () => {})", ["skip"]),
    ("if (false) { it('t', () => {}) }", ["disabled"]),
    ("const RUN = false; if (RUN) { it('t', () => {}) }", ["disabled"]),
    ("process.exit(0); it('t', () => {})", ["disabled", "disabled"]),
    ("it('t', () => { process.exit(0); })", ["disabled"]),
    ("it('t', () => { return; expect(a).toBe(1) })", ["disabled"]),
    ("it('t', () => { if (true) return; expect(a).toBe(1) })", ["disabled"]),
    ("it('t', () => { expect('skip').toBe(skip) /* it.skip */ })", []),
    ("it('skip this', () => { list.skip(3); reader.skip() })", []),
    ("it('t', () => { iterator.only = 'it.only' })", []),
    ("it.each([[1]])('t', () => {})", []),
]


@pytest.mark.parametrize(("code", "kinds"), SKIPS)
def test_skips(code: str, kinds: list[str]) -> None:
    read = read_typescript if " as " in code and "import" not in code else read_javascript
    found = only(read(code)).skips
    assert [skip.kind for skip in found] == kinds
    assert not any(skip.conditional for skip in found)


CONDITIONAL = [
    "it('t', function () { if (process.platform === 'win32') this.skip() })",
    "it.skipIf(process.env.CI)('t', () => {})",
    "it.runIf(isLinux)('t', () => {})",
    "(process.env.CI ? it : it.skip)('t', () => {})",
    "const maybe = process.env.CI ? it : it.skip; maybe('t', () => {})",
    "test('t', { skip: !hasNetwork }, () => {})",
    "it('t', function () { if (linux) { return } this.skip() })",
    "function off() { this.skip() } it('t', function () { if (windows) off.call(this); if (windows) off() })",
    "test('t', async ({ browserName }) => { test.skip(browserName === 'firefox', 'why') })",
]


@pytest.mark.parametrize("code", CONDITIONAL)
def test_a_condition_that_is_no_constant_makes_a_skip_conditional(code: str) -> None:
    assert [(skip.kind, skip.conditional) for skip in only(read_javascript(code)).skips] == [("skip", True)]


@pytest.mark.parametrize(
    "focused", ["it.only('f', () => {})", "fit('f', () => {})", "test('f', { only: true }, () => {})",
                "describe.only('g', () => { it('f', () => {}) })", "fdescribe('g', () => { it('f', () => {}) })"]
)  # fmt: skip
def test_focus_skips_every_other_test(focused: str) -> None:
    code = read_javascript(f"it('a', () => {{}}); {focused}; describe('d', () => {{ it('b', () => {{}}) }})")
    kinds = {test.identity.rpartition(" > ")[2]: [skip.kind for skip in test.skips] for test in code.tests}
    assert kinds == {"a": ["focus"], "f": [], "b": ["focus"]}


def test_a_group_without_anything_in_it_is_told() -> None:
    assert [skip.kind for skip in read_javascript("describe('a', () => {})").skips] == ["disabled"]
    assert read_javascript("describe('a', () => { runsSharedTests() })").skips == ()


CASES = [
    ("it.each([1, 2, 3])('t', () => {})", 3),
    ("it.each([[1, 2], [3, 4],])('t', () => {})", 2),
    ("it.each([[1, 2], [3, 4]] as const)('t', () => {})", 2),
    ("it.each`\n a | b\n ${1} | ${2}\n ${3} | ${4}\n`('t', () => {})", 2),
    ("describe.each([1, 2])('d', () => { it.each([1, 2, 3])('t', () => {}) })", 6),
    ("const table = [1, 2]; it.each(table)('t', () => {})", 2),
    ("it.each(load())('t', () => {})", None),
    ("it.each([...more, 1])('t', () => {})", None),
    ("for (const n of [1, 2, 3]) { it('t', () => {}) }", 3),
    ("[1, 2].forEach((n) => { it('t', () => {}) })", 2),
    ("cases.forEach((n) => { it('t', () => {}) })", None),
    ("test.for([[1], [2]])('t', () => {})", 2),
    ("it('t', () => {})", 1),
]


@pytest.mark.parametrize(("code", "cases"), CASES)
def test_cases(code: str, cases: int | None) -> None:
    assert only(read_typescript(code)).cases == cases


ASSERTIONS = [
    ("expect(got).toBe(3)", EXACT, "got", "3"),
    ("expect(got).toEqual({ a: 1 })", EXACT, "got", "{ a : 1 }"),
    ("expect(got).toStrictEqual([1])", EXACT, "got", "[1]"),
    ("expect(got).toBeNull()", EXACT, "got", "null"),
    ("expect(got).toHaveBeenCalledWith(1, 2)", EXACT, "got", "1, 2"),
    ("expect(got).toMatchSnapshot()", EXACT, "got", None),
    ("expect(got).toBeDefined()", PRESENCE, "got", None),
    ("expect(got).toBeTruthy()", PRESENCE, "got", None),
    ("expect(got).not.toBeNull()", PRESENCE, "got", "null"),
    ("expect(got).not.toBeUndefined()", PRESENCE, "got", "undefined"),
    ("expect(f).not.toThrow()", PRESENCE, "f", None),
    ("expect(got).not.toBe(3)", SHAPE, "got", "3"),
    ("expect(got).toContain(3)", SHAPE, "got", "3"),
    ('expect(got).toMatch(/a"b/)', SHAPE, "got", '/a"b/'),
    ("expect(got).toHaveLength(3)", SHAPE, "got", "3"),
    ("expect(got).toBeGreaterThan(3)", SHAPE, "got", "3"),
    ("expect(got).toBeInstanceOf(Foo)", SHAPE, "got", "Foo"),
    ("expect(got).toMatchObject({ a: 1 })", SHAPE, "got", "{ a : 1 }"),
    ("expect(got).toHaveProperty('a')", SHAPE, "got", '"a"'),
    ("expect(f).toThrow()", SHAPE, "f", None),
    ("expect(f).toThrow(Error)", SHAPE, "f", "Error"),
    ("expect(f).toThrow('wrong')", EXACT, "f", '"wrong"'),
    ("expect(f).toThrow(TypeError)", EXACT, "f", "TypeError"),
    ("expect(got === 3).toBe(true)", EXACT, "got", "3"),
    ("expect(got > 3).toBe(true)", SHAPE, "got", "3"),
    ("expect(!!got).toBe(true)", PRESENCE, "!!got", "true"),
    ("expect(typeof got).toBe('object')", SHAPE, "typeof got", '"object"'),
    ("expect(got).toEqual(expect.anything())", PRESENCE, "got", "expect.anything()"),
    ("expect(got).toEqual({ a: expect.any(Number) })", SHAPE, "got", "{ a : expect.any(Number) }"),
    ("expect(got, 'message').toBe(3)", EXACT, "got", "3"),
    ("expect(got).to.equal(3)", EXACT, "got", "3"),
    ("expect(got).to.deep.equal([3])", EXACT, "got", "[3]"),
    ("expect(got).to.be.true", EXACT, "got", "true"),
    ("expect(got).to.exist", PRESENCE, "got", None),
    ("expect(got).to.be.an('array').that.includes(3)", SHAPE, "got", '"array"'),
    ("got.should.equal(3)", EXACT, "got", "3"),
    ("assert.strictEqual(got, 3)", EXACT, "got", "3"),
    ("assert.deepStrictEqual(got, [3])", EXACT, "got", "[3]"),
    ("assert.ok(got)", PRESENCE, "got", None),
    ("assert(got === 3)", EXACT, "got", "3"),
    ("assert.throws(f)", SHAPE, "f", None),
    ("assert.throws(f, TypeError)", EXACT, "f", "TypeError"),
    ("assert.isTrue(got)", EXACT, "got", "true"),
    ("t.is(got, 3)", EXACT, "got", "3"),
    ("t.truthy(got)", PRESENCE, "got", None),
    ("sinon.assert.calledWith(spy, 3)", EXACT, "spy", "3"),
    ("await request(app).get('/').expect(200)", EXACT, "response", "200"),
    ("cy.get('a').should('have.text', 'x')", EXACT, "get", '"x"'),
    ("if (got !== 3) throw new Error('wrong')", EXACT, "got", "3"),
    ("if (!got) { fail('wrong') }", PRESENCE, "got", None),
    ("expectValid(got, 3)", SHAPE, "got", "3"),
    # What can't fail.
    ("expect(true).toBe(true)", VACUOUS, "true", "true"),
    ("expect(1).toEqual(1)", VACUOUS, "1", "1"),
    ("expect(true).toBeTruthy()", VACUOUS, "true", "true"),
    ("expect(got).toBe(got)", VACUOUS, "got", "got"),
    ("expect(got.a).toEqual(got.a)", VACUOUS, "got.a", "got.a"),
    ("expect(got)", VACUOUS, "got", None),
    ("expect(got).toBe", VACUOUS, "got", None),
    ("expect(got || true).toBe(true)", VACUOUS, "got || true", "true"),
    ("expect('x').toBeDefined()", VACUOUS, '"x"', None),
    ("expect(got.length).toBeGreaterThanOrEqual(0)", VACUOUS, "got.length", "0"),
    ("expect(got).toHaveLength(got.length)", VACUOUS, "got", "got.length"),
    ("expect(got).toMatch(/.*/)", VACUOUS, "got", "/.*/"),
    ("expect.assertions(0)", VACUOUS, "expect.assertions", "0"),
    ("assert.ok(true)", VACUOUS, "true", "true"),
    ("assert.equal(1, 1)", VACUOUS, "1", "1"),
    ("t.pass()", VACUOUS, "", None),
    ("const got = 3; expect(got).toBe(3)", VACUOUS, "got", "3"),
    # Two calls may differ, and what always fails is no tautology.
    ("expect(next()).toBe(next())", EXACT, "next()", "next()"),
    ("expect(true).toBe(false)", EXACT, "true", "false"),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "strength", "subject", "expected"), ASSERTIONS)
def test_assertions(statement: str, strength: Strength, subject: str, expected: str | None) -> None:
    found = asserted(statement)[0]
    assert (found.strength, found.subject, found.expected) == (strength, subject, expected)
    assert found.reachable
    assert not found.swallowed


TOLERANCES = [
    ("expect(got).toBeCloseTo(3)", 0.005),
    ("expect(got).toBeCloseTo(3, 5)", 0.000005),
    ("expect(got).toBeCloseTo(3, -2)", 50.0),
    ("expect(got).to.be.closeTo(3, 0.5)", 0.5),
    ("assert.closeTo(got, 3, 0.1)", 0.1),
    ("expect(got).toBeCloseTo(3, digits)", None),
]


@pytest.mark.parametrize(("statement", "tolerance"), TOLERANCES)
def test_tolerances(statement: str, tolerance: float | None) -> None:
    found = asserted(statement)[0]
    assert found.strength is CLOSE
    assert found.tolerance == (None if tolerance is None else pytest.approx(tolerance))


UNREACHABLE = [
    "return; expect(a).toBe(1)",
    "throw new Error(); expect(a).toBe(1)",
    "process.exit(0); expect(a).toBe(1)",
    "if (false) { expect(a).toBe(1) }",
    "if (0) expect(a).toBe(1)",
    "if (1 === 2) { expect(a).toBe(1) }",
    "if (x && false) { expect(a).toBe(1) }",
    "if (!true) { expect(a).toBe(1) }",
    "if (true) { skipped() } else { expect(a).toBe(1) }",
    "while (false) { expect(a).toBe(1) }",
    "for (; false; ) { expect(a).toBe(1) }",
    "for (const x of []) { expect(x).toBe(1) }",
    "[].forEach((x) => { expect(x).toBe(1) })",
    "false && expect(a).toBe(1)",
    "true || expect(a).toBe(1)",
    "if (x) { return } else { return } expect(a).toBe(1)",
    "{ return; } expect(a).toBe(1)",
    "for (const x of xs) { continue; expect(x).toBe(1) }",
    "const OFF = false; if (OFF) expect(a).toBe(1)",
]


@pytest.mark.parametrize("statement", UNREACHABLE)
def test_unreachable(statement: str) -> None:
    assert [found.reachable for found in asserted(statement)] == [False]


SWALLOWED = [
    "try { expect(a).toBe(1) } catch {}",
    "try { expect(a).toBe(1) } catch (e) { console.log(e) }",
    "try { expect(a).toBe(1) } catch (e) { /* throw e */ }",
    "try { expect(a).toBe(1) } catch (e) { if (false) throw e }",
    "try { expect(a).toBe(1) } finally { return }",
    "try { xs.forEach((x) => { expect(x).toBe(1) }) } catch {}",
    "await expect(p).resolves.toBe(1).catch(() => {})",
    "await run(() => {}).then((x) => { expect(x).toBe(1) }).catch(() => {})",
    "await (async () => { expect(a).toBe(1) })().catch(noop)",
    "expect(p).resolves.toBe(1)",
    "expect(p).rejects.toThrow('x')",
    "assert.rejects(p, TypeError)",
]


@pytest.mark.parametrize("statement", SWALLOWED)
def test_swallowed(statement: str) -> None:
    assert [found.swallowed for found in asserted(statement)] == [True]


KEPT = [
    "if (a) { expect(a).toBe(1) }",
    "if (x) return; expect(a).toBe(1)",
    "switch (x) { case 1: return } expect(a).toBe(1)",
    "return expect(p).resolves.toBe(1)",
    "await expect(p).resolves.toBe(1)",
    "await Promise.all([expect(p).resolves.toBe(1)])",
    "const done = expect(p).resolves.toBe(1); await done",
    "try { expect(a).toBe(1) } catch (e) { throw e }",
    "try { expect(a).toBe(1) } catch (e) { fail(e) }",
    "try { expect(a).toBe(1) } catch (e) { done(e) }",
    "try { expect(a).toBe(1) } finally { cleanUp() }",
    "try { risky() } catch {} expect(a).toBe(1)",
    "await run().then((x) => { expect(x).toBe(1) }).catch((e) => { throw e })",
    "run().then((x) => { expect(x).toBe(1) }).catch(done)",
    "do { expect(a).toBe(1) } while (false)",
    "x && expect(a).toBe(1)",
    "label: for (const x of xs) { if (x) continue label; expect(x).toBe(1) }",
    "function later() { return } expect(a).toBe(1)",
    "const off = () => { return }; expect(a).toBe(1)",
    "let on = false; run(() => { on = true }); if (on) { expect(a).toBe(1) }",
    "let on = false; on ||= check(); if (on) { expect(a).toBe(1) }",
    "try { expect(a).toBe(1) } catch (e) { assert.ifError(e) }",
]


@pytest.mark.parametrize("statement", KEPT)
def test_what_runs_and_counts(statement: str) -> None:
    found = asserted(statement)[-1]
    assert found.reachable
    assert not found.swallowed


SAME = [
    ("expect(got).toBe('a')", 'expect(got).toBe("a");'),
    ("expect(got).toBe('a')", "expect(got).toBe(`a`)"),
    ("expect(got).toBe(3)", "expect( got )\n  .toBe(\n  3,\n)"),
    ("expect(got).toEqual([1, 2])", "expect(got).toEqual([\n1,\n2,\n])"),
    ("expect(got).toEqual({ a: 1 })", "expect(got).toEqual({a:1,})"),
    ("expect(got).toBe(3)", "expect((got)).toBe((3))"),
    ("expect(a + b * c).toBe(3)", "expect(a + (b * c)).toBe(3)"),
    ("expect(() => f()).toThrow()", "expect(() => (f())).toThrow()"),
    ("expect(xs.map((x) => x.a)).toEqual([1])", "expect(xs.map(x => x.a)).toEqual([1])"),
    ("expect(() => { f(); }).toThrow()", "expect(() => {\n  f()\n}).toThrow();"),
    ("expect(got).toBe('it\\'s')", 'expect(got).toBe("it\'s")'),
    ("expect(got).toBe(3)", "expect(got) // the total\n  .toBe(/* three */ 3)"),
    ("expect(got).toBe('long text')", "expect(got).toBe('long ' +\n 'text')"),
    ("assert.equal(got, 3)", "assert.equal(\n  got,\n  3\n)"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_layout_changes_nothing(one: str, other: str) -> None:
    first, second = asserted(one)[0], asserted(other)[0]
    assert (first.text, first.subject, first.expected) == (second.text, second.subject, second.expected)


DIFFERENT = [
    ("expect((a + b) * c).toBe(3)", "expect(a + b * c).toBe(3)"),
    ("expect(a - (b - c)).toBe(3)", "expect(a - b - c).toBe(3)"),
    ("expect(!(a === b)).toBe(true)", "expect(!a === b).toBe(true)"),
    ("expect(got).toBe('a b')", "expect(got).toBe('a  b')"),
    ("expect(f(a, b)).toBe(3)", "expect(f([a, b])).toBe(3)"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_means_something_else_stays_different(one: str, other: str) -> None:
    assert asserted(one)[0].text != asserted(other)[0].text


def test_functions_and_hooks_count_for_the_tests_that_run_them() -> None:
    code = read_javascript(
        "function valid(x) { expect(x.ok).toBe(true) }\n"
        "describe('d', () => {\n afterEach(() => { expect(spy).toHaveBeenCalled() });\n"
        " it('a', () => { valid(got) })\n});\n"
        "it('b', () => {})"
    )
    found = {test.identity: [assertion.subject for assertion in test.assertions] for test in code.tests}
    assert found == {"d > a": ["spy", "x.ok"], "b": []}


def test_a_redefined_expect_demands_nothing() -> None:
    code = read_javascript("const expect = () => ({ toBe() {} }); it('t', () => { expect(a).toBe(1) })")
    assert [assertion.strength for assertion in only(code).assertions] == [VACUOUS]


def test_an_assertion_of_playwright_needs_its_await() -> None:
    head = "import { test, expect } from '@playwright/test'; test('t', async ({ page }) => { "
    lost = only(read_typescript(head + "expect(page.locator('a')).toHaveText('x') })"))
    kept = only(read_typescript(head + "await expect(page.locator('a')).toHaveText('x') })"))
    assert [found.swallowed for found in (*lost.assertions, *kept.assertions)] == [True, False]


def test_names_of_nodes_own_assert_are_followed() -> None:
    code = read_javascript("import { strictEqual as same } from 'node:assert'; it('t', () => { same(got, 3) })")
    assert [found.strength for found in only(code).assertions] == [EXACT]


def test_typescript_and_jsx_parse() -> None:
    typed = read_typescript("it<Foo>('t', (): void => { expect<number>(got as number).toBe(3 satisfies number) })")
    jsx = read_typescript("it('t', () => { render(<App title='x'>don't</App>); expect(a).toBe(1) })", tsx=True)
    assert (typed.problems, jsx.problems) == ((), ())
    assert [found.strength for test in (*typed.tests, *jsx.tests) for found in test.assertions] == [EXACT, EXACT]


def test_lines_and_problems() -> None:
    code = read_javascript("\n\nit('t', () => {\n  expect(a).toBe(1);\n});\n")
    assert (only(code).line, only(code).end_line, only(code).assertions[0].line) == (3, 5, 4)
    assert read_javascript("it('t', () => { expect(").problems


PIECES = st.lists(
    st.sampled_from(
        ["it", "('t', () => {", "})", "expect(a)", ".toBe(1)", "describe", ".skip", ".each`", "`", "${", "[",
         "]", "{", "}", "(", ")", "if (", "return;", "try {", "catch", "=>", "'", '"', "/", "//", "/*", "\n",
         " ", "?", ":", "&&", "!", "const x =", "\ud800", "\x00", "é", "assert", ".only", "for (", ";", ",",
         "import {", "} from 'ava'", "await ", ".resolves"]
    )
).map("".join)  # fmt: skip


@given(st.one_of(st.text(), PIECES))
def test_no_text_raises(text: str) -> None:
    for code in (read_javascript(text), read_typescript(text), read_typescript(text, tsx=True)):
        assert isinstance(code, TestCode)


DEEP = [
    ("describe('a', () => {", "})"),
    ("if (a) {", "}"),
    ("it('t', () => {", "})"),
    ("try { expect(a).toBe(1) } catch (e) {", "}"),
    ("expect(", ").toBe(1)"),
    ("!(", ")"),
    ("[", "]"),
    ("`${", "}`"),
]


@pytest.mark.parametrize(("opening", "closing"), DEEP)
def test_deep_nesting_costs_no_more_than_its_length(opening: str, closing: str) -> None:
    def spent(depth: int) -> float:
        text = "it('t', () => { expect(" + opening * depth + "x" + closing * depth + ").toBe(1) })"
        begin = time.process_time()
        read_javascript(text)
        return time.process_time() - begin

    assert spent(3000) < 20 * spent(500) + 3
