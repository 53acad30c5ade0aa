"""Which of the paths that an instruction names is the output.

One that is there before the agent starts is an input. Of the others, it is the first that the agent is told to
write, save, create or output; if there is none, the first.
"""

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

_WORKSPACE_PATH = re.compile(r"(?<![\w.~/$}-])/workspace/[\w./+@-]*[\w+@-]")


_WRITING = re.compile(r"\b(?:writ|sav|creat|output|produc|generat|stor)\w*\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n\s*\n|\n\s*[-*\d]")
# What comes before a path that something is taken from.
_TAKEN_FROM = re.compile(r"\b(?:of|from|in|using|with|read|reads|reading|load|parse|at)\s+\S*$", re.IGNORECASE)
_PUT_IN = re.compile(r"\b(?:in|at)\s+\S*$", re.IGNORECASE)


class Origin(Enum):
    """Where the path of an output comes from."""

    DECLARED = "task.toml"
    INSTRUCTION = "the instruction"
    WORKDIR = "the working folder"


@dataclass(frozen=True, slots=True)
class NamedPath:
    """A path below /workspace in an instruction, whether it is there before the agent starts, and whether the
    agent is told to write it.
    """

    path: str
    is_input: bool
    is_written: bool = False


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
    """The declared path, the first path of the instruction that is to be written, or the working folder."""
    written: dict[str, bool] = {}
    for match in _WORKSPACE_PATH.finditer(instruction):
        written[match[0]] = written.get(match[0], False) or _is_to_be_written(instruction[: match.start()])
    named = tuple(NamedPath(path, is_given(posixpath.normpath(path)), told) for path, told in written.items())
    if declared is not None:
        return OutputChoice(declared, Origin.DECLARED, named)
    outputs = [one for one in named if not one.is_input]
    inferred = next((one for one in outputs if one.is_written), next(iter(outputs), None))
    if inferred is not None:
        return OutputChoice(inferred.path, Origin.INSTRUCTION, named)
    return OutputChoice(workdir, Origin.WORKDIR, named)


def _is_to_be_written(before: str) -> bool:
    """Whether the words before a path, in its sentence, say that the agent writes it."""
    sentence = _SENTENCE_END.split(before)[-1]
    told = list(_WRITING.finditer(sentence))
    if not told:
        return False
    after = sentence[told[-1].end() :]
    taken = _TAKEN_FROM.search(after) is not None
    # "save it in X" puts something there, "write the sum of X" and "write what you find in X" take it from there.
    return not taken or (_PUT_IN.search(after) is not None and len(after.split()) <= 4)
