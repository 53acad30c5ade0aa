"""The input and the findings of the task linter."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A likely mistake in a task."""

    rule: str
    place: str
    why: str


@dataclass(frozen=True, slots=True)
class TaskFiles:
    """The text of the files of one step by name, and which of them anybody can write to.

    ``settings`` is the text of task.toml. ``places`` are the paths at which an agent's files are kept for the
    verifier. ``network`` says whether the verifier has network access.
    """

    tests: Mapping[str, str]
    solution: Mapping[str, str]
    environment: Mapping[str, str]
    writable: frozenset[str]
    settings: str
    instruction: str = ""
    places: tuple[str, ...] = ("/workspace",)
    network: bool = True

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
