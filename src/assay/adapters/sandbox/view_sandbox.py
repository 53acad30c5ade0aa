"""A sandbox with namespaces of its own, a read-only system, Harbor's absolute paths, and no network.

bubblewrap makes the namespaces, or Assay's own launcher, from the same options. Root enters the sandbox as an
unprivileged user, so that root's files stay closed even where they are mounted. The first process is the init of a
process namespace: when it dies, everything in it dies, and it dies with Assay.

People keep all sorts of files in /opt and /usr/local. Of these, only the usual folders of programs and libraries
are shown, the programs on this process's path, and what the variable ASSAY_SHOW names, separated by colons.
"""

import contextlib
import functools
import glob
import os
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from assay.adapters.machine.scratch import scratch_folder
from assay.adapters.sandbox import hidden_below
from assay.adapters.sandbox.cgroups import ControlGroup, Controllers, find_controllers
from assay.adapters.sandbox.disk_watch import DiskWatch
from assay.adapters.sandbox.holds import threads_of
from assay.adapters.sandbox.launcher_client import LauncherPool
from assay.adapters.sandbox.run_child import attend, memory_file, starting
from assay.adapters.sandbox.seccomp import FILTERED, filter_program
from assay.core.errors import MeasurementError
from assay.engine.sandbox import PATH, CommandLimits, Isolation, Ran, SandboxCommand

NOBODY = (65534, 65534)
# Only later versions of bwrap have these. What doesn't work here is left out, and that is recorded.
_NO_MORE_NAMESPACES = ("--unshare-user", "--disable-userns")

SHOW: Final = "ASSAY_SHOW"
SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
MIXED: Final = ("/opt", "/usr/local")
_USUAL: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libexec", "include")
_ON_THE_WAY: Final = ("opt/", "local/")
_NAMES_OF_HOSTS = "/etc/resolv.conf"
_DESCRIPTORS = ("--args", "3", "--json-status-fd", "4")
_FILTER = ("--seccomp", "5")
_MEMORY_FOLDERS = {"/tmp": 4 * 2**30, "/var/tmp": 2**30, "/run": 64 * 2**20, "/dev/shm": 2**30}  # noqa: S108
_STATUS_LIMIT = 4096
_ROOM_FOR_NAMES = "4096"
ETC = "/etc"
_TOOLCHAINS = ("mvn", "gradle", "ant", "sbt", "dotnet", "java", "go", "ruby", "php", "swift")
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


@dataclass(frozen=True, slots=True)
class NamespaceMaker:
    """Makes the namespaces: the path of bwrap, or None for the launcher itself; and its abilities."""

    backend: str
    bwrap: str | None = None
    extras: Sequence[str] = ()
    sized: bool = True
    nested: bool = False


class ViewSandbox:
    """Runs commands that see what Assay shows them."""

    def __init__(self, maker: NamespaceMaker, controllers: Controllers) -> None:
        self._maker = maker
        self._filter = filter_program()
        self._descriptors = (*_DESCRIPTORS, *(_FILTER if self._filter is not None else ()))
        self.owner = NOBODY if os.geteuid() == 0 else None
        self._launchers = LauncherPool(controllers, self.owner)
        self.images = None
        self.isolation = Isolation(
            backend=maker.backend,
            pid_namespace=True,
            no_network=True,
            read_only_system=True,
            memory_limit=controllers.name(controllers.memory),
            process_limit=controllers.name(controllers.pids),
            cpu_limit=controllers.name(controllers.quota, otherwise="none"),
            system_calls=FILTERED if self._filter else "not filtered",
            nested_namespaces=maker.nested,
            temporary_folders="limited" if maker.sized else "not limited",
            user="nobody" if self.owner else "the caller, in a user namespace",
        )

    def run(self, command: SandboxCommand) -> Ran:
        limits = command.limits
        program, *options = self.command_line(command)
        # The options hold the values of the environment, and everybody on the machine can read a command line.
        with (
            self._launchers.take(limits.file_mb) as slot,
            memory_file("\0".join(options)) as given,
            memory_file("") as status,
            memory_file(self._filter or b"") as rules,
        ):
            argv = (program, *self._descriptors, "--", *command.argv) if self._maker.bwrap else command.argv
            with starting(program) as start:
                slot.group.begin(limits)
                enter = self._maker.bwrap is None
                # bwrap begins among the processes that its user has already, which count for the kernel.
                held = _held_without_a_group(limits, slot.group, beside_others=not enter)
                fds = (given, status, rules)
                started = slot.launcher.start(argv, fds, held, enter=enter, apart=command.apart)
                started.group = slot.group
            watch = DiskWatch(command.written, limits.disk_mb, lambda: slot.launcher.pid)
            ran = attend(started, command.stdin, start, limits.timeout_sec, limits.output_bytes, watch)
            _check_begun(ran, status)
            # Without a group, nobody adds up what bwrap's children used.
            return slot.group.add_usage(ran if enter else replace(ran, cpu_sec=None))

    def command_line(self, command: SandboxCommand) -> Iterator[str]:
        """bwrap and its options for a command, up to the command itself."""
        yield self._maker.bwrap or command.argv[0]
        yield from ("--unshare-all", "--die-with-parent", "--new-session", "--clearenv")
        yield from self._maker.extras
        if command.network:
            yield "--share-net"
        if command.user is not None:
            uid = "0" if command.user == "root" else str(command.user)
            yield from ("--uid", uid, "--gid", uid)
        yield from _system_arguments(sized=self._maker.sized)
        yield from _hidden_arguments()
        if command.network:
            # The copy may be old by now: networks come and go.
            yield from ("--ro-bind-try", os.path.realpath(_NAMES_OF_HOSTS), _NAMES_OF_HOSTS)
        for mount in sorted(command.mounts, key=lambda mount: mount.target):
            yield from ("--bind" if mount.writable else "--ro-bind", mount.source, mount.target)
        for name, value in command.env.items():
            yield from ("--setenv", name, value)
        if self._maker.sized:
            # Nothing can be written beside the mounts, where no limit would hold.
            yield from ("--remount-ro", "/dev", "--remount-ro", "/")
        yield from ("--chdir", command.workdir)


def probe_bubblewrap() -> ViewSandbox:
    """The sandbox of bwrap, once it has run a command. Raises ``MeasurementError`` with the reason if it can't."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise MeasurementError("bwrap is not installed (on Debian: apt-get install bubblewrap)")
    controllers, why = find_controllers(), ""
    for extras, sized in ((_NO_MORE_NAMESPACES, True), ((), True), ((), False)):
        sandbox = ViewSandbox(
            NamespaceMaker("bubblewrap", bwrap, extras, sized=sized, nested=not extras), controllers
        )
        why = _first_output(sandbox)
        if why == "42":
            return sandbox
    raise MeasurementError(f"bwrap doesn't work here: {why}")


def probe_namespaces() -> ViewSandbox:
    """The same by Assay's own launcher, which needs nothing but Linux 5.12 and user namespaces for everybody."""
    if os.uname().machine not in ("x86_64", "aarch64"):
        raise MeasurementError(f"the numbers of its system calls aren't known for {os.uname().machine}")
    sandbox = ViewSandbox(NamespaceMaker("namespaces"), find_controllers())
    why = _first_output(sandbox)
    if why != "42":
        raise MeasurementError(f"this kernel doesn't let us make namespaces: {why}")
    return sandbox


def _first_output(sandbox: ViewSandbox) -> str:
    """The output of a first command, or why it couldn't run: "42" if all is well."""
    try:
        ran = sandbox.run(
            SandboxCommand(
                argv=("/bin/sh", "-c", "echo $((40 + 2))"), workdir="/", limits=CommandLimits(timeout_sec=20)
            )
        )
    except MeasurementError as error:
        return str(error)
    return ran.output.decode(errors="replace").strip()[:300]


def _check_begun(ran: Ran, status: int) -> None:
    """Raise ``MeasurementError`` if the sandbox couldn't be made, which looks like a command that failed.

    bwrap and the launcher report the difference on a descriptor that the command never has.
    """
    if ran.end.exit_code == 1 and b'"exit-code"' not in os.pread(status, _STATUS_LIMIT, 0):
        said = ran.output.decode(errors="replace").strip()
        raise MeasurementError(f"the sandbox couldn't start the command: {said[:300]}")


def is_shown(path: str) -> bool:
    """Whether a sandbox shows a path of the machine: all of it, or for the two mixed folders their programs."""
    parts = shown_of_mixed() if is_below(path, MIXED) else SYSTEM
    return path in MIXED or is_below(path, parts)


def is_below(path: str, folders: tuple[str, ...]) -> bool:
    """Whether a path is one of these folders, or in one."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


@functools.cache
def shown_of_mixed() -> tuple[str, ...]:
    """The paths below the two mixed folders that are shown, and none below another."""
    asked = [os.path.abspath(one) for one in os.environ.get(SHOW, "").split(":") if one]
    usual = [f"{mixed}/{name}" for mixed in MIXED for name in _USUAL]
    wanted = {one for one in (*asked, *usual, *_programs()) if is_below(one, MIXED) and _has_something(one)}
    return tuple(sorted(one for one in wanted if not is_below(os.path.dirname(one), tuple(wanted))))


def _programs() -> Iterator[str]:
    """Where the programs on the path are installed, some of which are links to other places."""
    folders = dict.fromkeys((*os.environ.get("PATH", "").split(":"), *PATH.split(":")))
    for folder in (*folders, "/etc/alternatives"):
        yield from _installed_at(folder)
        yield from _installed_at(os.path.realpath(folder))
        for link in _links(folder):
            target = os.path.realpath(link)
            yield target if os.path.dirname(target) in MIXED else next(_installed_at(os.path.dirname(target)))


def _installed_at(folder: str) -> Iterator[str]:
    """A folder of programs, or the one around it where only that program's files are."""
    around = os.path.dirname(folder)
    is_own = os.path.basename(folder) in ("bin", "sbin") and around not in MIXED
    yield around if is_own else folder


def _links(folder: str) -> Iterator[str]:
    """The links in a folder that may lead to one of the mixed ones."""
    try:
        with os.scandir(folder) as entries:
            paths = [entry.path for entry in entries if entry.is_symlink()]
    except OSError:
        return
    yield from (path for path in paths if any(part in os.readlink(path) for part in _ON_THE_WAY))


def _has_something(path: str) -> bool:
    return os.path.isfile(path) or (os.path.isdir(path) and bool(os.listdir(path)))


@functools.cache
def _system_arguments(*, sized: bool) -> tuple[str, ...]:
    return tuple(_shown_system(sized=sized))


def _shown_system(*, sized: bool) -> Iterator[str]:
    """The system without its secrets: programs and libraries, and the harmless part of /etc, all read-only."""
    for path in SYSTEM:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        elif os.path.isdir(path):
            yield from ("--ro-bind", path, path)
    covered = os.path.isdir("/usr/local") and "/usr/local" not in shown_of_mixed()
    yield from ("--size", _ROOM_FOR_NAMES, "--tmpfs", "/usr/local") if covered else ()
    for path in shown_of_mixed():
        yield from ("--ro-bind", path, path)
    yield from ("--remount-ro", "/usr/local") if covered else ()
    yield from ("--ro-bind", harmless_etc(), "/etc")
    yield from ("--proc", "/proc", "--dev", "/dev")
    for path, most in _MEMORY_FOLDERS.items():
        yield from (*(("--size", str(most)) if sized else ()), "--tmpfs", path)


def _hidden_arguments() -> Iterator[str]:
    """Cover what is in use and would be shown with the system: a folder by an empty one, a file by no file."""
    for path in filter(is_shown, hidden_below((*SYSTEM, *MIXED))):
        if os.path.isdir(path):
            yield from ("--size", _ROOM_FOR_NAMES, "--tmpfs", path, "--remount-ro", path)
        elif os.path.exists(path):
            yield from ("--ro-bind", "/dev/null", path)


def _held_without_a_group(limits: CommandLimits, group: ControlGroup, *, beside_others: bool) -> Mapping[str, int]:
    """The limits that no control group holds here. The launcher sets them, and the command inherits them."""
    held: dict[str, int] = {}
    if group.memory is None and limits.memory_mb is not None:
        held["AS"] = limits.memory_mb * 2**20
    if group.pids is None:
        held["NPROC"] = limits.processes + (threads_of(os.geteuid()) if beside_others else 0)
    return held


@functools.cache
def harmless_etc() -> str:
    """The folder with the copy, which is removed when Assay ends."""
    root = scratch_folder(0o711, in_memory=True)
    target = f"{root}/etc"
    os.mkdir(target, 0o755)
    for name in (*_NAMES, *_settings_of_toolchains()):
        # Some are links into folders that a sandbox doesn't see.
        _copy(os.path.realpath(f"{ETC}/{name}"), f"{target}/{name}")
    return target


def _settings_of_toolchains() -> Iterator[str]:
    """The names in /etc to which links beside the programs of toolchains lead, such as those of maven."""
    launchers = filter(None, map(shutil.which, _TOOLCHAINS))
    homes = {os.path.dirname(os.path.dirname(os.path.realpath(path))) for path in launchers} - {
        "/usr",
        "/usr/local",
    }
    places = (
        path for home in homes for pattern in ("*", "*/*") for path in glob.glob(f"{glob.escape(home)}/{pattern}")
    )
    targets = (os.path.realpath(path) for path in places if os.path.islink(path))
    yield from {path.split("/")[2] for path in targets if path.startswith(f"{ETC}/")} - {*_NAMES}


def _forget_parents_etc() -> None:
    """The folder goes when the process ends that made it."""
    harmless_etc.cache_clear()
    _system_arguments.cache_clear()


os.register_at_fork(after_in_child=_forget_parents_etc)


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
