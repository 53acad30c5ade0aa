"""One truth: whatever is in a job, every face says the same of each run, of each agent and of the job.

Jobs of every kind are made up and written to disk as harbor and Assay write them, and each face is asked the way
its user asks it: the report, the comparison, the explorer's API, its exports, and the pages of both sources.
"""

import json
import math
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.adapters.store.opening import open_store
from assay.cli.output.table import without_nan
from assay.dialects.harbor.job_stats import job_stats
from assay.engine.explorer.page_source import groups_by
from assay.engine.jobs.job import read_job
from tests.api.clinic import serve_on
from tests.one_truth import faces
from tests.one_truth.faces import Answer, Explorer, command
from tests.one_truth.jobs import NO_RESULT, Attempt, Graded, JobPlan, Scored, attempts, plans, spoilt, write_job

# Every face is asked of every example, which takes a second. Making an example smaller would take minutes.
FEW = settings(
    suppress_health_check=list(HealthCheck),
    max_examples=settings().max_examples // 5,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    report_multiple_bugs=False,
)


@pytest.fixture(scope="module")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explorer]:
    where = str(tmp_path_factory.mktemp("explorer") / "store.db")
    open_store(where, create=True).close()
    with serve_on(where) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        yield Explorer(served, where, client)


def every_face(explorer: Explorer, job: Path) -> dict[str, Answer]:
    """What each face says. Faces that say it in words are compared with the report on the way."""
    answers = {"report": faces.report_json(job)}
    whole = answers["report"]
    assert whole.runs is not None
    assert whole.agents is not None
    faces.report_text(job, whole)
    other = faces.twin(job)
    answers |= {f"compare, {name}": one for name, one in faces.compared(job, other).items()}
    clinic, stored = explorer.imported(job, other)
    answers |= {f"API, {name}": one for name, one in faces.explored(clinic, job.name)}
    answers |= {f"store pages, {name}": one for name, one in faces.paged(stored, job.name)}
    folder = faces.viewed(job)
    answers |= {f"folder pages, {name}": one for name, one in faces.paged(folder, job.name)}
    both = faces.viewed(job, other)
    answers |= {f"folder pages of two, {name}": one for name, one in faces.paged(both, other.name, tabs=False)}
    scored = [group for group in whole.agents.values() if group.mean is not None]
    for source in (stored, both):
        shown = faces.page(source, f"compare?job={job.name}&job={other.name}")
        if scored:
            assert shown.count(" is left out: ") == 2 * (len(whole.agents) - len(scored))
        for task in ("t0", "t1"):
            faces.page(source, f"compare?job={job.name}&job={other.name}&task={task}")
    faces.one_file(job, whole, whole.agents)
    return answers


def agree(answers: dict[str, Answer]) -> Answer:
    """All say the same, as far as they say it. Returns the report's answer."""
    whole = answers["report"]
    assert whole.runs is not None
    assert whole.agents is not None
    for face, one in answers.items():
        assert one.runs is None or one.runs == whole.runs, face
        for name, judge in one.judges.items():
            assert judge == whole.judges[name], f"{face}: the judge of {name}"
        if face.startswith("compare"):
            scored = {agent: group for agent, group in whole.agents.items() if group.mean is not None}
            assert one.agents == scored, face
        elif one.agents is not None:
            assert one.agents == whole.agents, face
        if one.job is not None:
            assert one.job.states == Counter(state for state, *_ in whole.runs.values()), face
            if whole.job is not None:
                assert (one.job.mean, one.job.n) == (whole.job.mean, whole.job.n), face
    return whole


def deciding(attempt: Attempt) -> list[Graded]:
    """The gradings by which a run is decided: the one of the whole, or the first if there are no steps."""
    return [one for one in attempt.gradings if one.steps] or list(attempt.gradings[: not attempt.steps])


def hold(plan: JobPlan, job: Path, whole: Answer) -> None:
    """What must be so, whatever the faces say."""
    assert whole.runs is not None
    folder = DiskJobFolder(job)
    read = read_job(folder)
    assert len(whole.runs) == read.n_total
    for name, attempt in plan.named():
        state, score, reason, _ = whole.runs.get(name, ("", None, None, None))
        assert score is None or 0 <= score <= 1
        assert (score is None) is (state not in ("passed", "partial", "failed", "unusable"))
        assert state not in ("unusable", "broken", "scored", "not_judged") or reason is not None
        for graded in deciding(attempt):
            assert graded.reward is not None or state not in ("passed", "partial", "failed")
            assert graded.parseable or state not in ("passed", "partial")
    with_grading = {
        name: True
        for name, attempt in plan.named()
        if attempt.gradings and attempt.text is None and name in {trial.name for trial in read.trials}
    }
    faces.results(job, whole.runs, with_grading)
    stats = job_stats(read.trials, read.metrics.by_dataset, n_total=read.n_total)
    [report] = json.loads(command("report", job, "--json")[1])["jobs"]
    for key, group in stats.evals.items():
        ours = report["evals"][key]["harbor"]
        assert (ours["n_trials"], ours["n_errors"]) == (group.n_trials, group.n_errors)
        assert ours["metrics"] == json.loads(json.dumps(without_nan([dict(one) for one in group.metrics])))
        assert ours["pass_at_k"] == {str(k): value for k, value in group.pass_at_k.items()}
    counts = ("n_completed_trials", "n_errored_trials", "n_cancelled_trials")
    assert {name: report["harbor"][name] for name in counts} == {name: asdict(stats)[name] for name in counts}


@FEW
@given(plans)
def test_every_face_says_the_same(explorer: Explorer, plan: JobPlan) -> None:
    with tempfile.TemporaryDirectory() as folder:
        job = write_job(Path(folder) / "job", plan)
        hold(plan, job, agree(every_face(explorer, job)))


def means(explorer: Explorer, job: Path) -> list[float | None]:
    """The mean of a job of one agent, by four faces."""
    [agent] = (faces.report_json(job).agents or {}).values()
    compared = faces.compared(job, faces.twin(job))[job.name].agents or {}
    clinic, _ = explorer.imported(job)
    [stored] = clinic.get("/v1/runs/groups", params={"by": "job"})
    [line] = groups_by(faces.viewed(job), "job")
    return [agent.mean, compared["solver"].mean, stored["mean"], line["mean"]]


@FEW
@given(st.lists(attempts, max_size=3), spoilt)
def test_no_agent_raises_its_mean_by_spoiling_a_run(
    explorer: Explorer, others: list[Attempt], spoilt_one: Attempt
) -> None:
    """A run that failed, and the same run without a usable answer that the agent could have brought about."""
    beside = [replace(one, agent="solver") for one in others]
    with tempfile.TemporaryDirectory() as folder:
        before, after = (
            means(explorer, write_job(Path(folder) / name / "job", JobPlan((one, *beside))))
            for name, one in (("before", Attempt({"reward": 0.0})), ("after", spoilt_one))
        )
    assert len(set(before)) == len(set(after)) == 1
    assert before[0] is not None
    assert after[0] is not None
    assert after[0] <= before[0]


def one_truth(explorer: Explorer, folder: Path, *attempts: Attempt) -> Answer:
    """What all faces say of a job."""
    plan = JobPlan(attempts)
    job = write_job(folder / "job", plan)
    whole = agree(every_face(explorer, job))
    hold(plan, job, whole)
    return whole


def test_unusable_rewards_are_0_and_broken_measurements_leave_on_every_face(
    explorer: Explorer, tmp_path: Path
) -> None:
    """Twelve runs of which three have a usable reward. Harbor's mean of the same files is another number."""

    def unusable(rewards: object, reason: str, cause: str | None = None, exception: str | None = None) -> Attempt:
        return Attempt(rewards, exception, gradings=(Graded(None, reason=reason, cause=cause),))

    forfeited = Graded(0.0, parseable=False, reason="reward_for_unparseable_output")
    whole = one_truth(
        explorer,
        tmp_path,
        Attempt({"reward": 0.93}, gradings=(Graded(0.93),)),
        Attempt({"reward": 0.2}, gradings=(Graded(0.2),)),
        Attempt({"reward": 0}, gradings=(Graded(0.0),)),
        unusable({"reward": 1.5}, "reward_out_of_range"),
        unusable({"reward": True}, "reward_boolean"),
        unusable({"score": 1}, "reward_key_missing"),
        unusable({"reward": math.nan}, "reward_not_finite"),
        unusable(NO_RESULT, "reward_malformed", "agent", "VerifierOutputParseError"),
        unusable(NO_RESULT, "reward_before_time_out", None, "VerifierTimeoutError"),
        Attempt({"reward": 1.0}, gradings=(forfeited,)),
        unusable(NO_RESULT, "reward_missing", "verifier", "RewardFileNotFoundError"),
        unusable(NO_RESULT, "reward_missing", "machine", "RewardFileNotFoundError"),
    )
    assert whole.job == faces.Group({"partial": 2, "failed": 1, "unusable": 7, "broken": 2}, 0.113, 10)


def test_a_ledger_run_is_what_the_judge_says(explorer: Explorer, tmp_path: Path) -> None:
    whole = one_truth(
        explorer,
        tmp_path,
        Attempt(scored=(Scored(judge="PASS"),)),
        Attempt(scored=(Scored(judge="FAIL"),)),
        Attempt(scored=(Scored(),)),
        Attempt(scored=(Scored(judge="unparseable"),)),
        Attempt(scored=(Scored(),), judged=("FAIL", "PASS")),
        # Scored again without a judge: its verdict stays.
        Attempt(scored=(Scored(judge="PASS"), Scored(judge="PENDING"))),
        Attempt(scored=(Scored((("N/A", True),), judge="PASS"),)),
    )
    assert [state for state, *_ in (whole.runs or {}).values()] == [
        *("passed", "failed", "not_judged", "not_judged", "passed", "passed", "passed")
    ]
    assert whole.job == faces.Group({"passed": 4, "failed": 1, "not_judged": 2}, 0.8, 5)


def test_several_rewards_of_which_none_decides(explorer: Explorer, tmp_path: Path) -> None:
    rewards = {"correct": 1, "speed": 0.25}
    whole = one_truth(explorer, tmp_path, Attempt(rewards), Attempt({"reward": math.nan}, task="t1"))
    assert (whole.runs or {})["t0__run0000"] == ("scored", None, "no_deciding_key", None)
    assert whole.job == faces.Group({"scored": 1, "unusable": 1}, 0.0, 1)
    clinic, stored = explorer.imported(tmp_path / "job")
    [found] = clinic.get("/v1/runs", params={"state": "scored"})["data"]
    assert (found["rewards"], found["axes"]) == (rewards, {"correct": 1.0, "speed": 0.25})
    for source in (stored, faces.viewed(tmp_path / "job")):
        assert "correct 1, speed 0.25" in faces.page(source, "runs")


def test_records_count_wherever_the_folder_was_copied_to(explorer: Explorer, tmp_path: Path) -> None:
    """A copy may lack the hidden file that says that there are records."""
    one = Attempt({"reward": 1.0}, gradings=(Graded(None, reason="reward_boolean", cause="agent"),))
    job = write_job(tmp_path / "job", JobPlan((one,)))
    (job / ".assay").unlink()
    whole = agree(every_face(explorer, job))
    assert (whole.runs or {}) == {"t0__run0000": ("unusable", 0.0, "reward_boolean", "agent")}
    faces.results(job, whole.runs or {}, {"t0__run0000": True})


def test_a_job_imported_while_it_runs_is_whole_in_the_end(explorer: Explorer, tmp_path: Path) -> None:
    """No run stays behind that was pending or running before."""
    done = Attempt({"reward": 1.0})
    begun = JobPlan((done, Attempt(text="")), planned=1, finished=False)
    job = write_job(tmp_path / "early" / "job", begun)
    clinic, _ = explorer.imported(job)
    [early] = clinic.get("/v1/runs/groups", params={"by": "job"})
    assert early["states"] == {"passed": 1, "running": 1, "pending": 1}
    later = write_job(tmp_path / "later" / "job", JobPlan((done, done, Attempt({"reward": 0.0}))))
    explorer.add(clinic, later)
    [late] = clinic.get("/v1/runs/groups", params={"by": "job"})
    assert late["states"] == {"passed": 2, "failed": 1}


def test_a_planned_trial_is_of_the_whole_task(tmp_path: Path) -> None:
    """Names of tasks may have two underscores, as those of trials do."""
    job = write_job(
        tmp_path / "job", JobPlan((Attempt({"reward": 1.0}, task="a__b"), Attempt(text="", task="a__b")))
    )
    lock = json.loads((job / "lock.json").read_text())
    (job / "lock.json").write_text(json.dumps({**lock, "trials": [*lock["trials"], lock["trials"][0]]}))
    assert [run.task for run in faces.viewed(job).job("job").runs] == ["a__b"] * 3


def test_a_reward_that_json_can_not_hold_is_one_of_several(tmp_path: Path) -> None:
    """The result of the trial has null for it; only the verifier's own file has the number."""
    graded = Graded(None, reason="reward_key_missing", cause="machine")
    job = write_job(tmp_path / "job", JobPlan((Attempt({"correct": 0, "speed": math.nan}, gradings=(graded,)),)))
    runs = faces.report_json(job).runs or {}
    assert runs == {"t0__run0000": ("scored", None, "no_deciding_key", None)}
    faces.results(job, runs, {"t0__run0000": True})
