"""A copy of the harmless files of /etc, so that a sandbox needs one mount instead of one for each file."""

import contextlib
import functools
import os
import shutil
import stat

from assay.adapters.scratch import scratch_folder

ETC = "/etc"
_NAMES = (
    "alternatives",
    "ca-certificates",
    "debian_version",
    "environment",
    "fonts",
    "group",
    "gai.conf",
    "host.conf",
    "hosts",
    "java-17-openjdk",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "locale.alias",
    "magic",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "perl",
    "pki",
    "profile",
    "protocols",
    "python3",
    "python3.11",
    "resolv.conf",
    "services",
    "ssl",
    "terminfo",
    "timezone",
)


@functools.cache
def harmless_etc() -> str:
    """The folder with the copy, which is removed when Assay ends."""
    root = scratch_folder(0o711, in_memory=True)
    target = f"{root}/etc"
    os.mkdir(target, 0o755)
    for name in _NAMES:
        # Some are links into folders that a sandbox doesn't see.
        _copy(os.path.realpath(f"{ETC}/{name}"), f"{target}/{name}")
    return target


def _copy(source: str, target: str) -> None:
    """Copy only what everybody may read: this process may be root, and the copy must not reveal anything."""
    with contextlib.suppress(OSError):
        mode = os.lstat(source).st_mode
        if stat.S_ISLNK(mode):
            os.symlink(os.readlink(source), target)
        elif stat.S_ISREG(mode) and mode & stat.S_IROTH:
            shutil.copyfile(source, target)
            os.chmod(target, mode & 0o755)
        elif stat.S_ISDIR(mode) and mode & stat.S_IXOTH and mode & stat.S_IROTH:
            os.mkdir(target, 0o755)
            for name in os.listdir(source):
                _copy(f"{source}/{name}", f"{target}/{name}")
