"""What a judge's prompts are made with: their texts, which are files, and random marks."""

import functools
import secrets
from importlib.resources import files

from assay.core.errors import InputError
from assay.judge.prompt import PromptFile


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
        with open(where, encoding="utf-8") as file:
            found = PromptFile(where, file.read())
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(prompt_names())
        raise InputError(f"the prompt must be one of {known}, or a file, got {where}: {error}") from error
    found.check(allowed)
    return found


def new_mark() -> str:
    """A mark that nobody can guess."""
    return secrets.token_hex(16)
