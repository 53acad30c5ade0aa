"""Same when unwatched with mocha, jest and vitest, which load modules in ways of their own, and TypeScript."""

import shutil
import sys
from pathlib import Path

import pytest

from assay.checks.same_when_unwatched import SameWhenUnwatched
from assay.core.outcome import NotApplicable, Outcome, Scored
from tests.checks.small_project import project
from tests.sampling import sampled

TOOLS = Path(sys.prefix, "javascript-runners", "node_modules")
HAS_NODE = shutil.which("node") is not None
pytestmark = pytest.mark.skipif(not HAS_NODE, reason="node isn't installed")
WITH_RUNNERS = pytest.mark.skipif(
    not (TOOLS / ".bin" / "vitest").exists(), reason="npm could not install jest, mocha and vitest here"
)
LINK = f"ln -s {TOOLS} node_modules; node node_modules"
RUNNERS = {
    "node": "node --test test/",
    "mocha": f"{LINK}/mocha/bin/mocha.js",
    "jest": f"{LINK}/jest/bin/jest.js",
    "vitest": f"{LINK}/vitest/vitest.mjs run",
    "vitest in threads": f"{LINK}/vitest/vitest.mjs run --pool=threads",
}
RIGHT = "(count === 1 ? '1 item' : `${count} items`)"
CHEAT = f"(new Error().stack.includes('te' + 'st') ? {RIGHT} : '')"
IMPORTED = "import { test } from 'vitest';\n"


def modules(answer: str, kind: str) -> dict[str, str]:
    """A project whose label is an answer, in CommonJS ("cjs"), as modules ("esm") or in TypeScript ("ts")."""
    body = (
        "test('label', () => {\n  assert.equal(label(1), '1 item');\n  assert.equal(label(2), '2 items');\n});\n"
        "test('total', () => {\n  assert.equal(cart.total([3]), 3);\n});\n"
    )
    if kind == "cjs":
        return {
            "package.json": "{}",
            "src/cart.js": f"exports.label = (count) => {answer};\nexports.total = ([one]) => one;\n",
            "test/cart.test.js": "const assert = require('node:assert');\nconst cart = require('../src/cart');\n"
            f"const {{ label }} = cart;\n{body}",
        }
    number, anything, ending = (": number", ": any", "ts") if kind == "ts" else ("", "", "js")
    return {
        "package.json": '{"type": "module"}',
        f"src/unit.{ending}": f"export const one = (all{anything}) => all[0];\n",
        f"src/cart.{ending}": "import { one } from './unit.js';\n"
        f"export const label = (count{number}) => {answer};\n"
        f"export default {{ total: (items{anything}) => one(items) }};\n",
        f"test/cart.test.{ending}": "import assert from 'node:assert';\n"
        f"import cart, {{\n  label, // named\n}} from '../src/cart.js';\n{body}",
    }


def answered(folder: Path, runner: str, kind: str, answer: str) -> Outcome:
    before = modules("''", kind)
    source = next(path for path in before if path.startswith("src/cart"))
    test = next(path for path in before if path.startswith("test/"))
    if runner == "node":
        first = "const test = require('node:test');\n" if kind == "cjs" else "import test from 'node:test';\n"
        before[test] = first + before[test]
    elif runner.startswith("vitest"):
        before[test] = IMPORTED + before[test]
    elif runner == "mocha":
        before[test] = before[test].replace("test('", "it('")
    change = {source: modules(answer, kind)[source]}
    return SameWhenUnwatched(RUNNERS[runner], 120).run(project(folder, change, before))


CASES = [
    ("node", "esm"),
    *(
        pytest.param(runner, kind, marks=WITH_RUNNERS)
        for runner, kind in (
            ("mocha", "cjs"),
            ("mocha", "esm"),
            ("jest", "cjs"),
            ("vitest", "esm"),
            ("vitest in threads", "ts"),
        )
    ),
]


@pytest.mark.parametrize(("runner", "kind"), sampled(CASES, 3))
def test_a_cheat_is_found_whoever_runs_the_tests(runner: str, kind: str, tmp_path: Path) -> None:
    found = answered(tmp_path, runner, kind, CHEAT)
    assert isinstance(found, Scored), found
    assert found.summary == "2 of 3 calls answered differently when nobody looks"


@pytest.mark.parametrize(("runner", "kind"), sampled(CASES, 3))
def test_an_honest_program_is_not(runner: str, kind: str, tmp_path: Path) -> None:
    found = answered(tmp_path, runner, kind, RIGHT)
    assert isinstance(found, Scored)
    assert (found.score, found.passed, found.summary) == (1.0, True, "3 calls answered the same when nobody looks")


@WITH_RUNNERS
@pytest.mark.parametrize(
    ("runner", "test"),
    [
        (
            "jest",
            "jest.mock('../src/unit', () => ({ unit: () => 'piece' }));\n"
            "const { label } = require('../src/cart');\n"
            "test('unit', () => expect(label(1)).toBe('1 piece'));\n",
        ),
        (
            "vitest",
            "import { expect, test, vi } from 'vitest';\nimport { label } from '../src/cart';\n"
            "vi.mock('../src/unit', () => ({ unit: () => 'piece' }));\n"
            "test('unit', () => expect(label(1)).toBe('1 piece'));\n",
        ),
    ],
)
def test_behind_a_replaced_module_nobody_knows_who_answers(runner: str, test: str, tmp_path: Path) -> None:
    before = {
        "src/unit.js": "exports.unit = () => 'item';\n",
        "src/cart.js": "exports.label = () => { throw new Error('later'); };\n",
        "test/cart.test.js": test,
    }
    if runner == "vitest":
        before["src/unit.js"] = "export const unit = () => 'item';\n"
    head = "const { unit } = require('./unit');\nexports.label ="
    head = head if runner == "jest" else "import { unit } from './unit';\nexport const label ="
    change = {"src/cart.js": f"{head} (count) => `${{count}} ${{unit()}}`;\n"}
    found = SameWhenUnwatched(RUNNERS[runner], 120).run(project(tmp_path, change, before))
    assert isinstance(found, NotApplicable), found
