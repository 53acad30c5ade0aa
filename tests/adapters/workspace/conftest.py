"""What the tests of workspaces share."""

from pathlib import Path

import pytest

from tests.adapters.workspace.site import Site


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)
