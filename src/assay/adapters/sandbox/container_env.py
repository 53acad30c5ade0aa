"""Give a container its environment: any value, hidden from others, and without effect on the engine's client.

Everybody can read a command line, and an engine's file of variables can't hold line breaks. So the values go
through the client's environment. There, a name such as PATH or DOCKER_HOST would change the client, so it gets a
stand-in, which the shell in the container renames. A name that no shell accepts, for instance one with a dot, is
passed on as it is; whether it gets through depends on the image's shell.
"""

import itertools
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assay.core.errors import MeasurementError

_FOR_SHELLS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# No "=", of course. A star would make podman pass on whatever Assay's own environment has.
_FOR_ENGINES = re.compile(r"[^\s=*\0]+")

# A shell doesn't let others set these. They mean nothing to a client.
_KEPT_BY_SHELLS = frozenset(
    {"BASHOPTS", "BASH_VERSINFO", "DIRSTACK", "EUID", "FUNCNAME", "GROUPS", "PPID", "SECONDS", "SHELLOPTS", "UID"}
)

# podman copies these from its own environment into every container.
_PROXIES = frozenset({"http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"})


@dataclass(frozen=True, slots=True)
class Handover:
    """``options`` are for the client, which has ``client_env``; ``script`` is for the shell in the container."""

    options: tuple[str, ...]
    client_env: Mapping[str, str]
    script: str


def hand_over(env: Mapping[str, str]) -> Handover:
    """How to pass these variables. Raises ``MeasurementError`` for one that can't be passed to an engine."""
    for name, value in env.items():
        _check(name, value)
    names = _given_names(env)
    own = {name: value for name, value in os.environ.items() if name.casefold() not in _PROXIES}
    return Handover(
        options=tuple(word for given in names.values() for word in ("--env", given)),
        client_env={**own, **{given: env[name] for name, given in names.items()}},
        script=_script((name, given) for name, given in names.items() if name != given),
    )


def _given_names(env: Mapping[str, str]) -> dict[str, str]:
    """By the name of each variable, the one under which it goes through the client."""
    stand_ins = (name for number in itertools.count() if (name := f"ASSAY_ENV_{number}") not in env)
    return {name: next(stand_ins) if _needs_stand_in(name) else name for name in env}


def _check(name: str, value: str) -> None:
    if not _FOR_ENGINES.fullmatch(name):
        raise MeasurementError(f"a container can't have a variable called {name!r}")
    try:
        f"{name}{value}".encode()
    except UnicodeEncodeError as error:
        raise MeasurementError(f"the value of {name} must be UTF-8 to be passed to a container") from error
    if "\0" in value:
        raise MeasurementError(f"the value of {name} must not have a zero byte")


def _needs_stand_in(name: str) -> bool:
    return _FOR_SHELLS.fullmatch(name) is not None and name not in _KEPT_BY_SHELLS


def _script(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(f'export {name}="${given}"; unset {given}; ' for name, given in pairs)
