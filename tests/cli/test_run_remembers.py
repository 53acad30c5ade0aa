"""What ``assay run``, ``assay score`` and Python ran is remembered in one place: grading again runs nothing."""

import json
from pathlib import Path

import pytest

from assay import scorers
from tests.cli.running import Cli
from tests.coding import FIXED, MORE_TESTS, NEEDED, PROJECT, count_commands, seed, write_files

AGENT = f"cat > calc.py <<'EOF'\n{FIXED}EOF\ncat > tests/test_calc.py <<'EOF'\n{MORE_TESTS}EOF\n"


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("ASSAY_RUN_CACHE", str(tmp_path / "runs"))
    return count_commands(monkeypatch)


def run(cli: Cli, task: Path, name: str, *options: str) -> tuple[Path, int]:
    """The folder of the trial, and how many commands its scorers remembered."""
    jobs = task.parent / "jobs"
    cli("run", task, "-a", AGENT, "--jobs-dir", jobs, "--job-name", name, "--quiet", *options)
    (trial,) = [path for path in (jobs / name).iterdir() if path.is_dir()]
    report = json.loads((trial / "scores" / "0001.json").read_text())["report"]
    assert [row["verdict"] for row in report["scorers"]] == ["PASS"]
    return trial, report["provenance"]["remembered_runs"]


def test_from_run_to_run_from_command_to_python(cli: Cli, commands: list[str], tmp_path: Path) -> None:
    task, _ = seed(tmp_path, NEEDED)
    trial, remembered = run(cli, task, "first")
    ran = len(commands)
    assert (remembered, ran > 1) == (0, True)
    _, remembered = run(cli, task, "second")
    assert (remembered, len(commands)) == (ran, ran)
    again = json.loads(cli("score", trial, "--json").out)
    assert (again["provenance"]["remembered_runs"], len(commands)) == (ran, ran)
    left = write_files(tmp_path / "left", {**PROJECT, "calc.py": FIXED, "tests/test_calc.py": MORE_TESTS})
    report = scorers.score(left, task)
    assert (report.provenance.remembered_runs, len(commands)) == (ran, ran)
    assert scorers.score(left, task, remember=False).provenance.remembered_runs == 0
    _, remembered = run(cli, task, "third", "--no-run-cache")
    assert (remembered, len(commands)) == (0, 3 * ran)


def test_python_finds_what_python_ran(commands: list[str], tmp_path: Path) -> None:
    scenario = tmp_path / "scenario.json"
    scenario.write_text(json.dumps({"scorers": [NEEDED]}))
    before = write_files(tmp_path / "before", PROJECT)
    left = write_files(tmp_path / "left", {**PROJECT, "calc.py": FIXED, "tests/test_calc.py": MORE_TESTS})
    first, second = (scorers.score_against(left, scenario, before) for _ in range(2))
    assert first.provenance.remembered_runs == 0
    assert second.provenance.remembered_runs == len(commands) > 1
    assert [row.verdict for row in second.scorers] == [row.verdict for row in first.scorers]
