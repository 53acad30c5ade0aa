"""Which of the paths that an instruction names is the output.

It is the first one that isn't there before the agent starts: one that is there is an input.
"""

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

_WORKSPACE_PATH = re.compile(r"(?<![\w.~/$}-])/workspace/[\w./+@-]*[\w+@-]")


class Origin(Enum):
    """Where the path of an output comes from."""

    DECLARED = "task.toml"
    INSTRUCTION = "the instruction"
    WORKDIR = "the working folder"


@dataclass(frozen=True, slots=True)
class NamedPath:
    """A path below /workspace in an instruction, and whether it is there before the agent starts."""

    path: str
    is_input: bool


@dataclass(frozen=True, slots=True)
class OutputChoice:
    """The path of the output, where it comes from, and all paths that the instruction names."""

    path: str
    origin: Origin
    named: tuple[NamedPath, ...] = ()

    @property
    def others(self) -> list[str]:
        """Paths that could have been the output as well."""
        return [one.path for one in self.named if not one.is_input and one.path != self.path]

    @property
    def inputs(self) -> list[str]:
        return [one.path for one in self.named if one.is_input]


def choose_output(
    declared: str | None, instruction: str, workdir: str, is_given: Callable[[str], bool] = lambda _: False
) -> OutputChoice:
    """The declared path, the first path of the instruction that isn't an input, or the working folder."""
    paths = dict.fromkeys(_WORKSPACE_PATH.findall(instruction))
    named = tuple(NamedPath(path, is_given(posixpath.normpath(path))) for path in paths)
    if declared is not None:
        return OutputChoice(declared, Origin.DECLARED, named)
    inferred = next((one.path for one in named if not one.is_input), None)
    if inferred is not None:
        return OutputChoice(inferred, Origin.INSTRUCTION, named)
    return OutputChoice(workdir, Origin.WORKDIR, named)
