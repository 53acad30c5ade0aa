"""The description of an agent: how to install it, how to call it, and where it tells what it did."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.core.errors import InputError

BIN = "ASSAY_AGENT_BIN"
MODEL = "ASSAY_MODEL"
MODEL_NAME = "ASSAY_MODEL_NAME"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_TABLES: Mapping[str, Mapping[str, type]] = {
    "": {"name": str, "about": str, "version": str},
    "install": {"packages": list},
    "run": {"command": str, "env": dict, "needs_model": bool},
    "trajectory": {"file": str},
}


@dataclass(frozen=True, slots=True)
class AgentDescription:
    """An agent that can be called by name. ``packages`` are installed from the package index, if there are any.

    ``trajectory`` is a file below /logs/agent, in any form that Assay reads.
    """

    name: str
    command: str
    about: str = ""
    version: str | None = None
    packages: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    needs_model: bool = True
    trajectory: str | None = None


def description_of(value: Mapping[str, Any], where: str) -> AgentDescription:
    """The description in the tables of a TOML file. Raises ``InputError`` that names what is wrong."""
    tables = {name: value.get(name, {}) for name in _TABLES if name}
    top = {key: inner for key, inner in value.items() if key not in _TABLES}
    for name, table in ({"": top} | tables).items():
        _check(table, _TABLES[name], f"{where}: {name}." if name else f"{where}: ")
    run, install, told = tables["run"], tables["install"], tables["trajectory"]
    for required, table, name in (("name", top, ""), ("command", run, "run.")):
        if not table.get(required, "").strip():
            raise InputError(f"{where}: {name}{required} must be set, but it is missing")
    if not _NAME.fullmatch(top["name"]):
        raise InputError(f"{where}: name must be letters, digits, '.', '_' and '-', got {top['name']!r}")
    return AgentDescription(
        name=top["name"],
        command=run["command"].strip(),
        about=top.get("about", ""),
        version=top.get("version"),
        packages=tuple(_texts(install.get("packages", []), f"{where}: install.packages")),
        env=dict(
            zip(run.get("env", {}), _texts(list(run.get("env", {}).values()), f"{where}: run.env"), strict=True)
        ),
        needs_model=run.get("needs_model", True),
        trajectory=_inner(told.get("file"), f"{where}: trajectory.file"),
    )


def model_variables(model: str) -> dict[str, str]:
    """The model as agents want it named: with its provider, and without."""
    provider, slash, name = model.partition("/")
    return {MODEL: model if slash else f"openai/{model}", MODEL_NAME: name if slash else provider}


def _check(table: object, known: Mapping[str, type], where: str) -> None:
    if not isinstance(table, dict):
        raise InputError(f"{where.rstrip('. ')} must be a table")
    for key, inner in table.items():
        if key not in known:
            raise InputError(f"{where}{key} is unknown; known are {', '.join(known)}")
        if not isinstance(inner, known[key]):
            raise InputError(f"{where}{key} must be {_WORDS[known[key]]}, got {inner!r}")


_WORDS: Mapping[type, str] = {
    str: "a text",
    list: "a list of texts",
    dict: "a table of texts",
    bool: "true or false",
}


def _texts(values: list[Any], where: str) -> list[str]:
    for one in values:
        if not isinstance(one, str) or not one or "\0" in one:
            raise InputError(f"{where} must hold texts, got {one!r}")
    return values


def _inner(path: str | None, where: str) -> str | None:
    if path is None:
        return None
    if posixpath.isabs(path) or posixpath.normpath(path) != path or path.split("/")[0] in ("..", ".", ""):
        raise InputError(f"{where} must be a path below /logs/agent, such as run/messages.jsonl, got {path!r}")
    return path
