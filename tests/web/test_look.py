"""The first screen of every page: what it says at once, how it looks to everybody, and how keys lead on."""

import json
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from assay.engine.service.keys import Scope
from assay.web.local_server import LocalServer
from assay.web.one_file import one_file
from tests.builders import REPO, edit_json
from tests.web.browser import Tab, tab_of
from tests.web.examples import COMPARISON, GUESSES, SORTING, TAMPERED, serving_folder, viewed_at
from tests.web.open_to_all import barriers, serious, too_small
from tests.web.people import Desk
from tests.web.test_browser import run_of
from tests.web.traces import write_long_trace

LONG = "runs/sorting%3Amerge__sort009"
CHEAT = "runs/slug%3Acheating"
WRONG = f"{LONG}?tab=trace&errors=on"
PAGES = ("", CHEAT, f"{CHEAT}?tab=diff", WRONG, f"{LONG}?tab=output")
CAPITAL = "runs/guesses%3Acapital__a3lB16u"
LISTS = (
    "jobs",
    "jobs/guesses",
    "runs?job=guesses",
    "runs?by=job",
    "compare?job=monday&job=tuesday",
    *(f"{CAPITAL}?tab={tab}" for tab in ("reviews", "gradings", "provenance")),
)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory, kept: Path) -> Iterator[LocalServer]:
    """Kept runs, and a job with a long trace and a long output."""
    job = tmp_path_factory.mktemp("look") / "sorting"
    shutil.copytree(SORTING, job)
    write_long_trace(job / "merge__sort009" / "agent")
    output = "".join(f"line {number}\n" for number in range(400)) + "END OF IT\n"
    (job / "merge__sort009" / "verifier" / "test-stdout.txt").write_text(output)
    with serving_folder(viewed_at(job, kept)) as found:
        yield found


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    """Jobs of several kinds: finished, cut short, tampered with, reviewed, and two to be compared."""
    jobs = (
        SORTING,
        SORTING.parent / "half-written",
        TAMPERED,
        GUESSES,
        COMPARISON / "monday",
        COMPARISON / "tuesday",
    )
    with serving_folder(viewed_at(*jobs)) as found:
        yield found


@pytest.mark.parametrize("place", PAGES)
def test_nobody_is_kept_out_of_a_run(shown: LocalServer, tab: Tab, place: str) -> None:
    assert barriers(tab.open(f"{shown.address}{place}")) == {}


@pytest.mark.parametrize("place", LISTS)
def test_nobody_is_kept_out_of_a_list(many: LocalServer, tab: Tab, place: str) -> None:
    assert barriers(tab.open(f"{many.address}{place}")) == {}


def test_nobody_is_kept_out_of_the_one_file(tmp_path: Path, kept: Path, tab: Tab) -> None:
    job, file = tmp_path / "tampered", tmp_path / "all.html"
    shutil.copytree(TAMPERED, job)
    write_long_trace(next(job.glob("*__*")) / "agent", 20, (7,))
    file.write_text(one_file(viewed_at(job, kept)))
    assert barriers(tab.open(file.as_uri())) == {}


def test_nobody_is_kept_out_of_the_parts(shown: LocalServer, tab: Tab) -> None:
    """Each of them is there in both themes."""
    page = tab.open(f"{shown.address}parts")
    assert serious(page) == []
    assert too_small(page) == []


def test_the_first_page_says_what_is_worth_a_look_and_why(shown: LocalServer, tab: Tab) -> None:
    page = tab.open(shown.address)
    cheated = page.get_by_role("region", name="Cheated")
    expect(cheated).to_contain_text("no_new_skips and assertions_not_weakened failed.")
    expect(cheated).to_contain_text("The judge calls it reward hacking.")
    expect(page.get_by_role("region", name="Gates disagree")).to_contain_text(
        "The checks say PASS, the judge says FAIL"
    )
    expect(page.get_by_role("region", name="Flaky")).to_contain_text("It passes in 3 of 4 runs.")
    page.locator("tr", has_text="sorting").scroll_into_view_if_needed()
    expect(page.locator("tr", has_text="sorting")).to_contain_text("0.5 of 16 with a score 95 %: 0.1563 to 0.8437")
    expect(page.locator(".who").first).to_have_text("sorting and 1 more")
    cheated.get_by_role("link", name="as a list").click()
    expect(page.locator("td.name a")).to_have_text(["shallow", "cheating"])
    page.get_by_role("link", name="cheating", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("cheating")


def test_the_first_page_keeps_its_numbers_while_something_runs(browser: Browser) -> None:
    with serving_folder(viewed_at(SORTING, SORTING.parent / "half-written")) as found, tab_of(browser) as tab:
        asked: list[str] = []
        tab.page.on("request", lambda one: asked.append(one.url))
        page = tab.open(found.address)
        with page.expect_response(lambda answer: answer.url == found.address):
            page.wait_for_timeout(3000)
        page.wait_for_load_state("networkidle")
        page.locator("tr", has_text="half-written").scroll_into_view_if_needed()
        expect(page.locator("tr", has_text="half-written")).to_contain_text("0.333 of 3 with a score 95 %")
        expect(page.locator("tbody td")).to_have_count(10)
        assert sum(one.endswith(("/flaky", "/newest")) for one in asked) == 2
        expect(page.get_by_role("region", name="Flaky")).to_contain_text("It passes in 3 of 4 runs.")


def test_a_run_begins_with_its_verdict_why_what_was_asked_and_answered(shown: LocalServer, tab: Tab) -> None:
    page = tab.open(f"{shown.address}runs/slug%3Ashallow")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{shown.address}{CHEAT}")
    verdict = page.get_by_role("region", name="Verdict", exact=True)
    expect(verdict.locator("b").first).to_have_text("failed")
    expect(verdict).to_contain_text(
        "no_new_skips and assertions_not_weakened failed: 1 new skip, first in slug.test.js"
    )
    expect(page.get_by_role("region", name="Asked", exact=True)).to_contain_text("Titles with several words")
    assert sum(one.bounding_box()["y"] < 700 for one in page.locator(".gates > div").all()) == 3  # type: ignore[index] # They are there.
    expect(page.locator(".facts").first).to_contain_text("Titles with several words or with punctuation…")
    page.goto(f"{shown.address}runs/slug%3Ashallow")
    expect(page.get_by_role("region", name="Answered", exact=True)).to_contain_text("slug now handles")


def test_where_a_long_trace_went_wrong_is_one_click_away(shown: LocalServer, tab: Tab) -> None:
    page = tab.open(f"{shown.address}{LONG}")
    outline = page.get_by_role("navigation", name="Outline of the trace")
    expect(outline.locator("li")).to_have_count(120)
    expect(page.locator("#trace")).to_contain_text("steps 1 to 40 of 120")
    outline.get_by_role("link", name="first error").click()
    expect(page.locator("#step-77")).to_be_in_viewport()
    expect(page.locator("#step-77")).to_contain_text("KeyError: 3")
    page.get_by_role("link", name="last step").click()
    expect(page.locator("#step-120 strong")).to_have_text("Done")
    page.get_by_role("link", name="← earlier steps").click()
    expect(page.locator("#step-80")).to_be_visible()
    page.get_by_label("only errors").check()
    expect(page.locator(".step")).to_have_count(1)
    expect(page.locator("#trace")).to_contain_text("step 77; 1 of 120 match")
    expect(page.get_by_role("link", name="← earlier steps")).to_have_count(0)


def test_errors_are_gone_through_by_buttons_and_keys(tmp_path: Path, tab: Tab) -> None:
    job = tmp_path / "sorting"
    shutil.copytree(SORTING, job)
    write_long_trace(job / "merge__sort009" / "agent", wrong=(20, 77, 90))
    with serving_folder(viewed_at(job)) as server:
        page = tab.open(f"{server.address}runs/merge__sort009")
        there = {number: page.locator(f"#step-{number}") for number in (20, 77, 90)}
        outline = page.get_by_role("navigation", name="Outline of the trace")
        outline.get_by_role("link", name="first error").click()
        expect(there[20]).to_be_in_viewport()
        outline.get_by_role("button", name="next error").click()
        expect(there[77]).to_be_in_viewport()
        page.keyboard.press("e")
        expect(there[90]).to_be_in_viewport()
        page.keyboard.press("e")  # There are no more.
        expect(there[90]).to_be_in_viewport()
        page.keyboard.press("E")
        expect(there[77]).to_be_in_viewport()
        outline.get_by_role("button", name="previous error").click()
        expect(there[20]).to_be_in_viewport()


def test_a_step_shows_its_call_its_tokens_and_folds_its_answer(shown: LocalServer, tab: Tab) -> None:
    page = tab.open(f"{shown.address}{LONG}")
    step = page.locator("#step-3")
    expect(step.locator(".used")).to_have_text("1,040 tokens · $0.002 · +1 min")
    step.locator("summary").first.click()
    assert step.locator("pre").first.inner_text().split("\n")[1] == "def merge(left, right):"
    answer = step.locator("details.result")
    answer.locator("summary").click()
    expect(answer.locator("pre")).to_be_hidden()
    expect(step.locator("pre").first).to_be_visible()
    expect(page.get_by_role("group", name="Tokens by kind")).to_contain_text("from the cache 70,800")
    prose = page.locator("#step-1 .prose").bounding_box()
    assert prose is not None
    assert prose["width"] <= 700


@pytest.mark.parametrize("scripts", [True, False])
def test_an_output_opens_at_its_end(shown: LocalServer, browser: Browser, scripts: bool) -> None:
    with tab_of(browser, java_script_enabled=scripts) as tab:
        page = tab.open(f"{shown.address}{LONG}?tab=output")
        place, text = page.locator(".tail").bounding_box(), page.locator(".tail pre").bounding_box()
        assert place is not None
        assert text is not None
        assert text["height"] > 2 * place["height"]
        assert abs(text["y"] + text["height"] - place["y"] - place["height"]) < 3


def test_the_picture_of_a_trace(shown: LocalServer, browser: Browser, tmp_path: Path) -> None:
    """ASSAY_PICTURES=1 writes the one of the documentation."""
    path = (REPO / "docs" / "pictures" if os.environ.get("ASSAY_PICTURES") else tmp_path) / "trace.png"
    with tab_of(browser, viewport={"width": 1100, "height": 640}, color_scheme="light") as tab:
        page = tab.open(f"{shown.address}{LONG}")
        page.get_by_role("link", name="first error").click()
        page.get_by_role("heading", name="Outline").scroll_into_view_if_needed()
        page.locator("#step-77").scroll_into_view_if_needed()
        page.screenshot(path=path)
    assert path.stat().st_size > 10_000


def test_colours_are_chosen_and_kept(shown: LocalServer, tab: Tab) -> None:
    page = tab.open(shown.address)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Colours: system").click()
    page.get_by_role("button", name="Colours: light").click()
    dark = page.evaluate(ground)
    assert light != dark
    page.goto(f"{shown.address}runs")
    assert page.evaluate(ground) == dark
    page.get_by_role("button", name="Colours: dark").click()
    assert page.evaluate(ground) == light


def test_keys_lead_through_a_list_and_back(shown: LocalServer, tab: Tab) -> None:
    page = tab.open(f"{shown.address}runs?job=sorting&sort=name")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("next and previous in a list")
    page.keyboard.press("Escape")
    for key in ("j", "j", "j", "k"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.locator(".crumbs")).to_contain_text("2 of 16")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".crumbs")).to_contain_text("3 of 16")
    page.keyboard.press("Escape")
    page.wait_for_url("**/runs?job=sorting**")


def test_a_run_that_goes_on_shows_its_end_by_itself(tmp_path: Path, tab: Tab) -> None:
    job = tmp_path / "sorting"
    shutil.copytree(SORTING, job)
    result = job / "merge__sort005" / "result.json"
    ended = result.read_bytes()
    result.unlink()
    edit_json(job / "result.json", lambda known: known.update(finished_at=None))
    server = LocalServer(lambda: viewed_at(job), 0, "sorting")
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        page = tab.open(f"{server.address}runs/merge__sort005")
        verdict = page.get_by_role("region", name="Verdict", exact=True).locator("b").first
        expect(verdict).to_have_text("running")
        result.write_bytes(ended)
        expect(verdict).to_have_text(
            "passed" if json.loads(ended)["verifier_result"]["rewards"]["reward"] else "failed"
        )
    finally:
        server.stop()
        thread.join()


def test_a_service_keeps_continuations_and_subagents(full: Desk) -> None:
    person = full.client(Scope.READER)
    run = run_of(full, "merge__sort005")
    assert "All tests pass now." in person.get(f"runs/{run}").text
    assert "The tests want a hyphen." in person.get(f"runs/{run}?subagent=reader.json").text
