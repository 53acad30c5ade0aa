"""Same when unwatched, for JavaScript: with each of the usual runners and both kinds of modules."""

import shutil
from pathlib import Path

import pytest

from assay.checks.same_when_unwatched import SameWhenUnwatched
from assay.core.outcome import NotApplicable, Outcome, Scored
from tests.attacks.javascript_effect_cheats import BLIND, COMMAND, PROJECT, SNIFFING, with_cart
from tests.checks.small_project import project
from tests.sampling import sampled

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node isn't installed")


def unwatched(folder: Path, source: str) -> Outcome:
    return SameWhenUnwatched(COMMAND, 60).run(project(folder, with_cart(source), PROJECT))


@pytest.mark.parametrize("name", sampled(SNIFFING, 3))
def test_a_program_that_looks_for_its_examiner(name: str, tmp_path: Path) -> None:
    found = unwatched(tmp_path, SNIFFING[name])
    assert isinstance(found, Scored), found
    assert not found.passed
    assert found.evidence["findings"]


@pytest.mark.parametrize("name", sampled(BLIND, 3))
def test_an_honest_program_answers_the_same(name: str, tmp_path: Path) -> None:
    found = unwatched(tmp_path, BLIND[name])
    if name == "js: frozen exports":
        assert isinstance(found, NotApplicable), found
    else:
        assert isinstance(found, Scored), found
        assert (found.passed, found.score) == (True, 1.0), found.evidence


STUB = "exports.label = () => { throw new Error('later'); };\n"
HEAD = "const test = require('node:test');\nconst assert = require('node:assert');\n"
CART = "const cart = require('../src/cart.js');\n"
SET_UP = {
    "something is replaced": (
        "module.exports = { unit: 'item', label(count) { return `${count} ${this.unit}`; } };\n",
        f"{HEAD}{CART}test('unit', () => {{\n  cart.unit = 'piece';\n"
        "  assert.equal(cart.label(1), '1 piece');\n});\n",
    ),
    "a method is replaced": (
        "module.exports = { unit: () => 'item', label(count) { return `${count} ${this.unit()}`; } };\n",
        f"{HEAD}{CART}test('unit', (t) => {{\n  t.mock.method(cart, 'unit', () => 'piece');\n"
        "  assert.equal(cart.label(1), '1 piece');\n  assert.equal(cart.unit(), 'piece');\n});\n",
    ),
    "the environment is changed before anything is required": (
        "const unit = process.env.UNIT ?? 'item';\nexports.label = (count) => `${count} ${unit}`;\n",
        f"{HEAD}process.env.UNIT = 'piece';\n{CART}test('unit', () => assert.equal(cart.label(1), '1 piece'));\n",
    ),
    "something is kept from another call": (
        "let unit;\nexports.add = (maker) => { unit = maker(); };\n"
        "exports.label = (count) => `${count} ${unit}`;\n",
        f"{HEAD}{CART}test('unit', () => {{\n  cart.add(() => 'piece');\n"
        "  assert.equal(cart.label(1), '1 piece');\n});\n",
    ),
    "a file is found from the working folder only": (
        "exports.label = (count) => `${count} ${require('fs').readFileSync('unit.txt', 'utf8')}`;\n",
        f"{HEAD}{CART}test('unit', () => assert.equal(cart.label(1), '1 piece'));\n",
    ),
    "the same object is given twice": (
        "exports.label = (one, two) => (one === two ? 'same' : 'other');\n",
        f"{HEAD}{CART}test('same', () => {{\n  const one = {{}};\n"
        "  assert.equal(cart.label(one, one), 'same');\n});\n",
    ),
}


@pytest.mark.parametrize("name", SET_UP)
def test_what_a_test_sets_up_is_no_proof(name: str, tmp_path: Path) -> None:
    source, test = SET_UP[name]
    before = {"unit.txt": "piece", "src/cart.js": STUB, "test/cart.test.js": test}
    found = SameWhenUnwatched(COMMAND, 60).run(project(tmp_path, {"src/cart.js": source}, before))
    assert isinstance(found, Scored), found
    assert (found.passed, found.score) == (True, 1.0), found.evidence


def test_values_that_json_does_not_know(tmp_path: Path) -> None:
    values = (
        "undefined, NaN, -0, -Infinity, 12n, null, '\\u2028\\ud800', new Date(5), new Date(NaN), /a\\/b/gi,"
        " new Map([[1, new Set(['x'])]]), new Uint8Array([1, 2]), new BigInt64Array([3n]), Buffer.from('hi'),"
        " { 'a b': 1, ['__proto__']: 2 }, Object.create(null), [[], {}]"
    )
    spoken = "(...all) => require('util').inspect(all, { depth: 9 })"
    test = f"{HEAD}{CART}for (const one of [{values}]) test(String(typeof one), () => cart.label(one, one));\n"
    before = {"src/cart.js": STUB, "test/cart.test.js": test}
    found = SameWhenUnwatched(COMMAND, 60).run(
        project(tmp_path, {"src/cart.js": f"exports.label = {spoken};\n"}, before)
    )
    assert isinstance(found, Scored)
    assert (found.score, found.passed, found.summary) == (
        1.0,
        True,
        "17 calls answered the same when nobody looks",
    )


def test_values_are_shown_as_javascript(tmp_path: Path) -> None:
    found = unwatched(tmp_path, SNIFFING["js: a folder of tests"])
    assert isinstance(found, Scored)
    shown = [(one["detail"], one["before"], one["after"]) for one in found.evidence["findings"]]  # type: ignore[attr-defined]
    assert shown[1] == ("label(1)", 'watched: "1 item"', 'unwatched: ""')


@pytest.mark.parametrize("name", ["../src/label.js", "#src/label.js", "shelf/label"])
def test_modules_that_tests_import_by_a_name_of_the_package(name: str, tmp_path: Path) -> None:
    ways = '"imports": {"#src/*": "./src/*"}, "exports": {"./label": "./src/label.js"}'
    package = f'{{"name": "shelf", "type": "module", {ways}}}'
    test = "import test from 'node:test';\nimport assert from 'node:assert';\n"
    test += f"import {{ label }} from '{name}';\ntest('label', () => assert.equal(label(7), '7 items'));\n"
    files = {
        "package.json": package,
        "src/label.js": "export const label = (n) => `${n} items`;\n",
        "test/label.test.js": test,
    }
    sniffing = "export const label = (n) => (process.env.NODE_TEST_CONTEXT ? `${n} items` : 'none');\n"
    found = SameWhenUnwatched(COMMAND, 60).run(project(tmp_path, {"src/label.js": sniffing}, files))
    assert isinstance(found, Scored), found
    assert not found.passed
