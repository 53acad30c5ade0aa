"""A container engine for the tests: podman with settings and a storage of its own, never the user's.

The settings are those that work in most places, a container among them: plain copies of layers, no systemd, no
journal, and the network of the machine. The storage is outside of this folder, and goes away with the run, and so
do its locks and its notes about what runs: other podmans of this machine have theirs.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CONF, STORAGE_CONF = "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"
_PREFIX = "assay-test-engine-"
TRIES, WAKE_SEC = 3, 120
_SETTINGS = """\
[containers]
netns = "host"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
tmp_dir = "{folder}/tmp"
runtime = "{runtime}"
"""
_STORAGE = '[storage]\ndriver = "vfs"\ngraphroot = "{folder}/images"\nrunroot = "{folder}/running"\n'


def provide_engine() -> str | None:
    """Have podman use a new folder, here and in what is started from here. None if there is nothing to provide.

    Whoever set one of the variables has an engine for the tests already: this process's parent, or a user who
    wants another one tried.
    """
    runtime = next((name for name in ("runc", "crun") if shutil.which(name)), None)
    if (
        os.path.exists(os.environ.get(CONF, ""))
        or os.geteuid() != 0
        or shutil.which("podman") is None
        or runtime is None
    ):
        return None
    _remove_left_over()
    folder = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")
    Path(folder, "containers.conf").write_text(_SETTINGS.format(runtime=runtime, folder=folder))
    Path(folder, "storage.conf").write_text(_STORAGE.format(folder=folder))
    os.environ[CONF], os.environ[STORAGE_CONF] = f"{folder}/containers.conf", f"{folder}/storage.conf"
    _wake(folder)
    return folder


def _remove_left_over() -> None:
    """Remove the folders of processes that were killed."""
    for name in os.listdir(tempfile.gettempdir()):
        pid = name.removeprefix(_PREFIX).partition("-")[0]
        if name.startswith(_PREFIX) and pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
            shutil.rmtree(os.path.join(tempfile.gettempdir(), name), ignore_errors=True)


def _wake(folder: str) -> None:
    """Have podman make its storage now, alone, and say so aloud if it can't."""
    podman = str(shutil.which("podman"))
    said = ""
    for _ in range(TRIES):
        try:
            info = subprocess.run([podman, "info"], capture_output=True, text=True, check=False, timeout=WAKE_SEC)
        except subprocess.TimeoutExpired:
            said = f"no answer in {WAKE_SEC} s"
            continue
        if info.returncode == 0:
            return
        said = f"exit status {info.returncode}: {info.stderr.strip()}"
    print(f"WARNING: podman doesn't work with the settings in {folder}: {said}", file=sys.stderr, flush=True)


def remove_engine(folder: str | None) -> None:
    """Remove what is left of its containers and images."""
    if folder is None:
        return
    command = [str(shutil.which("podman")), "rm", "--all", "--force", "--time", "0"]
    subprocess.run(command, check=False, capture_output=True, timeout=120)
    del os.environ[CONF], os.environ[STORAGE_CONF]
    shutil.rmtree(folder, ignore_errors=True)
