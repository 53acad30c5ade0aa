"""A filter for system calls: no kernel keyrings, no unusual sockets, no way around the filter.

Keyrings are shared between all processes of a user, whatever namespace they are in, and so are sockets to the
machine that hosts a virtual one (AF_VSOCK). io_uring makes sockets without a system call that a filter could see.
What is refused fails with an ordinary error, so that programs that merely try go on.
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

# AF_UNIX, AF_INET, AF_INET6, and AF_NETLINK, which name look-ups use.
_FAMILIES: Final = (1, 2, 10, 16)


@dataclass(frozen=True, slots=True)
class _Architecture:
    """Numbers of system calls. ``refused`` are add_key, request_key, keyctl and the three of io_uring."""

    audit: int
    socket: int
    refused: Sequence[int]


_IO_URING: Final = (425, 426, 427)
_KNOWN: Final[Mapping[str, Sequence[_Architecture]]] = {
    "x86_64": (
        _Architecture(0xC000003E, 41, (248, 249, 250, *_IO_URING)),
        # A program of 32 bits. Its socketcall (102) hides the family behind a pointer.
        _Architecture(0x40000003, 359, (286, 287, 288, 102, *_IO_URING)),
    ),
    "aarch64": (_Architecture(0xC00000B7, 198, (217, 218, 219, *_IO_URING)),),
}


def filter_program(machine: str | None = None) -> bytes | None:
    """The filter as the kernel takes it; None for an architecture whose numbers aren't known here."""
    known = _KNOWN.get(machine or platform.machine())
    return None if known is None else b"".join([*map(_for_architecture, known), _return(_ERROR | _ENOSYS)])


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
