"""Graders for outputs that are sent to the service."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Future

from assay.adapters.service.sandbox import CodingSandbox
from assay.engine.service.errors import ConflictError, NotFoundError
from assay.rewards.graded import GradedOutput
from assay.rewards.loops.graders import Graders
from assay.rewards.outputs import Output


class OutputGraders:
    """The graders of the tasks in a folder of this machine; without one, outputs aren't graded here."""

    def __init__(self, folder: str | None, sandbox: CodingSandbox, isolation: str) -> None:
        self._folder, self._sandbox = folder, sandbox
        self._graders = Graders(isolation=isolation, at_once=os.cpu_count() or 1)

    def submit(
        self, task: str, outputs: Sequence[Output], deadline: float | None
    ) -> Mapping[Future[GradedOutput], int]:
        """Begin to grade outputs. Raises ``ConflictError`` and ``NotFoundError``."""
        if self._folder is None:
            raise ConflictError("this server grades no outputs; 'assay serve --graded-tasks DIR' does")
        refused = self._sandbox.why_not()
        if refused is not None:
            raise ConflictError(f"this server grades no outputs: {refused}")
        path = os.path.join(self._folder, task)
        if os.path.basename(path) != task or task in (".", "..") or not os.path.exists(path):
            raise NotFoundError(f"there is no task {task!r}")
        begun: dict[Future[GradedOutput], int] = {}
        for number, output in enumerate(outputs):
            begun[self._graders.submit(path, output, deadline=deadline)] = number
        return begun

    def close(self) -> None:
        self._graders.close()
