"""What effect scorers have forgotten: runs that came out differently when they were repeated."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from assay.adapters.tasks.remembered_commands import RunFolder
from assay.checks import same_when_unwatched, tests_bite
from assay.core.outcome import Scored
from assay.evidence.coding_run import ProcessEnd
from assay.evidence.workspace import AS_LEFT, CommandResult, Tree
from tests.adapters.workspace.plain_sandbox import PlainSandbox
from tests.checks.fake_workspace import FakeWorkspace
from tests.checks.small_project import COMMAND, PROJECT, project

FILES = {"a.py": "def f(a):\n    return a < 3\n"}


@dataclass(frozen=True)
class Fickle(FakeWorkspace):
    """The agent's tests let a mutant through the first time, and notice it the second time if they are fickle."""

    fickle: bool = True
    asked: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)

    def run(
        self,
        command: str,  # noqa: ARG002
        timeout_sec: float,  # noqa: ARG002
        tree: Tree = AS_LEFT,
        collect: tuple[str, ...] = (),  # noqa: ARG002
        remember: bool = False,  # noqa: ARG002
        watch: bool = False,  # noqa: ARG002
        once: bool = False,  # noqa: ARG002
    ) -> CommandResult:
        side = "before" if tree.swapped else "after"
        question = f"{side} {sorted(tree.files.values())}"
        time = self.asked.count(question)
        self.asked.append(question)
        noticed = bool(tree.files) and (side == "before" or (self.fickle and time > 0))
        return CommandResult(ProcessEnd(int(noticed)), "", False, 0.0, {}, kept_as=f"{side} {time}")

    def forget(self, kept_as: str) -> None:
        self.forgotten.append(kept_as)


@pytest.mark.parametrize(("fickle", "forgotten"), [(True, ["after 0", "after 1"]), (False, [])])
def test_a_side_that_changes_its_mind_about_a_mutant(fickle: bool, forgotten: list[str]) -> None:
    before, after = {**FILES, "tests/test_a.py": "1"}, {**FILES, "tests/test_a.py": "2"}
    workspace = Fickle(before, after, fickle=fickle)
    found = tests_bite.TestsBite("make check", mutants=1).run(workspace)
    # One mutant that is noticed is too few for a verdict.
    assert (isinstance(found, Scored) and found.evidence["not_noticed_any_more"] == 1) is not fickle
    assert workspace.forgotten == forgotten


def _graded(folder: Path, label: str) -> None:
    source = PROJECT["cart.py"].replace('return "1 item"', label)
    captured = project(folder / "site", {"cart.py": source})
    commands = replace(
        captured.commands, sandbox=lambda: PlainSandbox(apart=True), memory=RunFolder(str(folder / "runs"))
    )
    workspace = replace(captured, commands=commands)
    same_when_unwatched.SameWhenUnwatched(COMMAND, 60).run(workspace)


@pytest.mark.parametrize(
    ("label", "kept"),
    [('return "1" + " item"', 4), ('import time\n        return f"1 item {time.time_ns()}"[:60]', 4)],
    ids=["steady", "another answer each time"],
)
def test_answers_that_differ_from_one_time_to_the_next(label: str, kept: int, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    _graded(tmp_path, label)
    assert len([path for path in (tmp_path / "runs").iterdir() if path.name != "key"]) == kept
