"""Scorings put together from a task or a scenario, a baseline of any kind, and what the agent left."""

import json
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from assay.adapters.scoring import Scoring, from_scenario, from_task
from assay.adapters.seeded_task import load_seeded, unpack_workspace
from assay.adapters.seeding import seed
from assay.core.errors import InputError
from assay.dialects.scorers.report import RunStatus, ScorersReport
from assay.dialects.scorers.scenario import Scenario
from tests.adapters.workspace.plain_sandbox import PlainSandbox
from tests.adapters.workspace.repositories import make_repository, run_git
from tests.adapters.workspace.site import no_sandbox, write_files
from tests.scratch_folders import own_scratch

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


def verdicts(scoring: Scoring) -> tuple[str | None, dict[str, str]]:
    report = scoring.report(RunStatus.COMPLETED)
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
        with from_scenario(str(around / "scenario.json"), baseline, workspace, no_sandbox) as scoring:
            assert verdicts(scoring) == expected
            hashes.add(scoring.provenance.baseline_sha256)
    assert len(hashes) == 1


def seed_task(around: Path) -> str:
    seed(Scenario.model_validate(SCENARIO), str(around), str(around / "task"), PlainSandbox)
    return str(around / "task")


def test_a_seeded_task_has_the_hash_of_an_equal_folder(around: Path) -> None:
    write_files(around / "before", FILES)
    task = load_seeded(seed_task(around))
    with from_scenario(
        str(around / "scenario.json"), str(around / "before"), str(around / "honest"), no_sandbox
    ) as one:
        assert one.provenance.baseline_sha256 == task.baseline_sha256


def test_a_task_does_not_follow_its_scenario(around: Path) -> None:
    task = seed_task(around)
    (around / "scenario.json").write_text(json.dumps({"scorers": [{"type": "max_files_changed", "limit": 99}]}))
    for name, expected in (("honest", HONEST), ("cheating", CHEATING)):
        with from_task(task, str(around / name), no_sandbox) as scoring:
            assert verdicts(scoring) == expected


def test_scoring_twice_gives_the_same(around: Path) -> None:
    task = seed_task(around)
    unpack_workspace(load_seeded(task), str(around / "workspace"))
    for edit, expected in (({}, "PASS"), ({}, "PASS"), (FIXED, "PASS"), ({"new": ""}, "FAIL"), ({}, "FAIL")):
        write_files(around / "workspace", edit)
        with from_task(task, str(around / "workspace"), no_sandbox) as scoring:
            assert verdicts(scoring)[0] == expected
    assert len(list((around / "cache/assay/workspaces").iterdir())) == 1


def test_a_run_without_a_workspace_has_no_scorers(around: Path) -> None:
    task = seed_task(around)
    with from_task(task, None, no_sandbox) as scoring:
        assert verdicts(scoring) == (None, {})
    with from_scenario(str(around / "scenario.json"), None, None, no_sandbox) as scoring:
        assert verdicts(scoring) == (None, {})


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
    with from_scenario(scenario, f"{around}/repository@HEAD", str(around / "honest"), lambda: sandbox) as scoring:
        assert verdicts(scoring) == expected
        assert scoring.report(RunStatus.COMPLETED).provenance.isolation == "plain"


@pytest.mark.parametrize("folder", ["repository", "at@home", "a@b/c@d"])
@pytest.mark.parametrize("commit", ["HEAD", "SHORT", "v1", "package@1.2.0", "feature/x@y"])
def test_signs_in_the_names_of_repositories_and_commits(around: Path, folder: str, commit: str) -> None:
    if folder != "repository":
        make_repository(around / folder, FILES)
    for tag in ("v1", "package@1.2.0", "feature/x@y"):
        run_git(around / folder, "tag", tag)
    name = run_git(around / folder, "rev-parse", "--short", "HEAD") if commit == "SHORT" else commit
    baseline, scenario = f"{around}/{folder}@{name}", str(around / "scenario.json")
    with from_scenario(scenario, baseline, str(around / "honest"), no_sandbox) as scoring:
        assert verdicts(scoring) == HONEST


@pytest.mark.parametrize("where", ["nothing", "nothing@HEAD", "repository@nothing", "scenario.json"])
def test_a_baseline_that_is_none(around: Path, where: str) -> None:
    with (
        pytest.raises(InputError),
        from_scenario(str(around / "scenario.json"), str(around / where), str(around / "honest"), no_sandbox),
    ):
        pytest.fail("there is no such baseline")


def test_nothing_is_left_behind(around: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (around / "scratch").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(around / "scratch"))
    workspace = packed(around / "honest")
    with from_scenario(
        str(around / "scenario.json"), f"{around}/repository@HEAD", workspace, no_sandbox
    ) as scoring:
        assert own_scratch(around / "scratch")
        verdicts(scoring)
    assert own_scratch(around / "scratch") == []
