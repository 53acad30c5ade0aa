"""The pages in a real browser: what people see, click and type."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from assay.engine.service.keys import Scope
from assay.web.local_server import LocalServer
from assay.web.one_file import one_file
from tests.web.browser import Tab, tab_of
from tests.web.examples import COMPARISON, serving_folder, viewed_at
from tests.web.open_to_all import barriers, open_all, serious
from tests.web.people import Desk


def rows(page: Page) -> list[str]:
    return [one.inner_text() for one in page.locator("td.name > a").all()]


def test_sign_in_look_and_sign_out(desk: Desk, tab: Tab) -> None:
    desk.sign_in(tab, Scope.READER)
    page = tab.open(f"{desk.url}/ui/parts")
    assert tab.heading() == "Parts of the pages"
    assert serious(page) == []
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in")
    assert serious(page) == []


def test_a_wrong_key_is_told_so(desk: Desk, browser: Browser) -> None:
    with tab_of(browser) as tab:
        page = tab.open(f"{desk.url}/ui/runs?task=merge")
        page.get_by_label("Key").fill("ask_wrong")
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator(".hint")).to_contain_text("the key must be a valid one")
        page.get_by_label("Key").fill(desk.keys[Scope.READER])
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/ui/runs?task=merge")
        tab.wrong.clear()  # The browser itself notes the answer 403.


def test_runs_are_filtered_as_one_types_and_the_address_says_how(full: Desk, tab: Tab) -> None:
    full.enter(tab)
    page = tab.open(f"{full.url}/ui/runs")
    page.locator("#field-task").select_option("merge")
    expect(page.locator("td.name > a")).to_have_count(4)
    page.wait_for_url(lambda url: url.endswith("/ui/runs?task=merge"))
    page.get_by_text("More filters").click()
    page.locator("#field-score").fill("1..")
    page.locator("#field-score").blur()
    expect(page.locator("td.name > a")).to_have_count(3)
    page.wait_for_url(lambda url: url.endswith("?task=merge&score=1.."))
    page.reload()
    expect(page.locator("td.name > a")).to_have_count(3)
    page.locator(".chip", has_text="task").click()
    page.wait_for_url(lambda url: url.endswith("/ui/runs?score=1.0.."))
    page.go_back()
    expect(page.locator("td.name > a")).to_have_count(3)


def test_words_of_the_trace_are_searched(full: Desk, tab: Tab) -> None:
    full.enter(tab)
    page = tab.open(f"{full.url}/ui/runs")
    page.keyboard.press("/")
    page.keyboard.type("hyphen delegate", delay=5)
    expect(page.locator("td.name > a")).to_have_count(0)
    page.get_by_label("Words in the trace").fill("tests pass")
    expect(page.locator("#list")).to_contain_text("merge__sort005")


@pytest.mark.parametrize(
    ("flag", "name"),
    [
        ("gates disagree", "shallow"),
        ("reviewer disagrees", "capital__a3lB16u"),
    ],
)
def test_the_runs_that_are_worth_a_look(full: Desk, tab: Tab, flag: str, name: str) -> None:
    full.enter(tab)
    page = tab.open(f"{full.url}/ui/runs")
    page.get_by_label(flag).check()
    expect(page.locator("#list")).to_contain_text(name)
    expect(page.locator("tbody tr", has_not_text=flag)).to_have_count(0)


def test_runs_are_found_by_what_they_came_to(full: Desk, tab: Tab) -> None:
    full.enter(tab)
    page = tab.open(f"{full.url}/ui/runs?job=sorting")
    page.locator("#field-state").select_option("unusable")
    expect(page.locator("#list")).to_contain_text("radix__sort010")
    expect(page.locator("td.name > a")).to_have_count(1)


def test_runs_are_sorted_grouped_and_their_columns_chosen(full: Desk, tab: Tab) -> None:
    full.enter(tab)
    page = tab.open(f"{full.url}/ui/runs?job=sorting")
    page.get_by_role("link", name="Score").click()
    page.wait_for_url("**sort=-score**")
    scores = [one.inner_text() for one in page.locator("tbody tr td:nth-child(3)").all()]
    assert [float(score) for score in scores] == [1.0] * 8 + [0.0] * 8
    page.get_by_label("Group by").select_option("task")
    expect(page.get_by_role("columnheader", name="mean of these")).to_be_visible()
    assert rows(page) == ["bubble", "merge", "radix", "timsort"]
    page.get_by_role("link", name="merge").click()
    expect(page.locator("td.name > a")).to_have_count(4)
    page = tab.open(f"{full.url}/ui/runs?columns=agent,tokens")
    assert [one.inner_text() for one in page.get_by_role("columnheader").all()] == ["Name", "Agent", "Tokens"]


def test_an_expression_is_completed_and_refused_at_its_place(full: Desk, tab: Tab) -> None:
    full.enter(tab)
    page = tab.open(f"{full.url}/ui/runs?job=sorting")
    field, words = page.locator("#field-where"), page.locator("#where-words option")
    field.press_sequentially("sta")
    assert words.first.get_attribute("value") == "state"
    field.press_sequentially("te = un")
    assert "state = unusable" in [one.get_attribute("value") for one in words.all()]
    field.press_sequentially("usable and cost > 100")
    field.press("Enter")
    expect(page.locator("#list")).to_contain_text("state = unusable and cost > 100")
    expect(page.locator("td.name > a")).to_have_count(0)
    field.fill("state = unusable and cos > 0")
    field.press("Enter")
    expect(page.locator("#list")).to_contain_text("at character 22 of the expression a field must come")


def test_one_tick_adds_or_removes_a_column(full: Desk, tab: Tab) -> None:
    full.enter(tab)
    page = tab.open(f"{full.url}/ui/runs?job=sorting")
    heads = page.get_by_role("columnheader")
    before = heads.all_inner_texts()
    page.locator("summary", has_text="Columns").click()
    page.get_by_role("checkbox", name="Validity").check()
    expect(heads).to_have_count(len(before) + 1)
    page.get_by_role("checkbox", name="Task").uncheck()
    expect(heads).to_have_count(len(before))
    assert {*before} - {*heads.all_inner_texts()} == {"Task"}
    assert "columns=validity" in page.url


def test_runs_go_into_files(full: Desk, tab: Tab) -> None:
    full.enter(tab)
    page = tab.open(f"{full.url}/ui/runs?task=merge")
    for form, count in (("CSV", 5), ("JSONL", 4)):
        with page.expect_download() as download:
            page.get_by_role("link", name=form, exact=True).click()
        assert len(Path(download.value.path()).read_text().splitlines()) == count


def test_a_long_list_has_pages(full: Desk, tab: Tab) -> None:
    full.enter(tab)
    page = tab.open(f"{full.url}/ui/runs?job=monday&limit=20&sort=name")
    seen = rows(page)
    for _ in range(5):
        with page.expect_navigation():
            page.get_by_role("link", name="next →").click()
        seen += rows(page)
    assert len(seen) == len(set(seen)) == 120
    with page.expect_navigation():
        page.get_by_role("link", name="← previous").click()
    assert rows(page) == seen[80:100]


@pytest.mark.statement(
    "scorers.scorers-card",
    "scorers.card-header",
    "scorers.judge-card",
    "scorers.run-badge",
    "scorers.gates-disagree",
)
def test_every_element_that_the_document_names(viewed: LocalServer, tab: Tab) -> None:
    """Three gates, the Scorers card, the Judge verdict card, and the sentence where they disagree."""
    page = tab.open(f"{viewed.address}runs/slug%3Ashallow")
    agent_trace = page.get_by_role("navigation", name="Tabs").get_by_text("Agent Trace")
    expect(agent_trace).to_have_attribute("aria-current", "page")
    scorers = page.get_by_role("region", name="Scorers")
    for word in ("OVERALL", "PASS", "mean score 1", "N/A", "allowed_paths", "advisory"):
        expect(scorers).to_contain_text(word)
    judge = page.get_by_role("region", name="Judge verdict")
    words = ("FAIL", "Task completion", "Instruction adherence", "Efficiency", "failure_mode reward_hacking")
    more = (
        "Fact-check matrix",
        "contradicted",
        "slug.js has a table",
        "example-judge",
        "scored at",
        "uncalibrated",
    )
    for word in words + more:
        expect(judge).to_contain_text(word)
    expect(page.get_by_role("region", name="Run status")).to_contain_text("completed")
    expect(page.locator(".note")).to_contain_text(
        "Scorers PASS, judge FAIL: the mechanical checks passed, but semantic completion was not convincing."
    )


@pytest.mark.statement("scorers.rows-expand")
def test_hard_failures_start_open_and_rows_open_to_detail(viewed: LocalServer, tab: Tab) -> None:
    page = tab.open(f"{viewed.address}runs/slug%3Acheating")
    scorers = page.get_by_role("region", name="Scorers")
    opened = {
        one.locator("b").first.inner_text(): one.get_attribute("open") for one in scorers.locator("details").all()
    }
    assert {name for name, state in opened.items() if state is not None} == {
        "no_new_skips",
        "assertions_not_weakened",
    }
    expect(scorers.get_by_text("toBeDefined")).to_be_visible()
    scorers.get_by_text("where", exact=True).click()
    expect(scorers.locator("details[open]")).to_have_count(3)


def test_findings_are_beside_their_lines(full: Desk, tab: Tab) -> None:
    full.enter(tab)
    page = tab.open(f"{full.url}/ui/runs?name=cheating")
    page.locator("td.name > a").click()
    page.get_by_role("link", name="Diff").click()
    expect(page.locator("tr.found")).to_have_count(2)
    line = page.locator("tr.found", has_text="assertions_not_weakened").locator("xpath=preceding-sibling::tr[1]")
    expect(line).to_contain_text("toBeDefined")


def test_the_trace_hides_finds_and_follows(viewed: LocalServer, tab: Tab) -> None:
    page = tab.open(f"{viewed.address}runs/sorting%3Amerge__sort005")
    steps = page.locator(".step")
    expect(steps).to_have_count(4)
    expect(page.locator("#trace")).to_contain_text("All tests pass now.")  # From the continuation.
    expect(page.locator("#trace")).to_contain_text("1 failed")
    page.get_by_label("hide tool calls").check()
    expect(page.get_by_text("pytest -q")).to_have_count(0)
    page.wait_for_url(lambda url: "hide=calls" in url)
    page.get_by_label("hide reasoning").check()
    expect(page.get_by_text("First look at what fails.")).to_have_count(0)
    page.get_by_label("hide tool calls").uncheck()
    page.get_by_label("Search in the trace").fill("PYTEST")
    expect(steps).to_have_count(1)
    page.get_by_label("Search in the trace").fill("")
    expect(steps).to_have_count(4)
    page.locator("#trace").get_by_role("link", name="reader.json").first.click()
    expect(page.locator(".step")).to_contain_text("The tests want a hyphen.")
    page.get_by_role("link", name="main agent").click()
    expect(page.locator(".step")).to_have_count(4)
    page.get_by_role("button", name="Open or close all").click()
    expect(page.locator(".step > details[open]")).to_have_count(4)
    page.get_by_role("button", name="Open or close all").click()
    expect(page.locator(".step > details[open]")).to_have_count(0)


def test_arrow_keys_flip_through_runs_on_the_same_tab(full: Desk, tab: Tab) -> None:
    full.enter(tab)
    page = tab.open(f"{full.url}/ui/runs?task=merge&sort=name")
    names = rows(page)[:4]
    page.locator("td.name > a").first.click()
    page.get_by_role("link", name="Gradings").click()
    page.wait_for_url("**tab=gradings**")
    for name in names[1:]:
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
        page.wait_for_url("**tab=gradings**")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", level=1)).to_have_text(names[2])


def test_a_long_trace_comes_piece_by_piece(tmp_path: Path, traced: Path, tab: Tab) -> None:
    run = traced / "merge__sort001" / "agent"
    run.mkdir(exist_ok=True)
    lines = [json.dumps({"role": "assistant", "content": f"message {number}"}) for number in range(100)]
    (run / "messages.jsonl").write_text("\n".join(lines))
    with serving_folder(viewed_at(traced)) as server:
        page = tab.open(f"{server.address}runs/merge__sort001")
        expect(page.locator(".step")).to_have_count(40)
        page.get_by_role("link", name="More steps").click()
        expect(page.locator(".step")).to_have_count(80)
        page.get_by_role("link", name="More steps").click()
        expect(page.locator(".step")).to_have_count(100)
        expect(page.get_by_role("link", name="More steps")).to_have_count(0)
    (run / "messages.jsonl").unlink()


def test_the_page_of_a_job(full: Desk, tab: Tab) -> None:
    full.enter(tab)
    page = tab.open(f"{full.url}/ui/jobs")
    page.get_by_role("link", name="sorting").click()
    expect(page.locator("main")).to_contain_text("mean of 16 runs")
    expect(page.locator("svg[aria-label*='pass@k']")).to_be_visible()
    page.get_by_role("link", name="flaky").click()
    expect(page.get_by_role("region", name="Tasks").locator("tbody tr")).to_have_count(2)
    page.get_by_role("link", name="unusable: radix__sort010").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("radix__sort010")


def test_jobs_are_chosen_and_compared(full: Desk, tab: Tab) -> None:
    full.enter(tab)
    page = tab.open(f"{full.url}/ui/jobs")
    page.get_by_label("compare monday").check()
    page.get_by_label("compare tuesday").check()
    page.get_by_role("button", name="Compare the chosen jobs").click()
    expect(page.locator(".answer")).to_contain_text("tuesday is better than monday: the difference is 0.192")
    page.get_by_role("region", name="Tasks").get_by_role("link", name="middling-19").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("middling-19")
    expect(page.locator(".card")).to_have_count(8)


def test_two_folders_open_with_their_comparison(tab: Tab) -> None:
    with serving_folder(viewed_at(COMPARISON / "monday", COMPARISON / "tuesday")) as server:
        page = tab.open(server.address)
        expect(page.locator(".answer")).to_contain_text("tuesday is better than monday")
        page.get_by_role("link", name="Compare task by task").click()
        expect(page.get_by_role("region", name="Tasks")).to_be_visible()


def test_reading_works_without_javascript(full: Desk, plain_tab: Tab) -> None:
    full.enter(plain_tab)
    page = plain_tab.open(f"{full.url}/ui/runs")
    page.locator("#field-task").select_option("merge")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("td.name > a")).to_have_count(4)
    page.get_by_role("link", name="merge__sort005").click()
    expect(page.locator(".step").first).to_be_visible()
    page.get_by_label("hide tool calls").check()
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("pytest -q")).to_have_count(0)
    page.get_by_role("link", name="next run").or_(page.get_by_role("link", name="previous run")).first.click()
    expect(page.get_by_role("heading", level=1)).not_to_have_text("merge__sort005")


def test_a_walk_by_keyboard_alone(full: Desk, tab: Tab) -> None:
    page = tab.open(f"{full.url}/ui/")
    _tab_to(page, "Key")
    page.keyboard.type(full.keys[Scope.READER])
    page.keyboard.press("Enter")
    page.wait_for_url("**/ui/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    _tab_to(page, "Runs")
    page.keyboard.press("Enter")
    page.wait_for_url("**/ui/runs")
    _tab_to(page, "gates disagree")
    page.keyboard.press("Space")
    expect(page.locator("#list")).to_contain_text("shallow")
    _tab_to(page, "shallow")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("shallow")
    _tab_to(page, "Diff")
    page.keyboard.press("Enter")
    page.wait_for_url("**tab=diff**")


def _tab_to(page: Page, name: str) -> None:
    """Press Tab until something of that name has the focus, which can be seen."""
    said = """() => { const at = document.activeElement; if (!at || at === document.body) return '';
      const label = at.labels && at.labels[0]; const style = getComputedStyle(at);
      return [(label || at).textContent.trim().replace(' *', ''), style.outlineStyle].join('|'); }"""
    for _ in range(80):
        page.keyboard.press("Tab")
        found, _, outline = str(page.evaluate(said)).rpartition("|")
        if found:
            assert outline != "none", f"{found} doesn't show that it has the focus"
        if found == name:
            return
    raise AssertionError(f"{name} can't be reached with the Tab key")


PLACES = {
    "home": "",
    "newest": "newest",
    "flaky": "flaky",
    "runs": "runs",
    "groups": "runs?by=task",
    "run": "runs/{run}",
    "diff": "runs/{run}?tab=diff",
    "output": "runs/{run}?tab=output",
    "gradings": "runs/{run}?tab=gradings",
    "reviews": "runs/{run}?tab=reviews",
    "provenance": "runs/{run}?tab=provenance",
    "jobs": "jobs",
    "job": "jobs/sorting",
    "job-audit": "jobs/sorting/audit",
    "choose": "compare?job=monday",
    "compare": "compare?job=monday&job=tuesday",
    "task": "compare?job=monday&job=tuesday&task=middling-19",
    "parts": "parts",
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_nobody_is_kept_out(full: Desk, tab: Tab, place: str) -> None:
    full.enter(tab)
    assert barriers(tab.open(f"{full.url}/ui/{place.format(run=run_of(full, 'shallow'))}")) == {}


def run_of(desk: Desk, name: str) -> str:
    with desk.service.store.writing() as connection:
        return str(connection.exec_driver_sql("SELECT id FROM runs WHERE name = ?", (name,)).scalar_one())


def test_nothing_of_an_agent_runs(full: Desk, hostile: Path, tab: Tab, tmp_path: Path) -> None:
    """Every field that an agent writes has markup, scripts, handlers, templates and control characters in it."""
    full.enter(tab)
    [name] = [path.name for path in hostile.glob("capital__*")]
    with full.service.store.writing() as connection:
        found = connection.exec_driver_sql(
            "SELECT id FROM runs WHERE name = ? AND job = 'job'", (name,)
        ).scalar_one()
    file = tmp_path / "report.html"
    source = viewed_at(hostile)
    file.write_text(one_file(source))
    tabs = [f"runs/{{}}?tab={one}" for one in ("trace", "diff", "output", "gradings", "reviews", "provenance")]
    places = ["runs", "runs?by=reason", "jobs/job", *tabs]
    with serving_folder(source) as server:
        served = [f"{full.url}/ui/{place.format(found)}" for place in places]
        for address in (*served, *(f"{server.address}{place.format(name)}" for place in places), file.as_uri()):
            page = tab.open(address)
            open_all(page)
            page.keyboard.press("Tab")
            assert page.title() != "owned", address
            assert tab.refused() == [], address
            assert (
                page.locator("iframe, img, base, main a[href^='javascript'], main form[action*='evil']").count()
                == 0
            )
    page = tab.open(f"{full.url}/ui/runs/{found}")
    expect(page.locator("#trace")).to_contain_text("<script>document.title='owned'</script>")
