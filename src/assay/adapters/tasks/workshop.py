"""Makes the benches of trials. The tests and solutions of tasks are copied once and shared by all of them."""

from assay.adapters.tasks.workbench import Workbench
from assay.adapters.workspace.shared_copies import SharedCopies
from assay.engine.sandbox import Sandbox
from assay.engine.tasks.task import Environment, TaskStep


class DiskWorkshop:
    """Makes benches in temporary folders. Close it when no trial is running any more."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._copies = SharedCopies()

    def bench(self, environment: Environment) -> Workbench:
        return Workbench(environment, self._copies, self._sandbox)

    def tests_checksum(self, step: TaskStep) -> str:
        return self._copies.checksum(*step.tests)

    def close(self) -> None:
        self._copies.close()

    def __enter__(self) -> "DiskWorkshop":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
