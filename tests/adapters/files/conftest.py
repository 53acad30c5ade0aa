"""Servers that the tests of places for files share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.files.servers import SftpServer, gcs_emulator, s3_server, sftp_server


@pytest.fixture
def sftp(tmp_path: Path) -> Iterator[SftpServer]:
    with sftp_server(tmp_path) as server:
        yield server


@pytest.fixture(scope="session")
def gcs() -> Iterator[str]:
    with gcs_emulator() as address:
        yield address


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    with s3_server() as address:
        yield address
