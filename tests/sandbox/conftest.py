"""Every test with ``backend`` runs in each sandbox that works on this machine.

Containers take long: of the tests that need one, the first of each file runs, and all in ``make containers``. An
image of the service is built there only, and so are whole jobs run.
"""

import os
from collections.abc import Iterator

import pytest

from tests.sandbox.backends import NAMES, ORDINARY, VIEWS, Backend, need, working
from tests.sandbox.killing import sweep_control_groups

LONG = ("test_image.py", "test_hostile_scripts.py", "test_harbor_tasks.py")
ALL_CONTAINERS = os.environ.get("ASSAY_TESTS") == "containers"


def _needs_container(item: pytest.Item) -> bool:
    given = (
        item.callspec.params.values() if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ()
    )
    return "container" in given or "container" in getattr(item, "fixturenames", ())


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Mark the tests that need a container, and choose among those that are left after all other choices."""
    needing = {item for item in items if _needs_container(item)}
    for item in needing:
        item.add_marker(pytest.mark.containers)
    yield
    first = {item.path: item for item in reversed(items) if item in needing and item.path.name not in LONG}
    left_out = [
        item for item in items if item in needing and item is not first.get(item.path) and not ALL_CONTAINERS
    ]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Where all containers are asked for, what isn't tried is named."""
    if not ALL_CONTAINERS:
        return
    if isinstance(why := working("container"), str):
        terminalreporter.write_line(f"WARNING: NO TEST OF CONTAINERS RAN HERE: {why}", red=True)
    for reason in sorted({str(one.longrepr[2]) for one in terminalreporter.stats.get("skipped", [])}):
        terminalreporter.write_line(f"WARNING: NOT TRIED: {reason}", red=True)


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
