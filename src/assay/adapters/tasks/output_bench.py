"""A bench whose workspace gets an output in the place of an agent's work."""

import contextlib
import os
from collections.abc import Callable

from assay.adapters.machine.tree_walk import checksum
from assay.adapters.machine.trees import clear_the_way, copy_tree
from assay.adapters.tasks.workbench import DiskWorkshop, Workbench
from assay.core.errors import InputError
from assay.engine.sandbox import Sandbox
from assay.engine.tasks.task import TaskEnvironment


class OutputBench(Workbench):
    """One output's folders. ``put`` changes the seeded workspace to how the agent left it."""

    def __init__(
        self,
        environment: TaskEnvironment,
        workshop: DiskWorkshop,
        sandbox: Sandbox,
        put: Callable[["OutputBench"], None],
    ) -> None:
        self._put = put
        super().__init__(environment, workshop.copies, sandbox)

    def seed(self) -> None:
        super().seed()
        self._put(self)
        self._hand_over()

    def seed_again(self, instruction: str) -> None:
        """Put everything back to how it was before a verifier ran."""
        self._make_folders()
        self.seed()
        self.write_instruction(instruction)

    def checksum(self) -> str | None:
        """The hash of all files of the workspace; None if some can't be read."""
        with contextlib.suppress(OSError):
            return checksum(self._root)
        return None

    def empty_workdir(self) -> str:
        """The working folder of the host, without its files."""
        workdir = self.workdir()
        for name in os.listdir(workdir):
            clear_the_way(f"{workdir}/{name}")
        return workdir

    def place_of(self, path: str) -> tuple[str, str]:
        """The folder of the host that an absolute path of the sandbox lies in, and the path below it.

        Raises ``InputError`` for a path that isn't the agent's.
        """
        plain = os.path.normpath(path)
        if not any(plain.startswith(f"{place}/") for place in self._environment.places):
            places = " or ".join(self._environment.places)
            raise InputError(f"the output must be in {places}, got a file at {path!r}")
        return self._root, plain.lstrip("/")


def copy_left(source: str, target: str) -> None:
    """Copy the folder that an agent left, links as links, without pipes and devices. Raises ``InputError``."""
    kept = copy_tree(source, target, links=True)
    if kept.too_much:
        raise InputError(f"the output has {', '.join(kept.why)}")
