"""Task runs, review, scenarios and setting up, in a real browser: by mouse, by keyboard, and with hostile text."""

import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from assay.api.pages.all_pages import PAGES
from assay.engine.service.keys import Scope
from assay.web.routing import route_at
from tests.api.clinic import work_off
from tests.builders import REPO
from tests.web import test_browser
from tests.web.browser import Tab, tab_of
from tests.web.clinic_day import ADT, CRITERIA, ROW, Api
from tests.web.open_to_all import barriers
from tests.web.people import Desk

PICTURES = REPO / "docs" / "pictures"
DOCUMENTED_HERE = ("task-run", "review-run", "scenario")
"""The pictures of the documentation that are made here."""
NASTY = [
    '<script>window.hit=1</script><img src=x onerror=window.hit=1>"><svg onload=window.hit=1>',
    "{{7*7}} {%x ' onfocus=window.hit=1 autofocus x=' \N{RIGHT-TO-LEFT OVERRIDE}gnp \x1b[31mred </textarea></pre>",
    "javascript:window.hit=1",
]
"""Texts that an agent or a tenant may write anywhere."""


PLACES = {
    "task-run": "task-runs/{run}",
    "task-runs": "task-runs",
    "benchmark-run": "benchmark-runs/{benchmark}",
    "benchmark-runs": "benchmark-runs",
    "benchmark": "benchmarks/clinic",
    "benchmarks": "benchmarks",
    "task": "tasks/{task}",
    "tasks": "tasks",
    "criterion": "criteria/{criterion}",
    "new-criterion": "tasks/{task}/criterion?example=hl7-structural",
    "playground": "playgrounds/{playground}",
    "playgrounds": "playgrounds",
    "scenario": "scenarios/{scenario}#scorers",
    "new-scenario": "scenarios/new",
    "scenarios": "scenarios",
    "seeded-task": "coding-tasks/{seeded}",
    "new-coding-run": "coding-tasks/{seeded}/run",
    "review": "review",
    "review-run": "review/runs/{reviewed}?job=nightly&blind=on",
    "seen-run": "review/runs/{reviewed}?job=nightly",
    "agreement": "review/agreement",
    "keys": "keys",
    "audit": "audit",
    "judge": "judge",
}


@pytest.fixture(scope="module")
def places(desk: Desk) -> dict[str, str]:
    """A page of each kind, by what it is of, with something to see on it."""
    api = Api(desk)
    task = api.task("book a visit")
    run = api.completed(task)
    benchmark = api.benchmark_run(task, api.task("cancel a visit"), api.task("change a visit"))
    criterion = api.ask("GET", "/criteria")["data"][0]["id"]
    playground = api.ask("GET", f"/task-runs/{run}")["playground_id"]
    scenario = api.scenario()
    seeded = api.post(f"/scenarios/{scenario}/tasks")["task"]["id"]
    work_off(desk.service)
    reviewed = api.runs("seen__1", "seen__2", "seen__3", judge="FAIL", gates_disagree=True)
    for one, ana, ben in zip(reviewed, ("pass", "fail", "pass"), ("pass", "fail", "fail"), strict=True):
        for who, judgment in (("ana", ana), ("ben", ben)):
            api.post(f"/runs/{one}/annotations", {"reviewer_id": who, "judgment": judgment, "notes": "seen"})
    known = {
        "run": run,
        "benchmark": benchmark,
        "task": task,
        "criterion": criterion,
        "playground": playground,
        "scenario": scenario,
        "seeded": seeded,
        "reviewed": reviewed[0],
    }
    return {name: place.format(**known) for name, place in PLACES.items()}


@pytest.fixture
def admin(desk: Desk, tab: Tab) -> Tab:
    desk.sign_in(tab, Scope.ADMIN)
    return tab


def shown(desk: Desk, tab: Tab, place: str) -> Page:
    return tab.open(f"{desk.url}/ui/{place}")


def test_a_task_run_explains_its_score(desk: Desk, admin: Tab, places: dict[str, str]) -> None:
    page = shown(desk, admin, places["task-run"])
    expect(page.get_by_role("heading", level=1)).to_have_text("book a visit")
    for criterion in CRITERIA:
        expect(page.locator(".criterion", has_text=str(criterion["label"]))).to_have_count(1)
    # Those that failed come first and are open, with path, expected and actual.
    first = page.locator(".criterion").first
    expect(first).to_have_attribute("open", "")
    row = first.locator("tr.not-held")
    expect(row.locator("td").nth(0)).to_have_text("OBX[3.1=8462-4]-5")
    expect(row.locator("td").nth(1)).to_have_text("81")
    expect(row.locator("td").nth(2)).to_have_text("91")
    expect(page.get_by_role("img", name="Score by axis, from 0 to 1")).to_be_visible()
    marked = page.locator(".part.marked")
    expect(marked).to_have_count(4)
    expect(page.locator(".part.is-failed")).to_contain_text("expected 81")
    expect(page.locator(".segments dt").first).to_contain_text("Message header")


def test_a_benchmark_run_says_what_its_mean_is_of(desk: Desk, admin: Tab, places: dict[str, str]) -> None:
    page = shown(desk, admin, places["benchmark-run"])
    tiles = page.locator(".tile").all_inner_texts()
    assert tiles[0].split("\n") == ["0.4167", "mean score", "of 2 task runs"]
    assert tiles[2].split("\n") == ["1", "failed", "count as 0"]
    assert tiles[4].split("\n") == ["1", "cancelled", "don't count"]
    page.get_by_role("link", name="book a visit").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("book a visit")


def pressed(page: Page, key: str, leads_to: str) -> None:
    page.keyboard.press(key)
    expect(page.get_by_role("heading", level=1)).to_have_text(leads_to)
    page.wait_for_load_state()


def test_review_by_keys_alone(desk: Desk, tab: Tab) -> None:
    api = Api(desk)
    api.runs("keys__1", "keys__2", "keys__3", job="keys")
    desk.sign_in(tab, Scope.GRADER)
    page = shown(desk, tab, "review?job=keys&reviewer=kim&discipline=nurse")
    page.get_by_role("link", name="Begin with keys__3").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("keys__3")
    # Keys work once the script is there, which is after the heading.
    page.wait_for_load_state()
    page.get_by_label("Notes").fill("p and f are letters here")
    page.get_by_label("Notes").press("Escape")
    pressed(page, "f", "keys__2")
    pressed(page, "ArrowLeft", "keys__3")
    pressed(page, "ArrowRight", "keys__2")
    pressed(page, "p", "keys__1")
    page.keyboard.press("d")
    expect(page.get_by_text("so far: defer")).to_be_visible()
    said = {}
    for run in api.ask("GET", "/runs?job=keys")["data"]:
        [note] = api.ask("GET", f"/runs/{run['id']}/annotations")["data"]
        said[run["name"]] = (note["judgment"], note["notes"], note["reviewer_discipline"])
    assert said == {
        "keys__3": ("fail", "p and f are letters here", "nurse"),
        "keys__2": ("pass", None, "nurse"),
        "keys__1": ("defer", None, "nurse"),
    }


def test_a_review_by_tab_and_enter(desk: Desk, tab: Tab) -> None:
    [run] = Api(desk).runs("tabbed", job="tabbed")
    desk.sign_in(tab, Scope.GRADER)
    page = shown(desk, tab, f"review/runs/{run}?job=tabbed&reviewer=tia")
    seen: list[str] = []
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.textContent.trim().slice(0, 40)"))
        if seen[-1].startswith("Fail"):
            break
    assert seen[0] == "Skip to the content"
    page.keyboard.press("Enter")
    expect(page.get_by_text("so far: fail")).to_be_visible()


def settled(page: Page) -> None:
    """Wait until what was swapped in listens, which takes htmx a moment that no person notices."""
    expect(page.locator(".htmx-added, .htmx-request, .htmx-swapping, .htmx-settling")).to_have_count(0)


def test_the_editor_says_what_is_wrong_while_somebody_types(desk: Desk, admin: Tab) -> None:
    page = shown(desk, admin, "scenarios/new")
    page.get_by_label("Name", exact=True).first.fill("edited in a browser")
    timeout = page.get_by_role("group", name="Scorer 1").get_by_label("Timeout (s)")
    timeout.fill("soon")
    expect(page.get_by_text("must be a whole number, got 'soon'").first).to_be_visible()
    expect(timeout).to_be_focused()
    timeout.fill("60")
    expect(page.get_by_text("must be a whole number, got 'soon'")).to_have_count(0)
    page.get_by_label("Command", exact=True).fill("make test")
    expect(page.locator("#problems")).to_have_text("")
    # Another type has its own fields, and its own default for required.
    page.get_by_role("button", name="Add a scorer").click()
    second = page.get_by_role("group", name="Scorer 2")
    expect(second.get_by_label("Required")).to_be_checked()
    settled(page)
    second.get_by_label("Type").select_option("no_new_skips")
    expect(second.get_by_label("Test globset")).to_be_visible()
    expect(second.get_by_label("Required")).not_to_be_checked()
    expect(page.get_by_label("Command", exact=True)).to_have_value("make test")
    settled(page)
    page.get_by_role("button", name="Move scorer 2 up").click()
    expect(page.get_by_role("group", name="Scorer 1").get_by_label("Test globset")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Allowed paths").click()
    expect(page.get_by_role("group", name="Scorer 3").get_by_label("Patterns")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Remove scorer 3").click()
    expect(page.get_by_role("group", name="Scorer 3")).to_have_count(0)
    settled(page)
    page.get_by_role("button", name="Save", exact=True).last.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("edited in a browser version 1")
    kept = next(
        one
        for one in Api(desk).ask("GET", "/scenarios")["data"]
        if one["scenario"]["name"] == "edited in a browser"
    )
    assert [one["type"] for one in kept["scenario"]["scorers"]] == ["no_new_skips", "command"]


def test_a_criterion_is_tried_and_saved(desk: Desk, admin: Tab, places: dict[str, str]) -> None:
    page = shown(desk, admin, places["new-criterion"])
    page.get_by_label("Label").fill("the name is right")
    playground = places["playground"].rpartition("/")[2]
    page.get_by_label("Playground to try it against").select_option(playground)
    page.get_by_role("button", name="Try it").click()
    result = page.get_by_role("status", name="Result")
    expect(result).to_contain_text("passed")
    expect(result.locator("tbody tr")).to_have_count(1)
    expect(page.get_by_label("Label")).to_have_value("the name is right")
    page.get_by_role("button", name="Save the criterion").click()
    expect(page.locator("details", has_text="the name is right")).to_have_count(1)


def test_a_secret_is_shown_once(desk: Desk, admin: Tab) -> None:
    page = shown(desk, admin, "keys")
    page.get_by_label("Name").fill("made in a browser")
    page.get_by_label("Scope").select_option("grader")
    page.get_by_role("button", name="Add the key").click()
    assert page.get_by_label("The secret").input_value().startswith("ask_")
    page = shown(desk, admin, "keys")
    expect(page.get_by_text("made in a browser")).to_be_visible()
    expect(page.get_by_label("The secret")).to_have_count(0)


def nasty(field: str, number: int) -> str:
    return f"{field} {NASTY[number % len(NASTY)]}"


@pytest.fixture(scope="module")
def hostile(desk: Desk) -> list[str]:
    """Pages with hostile text wherever an agent or a tenant can write some."""
    api, found = Api(desk), []
    for n, text in enumerate(NASTY):
        clean = text.replace("\x1b", "\\x1b")
        criteria = [
            {"label": nasty("label", n), "axis": nasty("axis", n + 1), "assertion": one["assertion"]}
            for one in CRITERIA
        ]
        criteria += [{"label": f"odd {clean}", "assertion": {"assert": text}}]
        task = api.task(nasty("task", n), criteria, instruction=text, data={text: text})
        run = api.post("/task-runs", {"task_id": task})
        playground = run["playground_id"]
        payload = ADT.replace("Okafor", text.replace("|", "").replace("\r", "").replace("\x1b", ""))
        api.fill(playground, payload, {**ROW, "data": {"status": text, text: [text]}})
        api.post(f"/playgrounds/{playground}/rows", {"resource": nasty("r", n), "key": text, "data": {"x": text}})
        api.post(f"/playgrounds/{playground}/events", {"type": nasty("type", n), "payload": text})
        api.post(f"/playgrounds/{playground}/turns", {"number": 9, "speaker": text, "text": text})
        api.post(f"/playgrounds/{playground}/responses", {"payload": text})
        api.post(f"/task-runs/{run['id']}/start")
        api.post(f"/task-runs/{run['id']}/complete")
        cancelled = api.post("/task-runs", {"task_id": task})["id"]
        api.post(f"/task-runs/{cancelled}/cancel", {"reason": text})
        [imported] = api.runs(nasty("run", n), task=text, agent=text, model=text, job=nasty("job", n))
        note: dict[str, Any] = {"reviewer_id": text, "reviewer_discipline": text, "judgment": "fail"}
        api.post(f"/runs/{imported}/annotations", {**note, "categories": [text], "notes": text})
        scenario = api.scenario(nasty("scenario", n), user_instruction=text, turns=[text])
        found += [
            f"task-runs/{run['id']}",
            f"task-runs/{cancelled}",
            f"tasks/{task}",
            f"playgrounds/{playground}",
            f"review/runs/{imported}",
            f"scenarios/{scenario}",
        ]
    criterion = api.ask("GET", "/criteria")["data"][0]["id"]
    lists = ("task-runs", "tasks", "playgrounds", "review", "review/agreement", "scenarios", "benchmarks", "audit")
    return [*found, *lists, f"criteria/{criterion}"]


def test_nothing_that_an_agent_or_a_tenant_writes_runs(desk: Desk, admin: Tab, hostile: list[str]) -> None:
    for place in hostile:
        page = shown(desk, admin, place)
        assert page.evaluate("window.hit") is None, place
        assert admin.refused() == [], place
        assert page.locator("main script, main img, main iframe, [onerror], [onload], [onfocus]").count() == 0, (
            place
        )
        assert page.locator('a[href^="javascript"]').count() == 0, place
        assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in page.locator("main").inner_text(), place


@pytest.mark.parametrize("name", PLACES)
def test_nobody_is_kept_out(desk: Desk, admin: Tab, places: dict[str, str], name: str) -> None:
    assert barriers(shown(desk, admin, places[name])) == {}


def test_every_page_that_somebody_can_reach_is_looked_at() -> None:
    places = (*PLACES.values(), *test_browser.PLACES.values())
    found = [route_at(PAGES, "GET", place.partition("?")[0].partition("#")[0]) for place in places]
    names = {one[0].name for one in found if one is not None}
    parts = {"show_headline", "show_steps", "show_what_went_wrong", "runs_as_csv", "runs_as_json_lines"}
    assert names == {one.name for one in PAGES if one.method == "GET"} - parts


def test_every_page_fits_and_is_pictured(desk: Desk, admin: Tab, places: dict[str, str]) -> None:
    """Pictures of all pages go to ASSAY_LOOK, a folder, for people who want to look at them."""
    folder = os.environ.get("ASSAY_LOOK")
    for name, place in places.items():
        page = shown(desk, admin, place)
        for width in (375, 1280):
            page.set_viewport_size({"width": width, "height": 900})
            wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            assert wide <= 0, (name, width, wide)
            for scheme in ("light", "dark") if folder else ():
                page.emulate_media(color_scheme=scheme)
                page.screenshot(path=Path(str(folder)) / f"{name}-{width}-{scheme}.png", full_page=True)


def test_the_pictures_of_the_documentation(
    desk: Desk, browser: Browser, places: dict[str, str], tmp_path: Path
) -> None:
    """ASSAY_PICTURES=1 writes them."""
    folder = PICTURES if os.environ.get("ASSAY_PICTURES") else tmp_path
    with tab_of(browser, viewport={"width": 1100, "height": 640}) as tab:
        desk.sign_in(tab, Scope.ADMIN)
        for name in DOCUMENTED_HERE:
            shown(desk, tab, places[name]).screenshot(path=folder / f"{name}.png")
            assert (folder / f"{name}.png").stat().st_size > 10_000


def test_pages_are_read_without_scripts(desk: Desk, browser: Browser, places: dict[str, str]) -> None:
    with tab_of(browser, java_script_enabled=False) as tab:
        desk.sign_in(tab, Scope.READER)
        for name in (
            "task-run",
            "benchmark-run",
            "review-run",
            "agreement",
            "scenario",
            "seeded-task",
            "playground",
        ):
            page = shown(desk, tab, places[name])
            assert len(page.locator("main").inner_text()) > 200, name
            assert page.get_by_role("heading", level=1).count() == 1, name
