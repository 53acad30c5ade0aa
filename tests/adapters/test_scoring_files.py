"""Scorings put together from a task or a scenario, a baseline of any kind, and what the agent left."""

import json
import tarfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.adapters.tasks.scoring_files import LocalScoringFiles
from assay.adapters.tasks.seeded_task import load_seeded, unpack_workspace
from assay.adapters.tasks.seeding_files import LocalSeedingFiles
from assay.core.errors import InputError
from assay.dialects.scorers.report import ScorersReport
from assay.dialects.scorers.scenario import Scenario
from assay.engine.coding.score_coding_run import Candidate, score_by_scenario, score_by_task
from assay.engine.coding.seed_task import seed_task
from assay.engine.sandbox import Sandbox
from tests.adapters.workspace.plain_sandbox import PlainSandbox
from tests.adapters.workspace.repositories import make_repository, run_git
from tests.adapters.workspace.site import no_sandbox, write_files
from tests.scratch_folders import own_scratch

NOW = datetime(2026, 3, 1, tzinfo=UTC)
FILES = {"tests/test_a.py": "assert f() == 1\n", "src/a.py": "def f(): return 2\n"}
FIXED = {**FILES, "src/a.py": "def f(): return 1\n"}
SCENARIO = {
    "workspace_seed": {"type": "git", "repository": "repository", "commit": "HEAD"},
    "scorers": [
        {"type": "tests_unmodified", "paths": ["tests/test_a.py"]},
        {"type": "max_files_changed", "limit": 1},
    ],
}


@pytest.fixture(autouse=True)
def around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "scenario.json").write_text(json.dumps(SCENARIO))
    make_repository(tmp_path / "repository", FILES)
    write_files(tmp_path / "honest", FIXED)
    write_files(tmp_path / "cheating", {**FIXED, "tests/test_a.py": "assert True\n"})
    return tmp_path


def packed(folder: Path) -> str:
    with tarfile.open(f"{folder}.tar", "w") as tar:
        tar.add(folder, ".")
    return f"{folder}.tar"


def by_scenario(
    scenario: str | Path, baseline: str | None, workspace: str | None, sandbox: Callable[[], Sandbox] = no_sandbox
) -> ScorersReport:
    return score_by_scenario(str(scenario), baseline, Candidate(workspace), LocalScoringFiles(sandbox))


def by_task(task: str, workspace: Path | None) -> ScorersReport:
    attempt = Candidate(None if workspace is None else str(workspace))
    return score_by_task(task, attempt, LocalScoringFiles(no_sandbox))


def verdicts(report: ScorersReport) -> tuple[str | None, dict[str, str]]:
    return overall(report), {row.name: row.verdict.value for row in report.scorers}


def overall(report: ScorersReport) -> str | None:
    return None if report.overall is None else report.overall.verdict.value


HONEST = ("PASS", {"tests_unmodified": "PASS", "max_files_changed": "PASS"})
CHEATING = ("FAIL", {"tests_unmodified": "FAIL", "max_files_changed": "FAIL"})


@pytest.mark.parametrize("kind", ["folder", "archive", "commit"])
@pytest.mark.parametrize("as_archive", [True, False])
def test_any_baseline_and_any_workspace(around: Path, kind: str, as_archive: bool) -> None:
    write_files(around / "before", FILES)
    baseline = {
        "folder": str(around / "before"),
        "archive": packed(around / "before"),
        "commit": f"{around}/repository@HEAD",
    }[kind]
    hashes: set[str | None] = set()
    for name, expected in (("honest", HONEST), ("cheating", CHEATING)):
        workspace = packed(around / name) if as_archive else str(around / name)
        report = by_scenario(around / "scenario.json", baseline, workspace)
        assert verdicts(report) == expected
        hashes.add(report.provenance.baseline_sha256)
    assert len(hashes) == 1


def make_task(around: Path) -> str:
    files = LocalSeedingFiles(str(around), PlainSandbox)
    seed_task(Scenario.model_validate(SCENARIO), "s.json", str(around / "task"), files, lambda: NOW)
    return str(around / "task")


def test_a_seeded_task_has_the_hash_of_an_equal_folder(around: Path) -> None:
    write_files(around / "before", FILES)
    task = load_seeded(make_task(around))
    report = by_scenario(around / "scenario.json", str(around / "before"), str(around / "honest"))
    assert report.provenance.baseline_sha256 == task.baseline_sha256


@pytest.mark.statement("scorers.later-edits-ignored")
def test_a_task_does_not_follow_its_scenario(around: Path) -> None:
    task = make_task(around)
    (around / "scenario.json").write_text(json.dumps({"scorers": [{"type": "max_files_changed", "limit": 99}]}))
    for name, expected in (("honest", HONEST), ("cheating", CHEATING)):
        assert verdicts(by_task(task, around / name)) == expected


@pytest.mark.statement("scorers.deterministic")
def test_scoring_twice_gives_the_same(around: Path) -> None:
    task = make_task(around)
    unpack_workspace(load_seeded(task), str(around / "workspace"))
    for edit, expected in (({}, "N/A"), ({}, "N/A"), (FIXED, "PASS"), ({"new": ""}, "FAIL"), ({}, "FAIL")):
        write_files(around / "workspace", edit)
        assert verdicts(by_task(task, around / "workspace"))[0] == expected
    assert len(list((around / "cache/assay/workspaces").iterdir())) == 1


def test_a_run_without_a_workspace_has_no_scorers(around: Path) -> None:
    task = make_task(around)
    assert verdicts(by_task(task, None)) == (None, {})
    assert verdicts(by_scenario(around / "scenario.json", None, None)) == (None, {})


def with_command(around: Path, command: str) -> str:
    scorers = [{"type": "command", "command": command}]
    (around / "command.json").write_text(json.dumps({"scorers": scorers}))
    return str(around / "command.json")


@pytest.mark.parametrize(
    ("sandbox", "command", "expected"),
    [
        (PlainSandbox(), "grep -q 'return 1' src/a.py", ("PASS", {"command": "PASS"})),
        (PlainSandbox(), "grep -q 'return 2' src/a.py", ("FAIL", {"command": "FAIL"})),
        (PlainSandbox(broken="it broke"), "true", ("FAIL", {"command": "ERROR"})),
    ],
)
def test_commands(
    around: Path, sandbox: PlainSandbox, command: str, expected: tuple[str, Mapping[str, str]]
) -> None:
    scenario = with_command(around, command)
    report = by_scenario(scenario, f"{around}/repository@HEAD", str(around / "honest"), lambda: sandbox)
    assert verdicts(report) == expected
    assert report.provenance.isolation == "plain"


@pytest.mark.parametrize("folder", ["repository", "at@home", "a@b/c@d"])
@pytest.mark.parametrize("commit", ["HEAD", "SHORT", "v1", "package@1.2.0", "feature/x@y"])
def test_signs_in_the_names_of_repositories_and_commits(around: Path, folder: str, commit: str) -> None:
    if folder != "repository":
        make_repository(around / folder, FILES)
    for tag in ("v1", "package@1.2.0", "feature/x@y"):
        run_git(around / folder, "tag", tag)
    name = run_git(around / folder, "rev-parse", "--short", "HEAD") if commit == "SHORT" else commit
    report = by_scenario(around / "scenario.json", f"{around}/{folder}@{name}", str(around / "honest"))
    assert verdicts(report) == HONEST


@pytest.mark.parametrize("where", ["nothing", "nothing@HEAD", "repository@nothing", "scenario.json"])
def test_a_baseline_that_is_none(around: Path, where: str) -> None:
    with pytest.raises(InputError):
        by_scenario(around / "scenario.json", str(around / where), str(around / "honest"))


def test_nothing_is_left_behind(around: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (around / "scratch").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(around / "scratch"))
    seen: list[str] = []
    files = LocalScoringFiles(no_sandbox, lambda _: seen.extend(own_scratch(around / "scratch")))
    baseline, attempt = f"{around}/repository@HEAD", Candidate(packed(around / "honest"))
    score_by_scenario(str(around / "scenario.json"), baseline, attempt, files)
    assert seen
    assert own_scratch(around / "scratch") == []
