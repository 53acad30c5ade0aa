"""Which files of tests reach a mutant, with a real node, jest and vitest; and that only those are run."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from assay.detectors.effects.choose import mutants_in, source_files
from assay.detectors.effects.reach import Everything, Reach
from assay.detectors.effects.sides import THOSE_THAT_REACH_IT, EffectSide, Noticed
from assay.detectors.effects.suite import Suite
from assay.detectors.effects.watch.find import watch_for
from assay.detectors.effects.watch.javascript import read_notes, runs_node
from assay.evidence.workspace import AS_LEFT
from assay.formats.test_reports.rule import ReportRule
from tests.checks.small_project import project
from tests.sampling import sampled

TOOLS = Path(sys.prefix, "javascript-runners", "node_modules")
WITH_NODE = pytest.mark.skipif(shutil.which("node") is None, reason="node isn't installed")
WITH_RUNNERS = pytest.mark.skipif(
    not (TOOLS / ".bin" / "vitest").exists(), reason="npm could not install jest and vitest here"
)
NODE = "node --test --test-reporter=junit --test-reporter-destination=report.xml"
SLUG = """export const slug = (text) => {
  if (text === '') {
    return 'never';
  }
  return text.trim();
};
export const unused = () => 3;
"""
JAVASCRIPT = {
    "package.json": '{"type": "module"}',
    "src/slug.js": SLUG,
    "src/count.js": "export const LIMIT = 2;\nexport const many = (list) => list.length > LIMIT;\n",
    "src/other.js": "export const one = () => 1;\n",
    "test/slug.test.js": "import assert from 'node:assert';\nimport { slug } from '../src/slug.js';\n"
    "describe('slugs', () => {\n  test('trims', () => assert.equal(slug(' a '), 'a'));\n});\n",
    "test/count.test.js": "import assert from 'node:assert';\nimport { many } from '../src/count.js';\n"
    "test('three are many', () => assert.ok(many([1, 2, 3])));\n"
    "test('two are not', () => assert.ok(!many([1, 2])));\n",
}


def side(folder: Path, suite: Suite, files: dict[str, str]) -> EffectSide:
    evidence = project(folder, {}, files)
    return EffectSide(suite, watch_for(suite, evidence, "abcdefgh"), AS_LEFT, evidence)


def noticed(found: EffectSide, path: str, old: str) -> tuple[list[str], set[str]]:
    """The files of tests that reach a mutant, and the tests that notice it."""
    assert found.reach is not None
    (mutant, text), *_ = [one for one in mutants_in(found.evidence, [path]) if one[0].old == old]
    told = found.noticed(mutant, text, 100, THOSE_THAT_REACH_IT)
    assert isinstance(told, Noticed)
    return found.reach.reaching(mutant, found.base.passed), set(told.tests)


# --- node's own runner ---


def for_node(files: dict[str, str]) -> dict[str, str]:
    first = "import test, { describe } from 'node:test';\n"
    return {path: first + text if ".test." in path else text for path, text in files.items()}


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> EffectSide:
    return side(tmp_path_factory.mktemp("n"), Suite(NODE, 60, ReportRule("report.xml")), for_node(JAVASCRIPT))


@WITH_NODE
def test_node_tells_the_lines_that_tests_run(node: EffectSide) -> None:
    assert node.reach is not None
    assert node.selects
    paths = [path for path in ("src/slug.js", "src/other.js", "a.ts") if node.reach.can_reach(path)]
    assert paths == ["src/slug.js", "a.ts"]
    assert source_files(node.evidence, node.reach) == ["src/count.js", "src/slug.js"]
    found = mutants_in(node.evidence, ["src/slug.js", "src/other.js"])
    reached = {one.old: node.reach.has(one) for one, _ in found}
    assert reached == {**reached, "never": False, "===": True, "1": False}


@WITH_NODE
@pytest.mark.parametrize(
    ("path", "old", "files", "tests"),
    [
        ("src/count.js", ">", ["test/count.test.js"], {"test.two are not"}),
        ("src/count.js", "2", ["test/count.test.js"], {"test.three are many"}),
        ("src/slug.js", "text.trim()", ["test/slug.test.js"], {"test.trims"}),
        ("src/slug.js", "never", [], set()),
    ],
)
def test_node_runs_the_files_that_run_a_line(
    path: str, old: str, files: list[str], tests: set[str], node: EffectSide
) -> None:
    assert noticed(node, path, old) == (files, tests)


@WITH_NODE
def test_node_runs_no_file_that_was_not_chosen(node: EffectSide) -> None:
    assert node.watch is not None
    assert node.reach is not None
    way = node.watch.choosing(AS_LEFT, ["test/slug.test.js"], node.reach)
    ran = node.suite.run(node.evidence, way.tree, way.setting)
    assert ran.passed | ran.others == {"test.trims"}


STARTS = {
    "starts": "import { spawn } from 'node:child_process';\nimport { once } from 'node:events';\n"
    "test('starts', async () => {\n  await once(spawn(process.execPath, ['src/other.js']), 'exit');\n});\n",
    "kills": "import { spawn } from 'node:child_process';\nimport { once } from 'node:events';\n"
    "test('kills', async () => {\n  const wait = 'console.log(1); setInterval(() => 1, 50)';\n"
    "  const child = spawn(process.execPath, ['-e', wait]);\n  await once(child.stdout, 'data');\n"
    "  child.kill('SIGKILL');\n});\n",
}


@WITH_NODE
@pytest.mark.parametrize(("name", "loaded"), [("starts", True), ("kills", None)])
def test_what_tests_of_node_start_counts_for_their_file(name: str, loaded: bool | None, tmp_path: Path) -> None:
    files = for_node({**JAVASCRIPT, f"test/{name}.test.js": STARTS[name]})
    found = side(tmp_path, Suite(NODE, 60, ReportRule("report.xml")), files)
    assert found.reach is not None
    reached = found.reach.tests[f"test/{name}.test.js"]
    if loaded is None:
        assert isinstance(reached, Everything)
    else:
        assert ("src/other.js" in reached.paths) is loaded


@pytest.mark.parametrize(
    ("command", "yes"),
    [
        ("node --test", True),
        ("cd app && node --test-reporter=junit --test a.test.js", True),
        ("node --import tsx --test", False),
        ("node --test-only run.js", False),
        ("./node --test", False),
        ("npx jest", False),
    ],
)
def test_a_command_that_runs_nodes_own_runner(command: str, yes: bool) -> None:
    assert runs_node(command) is yes


# --- jest and vitest ---

LINK = f"ln -s {TOOLS} node_modules; node node_modules"
COMMANDS = {
    "jest": f"{LINK}/jest/bin/jest.js --ci --json --outputFile=report.json",
    "vitest": f"{LINK}/vitest/vitest.mjs run --reporter=json --outputFile=report.json",
}


def for_runner(name: str) -> dict[str, str]:
    if name == "vitest":
        first = "import { describe, test } from 'vitest';\n"
        return {path: first + text if ".test." in path else text for path, text in JAVASCRIPT.items()}
    common = {
        "src/slug.js": "exports.slug = (text) => {\n  if (text === '') {\n    return 'never';\n  }\n"
        "  return text.trim();\n};\n",
        "src/count.js": "const LIMIT = 2;\nexports.many = (list) => list.length > LIMIT;\n",
        "package.json": "{}",
    }
    tests = {
        path: text.replace("import assert from 'node:assert'", "const assert = require('node:assert')")
        .replace("import {", "const {")
        .replace("from '../src/slug.js'", "= require('../src/slug')")
        .replace("from '../src/count.js'", "= require('../src/count')")
        for path, text in JAVASCRIPT.items()
        if ".test." in path
    }
    return {**common, **tests}


@WITH_NODE
@WITH_RUNNERS
@pytest.mark.parametrize("name", sampled(COMMANDS, 2))
def test_jest_and_vitest_run_the_files_that_load_a_file(name: str, tmp_path: Path) -> None:
    suite = Suite(COMMANDS[name], 100, ReportRule("report.json", "jest"))
    found = side(tmp_path, suite, for_runner(name))
    assert found.selects
    assert noticed(found, "src/count.js", ">") == (["test/count.test.js"], {"two are not"})
    assert noticed(found, "src/slug.js", "text.trim()") == (["test/slug.test.js"], {"slugs trims"})
    assert found.watch is not None
    assert found.reach is not None
    way = found.watch.choosing(AS_LEFT, ["test/count.test.js"], found.reach)
    ran = found.suite.run(found.evidence, way.tree, way.setting)
    assert ran.passed | ran.others == {"three are many", "two are not"}


# --- What the agent's process wrote may be anything ---

REPORT = json.dumps(
    {
        "testResults": [
            {"name": f"/work/{name}.test.js", "assertionResults": [{"fullName": name}]} for name in ("a", "b")
        ]
    }
).encode()


def reach_of(*notes: list[str]) -> Reach | None:
    found = read_notes("".join(f"{json.dumps(note)}\n" for note in notes).encode())
    return None if found is None else found.by_report(REPORT)


def test_a_session_with_two_files_of_tests_is_that_of_both() -> None:
    reach = reach_of(
        ["root", "", "/work/"],
        *(["load", "1", path] for path in ("a.test.js", "b.test.js", "src/a.js")),
        ["load", "2", "src/b.js"],
    )
    assert reach is not None
    assert {path: sorted(one.paths) for path, one in reach.tests.items()} == {
        path: ["a.test.js", "b.test.js", "src/a.js"] for path in ("a.test.js", "b.test.js")
    }


def test_a_file_of_tests_that_no_session_loaded_is_not_known() -> None:
    reach = reach_of(["root", "", "/work/"], ["load", "1", "a.test.js"])
    assert reach is not None
    assert reach.named(reach.tests) == {"a"}


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"1", b"[1]", b'["load"]', b'["lines", "1", "a", ["x"]]', b'["process", "1", []]', b"\xff"],
)
def test_notes_that_are_something_else(data: bytes) -> None:
    assert read_notes(data) is None


@pytest.mark.parametrize("report", [b"", b"[]", b"{}", b'{"testResults": [1]}', b"[" * 100_000])
def test_a_report_that_is_something_else(report: bytes) -> None:
    notes = read_notes(b'["load", "1", "a.test.js"]')
    assert notes is not None
    assert notes.by_report(report) is None
