"""What is a test in JavaScript, what it is called, how often it runs and what it asserts in all."""

NO_TESTS = [
    "// it('c', () => {})\n/* it('d', () => {}) */ 'it(\"e\")'",
    "/x/.test('c'); regex.test('d', () => {})",
]

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
    ("for (const x of xs) { it('c', () => {}) }", ["c"]),
]

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
