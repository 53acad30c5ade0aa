"""What a linter of tasks reads, and what it says."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LintFinding:
    """Something that is likely to be wrong."""

    rule: str
    place: str
    why: str


@dataclass(frozen=True, slots=True)
class TaskFiles:
    """The files of one verifier and what is beside it, by name: text, and whether others may write to them.

    ``settings`` is the text of task.toml. ``places`` are the paths at which what an agent leaves is kept, and
    ``network`` says whether the verifier has one.
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
        """test.sh, where it is for a shell."""
        text = self.tests.get("test.sh", "")
        return text if is_shell(text) else ""

    def is_kept(self, path: str) -> bool:
        """Whether something of the agent's can lie there when the verifier runs."""
        return any(path == place or path.startswith(f"{place}/") for place in self.places)


def is_shell(text: str) -> bool:
    """Whether a script is for a shell. One that does not say is."""
    first = text.partition("\n")[0]
    return not first.startswith("#!") or any(word.endswith("sh") for word in first.replace("/", " ").split())
