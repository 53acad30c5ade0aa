"""Install agents: each into a virtual environment that is made once and that sandboxes show, read-only.

This happens outside of any sandbox, before a job starts, and it runs what the packages bring to be installed with.
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from assay.adapters.machine.atomic_write import write_text
from assay.adapters.workspace.command_environment import system_python, venv_mounts
from assay.core.errors import InputError
from assay.engine.run.agent_description import BIN, AgentDescription
from assay.engine.sandbox import Mount, Sandbox

FOLDER_VARIABLE = "ASSAY_AGENTS_DIR"
LOG = "install.log"
MARK = "installed.json"
TIMEOUT_SEC = 1800.0


@dataclass(frozen=True, slots=True)
class Installed:
    """The agent's files that a sandbox shows, and the variables that point to them."""

    mounts: tuple[Mount, ...] = ()
    env: tuple[tuple[str, str], ...] = ()


def install(agent: AgentDescription, sandbox: Sandbox, say: Callable[[str], None]) -> Installed:
    """The agent, installed for a sandbox. Raises ``InputError`` if it can't be."""
    if not agent.packages:
        return Installed()
    if sandbox.images is not None:
        raise InputError(
            f"the agent {agent.name} can't be installed into the images of {sandbox.isolation.backend}; put it"
            " into the task's image and pass its command, or pass --isolation bubblewrap"
        )
    venv = f"{prepare(agent, say)}/venv"
    return Installed(tuple(venv_mounts(venv, sandbox)), ((BIN, f"{venv}/bin"),))


def prepare(agent: AgentDescription, say: Callable[[str], None]) -> str:
    """The folder of an agent with its virtual environment, made if there is none yet."""
    python = system_python(f"the agent {agent.name}")
    folder = f"{cache_folder()}/{agent.name}-{_digest(agent.packages, python)}"
    try:
        os.makedirs(folder, mode=0o755, exist_ok=True)
        with _lock_folder(folder):
            if not os.path.exists(f"{folder}/{MARK}"):
                _make(agent, folder, python, say)
    except OSError as error:
        raise InputError(
            f"the agent {agent.name} can't be installed below {cache_folder()}: {error.strerror}; set"
            f" {FOLDER_VARIABLE} to another folder"
        ) from error
    return folder


def cache_folder() -> str:
    """Where agents are installed. The sandboxes of root have another user, who can't look into root's home."""
    if given := os.environ.get(FOLDER_VARIABLE):
        return os.path.abspath(given)
    if os.geteuid() == 0:
        return "/var/cache/assay/agents"
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "assay", "agents")


def _make(agent: AgentDescription, folder: str, python: str, say: Callable[[str], None]) -> None:
    log = f"{folder}/{LOG}"
    say(f"installing {agent.name} with {', '.join(agent.packages)}; see {log}")
    shutil.rmtree(f"{folder}/venv", ignore_errors=True)
    with open(log, "wb") as file:
        # Without pip in it, no module for that is needed, which Debian has in a package of its own.
        own_pip = importlib.util.find_spec("pip") is not None
        made = [python, "-m", "venv", *(["--without-pip"] if own_pip else []), f"{folder}/venv"]
        inside = f"{folder}/venv/bin/python"
        pip = [sys.executable, "-m", "pip", "--python", inside] if own_pip else [inside, "-m", "pip"]
        options = ["--disable-pip-version-check", "--no-input", "install", *agent.packages]
        ended = next((one for one in (made, [*pip, *options]) if _command_fails(one, file.fileno())), None)
    if ended is not None:
        raise InputError(f"the agent {agent.name} can't be installed: {_last_words(log)} (see {log})")
    write_text(f"{folder}/{MARK}", json.dumps({"name": agent.name, "packages": list(agent.packages)}) + "\n")


def _command_fails(command: Sequence[str], output: int) -> bool:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            timeout=TIMEOUT_SEC,
            check=False,
            umask=0o022,  # The sandbox's user has to read what is installed.
        )
    except subprocess.TimeoutExpired:
        os.write(output, f"ERROR: not done after {TIMEOUT_SEC:g} s\n".encode())
        return True
    return done.returncode != 0


def _last_words(log: str) -> str:
    """The last error in a log."""
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = [line.strip() for line in file if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["there is no reason in the log"])[-1][:300]


def _digest(packages: Sequence[str], python: str) -> str:
    """Other packages, and another Python, are another installation."""
    return hashlib.sha256("\n".join((*packages, python)).encode()).hexdigest()[:12]


@contextlib.contextmanager
def _lock_folder(folder: str) -> Iterator[None]:
    """One installation at a time. The lock ends with its process."""
    fd = os.open(f"{folder}/lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)
