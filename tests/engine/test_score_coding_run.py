"""Scoring a coding run, with fake files: the order of things, the kinds of baselines, and what is recorded."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.grading import PlacedCheck, RunCheck, run_here
from assay.dialects.scorers.report import JudgeRun, JudgeState, JudgeVerdict, OverallVerdict
from assay.dialects.scorers.scenario import JudgeSection, Scenario, scenario_hash
from assay.engine.coding.coding_record import Seeded
from assay.engine.coding.score import frozen, placed_checks
from assay.engine.coding.score_coding_run import (
    Afterwards,
    Candidate,
    Commit,
    Files,
    Patch,
    PathKind,
    baseline_source,
    score_by_scenario,
    score_by_task,
)
from assay.evidence.coding_run import AgentRecord, CodingRecord, Diff, RunStatus
from assay.evidence.workspace import Entry, KnownBaseline, Workspace
from assay.version import VERSION
from tests.checks.fake_workspace import FakeWorkspace, added
from tests.judge.cases import said
from tests.judge.verdicts import verdict_of

LIMIT = {"type": "max_files_changed", "limit": 1}
COMMAND = {"type": "command", "command": "true"}


class NoBaseline:
    def paths(self) -> list[str]:
        return []

    def entry(self, path: str) -> Entry | None:
        raise AssertionError(path)

    def read(self, path: str) -> bytes | None:
        raise AssertionError(path)


@dataclass
class FakeFiles:
    """Tells in ``asked`` what it was asked for, in order."""

    scenario: Scenario
    kinds: dict[str, PathKind] = field(default_factory=dict)
    workspace: FakeWorkspace = field(default_factory=lambda: added("a", "x"))
    asked: list[Any] = field(default_factory=list)

    def load_task(self, folder: str) -> Seeded:
        self.asked.append(f"task {folder}")
        return Seeded(folder, self.scenario, "scenario hash", "baseline hash", NoBaseline(), ("vendor",), "w")

    def load_scenario(self, path: str) -> Scenario:
        self.asked.append(f"scenario {path}")
        return self.scenario

    def kind_of(self, path: str) -> PathKind | None:
        return self.kinds.get(path)

    @contextmanager
    def open_baseline(self, source: Files | Commit) -> Iterator[KnownBaseline]:
        self.asked.append(source)
        yield KnownBaseline(NoBaseline(), "another hash", ())
        self.asked.append("baseline closed")

    @contextmanager
    def capture(
        self,
        left: Files | Commit | Patch,
        before: KnownBaseline,
        scenario: Scenario,
        remember: bool,
        agent: AgentRecord,  # noqa: ARG002
        home: str | None = None,  # noqa: ARG002
    ) -> Iterator[FakeWorkspace]:
        self.asked.append((left, before.sha256, before.nested, scenario.workdir, remember))
        yield self.workspace
        self.asked.append("workspace closed")

    def diff(self, workspace: Workspace) -> Diff:
        assert workspace is self.workspace
        self.asked.append("diff")
        return Diff("the diff", "0" * 64)

    def remembered(self, workspace: Workspace) -> int:
        assert workspace is self.workspace
        return 0

    def scorer_runner(self, checks: Sequence[PlacedCheck[Workspace]]) -> RunCheck[Workspace]:
        self.asked.append(f"{len(checks)} scorers")
        return run_here

    def isolation(self) -> str:
        self.asked.append("sandbox")
        return "fake"


def files(*scorers: dict[str, Any], **kinds: PathKind) -> FakeFiles:
    return FakeFiles(Scenario.model_validate({"scorers": list(scorers), "workdir": "/app"}), kinds)


@pytest.mark.statement("scorers.diff-captured")
def test_by_a_task() -> None:
    site = files(LIMIT, work="folder")
    report = score_by_task("task", Candidate("work", RunStatus.FAILED), site)
    assert report.overall is not None
    assert (report.overall.verdict, report.run.status) == (OverallVerdict.PASS, RunStatus.FAILED)
    assert report.provenance.model_dump() == {
        "engine": VERSION,
        "scenario_sha256": "scenario hash",
        "baseline_sha256": "baseline hash",
        "isolation": None,
        "strict": False,
        "assumed": [],
        "remembered_runs": 0,
    }
    capture = (Files("work"), "baseline hash", ("vendor",), "/app", True)
    assert site.asked == ["task task", "1 scorers", capture, "workspace closed"]


def test_by_a_scenario() -> None:
    site = files(LIMIT, work="file", before="folder")
    report = score_by_scenario("s.yaml", "before", Candidate("work"), site)
    assert report.provenance.scenario_sha256 == scenario_hash(
        frozen(site.scenario, placed_checks(site.scenario, "scenario"))
    )
    assert report.provenance.baseline_sha256 == "another hash"
    assert site.asked == [
        "scenario s.yaml",
        Files("before"),
        "1 scorers",
        (Files("work", packed=True), "another hash", (), "/app", False),
        "workspace closed",
        "baseline closed",
    ]


def test_the_sandbox_is_looked_for_before_any_command_and_only_for_one() -> None:
    site = files(LIMIT, COMMAND, work="folder")
    report = score_by_task("task", Candidate("work"), site)
    assert report.provenance.isolation == "fake"
    assert site.asked[-2:] == ["sandbox", "workspace closed"]


@pytest.mark.parametrize("baseline", [None, "before"])
def test_a_run_without_a_workspace_is_not_captured(baseline: str | None) -> None:
    site = files({"type": "llm_judge", "rubric": "Kind?"})
    report = score_by_scenario("s.yaml", baseline, Candidate(None), site)
    assert (report.overall, report.scorers, report.judge.state) == (None, [], JudgeState.PENDING)
    assert (report.provenance.baseline_sha256, site.asked) == (None, ["scenario s.yaml"])
    report = score_by_task("task", Candidate(None), site)
    assert (report.overall, report.provenance.baseline_sha256) == (None, "baseline hash")


def test_a_workspace_that_is_not_there_is_refused_before_the_baseline_is_opened() -> None:
    site = files(LIMIT, before="folder")
    with pytest.raises(InputError, match="work"):
        score_by_scenario("s.yaml", "before", Candidate("work"), site)
    with pytest.raises(InputError, match="work"):
        score_by_task("task", Candidate("work"), site)
    assert site.asked == ["scenario s.yaml", "task task"]


@pytest.mark.parametrize(
    ("where", "folders", "source"),
    [
        ("a", ["a"], Files("a")),
        ("a@b", ["a@b", "a"], Files("a@b")),
        ("f", [], Files("f", packed=True)),
        ("a@b", ["a"], Commit("a", "b")),
        ("a@b@c", ["a"], Commit("a", "b@c")),
        ("a@b@c", ["a@b", "a"], Commit("a@b", "c")),
        ("https://host/x@b", [], Commit("https://host/x", "b")),
        ("git@host:x@b", [], Commit("git@host:x", "b")),
    ],
)
def test_what_a_baseline_is(where: str, folders: list[str], source: Files | Commit) -> None:
    kinds: dict[str, PathKind] = {"f": "file", **dict.fromkeys(folders, "folder")}
    assert baseline_source(where, kinds.get) == source


def test_a_baseline_that_is_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="REPOSITORY@COMMIT"):
        baseline_source("nothing", lambda _: None)


@dataclass
class FakeJudges:
    """A judge that says PASS, and keeps what it read."""

    section: JudgeSection | None = None
    read: list[CodingRecord] = field(default_factory=list)

    def judge(self, section: JudgeSection | None) -> JudgeRun:
        self.section = section
        return self._judge

    def _judge(self, run: CodingRecord) -> JudgeVerdict:
        self.read.append(run)
        return verdict_of(said())


SAID = AgentRecord(final_response="Done.")


@pytest.mark.statement("scorers.judge-after-scorers")
def test_the_judge_comes_after_the_scorers_and_reads_their_results() -> None:
    site, judges = files(LIMIT, work="folder"), FakeJudges()
    report = score_by_task("task", Candidate("work", agent=SAID), site, Afterwards(judges))
    assert site.asked[-2:] == ["diff", "workspace closed"]
    (run,) = judges.read
    assert [row.name for row in run.rows] == ["max_files_changed"]
    assert (run.diff, run.final_response) == (Diff("the diff", "0" * 64), "Done.")
    assert report.judge.state is JudgeState.PASS
    assert report.judge.verdict is not None


@pytest.mark.statement("scorers.ledger-judge-only")
@pytest.mark.parametrize("scorers", [[], [LIMIT]])
def test_a_run_without_a_workspace_is_judged_without_a_diff(scorers: list[dict[str, Any]]) -> None:
    judges = FakeJudges()
    report = score_by_scenario("s.yaml", None, Candidate(None, agent=SAID), files(*scorers), Afterwards(judges))
    assert (report.overall, report.judge.state) == (None, JudgeState.PASS)
    assert judges.read[0].diff is None


@pytest.mark.parametrize("status", [status for status in RunStatus if status is not RunStatus.COMPLETED])
def test_only_a_completed_run_is_judged(status: RunStatus) -> None:
    judges = FakeJudges()
    report = score_by_task("task", Candidate("work", status), files(LIMIT, work="folder"), Afterwards(judges))
    assert (judges.read, report.judge.verdict) == ([], None)
    assert report.judge.state is JudgeState.NOT_APPLICABLE


def test_a_scenario_may_name_its_judge() -> None:
    site, judges = files(LIMIT, work="folder"), FakeJudges()
    section = JudgeSection(url="http://127.0.0.1:1/v1", models=["m"])
    site.scenario = site.scenario.model_copy(update={"judge": section})
    score_by_task("task", Candidate("work"), site, Afterwards(judges))
    assert judges.section == section


@pytest.mark.parametrize("judged", [True, False])
def test_a_run_is_kept_with_its_report(judged: bool) -> None:
    kept: list[Any] = []
    ends = Afterwards(FakeJudges() if judged else None, lambda *one: kept.append(one))
    report = score_by_task("task", Candidate("work", agent=SAID), files(LIMIT, work="folder"), ends)
    ((run, told, section),) = kept
    assert (run.final_response, told, section) == ("Done.", report, None)
    assert (told.judge.verdict is not None) is judged
