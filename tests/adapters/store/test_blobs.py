"""Files of runs: kept once, whole before they are named, checked whenever they are read, in every place."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from assay.adapters.service.blob_places import BlobBucket, open_blobs
from assay.adapters.sources.files.bucket import Bucket
from assay.adapters.sources.files.object_stores import Credentials, GcsApi, S3Account, S3Api
from assay.adapters.store.run_tables import blob_parts
from assay.adapters.store.service.blobs import StoredBlobs
from assay.adapters.store.store import Store
from assay.core.errors import InputError, MeasurementError
from assay.engine.explorer.blobs import PART_BYTES
from assay.engine.service.errors import NotFoundError
from tests.adapters.files.conftest import gcs, s3

__all__ = ["gcs", "s3"]
LARGE = os.urandom(3 * PART_BYTES + 17)


@pytest.fixture(params=["database", "folder", "s3", "gcs"])
def blobs(request: pytest.FixtureRequest, store: Store, tmp_path: Path) -> Iterator[StoredBlobs]:
    made = _opened(request.param, request, store, tmp_path)
    yield made
    made.close()


def _opened(place: str, request: pytest.FixtureRequest, store: Store, folder: Path) -> StoredBlobs:
    name = "b" + hashlib.sha256(str(folder).encode()).hexdigest()[:20]
    if place == "s3":
        address = request.getfixturevalue("s3")
        httpx.put(f"{address}/{name}", timeout=60).raise_for_status()
        account = S3Account("us-east-1", Credentials("AKIDEXAMPLE", "secret/with+signs"), address)
        return StoredBlobs(store, BlobBucket(Bucket(S3Api(name, account), "runs")))
    if place == "gcs":
        address = request.getfixturevalue("gcs")
        httpx.post(f"{address}/storage/v1/b", json={"name": name}, timeout=60).raise_for_status()
        return StoredBlobs(store, BlobBucket(Bucket(GcsApi(name, endpoint=address), "runs")))
    return open_blobs(store, None if place == "database" else f"file://{folder}/blobs")


def test_any_part_comes_back(blobs: StoredBlobs) -> None:
    kept = blobs.put([LARGE[:100], LARGE[100 : 2 * PART_BYTES], LARGE[2 * PART_BYTES :]])
    assert (kept.digest, kept.size) == (hashlib.sha256(LARGE).hexdigest(), len(LARGE))
    assert blobs.put([LARGE]) == kept
    assert b"".join(blobs.read(kept.digest)) == LARGE
    for start, length in [
        (0, 1),
        (PART_BYTES - 1, 2),
        (5, 2 * PART_BYTES),
        (len(LARGE) - 3, 100),
        (len(LARGE), 1),
    ]:
        assert b"".join(blobs.read(kept.digest, start, length)) == LARGE[start : start + length]
    assert max(map(len, blobs.read(kept.digest))) <= PART_BYTES


def test_many_small_ones_are_there_after_their_batch(blobs: StoredBlobs) -> None:
    contents = [b"", b"a", b"b", b"a", LARGE]
    with blobs.batch() as batch:
        kept = [batch.put([one]) for one in contents]
    assert [b"".join(blobs.read(one.digest)) for one in kept] == contents


def test_one_that_was_never_kept_is_not_found(blobs: StoredBlobs) -> None:
    with pytest.raises(NotFoundError, match="there is no such file"):
        blobs.read("0" * 64)


def test_what_was_changed_is_not_believed(store: Store, tmp_path: Path) -> None:
    inside, beside = StoredBlobs(store), open_blobs(store, f"file://{tmp_path}/blobs")
    first, second = inside.put([b"in the store"]), beside.put([b"in a folder"])
    with store.writing() as connection:
        connection.execute(blob_parts.update().values(content=b"something else"))
    [file] = (tmp_path / "blobs" / second.digest[:2]).iterdir()
    file.write_bytes(b"IN A FOLDER")
    for blobs, kept in ((inside, first), (beside, second)):
        with pytest.raises(MeasurementError, match=f"the content of the file {kept.digest} was changed"):
            list(blobs.read(kept.digest))
    file.unlink()
    with pytest.raises(MeasurementError, match="can't be read"):
        list(beside.read(second.digest))


def test_files_that_were_in_the_store_are_found_beside_a_folder(store: Store, tmp_path: Path) -> None:
    kept = StoredBlobs(store).put([b"before"])
    assert list(open_blobs(store, f"file://{tmp_path}/blobs").read(kept.digest)) == [b"before"]


@pytest.mark.parametrize("url", ["ftp://x/y", "sftp://host/x", "file:relative", "nothing"])
def test_other_places_are_refused(store: Store, url: str) -> None:
    with pytest.raises(InputError, match="files of runs must be kept in file:///folder"):
        open_blobs(store, url)
