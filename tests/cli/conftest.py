"""The command line, called in this process."""

import pytest

from tests.cli.running import Cli


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)
