"""The scripts of composer.json, which run PHPUnit and Pest."""

import re
from collections.abc import Iterator

from assay.detectors.settings.javascript import script_changes
from assay.detectors.settings.settings_text import json_object, table
from assay.detectors.settings.weakening import Weakening


def composer(before: str | None, after: str | None) -> Iterator[Weakening]:
    """The scripts of composer.json, each a command or a list of them. All else is free."""
    yield from script_changes(_scripts(before), _scripts(after), after or "")


def _scripts(text: str | None) -> dict[str, str]:
    scripts = table(json_object(text), "scripts") or {}
    return {name: _commands(value) for name, value in scripts.items()}


def _commands(value: object) -> str:
    lines = value if isinstance(value, list) else [value]
    return "\n".join(re.sub(r"^@(?:php[ ])?", "", str(line)) for line in lines)
