"""One truth: whatever is in a job, every face says the same of each run, of each agent and of the job.

Jobs of every kind are made up and written to disk as harbor and Assay write them, and each face is asked the way
its user asks it: the report, the comparison, the explorer's API, its exports, and the pages of both sources.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import httpx
import pytest
from hypothesis import HealthCheck, given, settings

from assay.adapters.job_folder import DiskJobFolder
from assay.adapters.store.opening import open_store
from assay.cli.json_values import without_nan
from assay.dialects.harbor.job_stats import job_stats
from assay.engine.job import read_job
from tests.api.clinic import serve_on
from tests.one_truth import faces
from tests.one_truth.faces import Answer, Explorer, command
from tests.one_truth.jobs import JobPlan, plans, write_job

# Everything is asked of every example.
FEW = settings(suppress_health_check=list(HealthCheck), max_examples=settings().max_examples // 4)


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
    for source in (stored, both):
        faces.page(source, f"compare?job={job.name}&job={other.name}")
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
        if attempt.gradings and not attempt.scored and (attempt.gradings[0].reward is None):
            assert state not in ("passed", "partial", "failed")
        if attempt.gradings and not attempt.gradings[0].parseable:
            assert state not in ("passed", "partial")
    graded = {
        name: True
        for name, attempt in plan.named()
        if attempt.gradings and attempt.text is None and name in {trial.name for trial in read.trials}
    }
    faces.results(job, whole.runs, graded)
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
