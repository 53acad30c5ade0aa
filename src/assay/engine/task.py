"""A task as the runner needs it: what the agent is asked, where it works, how it is verified."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.dialects.evaluation.models import VerifierSpec
from assay.dialects.evaluation.output import Declared
from assay.dialects.harbor.multi_step import Strategy
from assay.dialects.harbor.task_config import TaskConfig

WORKSPACE = "/workspace"
DEFAULT_WORKDIR = WORKSPACE
REWARD_PATH = "/logs/verifier/reward.json"
DETAILS_PATH = "/logs/verifier/details.json"
LOGS = ("/logs/agent", "/logs/artifacts")

# Folders of every system, in which many have a folder of their own.
_SHARED_FOLDERS = frozenset({"/home", "/media", "/mnt", "/srv", "/tmp", "/var"})  # noqa: S108 - in the sandbox
_WORKSPACE_PATH = re.compile(r"(?<![\w.~/$}-])/workspace/[\w./+@-]*[\w+@-]")


@dataclass(frozen=True, slots=True)
class Phase:
    """How one of the two, agent or verifier, is run. ``field`` is its table in task.toml, for complaints."""

    field: str
    timeout_sec: float | None
    user: str | int | None
    network: bool
    env: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a task. A task without steps has a single one whose name is None.

    The folders are paths of the host; None where the task has none. ``declared`` is None where the working folder
    itself is the output.
    """

    name: str | None
    instruction: str
    verifier: VerifierSpec
    tests: tuple[str, ...]
    solution: str | None
    workdir_files: str | None
    declared: Declared | None
    agent: Phase
    verifier_phase: Phase
    min_reward: float | Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Copy:
    """A COPY or ADD of the environment: files of the host, where they belong, and the mode that they get there.

    ``ignored`` are paths of the host that are left out of folders.
    """

    sources: tuple[str, ...]
    target: str
    mode: int | None = None
    ignored: frozenset[str] = frozenset()

    @property
    def place(self) -> str:
        """The folder that the files end up in; the file itself where that would be the root."""
        folder = self.target.rstrip("/") if self.target.endswith("/") else posixpath.dirname(self.target)
        return folder if folder not in ("", "/") else self.target.rstrip("/")


@dataclass(frozen=True, slots=True)
class Environment:
    """Where agent and verifier run. ``needs_image`` says what can't be had without building one.

    ``env`` is what the Dockerfile sets, to the letter; what task.toml sets may ask for values of the host.
    """

    workdir: str
    env: Mapping[str, str] = field(default_factory=dict)
    copies: tuple[Copy, ...] = ()
    needs_image: str | None = None
    dockerfile: str | None = None
    image: str | None = None

    @property
    def places(self) -> list[str]:
        """The paths that belong to the agent: its working folder with all that is around it, /workspace, and where
        files are copied to. Around the working folder of an image lies what the image brings along.
        """
        own = _uppermost(self.workdir) if self.image is None else self.workdir
        wanted = {own, WORKSPACE, *(copy.place for copy in self.copies)} - {"/", ""}
        return [path for path in sorted(wanted) if not any(path.startswith(f"{other}/") for other in wanted)]


@dataclass(frozen=True, slots=True)
class Task:
    """A loaded task. ``checksum`` covers every file of its folder."""

    name: str
    path: str
    config: TaskConfig
    steps: tuple[Step, ...]
    environment: Environment
    checksum: str
    warnings: tuple[str, ...] = ()

    @property
    def multi_step(self) -> bool:
        return self.steps[0].name is not None

    @property
    def strategy(self) -> Strategy | None:
        return self.config.multi_step_reward_strategy


def _uppermost(path: str) -> str:
    """The folder right below the root; in one that every system has, the folder below that."""
    parts = path.split("/")
    return "/".join(parts[:3] if f"/{parts[1]}" in _SHARED_FOLDERS else parts[:2])


def infer_output_path(instruction: str) -> str | None:
    """The first path below /workspace that an instruction names; None where it names none."""
    match = _WORKSPACE_PATH.search(instruction)
    return match[0] if match else None
