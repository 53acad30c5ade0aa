"""A filter for system calls: no kernel keyrings, no unusual sockets, nothing that reaches deep into the kernel.

Keyrings are shared between all processes of a user, whatever namespace they are in, and so are sockets to the
machine that hosts a virtual one (AF_VSOCK). io_uring makes sockets without a system call that a filter could see.
Programs for the kernel (bpf), its counters, page faults handled by a program, other kernels and their modules are
for those who look after a machine, and have had the most holes. What is refused fails with an ordinary error, so
that programs that merely try go on.

A second filter keeps one descriptor open whatever a program does: many close all numbers that they don't know.
"""

import platform
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

_LOAD_WORD: Final = 0x20  # BPF_LD | BPF_W | BPF_ABS
_IF_EQUAL: Final = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_IF_AT_LEAST: Final = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_RETURN: Final = 0x06  # BPF_RET | BPF_K

_ALLOW: Final = 0x7FFF0000
_ERROR: Final = 0x00050000
_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97

# Where struct seccomp_data has the number of the call, the architecture, and the low half of the first argument.
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_X32 = 0x40000000

FILTERED: Final = "keyrings, io_uring, bpf, kernel modules and unusual sockets are refused"

# AF_UNIX, AF_INET, AF_INET6, and AF_NETLINK, which name look-ups use.
_FAMILIES: Final = (1, 2, 10, 16)


@dataclass(frozen=True, slots=True)
class _Architecture:
    """Numbers of system calls. ``refused`` are add_key, request_key, keyctl, the three of io_uring, and then bpf,
    perf_event_open, userfaultfd, kexec_load, (kexec_file_load,) init_module, finit_module, delete_module, swapon,
    swapoff, reboot, acct and open_by_handle_at.
    """

    audit: int
    socket: int
    refused: Sequence[int]


# The number of the descriptor that can't be closed.
HELD_NUMBER: Final = 900
_SUCCESS, _EBADF = 0, 9
_SECOND_ARGUMENT = 24
_IF_GREATER: Final = 0x25  # BPF_JMP | BPF_JGT | BPF_K


@dataclass(frozen=True, slots=True)
class _Closing:
    """Numbers of the system calls that can close a descriptor. All but close_range have them differently."""

    audit: int
    close: int
    duplicate: Sequence[int]
    change: Sequence[int]
    close_range: int = 436


# close; dup2 and dup3; fcntl and ioctl, which can have it closed at the next program.
_CLOSING: Final[Mapping[str, Sequence[_Closing]]] = {
    "x86_64": (
        _Closing(0xC000003E, 3, (33, 292), (72, 16)),
        _Closing(0x40000003, 6, (63, 330), (55, 221, 54)),
    ),
    "aarch64": (_Closing(0xC00000B7, 57, (24,), (25, 29)),),
}
_SET_FLAGS, _CLOSE_ON_EXEC = 2, 0x5451  # F_SETFD, FIOCLEX

_IO_URING: Final = (425, 426, 427)
_X86_64: Final = (321, 298, 323, 246, 320, 175, 313, 176, 167, 168, 169, 163, 304)
_X86: Final = (357, 336, 374, 283, 128, 350, 129, 87, 115, 88, 51, 342)
_ARM: Final = (280, 241, 282, 104, 294, 105, 273, 106, 224, 225, 142, 89, 265)
_KNOWN: Final[Mapping[str, Sequence[_Architecture]]] = {
    "x86_64": (
        _Architecture(0xC000003E, 41, (248, 249, 250, *_IO_URING, *_X86_64)),
        # A program of 32 bits. Its socketcall (102) hides the family behind a pointer.
        _Architecture(0x40000003, 359, (286, 287, 288, 102, *_IO_URING, *_X86)),
    ),
    "aarch64": (_Architecture(0xC00000B7, 198, (217, 218, 219, *_IO_URING, *_ARM)),),
}


def filter_program(machine: str | None = None) -> bytes | None:
    """The filter as the kernel takes it; None for an architecture whose numbers aren't known here."""
    known = _KNOWN.get(machine or platform.machine())
    return None if known is None else b"".join([*map(_for_architecture, known), _return(_ERROR | _ENOSYS)])


def holding_program(machine: str | None = None) -> bytes | None:
    """A filter that keeps descriptor 900 open; None for an architecture whose numbers aren't known here."""
    known = _CLOSING.get(machine or platform.machine())
    return None if known is None else b"".join([*map(_holding, known), _return(_ALLOW)])


def _holding(one: _Closing) -> bytes:
    """To those who close it, it looks as if they had. Those who close a range have to close one by one."""
    rules = [_load(_NUMBER)]
    rules += [_if(one.close, _first_is_held(_return(_ERROR | _SUCCESS)))]
    in_range = _jump(_IF_GREATER, HELD_NUMBER, 3, 0) + _load(_SECOND_ARGUMENT)
    in_range += _jump(_IF_AT_LEAST, HELD_NUMBER, 0, 1) + _return(_ERROR | _ENOSYS)
    rules += [_if(one.close_range, _load(_FIRST_ARGUMENT) + in_range + _return(_ALLOW))]
    rules += [_if(call, _second_is(HELD_NUMBER, _return(_ERROR | _EBADF))) for call in one.duplicate]
    for call in one.change:
        asked = b"".join(_second_is(what, _return(_ERROR | _SUCCESS)) for what in (_SET_FLAGS, _CLOSE_ON_EXEC))
        rules += [_if(call, _first_is_held(asked))]
    body = b"".join([*rules, _return(_ALLOW)])
    return _load(_ARCHITECTURE) + _jump(_IF_EQUAL, one.audit, 0, len(body) // 8) + body


def _if(call: int, then: bytes) -> bytes:
    """Rules for one system call, whose number is loaded. They end with an answer or load it again."""
    body = then + _load(_NUMBER)
    return _jump(_IF_EQUAL, call, 0, len(body) // 8) + body


def _first_is_held(then: bytes) -> bytes:
    return _load(_FIRST_ARGUMENT) + _jump(_IF_EQUAL, HELD_NUMBER, 0, len(then) // 8) + then


def _second_is(value: int, then: bytes) -> bytes:
    return _load(_SECOND_ARGUMENT) + _jump(_IF_EQUAL, value, 0, len(then) // 8) + then


def _for_architecture(one: _Architecture) -> bytes:
    """Judges the calls of one architecture; those of others are left to what follows."""
    rules = [
        _load(_NUMBER),
        *(_jump(_IF_AT_LEAST, _X32, 0, 1) + _return(_ERROR | _ENOSYS) for _ in range(one.audit == 0xC000003E)),
        *(_jump(_IF_EQUAL, number, 0, 1) + _return(_ERROR | _EPERM) for number in one.refused),
        _jump(_IF_EQUAL, one.socket, 1, 0),
        _return(_ALLOW),
        _load(_FIRST_ARGUMENT),
        *(_jump(_IF_EQUAL, family, 0, 1) + _return(_ALLOW) for family in _FAMILIES),
        _return(_ERROR | _EAFNOSUPPORT),
    ]
    body = b"".join(rules)
    return _load(_ARCHITECTURE) + _jump(_IF_EQUAL, one.audit, 0, len(body) // 8) + body


def _load(offset: int) -> bytes:
    return struct.pack("=HBBI", _LOAD_WORD, 0, 0, offset)


def _jump(kind: int, value: int, if_true: int, if_false: int) -> bytes:
    return struct.pack("=HBBI", kind, if_true, if_false, value)


def _return(action: int) -> bytes:
    return struct.pack("=HBBI", _RETURN, 0, 0, action)
