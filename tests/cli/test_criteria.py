"""``assay criteria lint``."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import REPO
from tests.cli.running import Cli, raw_characters

EXAMPLES = REPO / "examples" / "clinical"
CRITERIA = EXAMPLES / "scheduling" / "criteria.yaml"


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["lint", "{tmp}/none.yaml"], "none.yaml can't be read"),
        (["lint", CRITERIA, "--allow", "x"], "got 'x'"),
        (["lint"], "FILE"),
        ([], "ACTION"),
    ],
)
def test_mistakes_are_one_sentence(cli: Cli, tmp_path: Path, argv: list[object], says: str) -> None:
    found = cli("criteria", *(str(one).replace("{tmp}", str(tmp_path)) for one in argv))
    assert (found.code, found.out, len(found.err.splitlines())) == (2, "", 1)
    assert says in found.err
    assert "Traceback" not in found.err


def test_lint_names_the_line(cli: Cli) -> None:
    found = cli("criteria", "lint", EXAMPLES / "mistakes.yaml", CRITERIA)
    lines = found.out.splitlines()
    assert (found.code, found.err) == (1, "")
    assert [line.removeprefix(f"{EXAMPLES}/").split(": ")[:2] for line in lines] == [
        ["mistakes.yaml:8", "no-effect"],
        ["mistakes.yaml:9", "impossible"],
        ["mistakes.yaml:16", "unsupported"],
        ["mistakes.yaml:19", "duplicate-label"],
        ["mistakes.yaml:20", "since"],
        ["mistakes.yaml:22", "impossible"],
        ["scheduling/criteria.yaml", "nothing found"],
    ]


def test_lint_of_what_is_right(cli: Cli) -> None:
    assert cli("criteria", "lint", CRITERIA) == (0, f"{CRITERIA}: nothing found\n", "")


def test_lint_goes_on_after_a_file_that_can_not_be_read(cli: Cli, tmp_path: Path) -> None:
    broken = tmp_path / "b.yaml"
    broken.write_text("a: [\n")
    found = cli("criteria", "lint", broken, CRITERIA)
    assert (found.code, found.out) == (2, f"{CRITERIA}: nothing found\n")
    assert found.err.startswith(f"assay: {broken}:2 must be valid YAML")


def test_a_criterion_that_wants_nothing_may_be_allowed(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(
        "- label: a\n  assertion:\n"
        "    {assert: fhir-resource-state, resource_type: Patient, search: {}, exists: false}\n"
    )
    found = cli("criteria", "lint", path)
    assert (found.code, found.out.count(": empty-sandbox: ")) == (1, 1)
    assert cli("criteria", "lint", path, "--allow", "empty-sandbox").code == 0


def test_names_of_others_can_not_move_the_cursor(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps([{"label": "a\x1b[31m\nb", "assertion": {"assert": "x\x1b"}}]))
    assert raw_characters(cli("criteria", "lint", path).out) == set()


def test_lint_needs_no_database(tmp_path: Path) -> None:
    (tmp_path / "sqlalchemy.py").write_text("raise ImportError('it must not be imported')")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from assay.cli.main import main; "
    code += f"sys.exit(main(['criteria', 'lint', {str(CRITERIA)!r}]))"
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0
