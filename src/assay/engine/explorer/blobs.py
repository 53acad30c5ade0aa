"""Files of runs by the hash of their content: a trajectory of 100 MB is read in parts, and never as a whole."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, NoReturn, Protocol

from assay.core.errors import MeasurementError

# Each part has a hash of its own, so that a part can be checked without reading the rest.
PART_BYTES: Final = 1 << 20
# The names that files of a run have. Files of a step or a turn have its name in front: "build/trajectory".
TRAJECTORY: Final = "trajectory"
DIFF: Final = "diff"
VERIFIER_OUTPUT: Final = "verifier_output"
FINAL_RESPONSE: Final = "final_response"
LOG: Final = "log"
STDOUT: Final = "stdout"
STDERR: Final = "stderr"
# What the agent printed: its two streams, and both in one where that is all there is.
OUTPUT_KINDS: Final = (STDOUT, STDERR, LOG)
REPORT: Final = "report"
INSTRUCTION: Final = "instruction"


@dataclass(frozen=True, slots=True)
class Blob:
    """The content of a file: the SHA-256 of all its bytes, and how many these are."""

    digest: str
    size: int


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file of a run. ``name`` says what it is: ``trajectory``, ``diff``, ``verifier_output`` and so on."""

    name: str
    blob: Blob


def check_part(digest: str, part: bytes, expected: str) -> None:
    """Raises ``MeasurementError`` for a part of a file that isn't as it was kept."""
    if hashlib.sha256(part).hexdigest() != expected:
        raise MeasurementError(f"the content of the file {digest} was changed since it was kept")


def refuse_lost(digest: str, place: str) -> NoReturn:
    """Raises ``MeasurementError`` for a file whose content isn't where it was kept."""
    raise MeasurementError(f"the content of the file {digest} is gone from {place}")


class BlobStore(Protocol):
    """Where the content of files is kept. The same content is kept once."""

    def put(self, content: Iterable[bytes]) -> Blob:
        """Keep content. It is safe when this returns, so that a row may name it."""

    def batch(self) -> AbstractContextManager["BlobStore"]:
        """Keep many files at once, which is faster. They are safe when this ends, not before."""

    def read(self, digest: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """The bytes from ``start`` on, in parts of at most ``PART_BYTES``, each checked by its hash.

        Raises ``NotFoundError`` for content that was never kept, and ``MeasurementError`` for content that is gone
        or was changed.
        """
