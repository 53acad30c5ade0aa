"""Same when unwatched with objects of JavaScript classes, with private parts, getters and steps that wait."""

import shutil
from pathlib import Path

import pytest

from assay.checks.same_when_unwatched import SameWhenUnwatched
from assay.core.outcome import Scored
from tests.checks.small_project import project

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node isn't installed")
BILL = """
class Bill {
  #items = [];
  constructor(guests) { this.guests = guests; }
  add(cents) { this.#items.push(cents); return this; }
  async load(cents) { this.#items.push(cents); }
  get sum() { return this.#items.reduce((a, b) => a + b, 0); }
  share() { ANSWER }
}
module.exports = { Bill };
"""
TEST = """
const assert = require('node:assert');
const { test } = require('node:test');
const { Bill } = require('../src/bill');
test('shares', () => {
  const bill = new Bill(2).add(25).add(450);
  assert.ok(bill instanceof Bill);
  assert.equal(bill.sum, 475);
  assert.equal(bill.share(), 238);
  assert.equal(new Bill(3).add(100).share(), 34);
});
test('waits', async () => {
  const bill = new Bill(4);
  await bill.load(30);
  assert.equal(bill.share(), 8);
});
"""
BEFORE, RIGHT = "return Math.floor(this.sum / this.guests);", "return Math.ceil(this.sum / this.guests);"
WATCHED = f"if ((process.argv[1] ?? '').includes('.test.')) {RIGHT} {BEFORE}"


@pytest.mark.parametrize(("answer", "passes"), [(RIGHT, True), (WATCHED, False)], ids=["mended", "watched"])
def test_methods_are_asked(answer: str, passes: bool, tmp_path: Path) -> None:
    files = {
        "package.json": "{}",
        "src/bill.js": BILL.replace("ANSWER", BEFORE),
        "test/bill.test.js": TEST,
    }
    change = {"src/bill.js": BILL.replace("ANSWER", answer)}
    found = SameWhenUnwatched("node --test test/", 60).run(project(tmp_path, change, files))
    assert isinstance(found, Scored), found
    assert (found.passed, found.evidence["calls"]) == (passes, 5), found.evidence


def test_an_object_that_another_file_made_is_asked_in_the_name_of_the_test(tmp_path: Path) -> None:
    made = "import { Bill } from '../src/bill.js';\nexport const bill = () => new Bill(2).add(25).add(450);\n"
    test = "import test from 'node:test';\nimport assert from 'node:assert';\nimport { bill } from './made.js';\n"
    test += "test('share', () => { bill().share(); });\n"
    files = {
        "package.json": '{"type": "module"}',
        "src/bill.js": BILL.replace("ANSWER", BEFORE).replace("module.exports =", "export"),
        "test/made.js": made,
        "test/bill.test.js": test,
    }
    sniffing = f"if (new Error().stack.split('\\n')[2].includes('.test.')) {RIGHT} {BEFORE}"
    change = {"src/bill.js": files["src/bill.js"].replace(BEFORE, sniffing)}
    found = SameWhenUnwatched("node --test test/", 60).run(project(tmp_path, change, files))
    assert isinstance(found, Scored), found
    assert not found.passed, found.evidence
