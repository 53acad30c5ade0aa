"""Run a command in namespaces of its own, where there is no bwrap. A part of the launcher's script.

It takes the options of bwrap that Assay uses, so that both show a command the same files. ``enter`` is called in a
process that was forked for it, and never returns::

    outer    makes the namespaces, waits for the first process, reports how the command ended
    first    process 1 of the new namespace: makes the view, gives up its powers, reaps
    command  the command itself

Each dies with the one before it. Standard library only.
"""

import os
import resource
import select
import signal
import sys
from collections.abc import Callable, Iterator
from typing import NoReturn, TypeAlias

from kernel import (  # type: ignore[import-not-found]
    CLONE_NEWNET,
    call,
    drop_capabilities,
    filter_calls,
    gain_nothing,
    mount,
    pivot_root,
    raise_loopback,
    set_mount,
    unmount,
    unshare,
)
from limits import execute  # type: ignore[import-not-found]

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID = 0x10000000, 0x20000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_SLAVE = 2, 4, 8, 4096, 16384, 1 << 19
READ_ONLY, NOSUID, NODEV = 1, 2, 4
PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4

Steps: TypeAlias = "list[tuple[str, list[str]]]"

# How many words follow an option.
_WORDS = {
    "--unshare-all": 0,
    "--unshare-user": 0,
    "--disable-userns": 0,
    "--die-with-parent": 0,
    "--new-session": 0,
    "--clearenv": 0,
    "--share-net": 0,
    "--uid": 1,
    "--gid": 1,
    "--size": 1,
    "--tmpfs": 1,
    "--proc": 1,
    "--dev": 1,
    "--chdir": 1,
    "--remount-ro": 1,
    "--bind": 2,
    "--ro-bind": 2,
    "--ro-bind-try": 2,
    "--symlink": 2,
    "--setenv": 2,
}
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_STREAMS = (("fd", "/proc/self/fd"), ("stdin", "/proc/self/fd/0"), ("stdout", "/proc/self/fd/1"))
_DEVICE_LINKS = (*_STREAMS, ("stderr", "/proc/self/fd/2"), ("core", "/proc/kcore"), ("ptmx", "pts/ptmx"))


def enter(
    options: "list[str]", command: "list[bytes]", status: int, rules: bytes, limits: "dict[str, int]"
) -> NoReturn:
    """Run the command with the options of bwrap. The end is written to ``status`` as bwrap does it."""
    code = 1
    try:
        code = _outer(list(_parse_options(options)), command, status, rules, limits)
    except OSError as error:
        _complain("the namespaces can't be made", error)
    finally:
        os._exit(code)


def _parse_options(options: "list[str]") -> "Iterator[tuple[str, list[str]]]":
    """Each option with its words."""
    words = iter(options)
    for name in words:
        yield name, [next(words) for _ in range(_WORDS[name])]


def _outer(steps: Steps, command: "list[bytes]", status: int, rules: bytes, limits: "dict[str, int]") -> int:
    asked = {name: words[0] if words else "" for name, words in steps}
    uid, gid = os.getuid(), os.getgid()
    unshare(CLONE_NEWUSER)
    # The launcher was root once, so that its own files in /proc are closed to it.
    call("prctl", PR_SET_DUMPABLE, 1, 0, 0, 0)
    # If memory runs out, the command is to die before the launcher.
    _write("/proc/self/oom_score_adj", "1000")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{asked.get('--uid', uid)} {uid} 1")
    _write("/proc/self/gid_map", f"{asked.get('--gid', gid)} {gid} 1")
    network = 0 if "--share-net" in asked else CLONE_NEWNET
    unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWCGROUP | network)
    alive, held = os.pipe()
    begun, failed = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(held)
        os.close(begun)
        _dies_with(alive)
        _first(steps, command, failed, rules, limits, loopback=network != 0)
    os.close(failed)
    _, ended = os.waitpid(first, 0)
    code = os.waitstatus_to_exitcode(ended)
    if not os.read(begun, 1) and code >= 0:
        os.write(status, b'{"exit-code": %d}' % code)
    return code if code >= 0 else 128 - code


def _dies_with(alive: int) -> None:
    """Die when the parent does; also if it has died before this could be asked for."""
    call("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    watch = select.poll()
    watch.register(alive, 0)
    if watch.poll(0):
        os._exit(1)


def _first(
    steps: Steps, command: "list[bytes]", failed: int, rules: bytes, limits: "dict[str, int]", *, loopback: bool
) -> NoReturn:
    """Process 1. Whatever goes wrong before the command begins is said on ``failed``."""
    try:
        if loopback:
            raise_loopback()
        _make_view(steps)
        os.chdir(next(words[0] for name, words in steps if name == "--chdir"))
        drop_capabilities()
        gain_nothing()
        if rules:
            filter_calls(rules)
        pid = os.fork()
        if pid == 0:
            _command(steps, command, limits)
    except OSError as error:
        os.write(failed, b"x")
        _complain(f"can't run {os.fsdecode(command[0])}", error)
        os._exit(1)
    os.close(failed)
    for stream in (0, 1, 2):
        os.close(stream)
    while True:
        ended, how = os.wait()
        if ended == pid:
            code = os.waitstatus_to_exitcode(how)
            os._exit(code if code >= 0 else 128 - code)


def _command(steps: Steps, command: "list[bytes]", limits: "dict[str, int]") -> None:
    os.setsid()
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    for name, most in limits.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
    env = {os.fsencode(words[0]): os.fsencode(words[1]) for name, words in steps if name == "--setenv"}
    env[b"PWD"] = os.getcwdb()
    execute(command, env)


def _make_view(steps: Steps) -> None:
    """Build the root from nothing, beside the old one, and then let go of the old one."""
    umask = os.umask(0o022)
    mount(None, "/", None, MS_SLAVE | MS_REC)
    mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755")  # noqa: S108
    for name in ("old", "new"):
        os.mkdir(f"/tmp/{name}", 0o755)  # noqa: S108
    mount("/tmp/new", "/tmp/new", None, MS_BIND | MS_REC)  # noqa: S108
    pivot_root("/tmp", "/tmp/old")  # noqa: S108
    os.chdir("/")
    size = ""
    for name, words in steps:
        if name == "--size":
            size = words[0]
        elif name in _VIEW:
            _VIEW[name](*words, **({"size": size} if name == "--tmpfs" else {}))
            size = ""
    unmount("/old")
    os.chdir("/new")
    pivot_root(".", ".")
    unmount(".")
    os.chdir("/")
    for name, words in steps:
        if name == "--remount-ro":
            set_mount(words[0], READ_ONLY, recursive=False)
    os.umask(umask)


def _bind(source: str, target: str, attributes: int = NOSUID | NODEV) -> None:
    """A source that is a link was followed by whoever chose it; bwrap follows it, too."""
    source = f"/old{_follow_links(source)}"
    _make(target, folder=os.path.isdir(source))
    mount(source, f"/new{target}", None, MS_BIND | MS_REC)
    set_mount(f"/new{target}", attributes, recursive=True)


def _follow_links(path: str) -> str:
    """Where a path leads, in the old root, which is below /old now."""
    parts, here, most = path.split("/")[::-1], "", 40
    while parts:
        part = parts.pop()
        if part == "..":
            here = os.path.dirname(here).rstrip("/")
        elif part not in ("", "."):
            here = f"{here}/{part}"
            if os.path.islink(f"/old{here}") and most:
                goal, most = os.readlink(f"/old{here}"), most - 1
                parts += goal.split("/")[::-1]
                here = "" if goal.startswith("/") else os.path.dirname(here).rstrip("/")
    return here or "/"


def _bind_read_only(source: str, target: str) -> None:
    _bind(source, target, READ_ONLY | NOSUID | NODEV)


def _bind_if_there(source: str, target: str) -> None:
    if os.path.lexists(f"/old{_follow_links(source)}"):
        _bind_read_only(source, target)


def _link(goal: str, target: str) -> None:
    os.makedirs(os.path.dirname(f"/new{target}"), 0o755, exist_ok=True)
    os.symlink(goal, f"/new{target}")


def _tmpfs(target: str, size: str = "") -> None:
    _make(target, folder=True)
    options = f"mode=0755,size={size}" if size else "mode=0755"
    mount("tmpfs", f"/new{target}", "tmpfs", MS_NOSUID | MS_NODEV, options)


def _proc(target: str) -> None:
    _make(target, folder=True)
    mount("proc", f"/new{target}", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    _write(f"/new{target}/sys/user/max_user_namespaces", "0")
    for name in ("sys", "sysrq-trigger", "irq", "bus"):
        path = f"/new{target}/{name}"
        if os.path.exists(path):
            mount(path, path, None, MS_BIND | MS_REC)
            set_mount(path, READ_ONLY, recursive=True)


def _dev(target: str) -> None:
    _tmpfs(target, size="1048576")
    for name in _DEVICES:
        _bind(f"/dev/{name}", f"{target}/{name}", NOSUID)
    for name, goal in _DEVICE_LINKS:
        os.symlink(goal, f"/new{target}/{name}")
    os.mkdir(f"/new{target}/shm", 0o755)
    os.mkdir(f"/new{target}/pts", 0o755)
    options = "newinstance,ptmxmode=0666,mode=620"
    mount("devpts", f"/new{target}/pts", "devpts", MS_NOSUID | MS_NOEXEC, options)


_VIEW: "dict[str, Callable[..., None]]" = {
    "--bind": _bind,
    "--ro-bind": _bind_read_only,
    "--ro-bind-try": _bind_if_there,
    "--symlink": _link,
    "--tmpfs": _tmpfs,
    "--proc": _proc,
    "--dev": _dev,
}


def _make(target: str, *, folder: bool) -> None:
    path = f"/new{target}"
    os.makedirs(path if folder else os.path.dirname(path), 0o755, exist_ok=True)
    if not folder and not os.path.lexists(path):
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))


def _write(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def _complain(what: str, error: OSError) -> None:
    where = f" ({os.fsdecode(error.filename)})" if error.filename else ""
    sys.stderr.write(f"{what}: {error.strerror}{where}\n")
    sys.stderr.flush()
