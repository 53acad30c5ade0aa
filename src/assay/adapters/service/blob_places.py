"""Places for the files of runs beside the store's own database: a folder, or a bucket.

Objects are named by the hash of their content, in folders by its first two letters.
"""

import contextlib
import os
import shutil
from typing import IO, TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from assay.adapters.sources.files.bucket import Bucket
from assay.adapters.sources.files.file_source import file_source
from assay.core.errors import InputError, MeasurementError

if TYPE_CHECKING:
    from assay.adapters.store.service.blobs import StoredBlobs
    from assay.adapters.store.store import Store

WANTED: Final = "files of runs must be kept in file:///folder, s3://bucket/prefix or gs://bucket/prefix"


def open_blobs(store: "Store", url: str | None) -> "StoredBlobs":
    """The files of runs of a store, in the place that a URL names. Raises ``InputError``. To be closed."""
    from assay.adapters.store.service.blobs import StoredBlobs  # noqa: PLC0415 - needs the extra

    if url is None:
        return StoredBlobs(store)
    if urlsplit(url).scheme == "file":
        return StoredBlobs(store, BlobFolder(unquote(urlsplit(url).path)))
    source = file_source(url) if urlsplit(url).scheme in ("s3", "gs") else None
    if not isinstance(source, Bucket):
        raise InputError(f"{WANTED}, got {url!r}")
    return StoredBlobs(store, BlobBucket(source))


class BlobFolder:
    """Fulfils ``BlobPlace`` with files. A file is written beside its place and moved there when it is whole."""

    def __init__(self, root: str) -> None:
        if not os.path.isabs(root):
            raise InputError(f"{WANTED}, got the folder {root!r}")
        self._root = root

    def write(self, digest: str, _size: int, content: IO[bytes]) -> None:
        path = f"{self._root}/{digest[:2]}/{digest}"
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            unfinished = f"{path}.{os.getpid()}.{id(content)}"
            try:
                with open(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
                    shutil.copyfileobj(content, file)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(unfinished, path)
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(unfinished)
            _sync(os.path.dirname(path))
        except OSError as error:
            raise MeasurementError(f"a file of a run can't be kept in {self._root}: {error.strerror}") from error

    def part(self, digest: str, start: int, length: int) -> bytes:
        try:
            with open(f"{self._root}/{digest[:2]}/{digest}", "rb") as file:
                file.seek(start)
                return file.read(length)
        except OSError as error:
            raise MeasurementError(f"the file {digest} can't be read: {error.strerror}") from error

    def remove(self, digest: str) -> None:
        try:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"{self._root}/{digest[:2]}/{digest}")
        except OSError as error:
            raise MeasurementError(f"a file of a run can't be removed: {error.strerror}") from error

    def close(self) -> None:
        """Nothing is kept open."""


def _sync(folder: str) -> None:
    """The name of a new file must survive a loss of power, too."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


class BlobBucket:
    """Fulfils ``BlobPlace`` with a bucket of S3 or Google Cloud Storage."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    def write(self, digest: str, size: int, content: IO[bytes]) -> None:
        self._bucket.write(_path(digest), digest, size, content)

    def part(self, digest: str, start: int, length: int) -> bytes:
        try:
            return self._bucket.part(_path(digest), start, length)
        except OSError as error:
            raise MeasurementError(f"the file {digest} is gone from its bucket") from error

    def remove(self, digest: str) -> None:
        self._bucket.remove(_path(digest))

    def close(self) -> None:
        self._bucket.close()


def _path(digest: str) -> str:
    return f"{digest[:2]}/{digest}"
