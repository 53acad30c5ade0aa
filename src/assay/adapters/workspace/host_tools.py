"""What this machine offers to run a project's tests with: virtual environments, node_modules, toolchains."""

import glob
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.adapters.sandbox.view_sandbox import SYSTEM

_NAMES = (".venv", "venv", "env")
# Where a toolchain keeps what it needs beside its programs, relative to the user's home.
_HOMES = {"cargo": (".cargo", ".rustup"), "go": ("go",)}


@dataclass(frozen=True, slots=True)
class HostTools:
    """For a project whose working tree is at ``root``."""

    root: str

    def virtual_environment(self) -> str | None:
        """One in the repository, the active one, that of the PATH's ``pytest``, or Assay's own with pytest."""
        found = [name for name in _NAMES if os.path.isfile(f"{self.root}/{name}/pyvenv.cfg")]
        around = [path for path in _around() if os.path.isfile(f"{path}/pyvenv.cfg")]
        candidates = (*found, *around)
        with_pytest = (path for path in candidates if self.has_module(path, "pytest"))
        return next(with_pytest, found[0] if found else None)

    def has_module(self, venv: str | None, name: str) -> bool:
        if venv is not None:
            packages = glob.glob(f"{glob.escape(os.path.join(self.root, venv))}/lib/python*/site-packages")
        else:
            packages = [
                *glob.glob("/usr/lib/python3*/dist-packages"),
                *glob.glob("/usr/local/lib/python3*/*-packages"),
            ]
        return any(
            os.path.exists(f"{folder}/{name}") or os.path.exists(f"{folder}/{name}.py") for folder in packages
        )

    def folders(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if os.path.isdir(f"{self.root}/{name}")]

    def toolchain(self, program: str) -> list[str]:
        found = shutil.which(program)
        if found is None:
            return []
        prefix = os.path.dirname(os.path.dirname(os.path.realpath(found)))
        if any(f"{prefix}/".startswith(f"{folder}/") for folder in SYSTEM):
            return []
        home = os.path.expanduser("~")
        besides = (f"{home}/{name}" for name in _HOMES.get(program, ()))
        return list(dict.fromkeys(path for path in (prefix, *besides) if os.path.isdir(path)))


def _around() -> Iterator[str]:
    """Virtual environments that the user seems to be using."""
    if os.environ.get("VIRTUAL_ENV"):
        yield os.path.normpath(os.environ["VIRTUAL_ENV"])
    pytest = shutil.which("pytest")
    if pytest is not None:
        yield os.path.dirname(os.path.dirname(os.path.abspath(pytest)))
    if sys.prefix != sys.base_prefix:
        yield sys.prefix
