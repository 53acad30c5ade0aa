"""Read scenario files: YAML, TOML or JSON, or the table [tool.assay] of a pyproject.toml."""

import json
import os
import tomllib
from typing import Any

import yaml
from pydantic import ValidationError

from assay.adapters.machine.yaml_lines import not_utf8, not_yaml
from assay.core.errors import InputError
from assay.dialects.scorers.hidden_tests import with_hidden_tests
from assay.dialects.scorers.scenario import PYPROJECT, Scenario
from assay.engine import schema_errors
from assay.engine.schema_errors import spell_place


def load_scenario(path: str) -> Scenario:
    """Read a scenario and its hidden tests. Raises ``InputError`` that names the file and the field."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise InputError(f"the scenario {path} can't be read: {error.strerror}") from error
    scenario = parse_scenario(path, data)
    if scenario.tests is None:
        return scenario
    try:
        files = _hidden(os.path.join(os.path.dirname(path), scenario.tests.hidden))
        return with_hidden_tests(scenario, files)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: tests.hidden must be readable files of text: {error}") from error


def _hidden(place: str) -> dict[str, str]:
    """The files of hidden tests by their path in the workspace. Links aren't followed."""
    if os.path.isfile(place):
        with open(place, encoding="utf-8") as file:
            return {os.path.basename(place): file.read()}
    found: dict[str, str] = {}
    for folder, _, names in os.walk(place):
        for path in sorted(os.path.join(folder, name) for name in names if not name.endswith(".pyc")):
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, encoding="utf-8") as file:
                    found[os.path.relpath(path, place).replace(os.sep, "/")] = file.read()
    if not found:
        raise ValueError(f"{place} has none")
    return found


def parse_scenario(path: str, data: bytes) -> Scenario:
    """A scenario from the bytes of a file. The end of the name says what it is written in."""
    return scenario_of(_parse_scenario(path, data), path)


def scenario_of(value: object, origin: str) -> Scenario:
    """A scenario from plain values."""
    try:
        # As JSON, because a strict model accepts plain values from nowhere else.
        return Scenario.model_validate_json(json.dumps(value, allow_nan=False, default=_no_value))
    except ValidationError as error:
        first = schema_errors.first(error.errors(include_url=False))
        place = ": ".join(part for part in (origin, _place(first["loc"])) if part)
        raise InputError(schema_errors.about(place, schema_errors.sentence(first, Scenario))) from error
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{origin}: {error}") from error


def _place(parts: tuple[int | str, ...]) -> str:
    """``scorers[0].name``. The type of a seed, which pydantic adds, isn't a level of the file."""
    return spell_place(parts[:1] + parts[2:] if parts[:1] == ("workspace_seed",) else parts)


def _no_value(value: object) -> object:
    """Refuse what YAML and TOML have and JSON doesn't, such as a date without quotes."""
    raise TypeError(f"a value must be text, a number, a list or an object, got {value} (put it in quotes)")


def _parse_scenario(path: str, data: bytes) -> Any:
    suffix = os.path.splitext(path)[1].lower()
    try:
        text = data.decode("utf-8-sig")
        if os.path.basename(path) == PYPROJECT:
            return tomllib.loads(text).get("tool", {}).get("assay", {})
        if suffix == ".toml":
            return tomllib.loads(text)
        if suffix == ".json":
            return json.loads(text, object_pairs_hook=_without_doubles)
        return yaml.load(text, _YamlLoader)  # noqa: S506 - it is the safe loader, and stricter
    except UnicodeDecodeError as error:
        raise not_utf8(path, error) from error
    except yaml.YAMLError as error:
        raise not_yaml(path, error) from error
    except (ValueError, RecursionError) as error:
        what = " ".join(str(error).split())
        raise InputError(f"{path} must be valid {suffix.removeprefix('.').upper() or 'YAML'}: {what}") from error


class _YamlLoader(yaml.SafeLoader):
    """Refuses a key that is written twice: one of the two would silently not count."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        written = [(key.value, None) for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        _without_doubles([pair for pair in written if pair[0] != "<<"])
        return super().construct_mapping(node, deep)


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"a key must be written once, got {key!r} twice")
        found[key] = value
    return found
