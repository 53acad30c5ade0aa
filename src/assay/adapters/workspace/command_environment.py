"""Find the folders of the host that commands on a workspace may see, and make them readable in the sandbox.

A virtual environment needs the Python that it was made with. Both are shown at the paths that they have on the
host, because their programs name those paths.
"""

import os
import stat

from assay.adapters.sandbox.view_sandbox import is_shown
from assay.adapters.workspace.shared_copies import open_copy
from assay.core.errors import InputError, MeasurementError
from assay.dialects.scorers.scenario import Environment
from assay.engine.sandbox import PATH, CommandEnvironment, LinkedFolder, Mount, Sandbox

# Where folders of the workspace's own are shown; their entries are links in the workspace.
FOLDERS = "/environment"
_PROGRAMS = ("bin", ".bin")
# Hidden folders of node_modules that hold packages. The others are caches: .vite, .vite-temp, .cache and so on.
_INSTALLED = frozenset({".bin", ".pnpm", ".store"})
# Toolchains look for their files in the user's home, unless a variable says where they are.
_HOMES = {"/.cargo": "CARGO_HOME", "/.rustup": "RUSTUP_HOME", "/go": "GOPATH"}
# Rust's toolchains have a hundred thousand pages of documentation.
_MANUALS = ("toolchains/*/share/doc/*",)
# Parts of a Python that no command of a virtual environment needs, and that may be large.
_UNUSED = ("site-packages", "test", "idlelib", "ensurepip", "lib2to3", "*.opt-[12].pyc", "config-*")


def command_environment(
    wanted: Environment, base: str, sandbox: Sandbox, home: str | None = None
) -> CommandEnvironment:
    """The scenario's environment. Relative paths begin at ``base``; ``home`` is the archive of setup's home.

    Raises ``InputError`` if a folder is missing.
    """
    if wanted.image is not None:
        if sandbox.images is None:
            raise MeasurementError(
                f"environment.image needs a container, but commands run in {sandbox.isolation.backend}; pass"
                " --isolation container"
            )
        return CommandEnvironment(image=wanted.image, home=home)
    base = wanted.base or base
    mounts: list[Mount] = []
    path: list[str] = []
    env: dict[str, str] = {}
    if wanted.venv is not None:
        venv = _folder(wanted.venv, base, "environment.venv")
        mounts += venv_mounts(venv, sandbox)
        path.append(f"{venv}/bin")
        env["VIRTUAL_ENV"] = venv
    linked: list[LinkedFolder] = []
    for number, name in enumerate(wanted.folders):
        folder = _folder(name, base, "environment.folders")
        # Node looks for a module's own modules in folders of the name that this one has.
        target = folder if os.path.isabs(name) else f"{FOLDERS}/{number}/{os.path.basename(folder)}"
        mounts.append(Mount(_readable_folder(folder, sandbox), target))
        if not os.path.isabs(name):
            linked.append(LinkedFolder(os.path.normpath(name), target, _needed_names(folder)))
        path += (f"{target}/{programs}" for programs in _PROGRAMS if os.path.isdir(f"{folder}/{programs}"))
        env |= {variable: target for end, variable in _HOMES.items() if folder.endswith(end)}
    placed = tuple((name, os.path.join(base, name)) for name in wanted.generated)
    missing = next((name for name, source in placed if not os.path.isfile(source)), None)
    if missing is not None:
        raise InputError(f"environment.generated must name files, got {missing}, which doesn't exist")
    return CommandEnvironment(None, tuple(dict.fromkeys(mounts)), tuple(linked), tuple(path), home, env, placed)


def _needed_names(folder: str) -> tuple[str, ...]:
    """The entries of a folder, without the caches that tools keep among installed modules.

    A link to such a cache could not be written to; where it isn't there, the tool makes a new one.
    """
    names = sorted(os.listdir(folder))
    if os.path.basename(folder) != "node_modules":
        return tuple(names)
    return tuple(
        name for name in names if name[0] != "." or name in _INSTALLED or not os.path.isdir(f"{folder}/{name}")
    )


def resolve_environment(wanted: Environment, base: str) -> Environment:
    """The same for use from anywhere. Raises ``InputError`` if a folder is missing."""
    base = wanted.base or base
    if wanted.venv is not None:
        _folder(wanted.venv, base, "environment.venv")
    for name in wanted.folders:
        _folder(name, base, "environment.folders")
    named = wanted.venv is not None or wanted.folders or wanted.generated
    return wanted.model_copy(update={"base": os.path.abspath(base)}) if named else wanted


def _folder(name: str, base: str, field: str) -> str:
    """The absolute path of a folder, as it is called: a virtual environment knows itself by that name."""
    path = os.path.normpath(os.path.join(os.path.abspath(base), os.path.expanduser(name)))
    if not os.path.isdir(path):
        raise InputError(f"{field} must name a folder, got {name}, which doesn't exist")
    return path


def venv_mounts(venv: str, sandbox: Sandbox) -> list[Mount]:
    """A virtual environment and its Python, where the sandbox's user can read both."""
    mounts = [Mount(_readable_folder(venv, sandbox), venv)]
    prefix = _prefix_of(venv)
    if not is_shown(prefix):
        source = (
            prefix if _is_open(prefix, sandbox) else open_copy(prefix, exclude=_UNUSED, only=_python_parts(venv))
        )
        mounts.append(Mount(source, prefix))
    return mounts


def _prefix_of(venv: str) -> str:
    """Where the Python is installed that a virtual environment was made with."""
    try:
        with open(f"{venv}/pyvenv.cfg", encoding="utf-8") as file:
            values = dict(_setting(line) for line in file if "=" in line)
        return os.path.dirname(os.path.normpath(values["home"]))
    except (OSError, ValueError, KeyError) as error:
        raise InputError(
            f"environment.venv must be a virtual environment, but {venv} has no usable pyvenv.cfg"
        ) from error


def _setting(line: str) -> tuple[str, str]:
    name, _, value = line.partition("=")
    return name.strip(), value.strip()


def _python_parts(venv: str) -> tuple[str, ...]:
    """The needed parts of a Python's folder: the program, its libraries, and the library of this version."""
    real = os.path.realpath(f"{venv}/bin/python")
    version = os.path.basename(real)
    return (f"bin/{version}", "bin/python3", "bin/python", f"lib/{version}", "lib/*.so*")


def _readable_folder(folder: str, sandbox: Sandbox) -> str:
    """A folder that the sandbox's user can read: itself, or a copy where a folder above it is closed."""
    return folder if _is_open(folder, sandbox) else open_copy(folder, exclude=_MANUALS)


def _is_open(folder: str, sandbox: Sandbox) -> bool:
    """Whether the sandbox's user can get to a folder. Only root's sandboxes have another user than the caller."""
    if sandbox.owner is None:
        return True
    parts = os.path.realpath(folder).split("/")
    ways = ("/".join(parts[:length]) or "/" for length in range(1, len(parts) + 1))
    return all(os.stat(way).st_mode & stat.S_IXOTH for way in ways)


def system_python(what_for: str) -> str:
    """Its path. Raises ``InputError`` if there is no such Python."""
    for folder in PATH.split(":"):
        found = os.path.realpath(f"{folder}/python3")
        if os.access(found, os.X_OK) and is_shown(found):
            return found
    raise InputError(f"{what_for} needs a python3 in one of {PATH}, but found no such program")
