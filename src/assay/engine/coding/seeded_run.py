"""A seeded task as one that agents can be run on: the same trial, with scorers in the place of a verifier."""

import hashlib
import posixpath

from assay.dialects.evaluation.models import VerifierSpec
from assay.dialects.harbor.task_config import TaskConfig
from assay.engine.coding.coding_record import Seeded
from assay.engine.sandbox import CommandEnvironment
from assay.engine.tasks.task import (
    DETAILS_PATH,
    REWARD_PATH,
    HarborChecksums,
    Phase,
    Task,
    TaskEnvironment,
    TaskStep,
)


def runnable(seeded: Seeded, archive: str, around: CommandEnvironment) -> Task:
    """The task. ``archive`` is the workspace that the agent gets, and ``around`` what else it sees."""
    scenario = seeded.scenario
    hashes = (seeded.scenario_sha256, seeded.baseline_sha256, seeded.workspace_sha256)
    checksum = hashlib.sha256("".join(hashes).encode()).hexdigest()
    environment = TaskEnvironment(
        scenario.workdir, env=around.variables(), image=around.image, archive=archive, around=around
    )
    return Task(
        name=scenario.name or posixpath.basename(seeded.folder.rstrip("/")),
        path=seeded.folder,
        config=TaskConfig(),
        steps=tuple(_steps(seeded)),
        environment=environment,
        checksum=checksum,
        harbor_checksums=HarborChecksums(checksum, checksum),
        seeded=True,
    )


def _steps(seeded: Seeded) -> list[TaskStep]:
    requests = seeded.scenario.requests
    names = [None] if len(requests) == 1 else [f"turn-{number}" for number in range(1, len(requests) + 1)]
    return [_step(seeded, name, request) for name, request in zip(names, requests, strict=True)]


def _step(seeded: Seeded, name: str | None, request: str) -> TaskStep:
    scenario = seeded.scenario
    time = scenario.limits.time_s
    phase = Phase("agent", None if time is None else float(time), None, scenario.network, {})
    nothing = VerifierSpec(
        script="", expected_output_path=scenario.workdir, reward_path=REWARD_PATH, details_path=DETAILS_PATH
    )
    return TaskStep(
        name=name,
        instruction=f"{request}\n",
        verifier=nothing,
        verify=(),
        tests=(),
        solve=(),
        solution=None,
        workdir_files=None,
        declared=None,
        agent=phase,
        verifier_phase=phase,
    )
