"""Random numbers that follow from data: the same data give the same numbers, on every machine.

The bits are those of SHAKE-128 of the data's hash: megabytes in the time in which a generator written in Python
makes a thousand numbers.
"""

import hashlib
import struct
from collections.abc import Iterable


def seed_of(values: Iterable[float]) -> bytes:
    """A seed from numbers. Their order doesn't matter."""
    known = sorted(values)
    return hashlib.sha256(struct.pack(f"<{len(known)}d", *known)).digest()


def random_bytes(seed: bytes, count: int) -> bytes:
    """So many bytes that look random."""
    return hashlib.shake_128(seed).digest(count)


def picks(seed: bytes, count: int, below: int) -> list[int]:
    """So many numbers from 0 to below ``below``, which must be far less than 2**32."""
    words = struct.unpack(f"<{count}I", random_bytes(seed, 4 * count))
    return [word * below >> 32 for word in words]
