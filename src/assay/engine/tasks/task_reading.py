"""The input and the findings of the task linter."""

from collections.abc import Mapping
from dataclasses import dataclass

from assay.engine.tasks.rules.kinds import KINDS


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A likely mistake in a task."""

    rule: str
    place: str
    why: str

    @property
    def is_note(self) -> bool:
        """Whether it doesn't count."""
        return KINDS[self.rule].is_note

    @property
    def file(self) -> str:
        return self._split()[0]

    @property
    def line(self) -> int | None:
        return self._split()[1]

    def _split(self) -> tuple[str, int | None]:
        file, _, line = self.place.rpartition(":")
        return (file, int(line)) if file and line.isdecimal() else (self.place, None)


@dataclass(frozen=True, slots=True)
class TaskFiles:
    """The text of the files of one step by name, and which of them anybody can write to.

    ``settings`` is the text of task.toml. ``places`` are the paths at which an agent's files are kept for the
    verifier. ``network`` says whether the verifier has network access, and ``says_no_network`` if the task
    says so. ``agent_is_ordinary`` is true if the agent isn't root, and ``solutions_withheld`` if no task
    of the same folder has a solution. ``is_one_of_several`` and ``is_last`` tell which step of a task it is. The
    limits are in seconds.
    """

    tests: Mapping[str, str]
    solution: Mapping[str, str]
    environment: Mapping[str, str]
    writable: frozenset[str]
    settings: str
    instruction: str = ""
    places: tuple[str, ...] = ("/workspace",)
    network: bool = True
    says_no_network: bool = False
    agent_is_ordinary: bool = False
    solutions_withheld: bool = False
    is_one_of_several: bool = False
    is_last: bool = True
    agent_limit: float | None = None
    verifier_limit: float | None = None

    @property
    def script(self) -> str:
        """The text of test.sh, if it is a shell script."""
        text = self.tests.get("test.sh", "")
        return text if is_shell(text) else ""

    def is_kept(self, path: str) -> bool:
        """Whether files that the agent leaves at a path are still there when the verifier runs."""
        return any(path == place or path.startswith(f"{place}/") for place in self.places)


def is_shell(text: str) -> bool:
    """Whether a script is for a shell. A script without a #! line is."""
    first = text.partition("\n")[0]
    return not first.startswith("#!") or any(word.endswith("sh") for word in first.replace("/", " ").split())
