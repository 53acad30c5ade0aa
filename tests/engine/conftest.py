"""What the tests of job folders share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.jobs import Jobs


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Jobs]:
    jobs = Jobs(tmp_path)
    yield jobs
    jobs.close()
