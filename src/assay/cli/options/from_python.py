"""Options that Python gives, read by the rules of the command line."""

import argparse
import os
from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from assay.cli.main import parser_of
from assay.core.errors import InputError


class PythonOptions(SimpleNamespace):
    """The options of a command as its parser gives them. Raises ``InputError`` for a value that it refuses."""

    def __init__(
        self, command: str, given: Mapping[str, Any], judge_settings: Iterable[str] = (), **more: Any
    ) -> None:
        """``judge_settings`` are the names of those that may be given under this name."""
        values = dict(given)
        settings = values.pop("judge_settings", {})
        unknown = sorted(set(settings).difference(judge_settings))
        if unknown:
            raise TypeError(f"there is no option {unknown[0]}")
        values |= {**dict.fromkeys(judge_settings), "judge_model": (), **settings}
        known = {action.dest: action for action in parser_of(command)._actions}
        super().__init__(
            **{
                name: _read_option(known[name], value) if name in known else value
                for name, value in values.items()
            },
            **more,
        )

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def _read_option(action: argparse.Action, value: Any) -> Any:
    """The value of an option. Values of Python are read as the text of an argument would be."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(action.default, list) and isinstance(value, str):
        return [value]
    reader: Any = action.type
    if reader is None and not isinstance(value, str) and isinstance(value, Sequence):
        return [os.fspath(one) for one in value]
    if action.choices is not None and value not in action.choices:
        raise InputError(f"{action.dest} must be one of {', '.join(action.choices)}, got {value!r}")
    text = ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
    parts = text.split(",") if action.nargs == 2 else [text]
    try:
        if action.nargs == 2 and len(parts) != 2:
            raise argparse.ArgumentTypeError(f"must be two numbers, got {text!r}")
        found = value if reader is None or not text else [reader(part) for part in parts]
    except argparse.ArgumentTypeError as error:
        raise InputError(f"{action.dest} {error}") from error
    return found if reader is None or not text else tuple(found) if action.nargs == 2 else found[0]
