"""The bubblewrap sandbox: its own namespaces, a read-only system, Harbor's absolute paths, no network.

Root enters the sandbox as an unprivileged user, so that root's files stay closed even where they are mounted.
bwrap is the init of a process namespace: when it dies, everything in it dies, and it dies with Assay.
"""

import os
import shutil
from collections.abc import Iterator, Sequence

from assay.adapters.sandbox.cgroups import Group
from assay.adapters.sandbox.controllers import Controllers, find_controllers
from assay.adapters.sandbox.etc_copy import harmless_etc
from assay.adapters.sandbox.launcher_pool import LauncherPool
from assay.adapters.sandbox.memory_file import memory_file
from assay.adapters.sandbox.run_child import attend, starting
from assay.adapters.sandbox.seccomp import filter_program
from assay.core.errors import MeasurementError
from assay.engine.sandbox import PATH, Command, Isolation, Limits, Ran

NOBODY = (65534, 65534)

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt")
_NAMES_OF_HOSTS = "/etc/resolv.conf"
_DESCRIPTORS = ("--args", "3", "--json-status-fd", "4")
_FILTER = ("--seccomp", "5")
# Of util-linux, which every distribution has. The shells differ in which limits they can set.
_PRLIMIT = shutil.which("prlimit", path=PATH) or "/usr/bin/prlimit"
# Only later versions of bwrap have these. What doesn't work here is left out, and that is recorded.
_NO_MORE_NAMESPACES = ("--unshare-user", "--disable-userns")
_MEMORY_FOLDERS = {"/tmp": 4 * 2**30, "/var/tmp": 2**30, "/run": 64 * 2**20, "/dev/shm": 2**30}  # noqa: S108
_STATUS_LIMIT = 4096


class Bubblewrap:
    """Runs commands with bwrap. ``probe`` makes one."""

    def __init__(
        self, bwrap: str, controllers: Controllers, extras: Sequence[str] = (), *, sized: bool = False
    ) -> None:
        self._bwrap = bwrap
        self._extras = extras
        self._sized = sized
        self._filter = filter_program()
        self._descriptors = (*_DESCRIPTORS, *(_FILTER if self._filter is not None else ()))
        self.owner = NOBODY if os.geteuid() == 0 else None
        self._launchers = LauncherPool(controllers, self.owner)
        self._base = tuple(_system_arguments(sized=sized))
        self.images = None
        self.isolation = Isolation(
            backend="bubblewrap",
            pid_namespace=True,
            no_network=True,
            read_only_system=True,
            memory_limit=controllers.name(controllers.memory),
            process_limit=controllers.name(controllers.pids),
            cpu_limit=controllers.name(controllers.quota, otherwise="none"),
            system_calls="keyrings, io_uring and unusual sockets are refused" if self._filter else "not filtered",
            nested_namespaces=not extras,
            temporary_folders="limited" if sized else "not limited",
            user="nobody" if self.owner else "the caller, in a user namespace",
        )

    def run(self, command: Command) -> Ran:
        limits = command.limits
        program, *options = self.command_line(command)
        # The options hold the values of the environment, and everybody on the machine can read a command line.
        with (
            self._launchers.take(limits.file_mb) as slot,
            memory_file("\0".join(options)) as given,
            memory_file("") as status,
            memory_file(self._filter or b"") as rules,
        ):
            argv = [*_limited(limits, slot.group), program, *self._descriptors, "--", *command.argv]
            with starting(program) as start:
                slot.group.begin(limits)
                started = slot.launcher.start(argv, (given, status, rules))
            ran = attend(started, command.stdin, start, limits.timeout_sec, limits.output_bytes)
            _check_begun(ran, status)
            return slot.group.add_usage(ran)

    def command_line(self, command: Command) -> Iterator[str]:
        """bwrap and its options for a command, up to the command itself."""
        yield from (self._bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--clearenv")
        yield from self._extras
        if command.network:
            yield "--share-net"
        if command.user is not None:
            uid = "0" if command.user == "root" else str(command.user)
            yield from ("--uid", uid, "--gid", uid)
        yield from self._base
        if command.network:
            # The copy may be old by now: networks come and go.
            yield from ("--ro-bind-try", os.path.realpath(_NAMES_OF_HOSTS), _NAMES_OF_HOSTS)
        for mount in sorted(command.mounts, key=lambda mount: mount.target):
            yield from ("--bind" if mount.writable else "--ro-bind", mount.source, mount.target)
        for name, value in command.env.items():
            yield from ("--setenv", name, value)
        if self._sized:
            # Nothing can be written beside the mounts, where no limit would hold.
            yield from ("--remount-ro", "/")
        yield from ("--chdir", command.workdir)


def probe() -> Bubblewrap:
    """The sandbox, once it has run a command. Raises ``MeasurementError`` with the reason if it can't."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise MeasurementError("bwrap is not installed (on Debian: apt-get install bubblewrap)")
    controllers, why = find_controllers(), ""
    for extras, sized in ((_NO_MORE_NAMESPACES, True), ((), True), ((), False)):
        sandbox = Bubblewrap(bwrap, controllers, extras, sized=sized)
        try:
            ran = sandbox.run(
                Command(argv=("/bin/sh", "-c", "echo $((40 + 2))"), workdir="/", limits=Limits(timeout_sec=20))
            )
            why = ran.output.decode(errors="replace").strip()[:300]
        except MeasurementError as error:
            why = str(error)
        if why == "42":
            return sandbox
    raise MeasurementError(f"bwrap doesn't work here: {why}")


def _check_begun(ran: Ran, status: int) -> None:
    """Raise ``MeasurementError`` if the sandbox couldn't be made, which looks like a command that failed.

    bwrap reports the difference on a descriptor that the command never has.
    """
    if ran.end.exit_code == 1 and b'"exit-code"' not in os.pread(status, _STATUS_LIMIT, 0):
        said = ran.output.decode(errors="replace").strip()
        raise MeasurementError(f"the sandbox couldn't start the command: {said[:300]}")


def _system_arguments(*, sized: bool) -> Iterator[str]:
    """The system without its secrets: programs and libraries, and the harmless part of /etc, all read-only."""
    for path in SYSTEM:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        elif os.path.isdir(path):
            yield from ("--ro-bind", path, path)
    yield from ("--ro-bind", harmless_etc(), "/etc")
    yield from ("--proc", "/proc", "--dev", "/dev")
    for path, most in _MEMORY_FOLDERS.items():
        yield from (*(("--size", str(most)) if sized else ()), "--tmpfs", path)


def _limited(limits: Limits, group: Group) -> Sequence[str]:
    """A program that sets the limits that no control group holds here. Whatever it starts inherits them."""
    held = []
    if group.memory is None and limits.memory_mb is not None:
        held.append(f"--as={limits.memory_mb * 2**20}")
    if group.pids is None:
        held.append(f"--nproc={limits.processes}")
    return (_PRLIMIT, *held, "--") if held else ()
