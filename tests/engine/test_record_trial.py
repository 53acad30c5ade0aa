"""The folder of one trial: what is kept of an agent and of a verifier, and where."""

import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from assay.adapters.jobs.annotations import read_stored_gradings
from assay.adapters.machine import trees
from assay.adapters.tasks import workbench
from assay.adapters.tasks.task_folder import load_task
from assay.engine.run.ports import plan_trials
from assay.engine.sandbox import Ran, SandboxCommand
from tests.jobs import Jobs
from tests.tasks import Places, ScriptedSandbox, StepSpec, gives, idle, write_steps


def test_what_a_trial_leaves(jobs: Jobs) -> None:
    def work(places: Places) -> None:
        (places["/workspace"] / "made").write_text("x")
        (places["/logs/agent"] / "own.log").write_text("x")
        (places["/logs/artifacts"] / "picture").write_text("x")

    def check(places: Places) -> None:
        gives(0.5)(places)
        (places["/logs/verifier"] / "extra.txt").write_text("x")

    jobs.begun(0, sandbox=ScriptedSandbox(agent=work, verifier=check))
    trial = jobs.folder / "t__0000000"
    assert {str(path.relative_to(trial)) for path in trial.rglob("*") if path.is_file()} == {
        "agent/instruction.md",
        "agent/agent-stderr.txt",
        "agent/output.txt",
        "agent/own.log",
        "artifacts/manifest.json",
        "artifacts/picture",
        "config.json",
        "gradings/0001.json",
        "result.json",
        "trial.log",
        "verifier/extra.txt",
        "verifier/reward.json",
        "verifier/test-stdout.txt",
        "workspace.tar.gz",
    }
    assert (trial / "agent" / "output.txt").read_text() == "said\n"
    assert "the sandbox gives one stream" in (trial / "agent" / "agent-stderr.txt").read_text()
    assert not (trial / "agent" / "agent-stdout.txt").exists()


def test_the_workspace_is_kept_as_the_agent_left_it(jobs: Jobs) -> None:
    """A verifier leaves traces. They are not the agent's."""

    def tidy(places: Places) -> None:
        (places["/workspace"] / "trace").write_text("x")
        gives(1)(places)

    jobs.begun(0, sandbox=ScriptedSandbox(verifier=tidy))
    with tarfile.open(jobs.folder / "t__0000000" / "workspace.tar.gz") as archive:
        assert archive.getnames() == ["workspace"]


def test_each_step_has_a_folder_of_its_own(jobs: Jobs, tmp_path: Path) -> None:
    task = load_task(str(write_steps(tmp_path / "stepped", [StepSpec("one"), StepSpec("two")])))
    (planned,) = plan_trials([(task, None)], 1)
    store = jobs.store()
    store.take_up([planned])
    store.run_trial(planned, "t__0000000")
    trial = jobs.folder / "t__0000000"
    for step in ("one", "two"):
        assert (trial / "steps" / step / "workspace.tar.gz").exists()
        assert (trial / "steps" / step / "verifier" / "reward.json").exists()
        assert (trial / "steps" / step / "agent" / "output.txt").read_text() == "said\n"
    assert sorted(path.name for path in (trial / "gradings").iterdir()) == ["0001.json", "0002.json", "0003.json"]


def test_a_trial_with_steps_has_a_grading_of_its_own_beside_theirs(jobs: Jobs, tmp_path: Path) -> None:
    task = load_task(str(write_steps(tmp_path / "stepped", [StepSpec("one"), StepSpec("two")])))
    (planned,) = plan_trials([(task, None)], 1)
    rewards = iter((1, 0.5))

    def verify(places: Places) -> None:
        gives(next(rewards))(places)

    store = jobs.store(ScriptedSandbox(verifier=verify))
    store.take_up([planned])
    store.run_trial(planned, "t__0000000")
    *steps, whole = read_stored_gradings(str(jobs.folder / "t__0000000"))
    assert [(one.number, one.step, one.steps, one.result.reward) for one in steps] == [
        (1, "one", None, 1.0),
        (2, "two", None, 0.5),
    ]
    assert (whole.number, whole.step, whole.steps) == (3, None, [1, 2])
    assert (whole.result.reward, whole.rewards) == (0.75, {"reward": 0.75})
    assert whole.provenance.started_at == steps[0].provenance.started_at
    assert whole.provenance.finished_at == steps[1].provenance.finished_at


def test_each_step_is_held_against_its_own_declaration(jobs: Jobs, tmp_path: Path) -> None:
    toml = '[metadata.output.two]\npath = "/workspace/a.json"\nschema = "two.json"\n'
    folder = write_steps(tmp_path / "stepped", [StepSpec("one"), StepSpec("two")], toml=toml)
    (folder / "two.json").write_text('{"required": ["a"]}')

    def work(places: Places) -> None:
        (places["/workspace"] / "a.json").write_text('{"b": 1}')

    (planned,) = plan_trials([(load_task(str(folder)), None)], 1)
    store = jobs.store(ScriptedSandbox(agent=work))
    store.take_up([planned])
    store.run_trial(planned, "t__0000000")
    one, two, _ = read_stored_gradings(str(jobs.folder / "t__0000000"))
    assert (one.step, one.result.validity.schema_valid) == ("one", True)
    assert (two.step, two.result.validity.schema_valid) == ("two", False)
    assert two.result.validity.errors == ["$: 'a' is a required property"]


def test_output_that_was_cut_says_so(jobs: Jobs) -> None:
    class Talkative(ScriptedSandbox):
        def run(self, command: SandboxCommand) -> Ran:
            ran = super().run(command)
            return replace(ran, output_cut=True)

    jobs.begun(0, sandbox=Talkative())
    said = (jobs.folder / "t__0000000" / "agent" / "output.txt").read_text()
    assert said == "[the beginning was cut off]\nsaid\n"


@pytest.mark.parametrize("who", ["agent", "verifier"])
def test_of_logs_less_is_kept_than_of_workspaces(jobs: Jobs, monkeypatch: pytest.MonkeyPatch, who: str) -> None:
    """A trajectory may be as large as a disk. A run whose verifier read all of it isn't graded by a part."""

    def flood(places: Places) -> None:
        if who == "verifier":
            gives(1)(places)
        for name in ("a", "b"):
            (places[f"/logs/{who}"] / name).write_bytes(bytes(700_000))

    monkeypatch.setattr(workbench, "MOST_OF_LOGS_MB", 1)
    agent, verifier = (flood, gives(1)) if who == "agent" else (idle, flood)
    jobs.begun(0, sandbox=ScriptedSandbox(agent=agent, verifier=verifier))
    trial = jobs.folder / "t__0000000"
    said = (trial / "trial.log").read_text()
    assert said.endswith(f"/logs/{who} has more than 1 MiB: 1 of its files are not kept\n")
    assert sum(path.stat().st_size for path in (trial / who).iterdir()) < 2**20
    assert (trial / "workspace.tar.gz").exists() is (who == "verifier")


def test_logs_that_were_cut_are_named_in_both_logs(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    def flood(places: Places) -> None:
        gives(1)(places)
        (places["/logs/verifier"] / "flood").write_bytes(bytes(20_000))

    monkeypatch.setattr(trees, "MAX_BYTES", 10_000)
    jobs.begun(0, sandbox=ScriptedSandbox(verifier=flood))
    trial = jobs.folder / "t__0000000"
    said = "/logs/verifier has more than 0 GiB: 1 of its files are not kept\n"
    assert (trial / "trial.log").read_text().endswith(said)
    assert f"Trial t__0000000: {said}" in (jobs.folder / "job.log").read_text()
    # What the agent left is whole, and can be graded again.
    assert (trial / "workspace.tar.gz").exists()
