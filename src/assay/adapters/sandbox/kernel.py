"""System calls that Python has no name for. For the scripts that start commands; standard library only."""

import ctypes
import os

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, PR_CAPBSET_DROP = 38, 22, 24
SECCOMP_MODE_FILTER = 2
MNT_DETACH = 2
CLONE_NEWNET = 0x40000000
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
MOUNT_SETATTR = 442
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
CAPSET = {"x86_64": 126, "aarch64": 91}
CAPABILITIES_VERSION_3 = 0x20080522
MOST_CAPABILITIES = 64

_libc = ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments: object) -> int:
    """Call a function of the C library. Raises ``OSError``."""
    return _check_answer(getattr(_libc, name)(*arguments), name)


def unshare(flags: int) -> None:
    call("unshare", flags)


def enter(namespace: str) -> None:
    """Have this thread enter a namespace, by the path of its file."""
    fd = os.open(namespace, os.O_RDONLY | os.O_CLOEXEC)
    try:
        call("setns", fd, 0)
    finally:
        os.close(fd)


def raise_loopback() -> None:
    """Switch the loopback of this network namespace on."""
    import fcntl  # noqa: PLC0415 - most scripts need no network
    import socket  # noqa: PLC0415
    import struct  # noqa: PLC0415

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh22x", b"lo", 0)
        flags = struct.unpack_from("h", fcntl.ioctl(any_socket, SIOCGIFFLAGS, request), 16)[0]
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", flags | IFF_UP))


def mount(source: "str | None", target: str, kind: "str | None", flags: int, options: str = "") -> None:
    given = [None if one is None else os.fsencode(one) for one in (source, target, kind)]
    answer = _libc.mount(*given, ctypes.c_ulong(flags), os.fsencode(options) if options else None)
    _check_answer(answer, target)


def unmount(target: str) -> None:
    _check_answer(_libc.umount2(os.fsencode(target), MNT_DETACH), target)


def pivot_root(new: str, old: str) -> None:
    _system_call(PIVOT_ROOT[os.uname().machine], os.fsencode(new), os.fsencode(old), what=new)


def set_mount(target: str, attributes: int, *, recursive: bool) -> None:
    """Set attributes of a mount, and of all below it. Needs Linux 5.12."""
    wanted = (ctypes.c_uint64 * 4)(attributes, 0, 0, 0)
    flags = AT_RECURSIVE if recursive else 0
    size = ctypes.c_size_t(ctypes.sizeof(wanted))
    _system_call(MOUNT_SETATTR, AT_FDCWD, os.fsencode(target), flags, ctypes.byref(wanted), size, what=target)


def drop_capabilities() -> None:
    """For good: nothing that is started from now on can have any, not even as root of the namespace."""
    for number in range(MOST_CAPABILITIES):
        if _libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0) != 0:
            break
    header = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION_3, 0)
    none = (ctypes.c_uint32 * 6)()
    _system_call(CAPSET[os.uname().machine], ctypes.byref(header), ctypes.byref(none), what="capset")


def gain_nothing() -> None:
    """No program that is started from now on gains rights by its file: no setuid, no capabilities."""
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def filter_calls(rules: bytes) -> None:
    """Let the kernel judge every system call by these rules from now on. Needs ``gain_nothing`` before it."""
    content = ctypes.create_string_buffer(rules, len(rules))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("rules", ctypes.c_void_p))

    program = Program(len(rules) // 8, ctypes.cast(content, ctypes.c_void_p))
    call("prctl", PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0)


def _system_call(number: int, *arguments: object, what: str) -> int:
    return _check_answer(_libc.syscall(number, *arguments), what)


def _check_answer(answer: int, what: str) -> int:
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), what)
    return answer
