"""One test over all faces: the JSON of commands, what Python returns, what is stored, what the service answers.

Each subject of the table below says how one thing is seen through each face. The names and the values are the same
everywhere; only ids and times of separate gradings of the same thing are left out.
"""

import json
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from assay import criteria, evaluation, harbor, scorers
from assay.adapters.store.opening import open_store
from tests.api.clinic import ROW, SPOKEN, clinic_of, portal, said, serve_on
from tests.builders import REPO
from tests.cli.running import Cli
from tests.coding import FIXED, GUARD, seed, write_files

GUESSES = REPO / "examples" / "guesses"
TASKS = REPO / "examples" / "tasks"
# Every grading has its own.
VOLATILE = {"id", "task_run_id", "criterion_id", "created_at"}

Faces = dict[str, Any]
Subject = Callable[[Cli, Path], Faces]


def plain(value: Any) -> Any:
    """A value as JSON, as it would be printed."""
    return json.loads(json.dumps(value))


def stored(path: Path) -> Any:
    return json.loads(path.read_text())


def an_evaluation(cli: Cli, _folder: Path) -> Faces:
    trial = GUESSES / "voltage-drop__KxukLPd"
    on_disk = stored(trial / "gradings" / "0001.json")["result"]
    return {
        "stored": on_disk,
        "command": json.loads(cli("result", trial, "--json").out),
        "read_result": evaluation.read_result(trial).model_dump(mode="json"),
        "read_gradings": evaluation.read_gradings(trial)[0].result.model_dump(mode="json"),
        "validated": evaluation.EvaluationResult.model_validate(on_disk).model_dump(mode="json"),
    }


def a_grading(_cli: Cli, _folder: Path) -> Faces:
    trial = GUESSES / "broken-verifier__exM84SI"
    newest = stored(trial / "gradings" / "0002.json")
    read = evaluation.read_gradings(trial)[1].model_dump(mode="json")
    validated = evaluation.Grading.model_validate(newest).model_dump(mode="json")
    return {"stored": newest, "read_gradings": _only(read, newest), "validated": _only(validated, newest)}


def _only(made: Any, known: Any) -> Any:
    """Without fields that the stored record is too old to have."""
    if isinstance(made, dict) and isinstance(known, dict):
        return {key: _only(value, known[key]) for key, value in made.items() if key in known}
    return made


def reviews(cli: Cli, folder: Path) -> Faces:
    """A verdict and a tag that were added through the commands."""
    job = shutil.copytree(GUESSES, folder / "guesses")
    trial = job / "voltage-drop__KxukLPd"
    cli("annotate", trial, "--judgment", "fail", "--reviewer", "r1", "--category", "cut off", "--notes", "no end")
    cli("tag", trial, "--category", "truncated", "--source", "judge", "--description", "mid-number", "--by", "j")
    annotation = stored(trial / "annotations" / "0001.json")
    tag = stored(trial / "tags" / "0001.json")["tag"]
    seen = {
        "command": json.loads(cli("result", trial, "--json").out),
        "read_result": evaluation.read_result(trial).model_dump(mode="json"),
    }
    human = {"category": "cut off", "description": "no end", "source": "human"}
    report = json.loads(cli("report", job, "--json").out)["jobs"][0]["evaluation"]["reviews"]
    shared = ("reviewer_id", "judgment", "categories", "notes")
    (row,) = (one for one in report if one["trial"] == trial.name)
    return {
        "stored": {
            "annotations": [annotation],
            "tags": [tag, human],
            "row": {key: annotation[key] for key in shared},
        },
        **{
            face: {
                "annotations": result["annotations"],
                "tags": result["error_taxonomy"][-2:],
                "row": {key: row[key] for key in shared},
            }
            for face, result in seen.items()
        },
    }


def a_task(cli: Cli, _folder: Path) -> Faces:
    task = TASKS / "voltage-drop"
    described = evaluation.describe_task(task)
    (shown,) = json.loads(cli("tasks", "show", task, "--json").out)["tasks"]
    return {
        "command": shown,
        "describe_task": described.model_dump(mode="json"),
        "validated": evaluation.TaskDescription.model_validate(shown).model_dump(mode="json"),
    }


def a_job(cli: Cli, _folder: Path) -> Faces:
    """Harbor's numbers: in result.json, in a report, and from Python."""
    record = stored(GUESSES / "result.json")["stats"]
    job = harbor.read_job(GUESSES)
    stats = harbor.job_stats(job.trials, job.metrics.by_dataset, n_total=job.n_total)
    report = json.loads(cli("report", GUESSES, "--json").out)["jobs"][0]
    counts = ("n_completed_trials", "n_errored_trials", "n_cancelled_trials")
    parts = ("n_trials", "n_errors", "metrics", "pass_at_k")
    return {
        "stored": _numbers(record, record["evals"], counts, parts),
        "report": _numbers(
            report["harbor"], {key: one["harbor"] for key, one in report["evals"].items()}, counts, parts
        ),
        "job_stats": _numbers(
            asdict(stats), {key: asdict(one) for key, one in stats.evals.items()}, counts, parts
        ),
    }


def _numbers(counted: Any, evals: Any, counts: tuple[str, ...], parts: tuple[str, ...]) -> Any:
    groups = {key: {part: group[part] for part in parts} for key, group in evals.items()}
    return plain({name: counted[name] for name in counts} | {"evals": groups})


def an_outcome(cli: Cli, _folder: Path) -> Faces:
    line = cli("outcome", GUESSES).out.splitlines()[-1]
    return {
        "command": json.loads(line.partition("=")[2]),
        "outcome_of": asdict(harbor.outcome_of((GUESSES / "result.json").read_bytes())),
    }


def a_score(cli: Cli, folder: Path) -> Faces:
    task, workspace = seed(folder, GUARD)
    write_files(workspace, {"calc.py": FIXED})
    return {
        "command": json.loads(cli("score", workspace, "--task", task, "--json").out),
        "score": json.loads(scorers.score(workspace, task).model_dump_json()),
    }


CRITERIA = [portal("status", "booked", weight=2, axis="correctness"), said("goodbye", axis="safety")]


def a_completion(cli: Cli, folder: Path) -> Faces:
    """The same criteria on the same records, by the command, by Python and by the service."""
    records = [{"record": "row", **ROW}, *({"record": "turn", **turn} for turn in SPOKEN)]
    (folder / "state").mkdir()
    (folder / "state" / "records.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in records))
    playground = folder / "playground.yaml"
    playground.write_text(yaml.safe_dump({"id": "clinic", "store": "records.db"}))
    file = folder / "criteria.yaml"
    file.write_text(yaml.safe_dump({"criteria": CRITERIA}))
    criteria.load(playground, folder / "state")
    completed, kept = _served(folder)
    return {
        face: _lasting(made)
        for face, made in {
            "command": json.loads(cli("verify", file, "--playground", playground, "--json").out),
            "verify": criteria.verify(file, playground).answer(),
            "service": completed,
            "stored by the service": completed | {"criterion_runs": kept},
        }.items()
    }


def _served(folder: Path) -> tuple[Any, Any]:
    """The completion as the service answers it, and the criterion runs as they are read later."""
    path = folder / "service.db"
    open_store(str(path), create=True).close()
    with serve_on(str(path)) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        clinic = clinic_of(served, client, "org")
        run = clinic.run(*CRITERIA)
        completed = clinic.post(f"/v1/task-runs/{run}/complete")
        kept = [clinic.get(f"/v1/criterion-runs/{one['id']}") for one in completed["criterion_runs"]]
    return completed, kept


def _lasting(completion: Any) -> Any:
    """What the document says of a completion, without ids and times."""
    runs = [
        {key: value for key, value in run.items() if key not in VOLATILE} for run in completion["criterion_runs"]
    ]
    assert all(set(run) >= VOLATILE for run in completion["criterion_runs"])
    return {key: completion[key] for key in ("verdict", "score", "axes")} | {"criterion_runs": runs}


SUBJECTS: dict[str, Subject] = {
    "evaluation": an_evaluation,
    "evaluation: a grading": a_grading,
    "evaluation: reviews": reviews,
    "evaluation: a task": a_task,
    "harbor: a job": a_job,
    "harbor: an outcome": an_outcome,
    "scorers": a_score,
    "criteria": a_completion,
}


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


@pytest.mark.statement("evaluation.own-files-readable", "criteria.criterion-run-fields", "criteria.evidence-later")
@pytest.mark.parametrize("subject", SUBJECTS)
def test_all_faces_have_the_same_names_and_values(subject: str, cli: Cli, tmp_path: Path) -> None:
    faces = SUBJECTS[subject](cli, tmp_path)
    assert len(faces) > 1
    (first, expected), *others = faces.items()
    for face, value in others:
        assert value == expected, f"{face} and {first} differ"


def test_every_dialect_has_a_subject() -> None:
    assert {subject.partition(":")[0] for subject in SUBJECTS} == {"evaluation", "harbor", "scorers", "criteria"}
