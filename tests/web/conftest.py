"""What tests of pages use: a browser, a service with its pages, and a job that is viewed."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from assay.adapters.store.opening import open_store
from tests.web.browser import Tab, running_browser, tab_of
from tests.web.people import Desk, desk_on


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with running_browser() as found:
        yield found


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    with tab_of(browser) as found:
        yield found


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A service with pages, and a key of each scope."""
    path = str(tmp_path_factory.mktemp("desk") / "store.db")
    open_store(path, create=True).close()
    with desk_on(path) as found:
        yield found
