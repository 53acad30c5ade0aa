"""Whether a page is open to everybody: with a keyboard, a screen reader, a finger, on a phone and on a wall."""

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page


def serious(page: Page, *rules: str) -> list[str]:
    """What keeps people out of a page, by all rules or by some."""
    options = {"runOnly": list(rules)} if rules else None
    found = Axe().run(page, options=options).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found if one["impact"] in ("serious", "critical")]


def open_all(page: Page) -> None:
    page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")


def barriers(page: Page) -> dict[str, list[str]]:
    """What keeps people out, or is cut or squeezed: on a phone, a laptop and a wall, light and dark."""
    page.wait_for_load_state("networkidle")
    open_all(page)
    wrong: dict[str, list[str]] = {}
    for width in (375, 1440, 2560):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="light")
        wrong |= {
            f"{width}": serious(page),
            f"{width}, too wide": too_wide(page),
            f"{width}, too small": too_small(page),
            f"{width}, squeezed": squeezed(page),
        }
        page.emulate_media(color_scheme="dark")
        wrong[f"{width}, dark"] = serious(page, "color-contrast")
    return {name: one for name, one in wrong.items() if one}


def too_wide(page: Page) -> list[str]:
    """The page and its tabs, where they have to be scrolled sideways."""
    return list(
        page.evaluate(
            """() => [...document.querySelectorAll("html, .tabs")]
              .filter((one) => one.scrollWidth - one.clientWidth > 1).map((one) => one.outerHTML.slice(0, 80))"""
        )
    )


def squeezed(page: Page) -> list[str]:
    """Words in a table that a narrow column breaks after every few letters."""
    return list(
        page.evaluate(
            """() => [...document.querySelectorAll("td:not(.number, .tight, .at)")]
              .filter((one) => one.checkVisibility() && !one.closest(".diff"))
              .filter((one) => one.innerText.trim().length > 8 && one.getBoundingClientRect().width < 80)
              .map((one) => one.outerHTML.slice(0, 120))"""
        )
    )


def too_small(page: Page) -> list[str]:
    """Buttons and lone links that a finger can't meet: below 24 pixels. Links within a line of text may be."""
    return list(
        page.evaluate(
            """() => [...document.querySelectorAll("button, .button, .strip a, nav a, summary, input, select")]
              .filter((one) => one.checkVisibility() && one.type !== "hidden")
              .filter((one) => !one.closest(".skip, [aria-hidden]"))
              .filter((one) => { const box = (one.closest("label") || one).getBoundingClientRect();
                                 return box.width && (box.height < 23.5 || box.width < 23.5); })
              .map((one) => one.outerHTML.slice(0, 80))"""
        )
    )
