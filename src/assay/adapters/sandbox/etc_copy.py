"""The harmless part of /etc, copied once: one mount for a sandbox instead of one for each of its files."""

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
    """The folder with the copy. It is removed when Assay ends."""
    root = scratch_folder(0o711, in_memory=True)
    target = f"{root}/etc"
    os.mkdir(target, 0o755)
    for name in _NAMES:
        # Some are links to where a package keeps the file, outside of what a sandbox sees.
        _copy(os.path.realpath(f"{ETC}/{name}"), f"{target}/{name}")
    return target


def _copy(source: str, target: str) -> None:
    """Only what everybody may read: this process may be root, and the copy must not open what was closed."""
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
