"""The ulimits that an engine gives to its containers.

podman forgets its own, and those of containers.conf, as soon as its command line sets a single one. So Assay,
which sets two, repeats the others. Without CAP_SYS_RESOURCE podman's own are above what this process may set, and
no container starts with them: then those of this process are taken.
"""

import resource
from collections.abc import Iterator
from pathlib import Path

from assay.adapters.sandbox.containers.engine import Engine
from assay.core.errors import MeasurementError

_NAMES = {
    "Max cpu time": "cpu",
    "Max data size": "data",
    "Max stack size": "stack",
    "Max processes": "nproc",
    "Max open files": "nofile",
    "Max locked memory": "memlock",
    "Max file locks": "locks",
    "Max pending signals": "sigpending",
    "Max msgqueue size": "msgqueue",
}
_PROCESS_IDS = "/proc/sys/kernel/pid_max"
_UNLIMITED = ["unlimited", "unlimited"]
_READ = 'while read -r line; do echo "$line"; done < /proc/self/limits'


def default_ulimits(engine: Engine, image: str) -> tuple[str, ...]:
    """The options that repeat them. Only podman needs any. Raises ``MeasurementError`` if no container starts."""
    if engine.name != "podman":
        return ()
    try:
        return tuple(_options(_limits_of_a_container(engine, image, ())))
    except MeasurementError as error:
        if "rlimit" not in str(error):
            raise
    own = tuple(_own_limits())
    _limits_of_a_container(engine, image, own)
    return own


def _limits_of_a_container(engine: Engine, image: str, options: tuple[str, ...]) -> str:
    start = ("run", "--rm", "--pull=never", "--network", "none", *options)
    return engine.call(*start, "--entrypoint", "/bin/sh", image, "-c", _READ)


def _options(limits: str) -> Iterator[str]:
    for line in limits.splitlines():
        name = next((name for name in _NAMES if line.startswith(name)), None)
        values = [] if name is None else line.removeprefix(name).split()[:2]
        if name is not None and len(values) == 2 and values != _UNLIMITED:
            soft, hard = ("-1" if value == "unlimited" else value for value in values)
            yield from ("--ulimit", f"{_NAMES[name]}={soft}:{hard}")


def _own_limits() -> Iterator[str]:
    """The limits of this process, as podman keeps them: it allows at most as many processes as there are ids."""
    for name, most in (("nofile", None), ("nproc", int(Path(_PROCESS_IDS).read_text()))):
        limits = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))
        soft, hard = (one if most is None else most if one < 0 else min(one, most) for one in limits)
        yield from ("--ulimit", f"{name}={soft}:{hard}")
