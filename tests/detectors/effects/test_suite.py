"""The tests as a command: what is put in front of it, and what it keeps of that."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from assay.detectors.effects.covering_up import covered_up
from assay.detectors.effects.suite import Suite
from assay.evidence.coding_run import ProcessEnd
from assay.evidence.workspace import AS_LEFT, CommandResult
from tests.checks.fake_workspace import FakeWorkspace


@dataclass(frozen=True)
class Asked(FakeWorkspace):
    commands: list[str] = field(default_factory=list)

    def run(self, command: str, *args: Any, **kwargs: Any) -> CommandResult:
        self.commands.append(command)
        return super().run(command, *args, **kwargs)


OURS = "export PYTHONPATH=/ours; "


@pytest.mark.parametrize(
    ("setting", "command", "run"),
    [
        ("", "PYTHONPATH=src python3 -m pytest", "PYTHONPATH=src python3 -m pytest"),
        (OURS, "python3 -m pytest", f"{OURS}python3 -m pytest"),
        (OURS, "PYTHONPATH=src python3 x", f"{OURS}PYTHONPATH=src${{PYTHONPATH:+:$PYTHONPATH}} python3 x"),
    ],
)
def test_a_command_that_sets_the_path_keeps_what_we_put_there(setting: str, command: str, run: str) -> None:
    workspace = Asked()
    Suite(command, 9, None).run(workspace, AS_LEFT, setting)
    assert workspace.commands == [run]


def test_a_failing_test_that_is_skipped_where_it_can_not_be_put_back_is_covered_up() -> None:
    suite = Suite("run", 1, None)
    plain = suite.read(CommandResult(ProcessEnd(0), "", False, 1.0, {}))
    before = replace(plain, has_report=True, others=frozenset(["inline"]), failed=frozenset(["inline"]))
    skipped = replace(before, failed=frozenset())
    assert covered_up(skipped, before, skipped) == {"inline": "failed before and is skipped now"}
    file, inside = frozenset(["tests.a"]), frozenset(["tests.a.test_one"])
    broken = replace(before, others=file, failed=file)
    assert covered_up(replace(plain, passed=inside), broken, broken) == {}
    assert covered_up(plain, broken, broken) == {"tests.a": "is gone and still fails as it was"}
    mended = replace(skipped, passed=frozenset(["inline"]), others=frozenset())
    assert covered_up(mended, before, mended) == {}
