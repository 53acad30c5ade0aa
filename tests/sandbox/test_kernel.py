"""What the kernel offers to every process, and a sandbox doesn't."""

import platform
import struct

import pytest

from assay.adapters.sandbox.seccomp import filter_program
from assay.engine.sandbox import CommandLimits
from tests.sandbox.backends import Backend

CALL = """python3 - <<'PY'
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
for number in ({numbers}):
    answer = libc.syscall(number, {arguments})
    print(errno.errorcode[ctypes.get_errno()] if answer < 0 else "answered")
PY"""
SOCKET = """python3 - <<'PY'
import socket
for family, kind in ({families}):
    try:
        socket.socket(family, kind).close()
        print("made")
    except OSError as error:
        print(error.strerror)
PY"""
DGRAM, STREAM, SEQPACKET = 2, 1, 5

x86_64 = pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86_64")


@x86_64
def test_no_keyring_and_no_io_uring(view: Backend) -> None:
    """A key that one sandbox added could be read by the next one of the same user."""
    ran = view.run(CALL.format(numbers="248, 249, 250, 425, 426, 427", arguments="0, 0, 0, 0, 0"))
    assert ran.output.split() == [b"EPERM"] * 6


@x86_64
def test_nothing_that_reaches_deep_into_the_kernel(view: Backend) -> None:
    """Not EINVAL or EFAULT, by which the kernel says that it looked at what was asked for."""
    numbers = "321, 298, 323, 246, 320, 175, 313, 176, 167, 168, 169, 163, 304"
    assert view.run(CALL.format(numbers=numbers, arguments="0, 0, 0, 0, 0")).output.split() == [b"EPERM"] * 13


@x86_64
def test_no_call_by_its_other_number(view: Backend) -> None:
    """The x32 numbers of the same calls."""
    ran = view.run(CALL.format(numbers="0x40000000 + 250, 0x40000000 + 41", arguments="40, 1, 0, 0, 0"))
    assert ran.output.split() == [b"ENOSYS"] * 2


def test_only_ordinary_sockets(view: Backend) -> None:
    families = [(1, STREAM), (2, STREAM), (10, DGRAM), (16, DGRAM), (17, DGRAM), (38, SEQPACKET), (40, STREAM)]
    ran = view.run(SOCKET.format(families=", ".join(map(str, families))))
    *made, packet, crypto, host = ran.output.decode().splitlines()
    # A machine without IPv6 says so in the same words.
    assert set(made) <= {"made", "Address family not supported by protocol"}
    assert made[0] == made[1] == made[3] == "made"
    assert {packet, crypto, host} == {"Address family not supported by protocol"}


def test_sockets_with_the_network(view: Backend) -> None:
    ran = view.run(SOCKET.format(families=f"(2, {STREAM}), (40, {STREAM})"), network=True)
    assert ran.output.decode().splitlines() == ["made", "Address family not supported by protocol"]


def test_no_namespaces_inside(view: Backend) -> None:
    if view.sandbox.isolation.nested_namespaces:
        pytest.skip("this bwrap can't switch them off")
    ran = view.run("unshare --user true 2>/dev/null && echo made || echo none")
    assert ran.output == b"none\n"


def test_memory_can_not_be_filled_by_files(view: Backend) -> None:
    """Neither in the folders for temporary files nor beside them. They are sparse here: only the limit counts."""
    if view.sandbox.isolation.temporary_folders != "limited":
        pytest.skip("this bwrap can't limit them")
    ran = view.run(
        "for one in /run /dev/shm /var/tmp /tmp; do stat -f -c '%b %S' $one; done; touch /x || echo closed"
    )
    *sizes, _, closed = ran.output.decode().splitlines()
    most = [64 * 2**20, 2**30, 2**30, 4 * 2**30]
    assert [int(blocks) * int(size) for blocks, size in map(str.split, sizes)] == most
    assert closed == "closed"


def test_a_full_folder_is_an_error_and_nothing_more(view: Backend) -> None:
    ran = view.run("head -c 100M /dev/zero > /run/x; echo $?; echo on", limits=CommandLimits(timeout_sec=60))
    assert ran.output.endswith(b"1\non\n")


@pytest.mark.parametrize(("machine", "size"), [("x86_64", None), ("aarch64", None), ("riscv64", 0)])
def test_the_filter_is_whole_instructions(machine: str, size: int | None) -> None:
    program = filter_program(machine)
    if size == 0:
        assert program is None
        return
    assert program is not None
    assert len(program) % 8 == 0
    last = struct.unpack("=HBBI", program[-8:])
    assert last == (0x06, 0, 0, 0x00050000 | 38)
