"""The settings of a judge that the command line and the environment say as well as a scenario's ``judge:``."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from assay.core.errors import InputError
from assay.dialects.scorers.scenario import JudgeSection

# The variable of each field of the section.
VARIABLES: Final = {
    "timeout_s": "ASSAY_JUDGE_TIMEOUT",
    "temperature": "ASSAY_JUDGE_TEMPERATURE",
    "max_tokens": "ASSAY_JUDGE_MAX_TOKENS",
    "seed": "ASSAY_JUDGE_SEED",
    "characters": "ASSAY_JUDGE_CHARACTERS",
    "at_once": "ASSAY_JUDGE_AT_ONCE",
}
_UNSET: Final = "none"


@dataclass(frozen=True, slots=True)
class GivenSettings:
    """Values by the name of their field. None is a parameter that isn't to be sent."""

    values: Mapping[str, float | None]

    def over(self, section: JudgeSection | None) -> JudgeSection:
        """A section with these values in place of its own."""
        return (section or JudgeSection()).model_copy(update=dict(self.values))

    def is_unset(self, name: str) -> bool:
        return name in self.values and self.values[name] is None


def given_settings(options: Mapping[str, str], environment: Mapping[str, str]) -> GivenSettings:
    """The settings that are given, options first. Raises ``InputError`` for one that can't be used."""
    found: dict[str, float | None] = {}
    for name, variable in VARIABLES.items():
        written = options.get(name) or environment.get(variable)
        if written:
            found[name] = _value(name, written, "" if name in options else f"{variable}: ")
    return GivenSettings(found)


def _value(name: str, written: str, where: str) -> float | None:
    """One value, valid for the section. Those that may be None are so by the word none."""
    value: object = None if written.strip().casefold() == _UNSET else _number(written)
    try:
        return getattr(JudgeSection.model_validate({name: value}), name)  # type: ignore[no-any-return]
    except ValidationError as error:
        raise InputError(f"{where}{name}: {error.errors()[0]['msg']}, got {written}") from error


def _number(written: str) -> object:
    for kind in (int, float):
        try:
            return kind(written)
        except ValueError:
            continue
    return written
