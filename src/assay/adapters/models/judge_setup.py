"""A judge by what the command line, the environment and a scenario say, ready to be asked."""

import functools
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.resources import files
from typing import TYPE_CHECKING, Final, TypeVar

from pydantic import ValidationError

from assay.adapters.machine.safe_read import read_file
from assay.adapters.models.judge_model import (
    AT_ONCE,
    AnswerFolder,
    ChatModel,
    RecordedModel,
    limits_of,
)
from assay.adapters.models.request_plan import RequestPlan, endpoint_at
from assay.adapters.sandbox import hide
from assay.adapters.sources import bearer_tokens
from assay.core.errors import InputError
from assay.dialects.evaluation.rubric import Rubric
from assay.dialects.scorers.calibration_record import CalibrationRecord
from assay.dialects.scorers.scenario import JudgePrices, JudgeSection
from assay.engine.schema_errors import sentence
from assay.evidence.files import Content, Refused
from assay.formats.endpoint_url import base_url
from assay.judge import monitor, rubric
from assay.judge.bounds import bounds_within
from assay.judge.model import Budget, Budgeted, GivingUp, Manner, ModelClient, Sampling
from assay.judge.prompt import PromptFile
from assay.judge.rubric import OutputFile, RubricJudge
from assay.judge.run_judge import GUARD, JudgeSetting, VerdictJudge
from assay.judge.verdict_answer import FIELDS, NAME

if TYPE_CHECKING:
    import httpx


@functools.cache
def prompt_file(name: str) -> PromptFile:
    """A prompt of this package, such as ``verdict-1``."""
    return PromptFile(name, (files("assay.judge") / "prompts" / f"{name}.txt").read_text(encoding="utf-8"))


def prompt_names() -> list[str]:
    """All prompts of this package, old versions included."""
    names = (one.name for one in (files("assay.judge") / "prompts").iterdir())
    return sorted(name.removesuffix(".txt") for name in names if name.endswith(".txt"))


def prompt_from(where: str, allowed: frozenset[str]) -> PromptFile:
    """A prompt by its name, or from a file of one's own. Raises ``InputError`` for what isn't one."""
    if where in prompt_names():
        return prompt_file(where)
    try:
        found = PromptFile(where, read_text(where))
    except InputError as error:
        raise InputError(f"the prompt must be one of {', '.join(prompt_names())}, or a file: {error}") from error
    found.check(allowed)
    return found


def new_mark() -> str:
    """A mark that nobody can guess."""
    return secrets.token_hex(16)


AnyRubric = TypeVar("AnyRubric", bound=Rubric)
LIMIT: Final = 16 * 2**20


def load_rubric(path: str, kind: type[AnyRubric]) -> AnyRubric:
    """A rubric. Raises ``InputError`` that names the file and the field."""
    try:
        return kind.model_validate_json(read_text(path))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "".join(f"{part}: " for part in [".".join(map(str, first["loc"]))] if part)
        raise InputError(f"{path}: {where}{first['msg']}") from error


def read_text(path: str) -> str:
    """The text of a file that a user names. Raises ``InputError`` if it can't be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} can't be read: {error}") from error


def read_output(path: str) -> OutputFile:
    """A file as text. Whatever is at the path, this doesn't raise."""
    found = read_file(path, LIMIT)
    if isinstance(found, Content):
        return OutputFile(path, found.data.decode(errors="replace"))
    return OutputFile(path, None, str(found) if isinstance(found, Refused) else "there is no such file")


URL: Final = "ASSAY_JUDGE_URL"
MODEL: Final = "ASSAY_JUDGE_MODEL"
KEY: Final = "ASSAY_JUDGE_KEY"
KEY_FILE: Final = "ASSAY_JUDGE_KEY_FILE"
# A model on this machine may be busy with a long prompt before its first word.
FIRST_BYTE_TIMES: Final = 10
# Answers of the same model at temperature 0 hardly differ.
TEMPERATURE_OF_SAMPLES: Final = 0.7
LONGEST_KEY: Final = 64 * 1024
SETTINGS: Final = ("timeout_s", "temperature", "max_tokens", "seed", "characters", "at_once")
_UNSET: Final = "none"
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """The user's options. None and empty mean: as the environment or the scenario says.

    ``settings`` are texts by the name of their field in a scenario's ``judge:``. With ``patient``, a question
    waits while the endpoint is left alone after failures.
    """

    url: str | None = None
    models: tuple[str, ...] = ()
    key_file: str | None = None
    samples: int | None = None
    guard: bool = False
    monitor: bool = False
    prompt: str | None = None
    record: str | None = None
    replay: str | None = None
    price: JudgePrices | None = None
    tokens: int | None = None
    cost: float | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    patient: bool = False
    trust: CalibrationRecord | None = None


class ConfiguredJudges:
    """Judges by scenario. To be closed, or used in a ``with``; one budget is for all questions together."""

    def __init__(
        self,
        options: JudgeOptions,
        environment: Mapping[str, str] = os.environ,
        client: "httpx.Client | None" = None,
    ) -> None:
        """A ``client`` that is given decides where connections may go, and is not closed here."""
        _check_folders(options)
        self._connecting = client
        self._options = options
        self._environment = environment
        self._all = Budget("all runs", options.tokens, options.cost)
        self._open = ExitStack()
        self._known: dict[str, VerdictJudge] = {}
        self._plans: dict[tuple[str, str], RequestPlan] = {}
        self._settings = given_settings(options.settings, environment)
        self._lock = threading.Lock()

    def __enter__(self) -> "ConfiguredJudges":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def judge(self, section: JudgeSection | None) -> VerdictJudge:
        """The judge for the runs of a scenario. Raises ``InputError`` if nobody says which."""
        asked = self._section(section)
        name = asked.model_dump_json()
        with self._lock:
            if name not in self._known:
                self._known[name] = self._new(asked)
            return self._known[name]

    def rubric_judge(self) -> RubricJudge:
        """The judge of rubrics. Raises ``InputError`` if nobody says which."""
        asked = self._section()
        clients = self._new_clients(asked)()
        sampling, samples = self._sampling(asked), self._options.samples or asked.samples
        file = prompt_from(self._options.prompt or rubric.NAME, rubric.FIELDS)
        bounds = bounds_within(asked.characters)
        return RubricJudge(clients, file, Manner(new_mark, sampling), bounds, samples, ask_all=self.ask_all)

    @property
    def at_once(self) -> int:
        """The most questions at a time, to all models together."""
        return self._section().at_once or AT_ONCE

    def _section(self, section: JudgeSection | None = None) -> JudgeSection:
        """A section with the given settings in place of its own."""
        return (section or JudgeSection()).model_copy(update=self._settings)

    def _new(self, asked: JudgeSection) -> VerdictJudge:
        now = lambda: datetime.now(UTC)  # noqa: E731 - a port
        setting, clients = self._setting(asked), self._new_clients(asked)
        return VerdictJudge(clients, setting, new_mark, now, self._options.trust, self.ask_all)

    def _new_clients(self, asked: JudgeSection) -> Callable[[], list[ModelClient]]:
        sources = [self._source(name, asked) for name in self._models(asked)]

        def new_clients() -> list[ModelClient]:
            budget = Budget("this run", asked.budget.tokens, asked.budget.cost)
            return [self._client(source, budget, asked) for source in sources]

        return new_clients

    def _setting(self, section: JudgeSection) -> JudgeSetting:
        options = self._options
        return JudgeSetting(
            prompt_from(options.prompt or NAME, FIELDS),
            prompt_file(GUARD) if options.guard or section.guard else None,
            prompt_file(monitor.NAME) if options.monitor or section.monitor else None,
            bounds_within(section.characters),
            self._sampling(section),
            options.samples or section.samples,
            canary=section.canary,
        )

    def _sampling(self, section: JudgeSection) -> Sampling:
        temperature = section.temperature
        if temperature is None and "temperature" not in self._settings:
            temperature = 0.0 if (self._options.samples or section.samples) == 1 else TEMPERATURE_OF_SAMPLES
        return Sampling(temperature, section.max_tokens, section.seed)

    def _models(self, section: JudgeSection) -> list[str]:
        named = (name.strip() for name in self._environment.get(MODEL, "").split(","))
        models = list(self._options.models) or [name for name in named if name] or section.models
        if not models:
            raise InputError(f"name the judge's model: an option, the variable {MODEL}, or judge: in the scenario")
        return list(dict.fromkeys(models))

    def _source(self, model: str, section: JudgeSection) -> ModelClient:
        """Where answers come from: an endpoint, or a recording."""
        if self._options.replay is not None:
            return RecordedModel(model, AnswerFolder(self._options.replay))
        return GivingUp(self._chat(model, section), time.monotonic, time.sleep if self._options.patient else None)

    def _client(self, source: ModelClient, budget: Budget, section: JudgeSection) -> ModelClient:
        if isinstance(source, RecordedModel):
            return source
        client = Budgeted(source, (budget, self._all), self._options.price or section.prices)
        record = self._options.record
        return client if record is None else RecordedModel(client.model, AnswerFolder(record), client)

    def _chat(self, model: str, section: JudgeSection) -> ModelClient:
        url, token = self._place(section)
        is_local = endpoint_at(url).is_local
        asked = ChatModel(
            url,
            model,
            token,
            limits_of(section.timeout_s),
            client=self._connecting,
            at_once=section.at_once or (1 if is_local else AT_ONCE),
            stream=is_local,
            first_byte_sec=section.timeout_s * (FIRST_BYTE_TIMES if is_local else 1),
            plans=self._plans,
        )
        return self._open.enter_context(asked)

    def _place(self, section: JudgeSection) -> tuple[str, bearer_tokens.Token | None]:
        """The endpoint with its key. A key goes only to an endpoint that the same side named."""
        own = self._options.url or self._environment.get(URL) or None
        if own is not None:
            try:
                return base_url(own, "a judge", versioned=True), self._own_key()
            except ValueError as error:
                raise InputError(f"{error}, got {own}") from error
        if section.url is None:
            raise InputError(
                f"name the judge's endpoint: an option, the variable {URL}, or judge: in the scenario"
            )
        named = section.key_env
        return section.url, None if named is None else bearer_tokens.from_environment(named, self._environment)

    def _own_key(self) -> bearer_tokens.Token | None:
        path = self._options.key_file or self._environment.get(KEY_FILE) or None
        hide(*([] if path is None else [path]))
        if path is None:
            return bearer_tokens.from_environment(KEY, self._environment) if self._environment.get(KEY) else None
        found = read_file(path, LONGEST_KEY)
        if not isinstance(found, Content):
            why = str(found) if isinstance(found, Refused) else f"there is no file {path}"
            raise InputError(f"the judge's key can't be read: {why}")
        return bearer_tokens.fixed_token(found.data.decode(errors="replace").strip())

    def ask_all(self, ask: Callable[[T], R], asked: Iterable[T]) -> Iterable[R]:
        """Like ``map``, several at once and in the same order."""
        every = list(asked)
        if len(every) <= 1:
            return [ask(one) for one in every]
        with ThreadPoolExecutor(min(len(every), self.at_once)) as pool:
            return list(pool.map(ask, every))


def _check_folders(options: JudgeOptions) -> None:
    if options.record is not None and options.replay is not None:
        raise InputError("answers are either recorded or replayed, got a folder for both")
    if options.replay is not None and not os.path.isdir(options.replay):
        raise InputError(f"recorded answers must be in a folder, but {options.replay} isn't one")
    if options.record is not None:
        try:
            os.makedirs(options.record, exist_ok=True)
        except OSError as error:
            raise InputError(f"answers can't be recorded to {options.record}: {error.strerror}") from error


def given_settings(options: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, float | None]:
    """The settings that are given, options first. Raises ``InputError`` for one that can't be used.

    They are named as their fields; None is a parameter that isn't to be sent.
    """
    found: dict[str, float | None] = {}
    for name in SETTINGS:
        variable = f"ASSAY_JUDGE_{name.removesuffix('_s').upper()}"
        written = options.get(name) or environment.get(variable)
        if written:
            found[name] = _value(name, written, "" if name in options else f"{variable}: ")
    return found


def _value(name: str, written: str, where: str) -> float | None:
    """One value, valid for the section. Those that may be None are so by the word none."""
    value: object = None if written.strip().casefold() == _UNSET else _number(written)
    try:
        return getattr(JudgeSection.model_validate({name: value}), name)  # type: ignore[no-any-return]
    except ValidationError as error:
        wanted = sentence(error.errors()[0], JudgeSection).rpartition(", got ")[0]
        raise InputError(f"{where}{name} {wanted}, got {written}") from error


def _number(written: str) -> object:
    for kind in (int, float):
        try:
            return kind(written)
        except ValueError:
            continue
    return written
