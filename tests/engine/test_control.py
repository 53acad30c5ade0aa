"""Why a verifier gave no usable reward: decided by running it again, and on the task's untouched workspace."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assay.adapters.jobs.annotations import read_stored_gradings
from assay.adapters.jobs.trial_folder import DiskTrial
from assay.adapters.machine import trees
from assay.adapters.machine.local_machine import ThisHost
from assay.adapters.tasks.task_folder import load_task, load_task_if_there
from assay.adapters.tasks.workbench import DiskWorkshop, Workbench
from assay.core.errors import MeasurementError
from assay.dialects.evaluation.models import Control, Grading
from assay.dialects.harbor.trial import Trial
from assay.engine.machine import TrialSite
from assay.engine.run.grade_again import Regrading
from assay.engine.run.ports import plan_trials
from assay.engine.sandbox import Ran, SandboxCommand
from assay.evidence.coding_run import ProcessEnd
from tests.jobs import Jobs
from tests.tasks import Act, Places, ScriptedSandbox, StepSpec, gives, idle, write_steps

MADE = "made-by-the-agent"


def work(places: Places) -> None:
    (places["/workspace"] / MADE).write_text("x")


def touched(places: Places) -> bool:
    return (places["/workspace"] / MADE).exists()


def breaks(_places: Places) -> None:
    raise MeasurementError("the sandbox is gone")


def writes(text: str) -> Act:
    return lambda places: (places["/logs/verifier"] / "reward.json").write_text(text)


def on_output(act: Act, otherwise: Act) -> Act:
    """One thing on the agent's output, another on the untouched workspace."""
    return lambda places: (act if touched(places) else otherwise)(places)


def one_after_the_other(*acts: Act) -> Act:
    left = iter(acts)

    def act(places: Places) -> None:
        next(left)(places)

    return act


def ran(jobs: Jobs, verifier: Act) -> tuple[Trial, Grading, ScriptedSandbox]:
    """One trial with a verifier: its result, its grading, and its sandbox."""
    sandbox = ScriptedSandbox(agent=work, verifier=verifier)
    trial = jobs.begun(0, sandbox=sandbox)[0]
    (grading,) = read_stored_gradings(str(jobs.folder / "t__0000000"))
    return trial, grading, sandbox


def test_a_usable_reward_needs_no_control(jobs: Jobs) -> None:
    _, grading, sandbox = ran(jobs, gives(0))
    assert (grading.cause, grading.control, len(sandbox.commands)) == (None, None, 2)


def test_the_second_run_counts_and_the_verifier_is_flaky(jobs: Jobs) -> None:
    def spoil(places: Places) -> None:
        (places["/workspace"] / MADE).unlink()

    trial, grading, sandbox = ran(jobs, one_after_the_other(spoil, on_output(gives(0.75), idle)))
    assert (trial.rewards, trial.exception_type) == ({"reward": 0.75}, None)
    assert (grading.result.reward, grading.flaky, grading.cause) == (0.75, True, None)
    assert grading.control is not None
    assert grading.control.first.startswith("reward_missing: ")
    assert (grading.control.again, grading.control.untouched) == ("reward 0.75", None)
    assert len(sandbox.commands) == 3
    assert (jobs.folder / "t__0000000" / "verifier" / "reward.json").read_text() == '{"reward": 0.75}'


@pytest.mark.parametrize(
    ("output", "untouched", "cause"),
    [
        (idle, gives(0), "agent"),
        (idle, gives(1), "agent"),
        (idle, idle, "verifier"),
        (writes(""), idle, "agent"),
        (writes('{"reward": 2}'), writes('{"reward": 3}'), "verifier"),
        (writes('{"reward": 2}'), writes('{"reward": NaN}'), "agent"),
    ],
)
def test_the_untouched_workspace_decides(jobs: Jobs, output: Act, untouched: Act, cause: str) -> None:
    _, grading, sandbox = ran(jobs, on_output(output, untouched))
    assert (grading.cause, grading.result.reward, grading.flaky) == (cause, 0.0, False)
    assert not grading.result.validity.verifier_completed
    assert len(sandbox.commands) == 4


class Ending(ScriptedSandbox):
    """A verifier that leaves nothing, and ends in one way on the agent's output, in another without it."""

    def __init__(self, output: ProcessEnd, untouched: ProcessEnd) -> None:
        super().__init__(agent=work, verifier=idle)
        self._ends = {True: output, False: untouched}

    def run(self, command: SandboxCommand) -> Ran:
        places = {mount.target: Path(mount.source) for mount in command.mounts}
        found = super().run(command)
        return replace(found, end=self._ends[touched(places)]) if "/tests" in places else found


WELL = ProcessEnd(exit_code=0)
LATE = ProcessEnd(exit_code=None, timed_out=True)
FULL = ProcessEnd(exit_code=None, excess="wrote too much")
KILLED = ProcessEnd(exit_code=137, signal=9)
HUNGRY = ProcessEnd(exit_code=137, signal=9, out_of_memory=True)


@pytest.mark.parametrize("output", [WELL, LATE, FULL, KILLED, HUNGRY])
@pytest.mark.parametrize("untouched", [WELL, LATE, FULL, KILLED, HUNGRY])
def test_another_end_is_another_failure(jobs: Jobs, output: ProcessEnd, untouched: ProcessEnd) -> None:
    jobs.begun(0, sandbox=Ending(output, untouched))
    (grading,) = read_stored_gradings(str(jobs.folder / "t__0000000"))
    assert grading.cause == ("verifier" if output == untouched else "agent")


def test_the_untouched_workspace_is_verified_once_for_a_task(jobs: Jobs) -> None:
    sandbox = ScriptedSandbox(agent=work, verifier=idle)
    jobs.begun(0, 2, sandbox=sandbox)
    first, other = [read_stored_gradings(str(jobs.folder / f"t__{number:07}"))[0].control for number in (0, 2)]
    assert first is not None
    assert first == other  # The record is about the output, not about who came first.
    assert len(sandbox.commands) == 2 * 3 + 1
    earlier = first.model_dump() | {"remembered": True}
    assert Control.model_validate(earlier) == first


def test_an_output_that_no_sandbox_takes_is_the_agents(jobs: Jobs) -> None:
    trial, grading, _ = ran(jobs, on_output(breaks, gives(0)))
    assert (trial.rewards, trial.exception_type) == (None, "RewardFileNotFoundError")
    assert (grading.cause, grading.reason_code, grading.result.reward) == ("agent", "sandbox_failed", 0.0)
    assert not grading.result.validity.verifier_completed


def test_a_sandbox_that_also_breaks_without_the_agent_is_the_machines(jobs: Jobs) -> None:
    trial, grading, sandbox = ran(jobs, breaks)
    assert (trial.exception_type, trial.exception_message) == ("MeasurementError", "the sandbox is gone")
    assert (grading.cause, grading.reason_code) == ("machine", "sandbox_failed")
    assert len(sandbox.commands) == 4


def test_a_verifier_is_not_flaky_because_the_machine_was_broken(jobs: Jobs) -> None:
    ran(jobs, breaks)
    sandbox = ScriptedSandbox(verifier=gives(1))
    with DiskWorkshop(sandbox) as workshop:
        again = Regrading(TrialSite(sandbox, ThisHost({})), workshop, load_task_if_there)
        (grading,) = again.grade(DiskTrial(str(jobs.folder / "t__0000000")))
    assert (grading.number, grading.result.reward, grading.flaky) == (2, 1.0, False)


def test_without_a_control_there_is_no_cause(jobs: Jobs) -> None:
    sandbox = ScriptedSandbox(agent=work, verifier=idle)
    job = jobs.store(sandbox, control=False)
    job.take_up(jobs.planned)
    job.run_trial(jobs.planned[0], "t__0000000")
    (grading,) = read_stored_gradings(str(jobs.folder / "t__0000000"))
    assert (grading.cause, grading.control, len(sandbox.commands)) == (None, None, 2)


def test_nobody_is_blamed_without_an_untouched_workspace(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., object] = DiskWorkshop.bench
    made: list[object] = []

    def bench(self: DiskWorkshop, environment: object) -> object:
        made.append(environment)
        broken = replace(environment, broken="there is no image") if len(made) > 1 else environment  # type: ignore[type-var]
        return real(self, broken)

    monkeypatch.setattr(DiskWorkshop, "bench", bench)
    _, grading, _ = ran(jobs, idle)
    assert (grading.cause, grading.reason_code) == (None, "reward_missing")
    assert grading.control is not None
    assert (grading.control.again is None, grading.control.untouched) == (False, None)


def test_a_workspace_too_large_to_keep_is_not_verified_again(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    def flood(places: Places) -> None:
        work(places)
        (places["/workspace"] / "flood").write_bytes(bytes(20_000))

    monkeypatch.setattr(trees, "MAX_BYTES", 10_000)
    jobs.begun(0, sandbox=ScriptedSandbox(agent=flood, verifier=on_output(idle, gives(0))))
    (grading,) = read_stored_gradings(str(jobs.folder / "t__0000000"))
    assert grading.control is not None
    assert (grading.cause, grading.control.again) == ("agent", None)


@pytest.mark.parametrize(("verifier", "reward"), [(gives(1), 1.0), (on_output(breaks, gives(1)), 0.0)])
def test_an_agent_gains_nothing_by_a_workspace_that_can_not_be_kept(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch, verifier: Act, reward: float
) -> None:
    monkeypatch.setattr(Workbench, "keep_workspace", lambda _bench, _target: breaks({}))
    trial, grading, _ = ran(jobs, verifier)
    assert trial.exception_type == (None if reward else "RewardFileNotFoundError")
    assert (grading.result.reward, grading.provenance.hashes.workspace) == (reward, None)
    assert grading.cause == (None if reward else "agent")


def test_each_step_has_its_own_control(jobs: Jobs, tmp_path: Path) -> None:
    """The untouched workspace of a later step has the files of the steps, and nothing of the agent."""
    steps = [StepSpec("one", workdir={"one.txt": "1"}), StepSpec("two", workdir={"two.txt": "2"})]
    task = load_task(str(write_steps(tmp_path / "stepped", steps)))
    seen: list[Sequence[str]] = []

    def verify(places: Places) -> None:
        names = sorted(path.name for path in places["/workspace"].iterdir())
        seen.append(names)
        if "two.txt" not in names or MADE not in names:
            gives(1)(places)

    store = jobs.store(ScriptedSandbox(agent=work, verifier=verify))
    (planned,) = plan_trials([(task, None)], 1)
    store.take_up([planned])
    store.run_trial(planned, "t__0000000")
    one, two, whole = read_stored_gradings(str(jobs.folder / "t__0000000"))
    assert [grading.cause for grading in (one, two, whole)] == [None, "agent", "agent"]
    assert seen[-2:] == [[MADE, "one.txt", "two.txt"], ["one.txt", "two.txt"]]
    assert (whole.control, whole.result.reward) == (None, 0.0)


@pytest.mark.parametrize(
    ("verifier", "cause"), [(on_output(breaks, gives(0)), "agent"), (idle, "verifier"), (breaks, None)]
)
def test_grading_again_records_all_but_a_broken_machine(jobs: Jobs, verifier: Act, cause: str | None) -> None:
    jobs.begun(0, sandbox=ScriptedSandbox(agent=work))
    sandbox = ScriptedSandbox(verifier=verifier)
    trial = DiskTrial(str(jobs.folder / "t__0000000"))
    with DiskWorkshop(sandbox) as workshop:
        again = Regrading(TrialSite(sandbox, ThisHost({})), workshop, load_task_if_there)
        if cause is None:
            with pytest.raises(MeasurementError, match="the sandbox is gone"):
                again.grade(trial)
        else:
            assert [grading.cause for grading in again.grade(trial)] == [cause]
    assert len(trial.gradings().gradings) == (1 if cause is None else 2)
