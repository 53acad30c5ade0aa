"""Every test with ``backend`` runs in each sandbox that works on this machine."""

from collections.abc import Iterator

import pytest

from tests.sandbox.backends import NAMES, ORDINARY, VIEWS, Backend, need
from tests.sandbox.killing import sweep_control_groups


@pytest.fixture(scope="session", autouse=True)
def _swept() -> Iterator[None]:
    yield
    sweep_control_groups()


@pytest.fixture(params=(*NAMES, *ORDINARY))
def backend(request: pytest.FixtureRequest) -> Backend:
    return need(str(request.param))


@pytest.fixture
def bubblewrap() -> Backend:
    return need("bubblewrap")


@pytest.fixture(params=(*VIEWS, *ORDINARY))
def view(request: pytest.FixtureRequest) -> Backend:
    """A sandbox that shows a command a system of its own, as root and as an ordinary user make it."""
    return need(str(request.param))


@pytest.fixture
def container() -> Backend:
    return need("container")


@pytest.fixture
def process() -> Backend:
    return need("process")
