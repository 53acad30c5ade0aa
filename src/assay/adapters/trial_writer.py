"""Writes the folder of one trial: what each step leaves, as soon as it is done, and result.json at the very end.

With result.json the trial is finished, so whatever else belongs to it is written before.
"""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from assay.adapters.atomic_write import write_durably, write_text
from assay.adapters.checksums import file_checksum
from assay.adapters.gradings import last_grading, write_grading
from assay.adapters.shelf import Shelf
from assay.adapters.trees import clear_the_way
from assay.adapters.workbench import MANIFEST, Workbench
from assay.dialects.harbor import wire
from assay.dialects.harbor.task_config import ArtifactConfig
from assay.engine.grading_record import grading_of
from assay.engine.sandbox import Isolation, Ran
from assay.engine.task import Task
from assay.engine.trial_result import log_lines
from assay.engine.trial_run import StepRecord, TrialRecord


class TrialWriter:
    """Keeps what the steps of one trial leave. ``agent_log`` names the file for what the agent prints."""

    def __init__(
        self,
        folder: str,
        task: Task,
        bench: Workbench,
        isolation: Isolation,
        agent_log: str,
        shelf: Shelf,
    ) -> None:
        self._folder = folder
        self._task = task
        self._bench = bench
        self._isolation = isolation
        self._agent_log = agent_log
        self._shelf = shelf
        self._archive: str | None = None

    def agent_ended(self, step: str | None, ran: Ran | None) -> None:
        """The workspace is packed now: a verifier may leave traces in it."""
        folder = self._folder_of(step)
        os.makedirs(folder, exist_ok=True)
        kept = self._bench.keep_agent(folder, self._artifacts(step))
        clear_the_way(f"{folder}/artifacts/{MANIFEST}")
        write_text(f"{folder}/artifacts/{MANIFEST}", json.dumps(kept, indent=2))
        _write_output(f"{folder}/agent/{self._agent_log}", ran)
        self._archive = self._bench.keep_workspace(folder)

    def step_ended(self, record: StepRecord) -> None:
        """The verifier's folder, and the grading that comes of it."""
        folder = self._folder_of(record.name)
        os.makedirs(folder, exist_ok=True)
        self._bench.keep_verifier(folder)
        self._bench.clear_agent()
        verified = record.verified
        if verified is None:
            return
        _write_output(f"{folder}/verifier/test-stdout.txt", verified.ran)
        step = next(step for step in self._task.steps if step.name == record.name)
        grading = grading_of(
            verified,
            task=self._task,
            step=record.name,
            isolation=self._isolation,
            before=last_grading(self._folder),
            checksums={
                "tests": self._shelf.checksum(*step.tests),
                "workspace": None if self._archive is None else file_checksum(self._archive),
            },
        )
        write_grading(self._folder, grading)

    def _folder_of(self, step: str | None) -> str:
        return self._folder if step is None else f"{self._folder}/steps/{step}"

    def _artifacts(self, step: str | None) -> list[ArtifactConfig]:
        """The task's artifacts, and the step's own."""
        config = self._task.config
        own = next((one.artifacts for one in config.steps or () if one.name == step), [])
        return [ArtifactConfig(source=one) if isinstance(one, str) else one for one in (*config.artifacts, *own)]


def write_ending(folder: str, record: TrialRecord, result: Mapping[str, Any], not_kept: Sequence[str]) -> None:
    """The log, the exception if there was one, and the result, which makes the trial finished."""
    write_text(f"{folder}/trial.log", "".join(f"{line}\n" for line in (*log_lines(record), *not_kept)))
    if record.failure is not None:
        write_text(f"{folder}/exception.txt", f"{record.failure.type}: {record.failure.message}\n")
    write_durably(f"{folder}/result.json", wire.encode(result))


def _write_output(path: str, ran: Ran | None) -> None:
    """The tail of what a command printed."""
    if ran is None:
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    clear_the_way(path)
    cut = b"[the beginning was cut off]\n" if ran.output_cut else b""
    with open(path, "wb") as file:
        file.write(cut + ran.output)
