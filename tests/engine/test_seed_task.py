"""Seeding a task, with fake files: the order of things, what is frozen, and what is refused."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.dialects.scorers.scenario import Environment, Scenario, Seed, Setup, scenario_hash
from assay.engine.coding.coding_record import Seeded
from assay.engine.coding.score import frozen, placed_checks
from assay.engine.coding.seed_task import Packed, seed_task
from assay.engine.sandbox import Ran
from assay.evidence.coding_run import ProcessEnd
from assay.evidence.workspace import CommandResult
from assay.version import VERSION
from tests.checks.fake_workspace import FakeWorkspace
from tests.engine.test_score_coding_run import NoBaseline

NOW = datetime(2026, 3, 1, tzinfo=UTC)
GIT = {"type": "git", "repository": "r", "commit": "main"}
GUARD = {"name": "mine", "type": "tests_unmodified", "paths": ["tests/test_a.py"]}


@dataclass
class FakeUntouched:
    workspace: FakeWorkspace
    asked: list[str]
    nested: tuple[str, ...] = ("vendor",)

    def store_baseline(self) -> str:
        self.asked.append("store baseline")
        return "manifest hash"


@dataclass
class FakeFiles:
    """Tells in ``asked`` what it was asked for, in order, and keeps the record."""

    end: ProcessEnd = field(default_factory=lambda: ProcessEnd(exit_code=0))
    left_out: int = 0
    workspace: FakeWorkspace = field(default_factory=lambda: FakeWorkspace({"tests/test_a.py": "x"}))
    asked: list[str] = field(default_factory=list)
    record: Mapping[str, object] = field(default_factory=dict)

    @contextmanager
    def new_task(self, target: str) -> Iterator[None]:
        self.asked.append(f"new {target}")
        try:
            yield
        except InputError:
            self.asked.append("removed")
            raise

    @contextmanager
    def scratch(self) -> Iterator[str]:
        yield "folder"

    def fill(self, seed: Seed, folder: str) -> str | None:
        self.asked.append(f"fill {folder} {seed.type}")
        return "commit" if seed.type == "git" else None

    def fix(self, environment: Environment) -> Environment:
        return environment

    def paths(self, folder: str) -> list[str]:
        return [f"{folder}/a"]

    def home(self, target: str) -> str | None:  # noqa: ARG002
        return None

    def run_setup(self, setup: Setup, scenario: Scenario, folder: str, target: str) -> Ran:
        self.asked.append(f"run {setup.command} {scenario.workdir} {folder} {target}")
        return Ran(self.end, b"one\ntwo\n", False, NOW, NOW)

    def squash(self, folder: str, tracked: Iterable[str]) -> None:
        self.asked.append(f"squash {folder} {list(tracked)}")

    def pack(self, folder: str, target: str) -> Packed:
        self.asked.append(f"pack {folder} {target}")
        return Packed("archive hash", self.left_out)

    @contextmanager
    def unpacked(self, target: str, scenario: Scenario) -> Iterator[FakeUntouched]:
        self.asked.append(f"unpack {target} {scenario.workdir}")
        yield FakeUntouched(self.workspace, self.asked)

    def write_record(self, target: str, instruction: str, record: Mapping[str, object]) -> None:
        self.asked.append(f"record {target} {instruction!r}")
        self.record = record

    def load(self, target: str) -> Seeded:
        return Seeded(target, scenario(), "s", "b", NoBaseline(), (), "w")


def scenario(**fields: Any) -> Scenario:
    return Scenario.model_validate({"workspace_seed": GIT, "scorers": [GUARD], **fields})


def seeded(files: FakeFiles, **fields: Any) -> Seeded:
    return seed_task(scenario(**fields), "s.yaml", "task", files, lambda: NOW)


def test_what_is_done_and_what_is_frozen() -> None:
    files = FakeFiles()
    seeded(files, setup="make", user_instruction="Fix it.", workdir="/app")
    assert files.asked == [
        "new task",
        "fill folder git",
        "run make /app folder task",
        "squash folder ['folder/a']",
        "pack folder task",
        "unpack task /app",
        "store baseline",
        "record task 'Fix it.\\n'",
    ]
    asked_for = scenario(setup="make", user_instruction="Fix it.", workdir="/app")
    asked_for = frozen(asked_for, placed_checks(asked_for, "scenario"))
    assert files.record == {
        "scenario": asked_for.model_dump(mode="json"),
        "scenario_sha256": scenario_hash(asked_for),
        "baseline_sha256": "manifest hash",
        "workspace_sha256": "archive hash",
        "nested_repositories": ["vendor"],
        "home_sha256": None,
        "commands_on_baseline": {},
        "commit": "commit",
        "seeded_at": "2026-03-01T00:00:00+00:00",
        "engine": VERSION,
    }


def test_only_what_a_commit_holds_is_tracked() -> None:
    files = FakeFiles()
    seeded(files, workspace_seed="empty")
    assert "squash folder []" in files.asked
    assert files.record["commit"] is None


@pytest.mark.parametrize(
    ("files", "fields", "sentence"),
    [
        (
            FakeFiles(),
            {"scorers": [{**GUARD, "paths": []}]},
            "s.yaml: scorers[0].paths must have at least one path, got an empty list",
        ),
        (FakeFiles(), {"workspace_seed": None}, "s.yaml: workspace_seed must be given"),
    ],
)
def test_what_is_refused_before_anything_is_made(files: FakeFiles, fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        seeded(files, **fields)
    assert str(caught.value).startswith(sentence)
    assert files.asked == []


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        (FakeFiles(end=ProcessEnd(exit_code=3)), "the setup command ended with exit code 3: two"),
        (FakeFiles(end=ProcessEnd(exit_code=None, timed_out=True, signal=9)), "the setup command timed out: two"),
        (FakeFiles(left_out=2), "2 files in the workspace can't be given to agents: "),
        (FakeFiles(workspace=FakeWorkspace({"tests/test_a.py/b": "x"})), "the scorer 'mine' breaks on the "),
    ],
)
def test_what_is_refused_leaves_no_task(files: FakeFiles, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        seeded(files, setup="make")
    assert str(caught.value).startswith(sentence)
    assert files.asked[-1] == "removed"
    assert files.record == {}


def test_what_a_scorer_notes_about_its_own_setting_is_returned() -> None:
    (note,) = seeded(FakeFiles(workspace=FakeWorkspace({}))).notes
    assert note.startswith("mine: ")
    assert "tests/test_a.py" in note


def test_a_command_is_run_once_and_what_it_saw_is_recorded() -> None:
    failed = CommandResult(ProcessEnd(1), "1 failed", False, 0.1, {})
    missing = CommandResult(ProcessEnd(127), "sh: 1: jest: not found", False, 0.1, {})
    workspace = FakeWorkspace({}, runs={"a": failed, "b": missing}, baseline_runs={"b": missing})
    files = FakeFiles(workspace=workspace)
    commands = [{"name": name, "type": "command", "command": name} for name in "ab"]
    notes = seeded(files, scorers=commands).notes
    assert files.record["commands_on_baseline"] == {
        "a": {"verdict": "FAIL", "detail": "exit code 1", "exit_code": 1},
        "b": {
            "verdict": "ERROR",
            "detail": "the command isn't there (exit code 127), and so it is on the baseline; "
            "give the scenario an environment",
        },
    }
    assert [note.partition(" (")[0] for note in notes] == ["b: the command isn't there"]
