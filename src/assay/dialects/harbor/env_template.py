"""Environment values that refer to a variable of the host: ``${VAR}``, or ``${VAR:-default}``."""

import re
from collections.abc import Mapping

from assay.core.errors import InputError

_TEMPLATE = re.compile(r"\$\{([^}:]+)(?::-(.*))?\}", re.DOTALL)


def resolve_env(env: Mapping[str, str], host: Mapping[str, str]) -> dict[str, str]:
    """Replace templates by their values. A template must be the whole value; one without a value is an error."""
    return {name: _resolve(name, value, host) for name, value in env.items()}


def variables_in(env: Mapping[str, str]) -> list[str]:
    """The variables of the host that templates ask for."""
    return [found[1] for value in env.values() if (found := _TEMPLATE.fullmatch(value)) is not None]


def _resolve(name: str, value: str, host: Mapping[str, str]) -> str:
    match = _TEMPLATE.fullmatch(value)
    if match is None:
        return value
    variable, default = match[1], match[2]
    found = host.get(variable, default)
    if found is None:
        raise InputError(f"the environment variable {variable} must be set, because the task uses it for {name}")
    return found
