"""Texts that go to a child through a descriptor: nobody else can read them, unlike a command line."""

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def memory_file(text: str | bytes) -> Iterator[int]:
    """A text that a child can read from a descriptor, and nobody else."""
    fd = os.memfd_create("assay")
    try:
        os.write(fd, text if isinstance(text, bytes) else text.encode(errors="surrogateescape"))
        os.lseek(fd, 0, os.SEEK_SET)
        yield fd
    finally:
        os.close(fd)
