"""Options that Python gives, read by the rules of the command line."""

import argparse
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Final

from assay.cli.options.agent import model_price
from assay.cli.options.common import (
    PROFILES,
    finite_number,
    metric_script,
    number_from_0,
    positive,
    pull_request,
    share,
    whole_number,
    whole_numbers,
)
from assay.cli.options.judge import SETTINGS, judge_price
from assay.core.errors import InputError


class PythonOptions(SimpleNamespace):
    """The options of a command as its parser gives them. Raises ``InputError`` for a value that it refuses."""

    def __init__(self, given: Mapping[str, Any], judge_settings: Iterable[str] = (), **more: Any) -> None:
        """``judge_settings`` are the names of those that may be given under this name."""
        values = dict(given)
        settings = values.pop("judge_settings", {})
        unknown = sorted(set(settings).difference(judge_settings))
        if unknown:
            raise TypeError(f"there is no option {unknown[0]}")
        values |= {**dict.fromkeys(judge_settings), "judge_model": (), **settings}
        super().__init__(**{name: _read_option(name, value) for name, value in values.items()}, **more)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def _read_option(name: str, value: Any) -> Any:
    """The value of an option. Values of Python are read as the text of an argument would be."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if value is None or isinstance(value, bool):
        return value
    if name in _LISTS and isinstance(value, str):
        return [value]
    reader = _READERS.get(name)
    if reader is None and not isinstance(value, str) and isinstance(value, Sequence):
        return [os.fspath(one) for one in value]
    known = _CHOICES.get(name, (value,))
    if value not in known:
        raise InputError(f"{name} must be one of {', '.join(known)}, got {value!r}")
    text = ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
    try:
        return value if reader is None or not text else reader(text)
    except argparse.ArgumentTypeError as error:
        raise InputError(f"{name} {error}") from error


def _two_numbers(text: str) -> tuple[float, ...]:
    parts = text.split(",")
    if len(parts) != 2:
        raise argparse.ArgumentTypeError(f"must be two numbers, got {text!r}")
    return tuple(map(number_from_0, parts))


_LISTS: Final = ("group", "include", "exclude", "agent_env", "allow_models", "judge_model")
_CHOICES: Final[Mapping[str, Sequence[str]]] = {
    "grading": ("first", "latest"),
    "by": ("task", "trial"),
    "network": ("public", "none"),
    "verifier_environment": ("separate", "shared"),
    "profile": PROFILES,
    "run_status": ("completed", "failed", "cancelled"),
}
_READERS: Final[Mapping[str, Callable[[str], Any]]] = {
    **dict.fromkeys(("threshold", "difference", "power", "correlation"), finite_number),
    **dict.fromkeys(("fail_if_worse_than", "task_cost", "trial_cost"), number_from_0),
    **dict.fromkeys(("k", "attempts"), whole_numbers),
    **dict.fromkeys(
        (
            "repeat",
            "n_attempts",
            "n_concurrent",
            "limit",
            "model_requests",
            "model_tokens",
            "judge_samples",
            "judge_tokens",
        ),
        positive,
    ),
    **dict.fromkeys((f"judge_{name.removesuffix('_s')}" for name in SETTINGS), str),
    **dict.fromkeys(("model_cost", "judge_cost"), number_from_0),
    "max_retries": whole_number,
    "pr": pull_request,
    "fail_on_suspicion": share,
    "variances": _two_numbers,
    "metric_script": metric_script,
    "model_price": model_price,
    "judge_price": judge_price,
}
