"""The wire models of a coding scenario: what the agent is asked, the workspace it starts from, and the scorers.

The fields of a scorer's type are kept as written; they are checked when the scorer is turned into a check.
"""

import hashlib
import json
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, FiniteFloat, field_validator, model_validator

from assay.core.outcome import one_of
from assay.formats.path_patterns import check_patterns, plain_path
from assay.formats.strict_model import StrictModel

PYPROJECT = "pyproject.toml"
"""Its table [tool.assay] may be a scenario."""

KEY_PREFIX = "ASSAY_JUDGE_KEY_"


class JudgePrices(StrictModel):
    """Prices of a million tokens, in any one currency."""

    tokens_in: FiniteFloat = Field(ge=0)
    tokens_out: FiniteFloat = Field(ge=0)

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """The price of so many tokens."""
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1_000_000


class JudgeBudget(StrictModel):
    """The most tokens, and the most money, that judging one run may take."""

    tokens: int | None = Field(default=None, ge=1)
    cost: FiniteFloat | None = Field(default=None, gt=0)


class JudgeSection(StrictModel):
    """The judge of a scenario's runs, and its settings. It is asked only with ``--judge``.

    ``url`` is the base of an endpoint that speaks OpenAI's chat completions, and ``models`` names models
    there. The command line and the environment take precedence. The key for this endpoint is in the
    environment variable ``key_env``, whose name must begin with ``ASSAY_JUDGE_KEY_``: ``ASSAY_JUDGE_KEY`` is
    never sent to an endpoint that a scenario names.

    ``samples`` is how often each model is asked. ``canary`` plants an order in the data, to catch a judge that
    follows what it reads; ``guard`` asks whether any text addresses the evaluator, ``monitor`` whether the agent
    worked around the task. ``characters`` is the most that the judge reads of a run, ``timeout_s`` the time for
    one question, including retries; of a model on this machine it counts from the first byte. ``at_once`` is the
    most questions at a time: 8, or 1 for a model on this machine.
    """

    url: str | None = None
    models: list[str] = Field(default_factory=list, max_length=16)
    key_env: str | None = None
    samples: int = Field(default=1, ge=1, le=100)
    temperature: FiniteFloat | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=4096, ge=1)
    seed: int | None = None
    canary: bool = True
    guard: bool = False
    characters: int = Field(default=300_000, ge=2_000, le=4_000_000)
    timeout_s: FiniteFloat = Field(default=120, gt=0, le=3600)
    at_once: int | None = Field(default=None, ge=1, le=1000)
    monitor: bool = False
    prices: JudgePrices | None = None
    budget: JudgeBudget = JudgeBudget()

    @field_validator("url")
    @classmethod
    def _base(cls, written: str | None) -> str | None:
        from assay.formats.endpoint_url import base_url  # noqa: PLC0415 - few scenarios name a judge

        return None if written is None else base_url(written, "a judge", versioned=True)

    @field_validator("models")
    @classmethod
    def _named(cls, models: list[str]) -> list[str]:
        if not all(name.strip() for name in models) or len(set(models)) < len(models):
            raise ValueError("must be different names of models")
        return models

    @field_validator("key_env")
    @classmethod
    def _of_its_own(cls, name: str | None) -> str | None:
        if name is not None and not re.fullmatch(rf"{KEY_PREFIX}[A-Za-z0-9_]+", name):
            raise ValueError(f"must be the name of a variable that begins with {KEY_PREFIX}, got {name!r}")
        return name


class ScenarioModel(StrictModel):
    """Fields may be called by their own name, or by one of those that existing files use."""

    model_config = ConfigDict(populate_by_name=True)


class GitSeed(ScenarioModel):
    """A git repository at a commit. ``repository`` is a path, relative to the scenario's folder, or an address."""

    type: Literal["git"]
    repository: str = Field(min_length=1, validation_alias=AliasChoices("repository", "url", "repo", "path"))
    commit: str = Field(min_length=1, validation_alias=AliasChoices("commit", "ref"))


class ArchiveSeed(ScenarioModel):
    """A tar or zip archive. ``strip`` is the number of leading folders to remove from each name."""

    type: Literal["archive"]
    path: str = Field(min_length=1)
    strip: int = Field(default=0, ge=0)


class EmptySeed(ScenarioModel):
    """An empty folder."""

    type: Literal["empty"]


Seed = Annotated[GitSeed | ArchiveSeed | EmptySeed, Field(discriminator="type")]


class Setup(ScenarioModel):
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


class Environment(ScenarioModel):
    """For commands, beside the workspace: an image, or folders of the host, read-only.

    ``venv`` is a virtual environment for Python. ``folders`` are anything else, such as ``node_modules`` or a
    toolchain; one with a relative path is also shown there in the workspace. ``generated`` are single files that a
    build made, such as ``src/_version.py``: each command finds a copy at the same path of its workspace, whatever
    the agent left there. ``base`` is the folder where relative paths begin, that of the scenario by default.
    """

    image: str | None = Field(default=None, min_length=1)
    venv: str | None = Field(default=None, min_length=1)
    folders: list[Annotated[str, Field(min_length=1)]] = Field(default_factory=list)
    generated: list[Annotated[str, Field(min_length=1)]] = Field(default_factory=list)
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
        for name in self.generated:
            plain_path(name)
        return self


class Limits(ScenarioModel):
    """The agent's limits. It is stopped when its time is up; the others count for the status of the run."""

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


class Tests(ScenarioModel):
    """Tests that the agent never sees: a file, or a folder with files as they are to lie in the workspace."""

    hidden: str = Field(min_length=1)


class Scenario(ScenarioModel):
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
    tests: Tests | None = None

    @property
    def requests(self) -> tuple[str, ...]:
        """The user's requests, turn by turn: the instruction first, if there is one."""
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
        if isinstance(given.get("monitor"), bool) and isinstance(given.get("judge") or {}, dict):
            given["judge"] = {**(given.get("judge") or {}), "monitor": given.pop("monitor")}
        if isinstance(given.get("workspace_seed"), str):
            given["workspace_seed"] = {"type": given["workspace_seed"]}
        if isinstance(given.get("scorers"), list):
            given["scorers"] = [
                {"name": one["type"], **one} if isinstance(one, dict) and "type" in one else one
                for one in given["scorers"]
            ]
        return given

    @model_validator(mode="after")
    def _names_differ(self) -> "Scenario":
        names = [scorer.name for scorer in self.scorers]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"the names of scorers must differ, got {twice!r} twice")
        return self


def scenario_record(scenario: Scenario) -> dict[str, Any]:
    """A scenario as it is recorded. Defaults are written out, so that later ones don't change it."""
    found: dict[str, Any] = scenario.model_dump(mode="json")
    return found


def hash_of(record: Mapping[str, Any]) -> str:
    """The hash of a recorded scenario."""
    return hashlib.sha256(json.dumps(record, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def scenario_hash(scenario: Scenario) -> str:
    """The hash that every grading records."""
    return hash_of(scenario_record(scenario))


TESTS = "tests"
TO_FIX = "to_fix"
_XML, _JSON, _TEXT = ".assay-report.xml", ".assay-report.json", ".assay-report.txt"
_PUT_BACK = ["@tests", "@runner"]
_WITH_CANARIES = ("pytest", "unittest", "jest", "vitest", "node", "go")


@dataclass(frozen=True, slots=True)
class _TestTool:
    """How a runner is started so that it writes a report. Without a command, the scenario must have one."""

    command: str | None
    report: str
    format: str


RUNNERS = {
    "pytest": _TestTool(f"python3 -m pytest -q -p no:cacheprovider --junitxml={_XML}", _XML, "junit"),
    "unittest": _TestTool(
        f"python3 -m unittest discover -v -b 2> {_TEXT} || {{ code=$?; cat {_TEXT} >&2; exit $code; }}",
        _TEXT,
        "unittest",
    ),
    "jest": _TestTool(f"npx --no-install jest --ci --json --outputFile={_JSON}", _JSON, "jest"),
    "vitest": _TestTool(f"npx --no-install vitest run --reporter=json --outputFile={_JSON}", _JSON, "jest"),
    "node": _TestTool(f"node --test --test-reporter=junit --test-reporter-destination={_XML}", _XML, "junit"),
    "go": _TestTool(f"go test -json ./... > {_JSON}", _JSON, "go"),
    "cargo": _TestTool(
        f"RUSTC_BOOTSTRAP=1 cargo test -- -Z unstable-options --format json > {_JSON}", _JSON, "cargo"
    ),
    "junit": _TestTool(None, _XML, "junit"),
}


@dataclass(frozen=True, slots=True)
class Shorthand:
    """``tests`` names a test runner: its command, what is put back first and its report follow from that.

    ``to_fix`` lists tests that fail on the baseline and must pass.
    """

    tests: str | None = field(default=None, metadata=one_of(RUNNERS))
    to_fix: tuple[str, ...] = ()


class ShorthandError(ValueError):
    """A shorthand can't be written out. ``field`` says where, and the message what must be there."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(problem)
        self.field = field


def written_out(config: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a scorer that runs tests, with ``tests`` written out. What the scenario says itself stays.

    Raises ``ShorthandError``.
    """
    if TESTS not in config:
        return dict(config)
    given = {key: value for key, value in config.items() if key not in (TESTS, TO_FIX)}
    runner = RUNNERS.get(config[TESTS]) if isinstance(config[TESTS], str) else None
    if runner is None:
        raise ShorthandError(TESTS, f"must be one of {', '.join(RUNNERS)}, got {config[TESTS]!r}")
    if runner.command is None and "command" not in given:
        raise ShorthandError("command", f"must be given with tests: {config[TESTS]}, got nothing")
    report = given.get("report", {})
    if not isinstance(report, dict):
        raise ShorthandError("report", f"must be an object, got {report!r}")
    to_fix = config.get(TO_FIX, [])
    if not isinstance(to_fix, list) or not all(isinstance(name, str) for name in to_fix):
        raise ShorthandError(TO_FIX, f"must be a list of names of tests, got {to_fix!r}")
    expected = [*report.get("expected", []), *to_fix]
    return {
        "command": runner.command,
        "restore": _PUT_BACK,
        **({"canaries": config[TESTS]} if config[TESTS] in _WITH_CANARIES else {}),
        **given,
        "report": {"path": runner.report, "format": runner.format, **report, "expected": expected},
    }
