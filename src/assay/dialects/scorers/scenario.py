"""The wire models of a coding scenario: what the agent is asked, the workspace it starts from, and the scorers.

The fields of a scorer's type are kept as written; they are checked when the scorer is turned into a check.
"""

import hashlib
import json
import posixpath
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator, model_validator

from assay.dialects.scorers import strict
from assay.dialects.scorers.judge_section import JudgeSection
from assay.formats.path_patterns import check_patterns


class StrictModel(strict.StrictModel):
    """Fields may be called by their own name, or by one of those that existing files use."""

    model_config = ConfigDict(populate_by_name=True)


class GitSeed(StrictModel):
    """A git repository at a commit. ``repository`` is a path, relative to the scenario's folder, or an address."""

    type: Literal["git"]
    repository: str = Field(min_length=1, validation_alias=AliasChoices("repository", "url", "repo", "path"))
    commit: str = Field(min_length=1, validation_alias=AliasChoices("commit", "ref"))


class ArchiveSeed(StrictModel):
    """A tar or zip archive. ``strip`` is the number of leading folders to remove from each name."""

    type: Literal["archive"]
    path: str = Field(min_length=1)
    strip: int = Field(default=0, ge=0)


class EmptySeed(StrictModel):
    """An empty folder."""

    type: Literal["empty"]


Seed = Annotated[GitSeed | ArchiveSeed | EmptySeed, Field(discriminator="type")]


class Setup(StrictModel):
    """A command that prepares the workspace before the agent sees it. It has no network unless it asks for it."""

    command: str = Field(min_length=1, json_schema_extra={"format": "multiline"})
    timeout_s: int = Field(default=900, ge=1, le=3600)
    network: bool = False

    @field_validator("command")
    @classmethod
    def _is_a_command(cls, command: str) -> str:
        if not command.strip() or "\0" in command:
            raise ValueError(f"must be a shell command, got {command!r}")
        return command


class Environment(StrictModel):
    """What commands see beside the workspace: an image, or folders of the host, read-only.

    ``venv`` is a virtual environment for Python. ``folders`` are anything else, such as ``node_modules`` or a
    toolchain; one with a relative path is also shown there in the workspace. ``base`` is the folder where relative
    paths begin, that of the scenario by default.
    """

    image: str | None = Field(default=None, min_length=1)
    venv: str | None = Field(default=None, min_length=1)
    folders: list[Annotated[str, Field(min_length=1)]] = Field(default_factory=list)
    base: str | None = Field(default=None, min_length=1)

    @property
    def inside(self) -> list[str]:
        """The folders with a relative path. They may be in the workspace, but are no part of what is scored."""
        named = [*self.folders, *([] if self.venv is None else [self.venv])]
        return [posixpath.normpath(name) for name in named if not name.startswith(("/", "~", "../"))]

    @model_validator(mode="after")
    def _one_or_the_other(self) -> "Environment":
        if self.image is not None and (self.venv is not None or self.folders):
            raise ValueError("must have an image or folders of this machine, got both")
        if any(".." in name.split("/") for name in self.folders):
            raise ValueError("folders must be absolute, or relative and inside the workspace, got one with '..'")
        return self


class Limits(StrictModel):
    """What the agent may use. It is stopped when its time is up; the others count for the status of the run."""

    time_s: int | None = Field(default=None, ge=1, le=86400)
    tokens: int | None = Field(default=None, ge=1)
    cost_usd: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    steps: int | None = Field(default=None, ge=1)


class Scorer(BaseModel):
    """One scorer. ``required`` is None to use the default of its type; further fields belong to the type."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)

    # First, so that a wrong type is reported, and not the name that would follow from it.
    type: str = Field(min_length=1)
    name: str = Field(min_length=1)
    required: bool | None = None

    @property
    def config(self) -> dict[str, Any]:
        """The fields of its type, as written."""
        return dict(self.__pydantic_extra__ or {})


class Scenario(StrictModel):
    """A coding scenario.

    ``git`` says whether commands find a git repository in the workspace: ``none``, or ``clean`` for a new one with
    a single commit of what is there. ``show_ignored`` has globs of new files under the baseline's ignore rules
    that commands need to see, such as ``dist/*``.
    """

    name: str | None = None
    user_instruction: str | None = Field(
        default=None,
        validation_alias=AliasChoices("user_instruction", "instruction"),
        json_schema_extra={"format": "multiline"},
    )
    workspace_seed: Seed | None = None
    setup: Setup | None = Field(default=None, validation_alias=AliasChoices("setup", "setup_command"))
    turns: list[str] = Field(default_factory=list)
    scorers: list[Scorer]
    expected_outcome: Literal["completion", "refusal"] = "completion"
    workdir: str = Field(default="/workspace", json_schema_extra={"pattern": "^/[^\0]+$"})
    environment: Environment = Environment()
    limits: Limits = Limits()
    network: bool = False
    git: Literal["none", "clean"] = "none"
    show_ignored: list[str] = Field(default_factory=list)
    judge: JudgeSection | None = None

    @property
    def requests(self) -> tuple[str, ...]:
        """What the user asks, turn by turn: the instruction first, if there is one."""
        first = [] if self.user_instruction is None else [self.user_instruction]
        return (*first, *self.turns) or ("",)

    @field_validator("workdir")
    @classmethod
    def _is_a_folder(cls, workdir: str) -> str:
        names = [name for name in workdir.split("/") if name not in ("", ".")]
        if not workdir.startswith("/") or not names or ".." in names or "\0" in workdir:
            raise ValueError(f"must be the absolute path of a folder, such as /workspace, got {workdir!r}")
        return workdir

    @field_validator("show_ignored")
    @classmethod
    def _are_patterns(cls, show_ignored: list[str]) -> list[str]:
        check_patterns(show_ignored)
        return show_ignored

    @field_validator("turns")
    @classmethod
    def _say_something(cls, turns: list[str]) -> list[str]:
        if not all(turn.strip() for turn in turns):
            raise ValueError("must have what the user says in each turn, got an empty one")
        return turns

    @model_validator(mode="before")
    @classmethod
    def _shorthand(cls, data: Any) -> Any:
        """A setup may be just its command, and a seed just its type; a scorer's name defaults to its type."""
        if not isinstance(data, dict):
            return data
        given = dict(data)
        for key in ("setup", "setup_command"):
            if isinstance(given.get(key), str):
                given[key] = {"command": given[key]}
        if isinstance(given.get("workspace_seed"), str):
            given["workspace_seed"] = {"type": given["workspace_seed"]}
        if isinstance(given.get("scorers"), list):
            given["scorers"] = [_named(scorer) for scorer in given["scorers"]]
        return given

    @model_validator(mode="after")
    def _names_differ(self) -> "Scenario":
        names = [scorer.name for scorer in self.scorers]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"the names of scorers must differ, got {twice!r} twice")
        return self


def written(scenario: Scenario) -> dict[str, Any]:
    """A scenario as it is recorded. Defaults are written out, so that later ones don't change it."""
    found: dict[str, Any] = scenario.model_dump(mode="json")
    return found


def hash_of(record: Mapping[str, Any]) -> str:
    """The hash of a recorded scenario."""
    return hashlib.sha256(json.dumps(record, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def scenario_hash(scenario: Scenario) -> str:
    """The hash that every grading records."""
    return hash_of(written(scenario))


def _named(scorer: Any) -> Any:
    return {"name": scorer["type"], **scorer} if isinstance(scorer, dict) and "type" in scorer else scorer
