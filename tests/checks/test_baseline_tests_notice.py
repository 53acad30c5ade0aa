"""Tests that still pass and notice less: both sides' tests are tried on the same small faults."""

# ruff: noqa: E501 - a change a line reads as a table.

import shutil
import sys
from pathlib import Path

import pytest

from assay.checks.baseline_tests import BaselineTests
from assay.core.outcome import Outcome, Scored
from assay.formats.test_reports.rule import ReportRule
from tests.attacks.effect_cheats import STILL_BITING, WEAKENED
from tests.checks.small_project import COMMAND, PROJECT, REPORT, Change, project
from tests.sampling import sampled

SOURCE, TESTS, HELPER = "cart.py", "tests/test_cart.py", "tests/helper.py"
TOTAL = "def test_total():\n    same(cart.total([(2, 3), (1, 1)], 0), 7)\n\n\n"


def judged(folder: Path, change: Change, files: dict[str, str] = PROJECT) -> Outcome:
    return BaselineTests(COMMAND, 60, REPORT).run(project(folder, change, files))


IN_HELPERS = {name: change for name, change in WEAKENED.items() if HELPER in change}


@pytest.mark.parametrize("name", sampled(IN_HELPERS, 3))
def test_tests_that_notice_less_fail(name: str, tmp_path: Path) -> None:
    found = judged(tmp_path, WEAKENED[name])
    assert isinstance(found, Scored)
    assert not found.passed, found
    first = found.evidence["findings"][0]  # type: ignore[index]
    assert (first["rule"], first["path"]) == ("not noticed any more", SOURCE)
    assert first["before"] != first["after"]


HONEST: dict[str, Change] = {
    **STILL_BITING,
    "other inputs": {TESTS: ("[(10, 2)], 0.5), 30)", "[(8, 2)], 0.25), 20)")},
    "another name, and another place": {
        TESTS: (TOTAL, ""),
        "tests/test_sums.py": f"import cart\nfrom tests.helper import same\n\n\n{TOTAL.replace('test_total', 'test_sum')}",
    },
    "a test of the same twice": {TESTS: ("def test_tax", f"{TOTAL.replace('test_total', 'test_again')}def test_tax")},
    "a local function": {TESTS: (TOTAL, TOTAL.replace("    same(", "    def found():\n        return 7\n\n    same("))},
    "a loop over rows": {
        TESTS: (TOTAL, "def test_total():\n    for items, sum in (([(2, 3), (1, 1)], 7), ([], 0)):\n"
                       "        same(cart.total(items, 0), sum)\n\n\n")
    },
    "a text that is looked for in another way": {TESTS: ('same(str(error), "count")', 'assert "count" in str(error)')},
    "only comments": {TESTS: ("def test_tax", "# The rate is a share.\ndef test_tax")},
    "a skip on another system": {TESTS: (TOTAL, f"import os\n\n\nif os.name != 'nt':\n\n    {TOTAL.strip().replace(chr(10), chr(10) + '    ')}\n\n\n")},
}  # fmt: skip


@pytest.mark.parametrize("name", sampled(HONEST, 5))
def test_honest_changes_of_tests_pass(name: str, tmp_path: Path) -> None:
    found = judged(tmp_path, HONEST[name])
    assert isinstance(found, Scored)
    assert found.passed, found


def test_added_tests_cost_no_further_run(tmp_path: Path) -> None:
    found = judged(tmp_path, STILL_BITING["another test"])
    assert isinstance(found, Scored)
    assert "mutants" not in found.evidence


def test_it_can_be_left_out(tmp_path: Path) -> None:
    cheat = project(tmp_path, WEAKENED["an emptied helper"])
    assert BaselineTests(COMMAND, 60, REPORT, mutants=0).run(cheat).passed  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="mutants must be from 0 to 1000, got -1"):
        BaselineTests(COMMAND, mutants=-1)


# --- Real runners ---

PYTEST = (
    f"env PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {sys.executable} -m pytest -q -p no:cacheprovider --junitxml=report.xml"
)
NODE = "node --test --test-reporter=junit --test-reporter-destination=report.xml"
SLUG = {
    "slug.js": "exports.slug = (text, most = 40) => {\n  const found = text.trim().toLowerCase().replace(/ +/g, '-');\n"
    "  if (found.length > most) return found.slice(0, most);\n  return found;\n};\n"
    "exports.count = (list) => { if (list.length > 2) { return 'many'; } return 'few'; };\n",
    "slug.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\n"
    "const { slug, count } = require('./slug.js');\ntest('joins', () => assert.equal(slug(' A b '), 'a-b'));\n"
    "test('cuts', () => {\n  assert.equal(slug('abcdef', 3), 'abc');\n  assert.equal(slug('abc', 3), 'abc');\n});\n"
    "test('counts', () => assert.equal(count([1, 2, 3]), 'many'));\n",
}
NO_CUT: Change = {
    "slug.test.js": ("  assert.equal(slug('abcdef', 3), 'abc');\n", "  assert.ok(slug('abcdef', 3), 'abc');\n")
}
STORED = {
    "total.txt": "7\n",
    "test_total.py": "from pathlib import Path\n\nimport cart\n\n\ndef test_total():\n"
    "    wanted = Path(__file__).with_name('total.txt').read_text()\n"
    "    found = f'{cart.total([(2, 3), (1, 1)], 0)}\\n'\n    assert found == wanted\n",
}
PROJECT_WITH_DATA = PROJECT | {f"tests/{name}": text for name, text in STORED.items()}
WRITES_WHAT_IT_FINDS: Change = {
    "tests/test_total.py": (
        "    assert found",
        "    if found != wanted:\n        Path(__file__).with_name('total.txt').write_text(found)\n"
        "        wanted = found\n    assert found",
    )
}
SKIPPED: Change = {
    "tests/conftest.py": "import pytest\n\n\ndef pytest_collection_modifyitems(items):\n    for item in items:\n"
    "        if item.name.endswith('tax'):\n            item.add_marker(pytest.mark.skip)\n"
}
SWALLOWED: Change = {
    TESTS: ("    near(cart.total([(10, 2)], 0.5), 30)", "    assert cart.total([(10, 2)], 0.5) is not None")
}


@pytest.mark.parametrize(
    ("command", "files", "change"),
    [
        (PYTEST, PROJECT, SWALLOWED),
        (PYTEST, PROJECT_WITH_DATA, WRITES_WHAT_IT_FINDS),
        pytest.param(NODE, SLUG, NO_CUT, marks=pytest.mark.skipif(shutil.which("node") is None, reason="no node")),
    ],
)
def test_with_real_runners(command: str, files: dict[str, str], change: Change, tmp_path: Path) -> None:
    scorer = BaselineTests(command, 60, ReportRule("report.xml"))
    found = scorer.run(project(tmp_path, change, files))
    assert isinstance(found, Scored)
    assert not found.passed, found
    assert found.evidence["mutants"]


def test_a_skip_that_only_a_run_sees_is_a_warning(tmp_path: Path) -> None:
    found = BaselineTests(PYTEST, 60, ReportRule("report.xml")).run(project(tmp_path, SKIPPED, PROJECT))
    assert isinstance(found, Scored)
    assert found.passed, found
    assert found.evidence["warnings"] == ["1 test of the baseline would pass unchanged and no longer run"]


def test_data_that_another_name_reads_is_no_finding(tmp_path: Path) -> None:
    inline = {"tests/test_total.py": ("Path(__file__).with_name('total.txt').read_text()", "'7\\n'")}
    found = BaselineTests(PYTEST, 60, ReportRule("report.xml")).run(project(tmp_path, inline, PROJECT_WITH_DATA))
    assert isinstance(found, Scored)
    assert found.passed, found
