"""What the scorers document leaves open, and how it is decided: one test for each decision."""

from typing import Any

import pytest

from assay.adapters.tasks.scenario_file import scenario_of
from assay.checks.command import Command
from assay.core.errors import InputError
from assay.core.grading import PlacedCheck, Placement
from assay.core.outcome import Scored
from assay.dialects.scorers.report import Provenance, RowVerdict, ScorersReport
from assay.dialects.scorers.scenario import ArchiveSeed, EmptySeed, GitSeed, Scenario, Setup, scenario_hash
from assay.engine.coding.score import placed_checks, score_run
from assay.evidence.coding_run import ProcessEnd
from assay.evidence.workspace import CommandResult, Entry
from tests.checks.fake_workspace import FakeWorkspace, added, edited

PROVENANCE = Provenance(engine="0", scenario_sha256="0" * 64)
JUDGE = {"type": "llm_judge", "rubric": "x"}


def scenario(*scorers: dict[str, Any], **fields: Any) -> Scenario:
    return scenario_of({"scorers": list(scorers or (JUDGE,)), **fields}, "s.yaml")


def report(workspace: FakeWorkspace, *scorers: dict[str, Any]) -> ScorersReport:
    return score_run(placed_checks(scenario(*scorers), "s.yaml"), workspace, PROVENANCE)


@pytest.mark.statement("scorers.na-not-in-mean")
def test_1_not_applicable_enters_neither_the_gate_nor_the_mean() -> None:
    overall = report(edited("a", "1", "2"), {"type": "max_files_changed", "limit": 1}, JUDGE).overall
    assert overall is not None
    assert (overall.verdict.value, overall.score) == ("PASS", 1.0)


@pytest.mark.statement("scorers.all-not-applicable")
def test_1_where_every_scorer_is_not_applicable_so_is_the_verdict() -> None:
    overall = report(edited("a", "1", "2"), JUDGE, {"type": "no_new_skips", "required": True}).overall
    assert overall is not None
    assert (overall.verdict.value, overall.score) == ("N/A", None)


@pytest.mark.statement("scorers.broken-scorer")
def test_2_a_required_scorer_that_breaks_fails_the_gate_and_is_shown_as_an_error() -> None:
    class Broken(FakeWorkspace):
        def entry(self, path: str) -> Entry | None:  # noqa: ARG002
            raise OSError("the disk is gone")

    found = report(Broken(), {"type": "file_exists", "path": "a"})
    assert found.overall is not None
    assert found.overall.verdict.value == "FAIL"
    assert (found.scorers[0].verdict, found.scorers[0].detail) == (RowVerdict.ERROR, "the disk is gone")


@pytest.mark.statement("scorers.command-timeout")
def test_2_a_commands_time_out_is_fail() -> None:
    ran = CommandResult(ProcessEnd(None, timed_out=True), "", False, 1.0, {})
    check = PlacedCheck(Placement("slow"), Command("sleep 9", timeout_s=1))
    found = score_run([check], FakeWorkspace(runs={"sleep 9": ran}), PROVENANCE)
    assert found.scorers[0].verdict is RowVerdict.FAIL


@pytest.mark.statement("scorers.fnmatch")
def test_3_patterns_are_case_sensitive() -> None:
    (placed,) = placed_checks(scenario({"type": "allowed_paths", "patterns": ["src/*"]}), "s")
    found = placed.check.run(added("SRC/a", "x"))
    assert isinstance(found, Scored)
    assert not found.passed


@pytest.mark.statement("scorers.changes-counted")
@pytest.mark.parametrize(
    ("workspace", "count"),
    [
        (FakeWorkspace({"a": "x"}, {"b": "x"}), 2),
        (FakeWorkspace({"a": "x"}, {"a": "x"}, modes={"a": 0o755}), 1),
        (FakeWorkspace({"a": "x"}, links={"a": "b"}), 1),
        (edited("a", b"\0\1", b"\0\2"), 1),
    ],
    ids=["a rename counts under both paths", "a mode change", "a link", "a binary"],
)
def test_4_what_counts_as_a_change(workspace: FakeWorkspace, count: int) -> None:
    (row,) = report(workspace, {"type": "max_files_changed", "limit": 9}).scorers
    assert row.evidence["changed"] == count


@pytest.mark.statement("scorers.changes-counted")
@pytest.mark.parametrize(
    "scorer",
    [
        {"type": "allowed_paths", "patterns": ["*"]},
        {"type": "forbid_paths", "patterns": ["ci/*"]},
        {"type": "max_files_changed", "limit": 1000},
    ],
)
def test_4_nested_repositories_are_listed_and_fail_closed(scorer: dict[str, Any]) -> None:
    found = report(FakeWorkspace(nested_repositories=("vendor/x",)), scorer)
    assert found.workspace is not None
    assert (found.workspace.nested_repositories, found.scorers[0].verdict.value) == (["vendor/x"], "FAIL")


@pytest.mark.statement("scorers.seed-sources")
@pytest.mark.parametrize(
    ("seed", "kind"),
    [
        ({"type": "git", "repository": "../project", "commit": "main"}, GitSeed),
        ({"type": "git", "url": "https://example.org/x.git", "ref": "v1"}, GitSeed),
        ({"type": "archive", "path": "project.tar.gz", "strip": 1}, ArchiveSeed),
        ({"type": "empty"}, EmptySeed),
        ("empty", EmptySeed),
    ],
)
def test_5_the_seed_is_git_an_archive_or_empty(seed: Any, kind: type) -> None:
    assert isinstance(scenario(workspace_seed=seed).workspace_seed, kind)


@pytest.mark.parametrize(
    "seed",
    ["git", {"type": "svn"}, {"type": "git", "repository": "x"}, {"type": "archive"}, {"type": "empty", "a": 1}],
)
def test_5_any_other_seed_is_refused(seed: Any) -> None:
    with pytest.raises(InputError, match=r"^s\.yaml: workspace_seed"):
        scenario(workspace_seed=seed)


def test_5_the_instruction_is_optional() -> None:
    assert scenario().user_instruction is None
    assert scenario(user_instruction="Fix it.").user_instruction == "Fix it."


@pytest.mark.statement("scorers.seed-sources")
@pytest.mark.parametrize("setup", ["make deps", {"command": "make deps"}])
def test_5_a_setup_command(setup: Any) -> None:
    assert scenario(setup=setup).setup == Setup(command="make deps", timeout_s=900, network=False)


@pytest.mark.parametrize(
    "change",
    [
        {"user_instruction": "other"},
        {"expected_outcome": "refusal"},
        {"setup": "make"},
        {"scorers": [{**JUDGE, "rubric": "y"}]},
        {"scorers": [{**JUDGE, "required": True}]},
        {"workspace_seed": "empty"},
    ],
)
def test_5_the_hash_is_of_everything(change: dict[str, Any]) -> None:
    plain = {"scorers": [JUDGE]}
    assert scenario_hash(scenario_of(plain, "a")) == scenario_hash(scenario_of(dict(plain), "b"))
    assert scenario_hash(scenario_of({**plain, **change}, "a")) != scenario_hash(scenario_of(plain, "a"))
