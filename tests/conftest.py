"""How hypothesis behaves here (no deadline: a busy machine is not a wrong answer), and what many tests share."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("assay", deadline=None)
settings.load_profile("assay")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may look into; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory(prefix="assay-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
