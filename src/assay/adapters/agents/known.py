"""Find the description of an agent: one that Assay brings along, or the user's own file."""

import difflib
import os
import tomllib
from pathlib import Path

from assay.core.errors import InputError
from assay.engine.run.agent_description import AgentDescription, description_of

SUFFIX = ".toml"
FOLDER = Path(__file__).with_name("descriptions")


def known_names() -> list[str]:
    """The names of the agents that Assay brings along."""
    return sorted(name.removesuffix(SUFFIX) for name in os.listdir(FOLDER) if name.endswith(SUFFIX))


def description_file(named: str) -> str | None:
    """The file of a name or a path; None for anything else, such as a command."""
    if named.endswith(SUFFIX) and len(named.split()) == 1:
        return named
    return str(FOLDER / f"{named}{SUFFIX}") if named in known_names() else None


def near_name(command: str) -> str | None:
    """The agent whose name a command nearly is."""
    return next(iter(difflib.get_close_matches(command, known_names(), n=1, cutoff=0.8)), None)


def read_description(path: str) -> AgentDescription:
    """The description in a file. Raises ``InputError`` if it can't be used."""
    try:
        with open(path, "rb") as file:
            return description_of(tomllib.load(file), path)
    except OSError as error:
        raise InputError(f"the description of an agent {path} can't be read: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"the description of an agent {path} must be TOML: {error}") from error
