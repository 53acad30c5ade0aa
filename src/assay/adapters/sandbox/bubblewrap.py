"""The bubblewrap sandbox: namespaces of its own, a read-only system, Harbor's absolute paths, no network.

As root, the sandbox is entered as an unprivileged user, so that root's files stay closed even where they are
mounted. bwrap is the init of a process namespace: when it dies, everything in it dies, and it dies with Assay.
"""

import os
import shutil
from collections.abc import Iterator

from assay.adapters.sandbox.cgroups import Controllers, Group, find_controllers, limited_group, with_usage
from assay.adapters.sandbox.child import AT_THE_DOOR, Child, memory_file, run_child
from assay.core.errors import MeasurementError
from assay.engine.sandbox import Command, Isolation, Limits, Ran

NOBODY = (65534, 65534)

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt")
_ETC = (
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


class Bubblewrap:
    """Runs commands with bwrap. Make it with ``probe``."""

    def __init__(self, bwrap: str, controllers: Controllers) -> None:
        self._bwrap = bwrap
        self._controllers = controllers
        self.owner = NOBODY if os.geteuid() == 0 else None
        self._base = tuple(_system_arguments())
        self.isolation = Isolation(
            backend="bubblewrap",
            pid_namespace=True,
            no_network=True,
            read_only_system=True,
            memory_limit=controllers.name(controllers.memory),
            process_limit=controllers.name(controllers.pids),
            cpu_limit=controllers.name(controllers.quota, otherwise="none"),
            user="nobody" if self.owner else "the caller, in a user namespace",
        )

    def run(self, command: Command) -> Ran:
        limits = command.limits
        program, *options = self.command_line(command)
        # The options hold the values of the environment, and everybody on the machine can read a command line.
        with limited_group(self._controllers, limits) as group, memory_file("\0".join(options)) as fd:
            ran = run_child(
                Child(
                    argv=[
                        *self._enter(command, group),
                        program,
                        "--args",
                        str(fd),
                        "--",
                        *AT_THE_DOOR,
                        *command.argv,
                    ],
                    stdin=command.stdin,
                    handshake=True,
                    timeout_sec=limits.timeout_sec,
                    output_bytes=limits.output_bytes,
                    user=None if group.folders else self.owner,
                    pass_fds=(fd,),
                )
            )
            return with_usage(ran, group)

    def _enter(self, command: Command, group: Group) -> Iterator[str]:
        """Join the group as whoever we are and take the limits, then become nobody.

        Without a group, the child is nobody from its start.
        """
        steps = [f"echo $$ > {folder}/cgroup.procs || exit 125" for folder in group.folders]
        yield from ("/bin/sh", "-c", "; ".join([*steps, *_limits(command, group), 'exec "$@"']), "sh")
        if group.folders and self.owner is not None:
            uid, gid = self.owner
            yield from ("setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups")

    def command_line(self, command: Command) -> Iterator[str]:
        """bwrap and its options for a command, up to the command itself."""
        yield from (self._bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--clearenv")
        if command.network:
            yield "--share-net"
        if command.user is not None:
            uid = "0" if command.user == "root" else str(command.user)
            yield from ("--uid", uid, "--gid", uid)
        yield from self._base
        for mount in sorted(command.mounts, key=lambda mount: mount.target):
            yield from ("--bind" if mount.writable else "--ro-bind", mount.source, mount.target)
        for name, value in command.env.items():
            yield from ("--setenv", name, value)
        yield from ("--chdir", command.workdir)


def probe() -> Bubblewrap:
    """The sandbox, after it ran a command. Raises ``MeasurementError`` that says why it can't."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise MeasurementError("bwrap is not installed (Debian: apt-get install bubblewrap)")
    sandbox = Bubblewrap(bwrap, find_controllers())
    ran = sandbox.run(
        Command(argv=("/bin/sh", "-c", "echo $((40 + 2))"), workdir="/", limits=Limits(timeout_sec=20))
    )
    if ran.output.strip() != b"42":
        raise MeasurementError(f"bwrap does not work here: {ran.output.decode(errors='replace').strip()[:300]}")
    return sandbox


def _system_arguments() -> Iterator[str]:
    """The system without its secrets: programs and libraries, and the harmless part of /etc, all read-only."""
    for path in _SYSTEM:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        elif os.path.isdir(path):
            yield from ("--ro-bind", path, path)
    for name in _ETC:
        path = f"/etc/{name}"
        if os.path.exists(path):
            yield from ("--ro-bind", os.path.realpath(path), path)
    yield from ("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run", "--tmpfs", "/var/tmp")  # noqa: S108


def _limits(command: Command, group: Group) -> list[str]:
    """The limits that belong to single processes, as a shell sets them. Whatever is started inherits them."""
    # POSIX counts a file's size in blocks of 512 bytes here, whatever the disk's are.
    limits = [f"ulimit -f {command.limits.file_mb * 2048}", "ulimit -c 0"]
    if group.memory is None and command.limits.memory_mb is not None:
        limits.append(f"ulimit -v {command.limits.memory_mb * 1024}")
    if group.pids is None:
        limits.append(f"ulimit -u {command.limits.processes} 2>/dev/null || true")
    return limits
