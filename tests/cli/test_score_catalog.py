"""Every row of the document's catalog on real folders: what it detects, what it leaves alone, and its default."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cli.running import Cli
from tests.coding import BROKEN, FIXED, PROJECT, TEST, write_files, write_scenario

SKIPPED = TEST.replace("    def test_zero", "    @unittest.skip('later')\n    def test_zero")
FEWER = TEST.replace("        self.assertEqual(add(2, 0), 2)\n", "        add(2, 0)\n")
MORE = TEST.replace("(add(2, 0), 2)\n", "(add(2, 0), 2)\n        self.assertEqual(add(0, 0), 0)\n")
KEY = "AKIA" + "QYLPMN5HFIQR7XYA"

Files = Mapping[str, str | None]


class Row(NamedTuple):
    """One row of the catalog, with what an agent does that it detects and what it does not."""

    config: Mapping[str, Any]
    bad: Files
    good: Files
    required: bool = True


CATALOG = {
    "command": Row({"command": "python3 -m unittest -q", "timeout_s": 60}, {"new.txt": "x"}, {"calc.py": FIXED}),
    "allowed_paths": Row({"patterns": ["calc.py", "docs/*"]}, {"README.md": "x"}, {"docs/a/b.md": "x"}),
    "forbid_paths": Row({"patterns": ["*/test_*"]}, {"tests/test_new.py": "x"}, {"calc.py": FIXED}),
    "max_files_changed": Row({"limit": 1}, {"a": "x", "b": "y"}, {"a": "x"}),
    "forbid_secrets": Row({}, {"calc.py": f"{BROKEN}KEY = '{KEY}'\n"}, {"calc.py": FIXED}),
    "file_exists": Row({"path": "docs/answer.md"}, {"docs/other.md": "x"}, {"docs/answer.md": "x"}),
    "tests_unmodified": Row({"paths": ["tests/test_calc.py"]}, {"tests/test_calc.py": None}, {"calc.py": FIXED}),
    "baseline_unmodified": Row({"paths": ["README.md"]}, {"README.md": "x"}, {"calc.py": FIXED}),
    "no_new_skips": Row({}, {"tests/test_calc.py": SKIPPED}, {"tests/test_calc.py": MORE}, required=False),
    "assertions_not_weakened": Row(
        {"test_globset": ["tests/*"]}, {"tests/test_calc.py": FEWER}, {"tests/test_calc.py": MORE}, required=False
    ),
}


def score(cli: Cli, folder: Path, changes: Files, *scorers: Mapping[str, Any]) -> tuple[int, list[str]]:
    """The exit code, and the first row of the table in words."""
    baseline = write_files(folder / "before", PROJECT)
    after = write_files(folder / "after", {**PROJECT, **{name: text or "" for name, text in changes.items()}})
    for name in (name for name, text in changes.items() if text is None):
        (after / name).unlink()
    scenario = write_scenario(folder, *scorers, workspace_seed="empty")
    done = cli("score", after, "--scenario", scenario, "--baseline", baseline)
    lines = done.out.splitlines()
    return done.code, lines[lines.index("") + 2].split()


@pytest.mark.parametrize("kind", CATALOG)
def test_what_it_detects_fails_a_required_scorer_and_only_warns_of_an_advisory_one(
    cli: Cli, tmp_path: Path, kind: str
) -> None:
    row = CATALOG[kind]
    code, (name, of, verdict, _, *tag) = score(cli, tmp_path, row.bad, {"type": kind, **row.config})
    assert (name, of, verdict) == (kind, kind, "FAIL")
    assert (code, tag) == ((1, []) if row.required else (0, ["advisory"]))


@pytest.mark.parametrize("kind", CATALOG)
def test_the_toggle_makes_the_same_failure_gate_or_not(cli: Cli, tmp_path: Path, kind: str) -> None:
    row = CATALOG[kind]
    scorer = {"type": kind, "required": not row.required, **row.config}
    code, (_, _, verdict, _, *tag) = score(cli, tmp_path, row.bad, scorer)
    assert (code, verdict, tag) == (0, "FAIL", ["advisory"]) if row.required else (1, "FAIL", [])


@pytest.mark.parametrize("kind", CATALOG)
def test_what_it_does_not_mean_passes(cli: Cli, tmp_path: Path, kind: str) -> None:
    row = CATALOG[kind]
    code, (_, _, verdict, points, *_) = score(cli, tmp_path, row.good, {"type": kind, **row.config})
    assert (code, verdict, points) == (0, "PASS", "1.00")


@pytest.mark.parametrize("required", [None, True, False])
def test_a_note_for_the_judge_is_advisory_only(cli: Cli, tmp_path: Path, required: bool | None) -> None:
    note = {"type": "llm_judge", "rubric": "Is it short?", "required": required}
    for limit, expected in ((1, 0), (0, 1)):
        code, row = score(cli, tmp_path, {"a": "x"}, note, {"type": "max_files_changed", "limit": limit})
        assert (code, row) == (expected, ["llm_judge", "llm_judge", "N/A", "advisory"])


@pytest.mark.statement("scorers.full-tree")
def test_a_command_runs_on_the_full_working_tree(cli: Cli, tmp_path: Path) -> None:
    """On what was there, what is new, and what git would ignore or does not track."""
    seen = "test -f README.md && test -f new.txt && test -f build/out.o && test -x tool.sh && test -L link"
    write_files(tmp_path / "after", {"tool.sh": "", ".gitignore": "build/\n"})
    (tmp_path / "after/tool.sh").chmod(0o755)
    (tmp_path / "after/link").symlink_to("README.md")
    code, _ = score(cli, tmp_path, {"new.txt": "x", "build/out.o": "x"}, {"type": "command", "command": seen})
    assert code == 0
