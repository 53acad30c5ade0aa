"""A container engine for the tests: podman with settings and a storage of its own, never the user's.

The settings are those that work in most places, a container among them: plain copies of layers, no systemd, no
journal, and the network of the machine. The storage is outside of this folder, and goes away with the run.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

CONF, STORAGE_CONF = "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"
_SETTINGS = """\
[containers]
netns = "host"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "{runtime}"
"""
_STORAGE = '[storage]\ndriver = "vfs"\ngraphroot = "{folder}/images"\nrunroot = "{folder}/running"\n'


def provide_engine() -> str | None:
    """Have podman use a new folder, here and in what is started from here. None if there is nothing to provide.

    Whoever set one of the variables has an engine for the tests already: this process's parent, or a user who
    wants another one tried.
    """
    runtime = next((name for name in ("runc", "crun") if shutil.which(name)), None)
    if CONF in os.environ or os.geteuid() != 0 or shutil.which("podman") is None or runtime is None:
        return None
    folder = tempfile.mkdtemp(prefix="assay-test-engine-")
    Path(folder, "containers.conf").write_text(_SETTINGS.format(runtime=runtime))
    Path(folder, "storage.conf").write_text(_STORAGE.format(folder=folder))
    os.environ[CONF], os.environ[STORAGE_CONF] = f"{folder}/containers.conf", f"{folder}/storage.conf"
    return folder


def remove_engine(folder: str | None) -> None:
    """Remove what is left of its containers and images."""
    if folder is None:
        return
    command = [str(shutil.which("podman")), "rm", "--all", "--force", "--time", "0"]
    subprocess.run(command, check=False, capture_output=True, timeout=120)
    del os.environ[CONF], os.environ[STORAGE_CONF]
    shutil.rmtree(folder, ignore_errors=True)
