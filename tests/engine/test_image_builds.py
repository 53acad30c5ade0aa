"""The images of a job: built side by side, each once, with a log; one that fails is the affair of its task alone.

The engine is a program that stands for Docker: it takes its time over builds, and remembers what it built.
"""

import json
from pathlib import Path

import pytest

from assay.adapters.jobs.trial_folder import DiskJobStore, DiskTrial
from assay.adapters.machine.local_machine import ThisHost
from assay.adapters.sandbox.containers.container import Container
from assay.adapters.tasks.task_folder import load_task, load_task_if_there
from assay.adapters.tasks.workbench import DiskWorkshop
from assay.core.errors import InputError
from assay.dialects.evaluation.models import Grading
from assay.dialects.harbor.trial import Trial
from assay.engine.machine import TrialSite
from assay.engine.run.grade_again import Regrading
from assay.engine.run.ports import Agent, JobSetting, plan_trials
from assay.engine.run.run_job import run_job
from assay.engine.run.trial_queue import EndedTrial
from assay.engine.tasks.prepare_task import prepare_task
from tests.sandbox.fake_container_engine import ENDED
from tests.tasks import script, trials_of, write_task

# A build waits for a second one, as long as that may take on a busy machine.
ENGINE = """\
echo "$@" >> {0}/asked
case "$1" in
build)
  echo "building $6"
  touch {0}/now.$$
  for i in $(seq $(cat {0}/wait)); do
    [ $(ls {0}/now.* | wc -l) -ge 2 ] && touch {0}/together && break
    sleep 0.1
  done
  grep -q BROKEN "$6/Dockerfile" && echo "no such instruction: BROKEN" && exit 1
  echo "sha256:${{3#*:}}" | tee "{0}/image.${{3#*:}}" > "$5";;
image)
  [ "$3" = "$(cat {0}/gone)" ] && exit 1
  [ "$3" = --format ] || exec echo '[{{"Config": {{"WorkingDir": "/app"}}}}]'
  cat "{0}/image.${{5#*:}}";;
inspect) echo '{1}';;
esac
"""


class Said:
    """Keeps what a job says."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def begin(self, folder: str, total: int, finished: int, backend: str) -> None: ...
    def started(self, name: str) -> None: ...
    def retrying(self, trial: Trial, wait_sec: float) -> None: ...
    def ended(self, ended: EndedTrial, done: int, total: int) -> None: ...

    def note(self, said: str) -> None:
        self.notes.append(said)


class Place:
    """A folder with tasks, jobs and an engine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.site = TrialSite(
            Container(str(script(folder / "docker", ENGINE.format(folder, json.dumps(ENDED))))), ThisHost({})
        )
        self.wait_for_another(seconds=0)
        (folder / "gone").touch()

    def wait_for_another(self, seconds: int) -> None:
        (self.folder / "wait").write_text(str(seconds * 10))

    def task(self, name: str, more: str = "") -> Path:
        return write_task(self.folder / "tasks" / name, dockerfile=f"FROM debian:12\nWORKDIR /app\n{more}")

    def run(self, name: str, *tasks: Path) -> list[str]:
        """Run a job with an idle agent. Returns what it said."""
        prepared = [prepare_task(load_task(str(task)), self.site, build=False) for task in tasks]
        agent = Agent("nop")
        setting = JobSetting(name, str(self.folder / "jobs"), agent, 1, 4, 0, (), tuple(map(str, tasks)), ())
        said = Said()
        with DiskJobStore(setting.folder) as store, DiskWorkshop(self.site.sandbox) as workshop:
            planned = plan_trials([(task, None) for task in prepared], 1)
            assert run_job(setting, planned, self.site, workshop, store, said, lambda: None)
        return said.notes

    def builds(self) -> int:
        return sum(line.startswith("build ") for line in (self.folder / "asked").read_text().splitlines())

    def log(self, job: str, task: str) -> str:
        return (self.folder / "jobs" / job / f"build-{task}.log").read_text()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_images_are_built_side_by_side_with_a_log_each(place: Place) -> None:
    place.wait_for_another(seconds=30)
    said = place.run("job", place.task("a"), place.task("b", "ENV B=1\n"))
    assert (place.folder / "together").exists()
    assert said == ["image 1/2  a  ready", "image 2/2  b  ready"]
    assert place.log("job", "a") == f"building {place.folder}/tasks/a/environment\n"


def test_one_that_can_not_be_built_leaves_the_others(place: Place) -> None:
    said = place.run("job", place.task("bad", "RUN BROKEN\n"), place.task("good"))
    trials = {trial.result["task_name"]: trial for trial in trials_of(place.folder / "jobs" / "job")}
    assert trials["good"].exception == "RewardFileNotFoundError"  # The engine runs nothing, but it was asked to.
    assert (trials["bad"].exception, trials["bad"].rewards) == ("MeasurementError", None)
    why = trials["bad"].result["exception_info"]["exception_message"]
    log = place.folder / "jobs" / "job" / "build-bad.log"
    assert why.startswith(
        f"the image of {place.folder}/tasks/bad couldn't be built; {log} has what the engine said: "
    )
    assert why.endswith("no such instruction: BROKEN")
    assert log.read_text().endswith("no such instruction: BROKEN\n")
    assert [line.split("  ")[1:] for line in said] == [["bad", why], ["good", "ready"]]


def test_an_image_is_built_once_for_the_same_content(place: Place) -> None:
    """Be it in one job or in another one, for one task or for several."""
    place.run("first", place.task("a"), place.task("twin"))
    assert place.builds() == 1
    place.run("second", place.folder / "tasks" / "a")
    assert place.builds() == 1
    assert "was built before: sha256:" in place.log("second", "a")
    (place.folder / "tasks" / "a" / "environment" / "data.txt").write_text("new")
    place.run("third", place.folder / "tasks" / "a")
    assert place.builds() == 2


def test_tasks_with_the_same_name_have_logs_of_their_own(place: Place) -> None:
    place.run("job", place.task("set/a"), place.task("other/a", "ENV A=1\n"))
    assert (place.log("job", "a"), place.log("job", "a-2")) == (
        f"building {place.folder}/tasks/set/a/environment\n",
        f"building {place.folder}/tasks/other/a/environment\n",
    )


def graded(place: Place, trial: Path, *, anywhere: bool = False) -> list[Grading]:
    with DiskWorkshop(place.site.sandbox) as workshop:
        again = Regrading(place.site, workshop, load_task_if_there, anywhere=anywhere)
        return again.grade(DiskTrial(str(trial)))


def test_a_run_is_graded_again_in_the_image_of_the_first_grading_or_not_at_all(place: Place) -> None:
    place.run("job", place.task("a"))
    (trial,) = trials_of(place.folder / "jobs" / "job")
    first = trial.gradings[0]["provenance"]["image"]
    (place.folder / "tasks" / "a" / "environment" / "data.txt").write_text("new")
    assert [one.provenance.image for one in graded(place, trial.folder)] == [first]
    (place.folder / "gone").write_text(first)
    with pytest.raises(InputError) as refused:
        graded(place, trial.folder)
    assert str(refused.value).startswith(
        f"{trial.folder} was verified in the image {first}, which isn't here any more; pass --isolation container"
    )
    assert [one.provenance.image != first for one in graded(place, trial.folder, anywhere=True)] == [True]
    assert not any(one.is_flaky for one in DiskTrial(str(trial.folder)).gradings().gradings)
