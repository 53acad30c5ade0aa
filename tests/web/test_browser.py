"""The pages in a real browser."""

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

from assay.engine.service.keys import Scope
from tests.web.browser import Tab
from tests.web.people import Desk

pytestmark = pytest.mark.xdist_group("browser")


def serious(tab: Tab) -> list[str]:
    """What keeps people out of a page."""
    found = Axe().run(tab.page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found if one["impact"] in ("serious", "critical")]


def test_sign_in_look_and_sign_out(desk: Desk, tab: Tab) -> None:
    desk.sign_in(tab, Scope.READER)
    page = tab.open(f"{desk.url}/ui/parts")
    assert page.get_by_role("heading", level=1).inner_text() == "Parts of the pages"
    assert serious(tab) == []
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in")
    assert serious(tab) == []
