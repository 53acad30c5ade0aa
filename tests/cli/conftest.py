"""The command line, called in this process."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.adapters.workspace.shared_copies import forget_open_copies
from tests.cli.running import Cli
from tests.small_venv import make_small_venv


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


@pytest.fixture(scope="session")
def small_venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_small_venv(tmp_path_factory.mktemp("host") / "venv")


@pytest.fixture(scope="module")
def _in_small_venv(small_venv: Path) -> Iterator[None]:
    """The active virtual environment is a small one, and what is copied for the sandbox is copied once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VIRTUAL_ENV", str(small_venv))
        yield
    forget_open_copies()
