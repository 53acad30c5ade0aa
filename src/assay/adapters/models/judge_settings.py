"""The settings of a judge that the command line and the environment say as well as a scenario's ``judge:``."""

from collections.abc import Mapping
from typing import Final

from pydantic import ValidationError

from assay.core.errors import InputError
from assay.dialects.scorers.scenario import JudgeSection
from assay.engine.schema_errors import sentence

NAMES: Final = ("timeout_s", "temperature", "max_tokens", "seed", "characters", "at_once")
_UNSET: Final = "none"


def given_settings(options: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, float | None]:
    """The settings that are given, options first. Raises ``InputError`` for one that can't be used.

    They are named as their fields; None is a parameter that isn't to be sent.
    """
    found: dict[str, float | None] = {}
    for name in NAMES:
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
