"""Pages of folders on this machine: what they show, and that nothing that an agent wrote acts in them."""

import http.client
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from assay.adapters.jobs.folder_pages import FolderPages
from assay.adapters.jobs.run_store import keep_run
from assay.cli.main import COMMANDS, parser_of
from assay.core.errors import InputError
from assay.dialects.scorers.report import Judge, JudgeState, Provenance, ScorersReport, StatusGate
from assay.dialects.scorers.scenario import Scenario
from assay.engine.coding.score import placed_checks, score_run
from assay.engine.explorer.job_view import task_strips
from assay.engine.explorer.page_source import groups_by, job_comparison
from assay.engine.explorer.run_export import csv_file
from assay.engine.explorer.run_query import RunQuery
from assay.engine.explorer.trace_page import TraceQuery
from assay.engine.service.coding_rows import task_name
from assay.engine.service.errors import NotFoundError
from assay.engine.service.keys import Scope
from assay.evidence.coding_run import AgentRecord, CodingRecord, RunStatus
from assay.formats.trajectories.messages import read_trajectory
from assay.web.local_server import LocalServer
from assay.web.one_file import one_file
from assay.web.reading import READING
from assay.web.rendering import duration, money, number, style
from assay.web.routing import Fields, PageAnswer, PageCall, answer_page
from assay.web.site import Site, Viewer
from assay.web.visible_text import lines, visible
from tests.builders import REPO
from tests.checks.fake_workspace import FakeWorkspace
from tests.cli.running import Cli
from tests.web.examples import (
    COMPARISON,
    GUESSES,
    SLUG,
    SORTING,
    TAMPERED,
    make_hostile,
    serving_folder,
    viewed_at,
)
from tests.web.traces import write_long_trace

CAPITAL = "capital__a3lB16u"


def page_of(source: FolderPages, place: str) -> PageAnswer:
    """What ``assay view`` answers."""
    path, _, query = place.partition("?")
    for route in READING:
        values = route.values(f"/{path}")
        if values is not None:
            call = PageCall(
                site=Site("/"), viewer=Viewer(Scope.READER), path=values, query=Fields.of(query), reads=source
            )
            return answer_page(route, call)
    raise AssertionError(place)


def text_of(source: FolderPages, place: str) -> str:
    found = page_of(source, place)
    assert found.status == 200, found.body
    assert isinstance(found.body, str)
    return found.body


def test_every_denominator_is_on_the_page() -> None:
    page = text_of(viewed_at(SORTING), "jobs/sorting")
    tiles = re.findall(r'<b><a href="([^"]*)">(\d+)</a></b><span>([^<]*)</span>', page)
    assert tiles == [
        ("/runs?job=sorting", "16", "runs, each in one state"),
        ("/runs?job=sorting&amp;state=passed", "8", "passed"),
        ("/runs?job=sorting&amp;state=failed", "7", "failed"),
        ("/runs?job=sorting&amp;state=unusable", "1", "unusable"),
    ]
    assert "mean of 16 runs" in page
    assert "95 %: 0.1563 to 0.8437" in page
    assert "0.5 to 0.5625" in page
    assert "whatever the 1 run without a known answer would have got" in page
    assert "pass@4" in page
    assert "<svg" in page
    assert "follows from the trials" in page


def test_a_record_that_does_not_follow_is_shown_field_by_field() -> None:
    page = text_of(viewed_at(TAMPERED), "jobs/tampered")
    assert "does not follow" in page
    assert '<th scope="col">recorded</th>' in page


def test_the_strip_of_each_task() -> None:
    strips = {
        strip.task: ("".join(one.state[0] for one in strip.runs), strip.kind)
        for strip in task_strips(viewed_at(SORTING).job("sorting").runs)
    }
    assert strips == {
        "bubble": ("pppp", "always"),
        "merge": ("pfpp", "flaky"),
        "radix": ("ffup", "flaky"),
        "timsort": ("ffff", "never"),
    }


def test_tasks_can_be_narrowed_down_to_the_flaky_ones() -> None:
    page = text_of(viewed_at(SORTING), "jobs/sorting?kind=flaky").partition('id="tasks"')[2]
    assert "radix" in page
    assert "bubble" not in page


def test_unusable_output_is_neither_wrong_nor_broken() -> None:
    source = viewed_at(GUESSES)
    states = {strip.task: strip.runs[0].state for strip in task_strips(source.job("guesses").runs)}
    # No control was recorded there, so what the agent could have brought about counts as 0.
    assert states["broken-verifier"] == states["voltage-drop"] == "unusable"


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("", 16),
        ("task=radix", 4),
        ("state=unusable", 1),
        ("state=passed&task=merge", 3),
        ("task=nothing", 0),
        ("score=0.5..1", 8),
        ("duration_sec=..1", 0),
        ("began_at=2026-01-05T09:10:00Z..", 6),
        ("name=merge", 4),
        ("model=(none)", 0),
        ("model=model-x&model=", 16),
        ("task=merge&task=radix", 8),
        ("run_status=cancelled", 0),
        ("limit=5", 5),
        ("limit=10&cursor=10", 6),
        ("text=&judge=&axis=", 16),
    ],
)
def test_the_address_holds_the_question(query: str, number: int) -> None:
    page = text_of(viewed_at(SORTING), f"runs?{query}")
    assert page.count('<td class="name">') == number


@pytest.mark.parametrize(
    "query", ["score=high", "nothing=1", "sort=taste", "by=score", "limit=0", "cursor=x", "axis=1"]
)
def test_a_question_that_can_not_be_understood_is_answered_with_a_sentence(query: str) -> None:
    found = page_of(viewed_at(SORTING), f"runs?{query}")
    assert found.status == 422
    assert isinstance(found.body, str)
    assert 'class="note is-failed"' in found.body


def test_words_of_a_trace_find_runs(tmp_path: Path) -> None:
    source = viewed_at(make_hostile(tmp_path))
    assert text_of(source, "runs?text=autofocus").count('<td class="name">') == 1
    assert text_of(source, "runs?text=autofocus+absent").count('<td class="name">') == 0


def test_groups_and_columns() -> None:
    source = viewed_at(SORTING)
    groups = text_of(source, "runs?by=task")
    assert groups.count('<td class="name">') == 4
    assert 'href="/runs?task=merge"' in groups
    runs = re.compile(r'<td class="number">(\d+)</td><td class="number">\d+</td><td class="number">[\d.]+</td>')
    most = [int(one) for one in runs.findall(text_of(viewed_at(GUESSES, SORTING), "runs?by=task&order=-runs"))]
    assert most == sorted(most, reverse=True)
    assert len(most) > 4
    assert "95 %" in groups
    usual = text_of(source, "runs")
    assert ">State</a>" in usual
    assert ">Judge verdict</a>" not in usual  # Nobody was judged there.
    chosen = text_of(source, "runs?columns=task&columns=score")
    assert ">Task<" in chosen
    assert ">Cost</a>" not in chosen


def test_runs_can_be_sorted_both_ways() -> None:
    source = viewed_at(SORTING)
    names = re.compile(r'<td class="name"><a href="[^"]*">([^<]*)</a>')
    up = names.findall(text_of(source, "runs?sort=name"))
    assert up == sorted(up)
    assert names.findall(text_of(source, "runs?sort=-name")) == up[::-1]
    assert 'class="name" aria-sort="ascending"' in text_of(source, "runs?sort=name")
    assert 'aria-sort="descending"' in text_of(source, "runs?sort=-score")


def file_of(source: FolderPages, place: str) -> str:
    found = page_of(source, place).body
    assert not isinstance(found, str | bytes)
    return b"".join(found).decode()


def test_runs_as_files() -> None:
    source = viewed_at(SORTING)
    table, records = file_of(source, "runs.csv?task=merge"), file_of(source, "runs.jsonl?task=merge")
    rows = table.splitlines()
    assert rows[0].startswith("id,name,kind,job,task")
    assert len(rows) == 5
    found = [json.loads(line) for line in records.splitlines()]
    assert [one["task"] for one in found] == ["merge"] * 4
    assert found[0]["score"] == 1


def test_a_formula_stays_text_in_a_table() -> None:
    cells = {"a": "=1+1", "b": "@x", "c": "-2", "d": "fine", "e": None, "f": -2}
    assert b"".join(csv_file([cells], list(cells))) == b"a,b,c,d,e,f\r\n'=1+1,'@x,'-2,fine,,-2\r\n"


def test_a_run_leads_to_its_neighbours_in_its_list_and_stays_on_its_tab() -> None:
    source = viewed_at(SORTING)
    page = text_of(source, "runs/merge__sort005?tab=gradings&list=task%3Dmerge")
    assert re.findall(r'href="([^"]*)" rel="(\w+)"', page) == [
        ("/runs?task=merge", "up"),
        ("/runs/merge__sort009?tab=gradings&amp;list=task%3Dmerge", "prev"),
        ("/runs/merge__sort001?tab=gradings&amp;list=task%3Dmerge", "next"),
    ]
    assert 'href="/runs?task=merge"' in page


def test_the_parts_of_a_graded_run() -> None:
    source = viewed_at(GUESSES)
    assert "the right city, with its territory" in text_of(source, f"runs/{CAPITAL}?tab=reviews")
    assert "bubblewrap" in text_of(source, f"runs/{CAPITAL}?tab=gradings")
    assert "output parseable" in text_of(source, f"runs/{CAPITAL}?tab=gradings")
    assert "previous grading" in text_of(source, f"runs/{CAPITAL}?tab=provenance")
    assert "Verifier output" in text_of(source, f"runs/{CAPITAL}?tab=output")


def test_a_run_that_no_judge_was_asked_about_says_so(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    asked = Judge(state=JudgeState.NOT_APPLICABLE)
    for name, status in (("one", RunStatus.COMPLETED), ("two", RunStatus.FAILED)):
        gate = StatusGate(status=status, passed=None)
        provenance = Provenance(engine="1", scenario_sha256="ab" * 32)
        report = ScorersReport(overall=None, scorers=[], judge=asked, run=gate, provenance=provenance)
        keep_run(str(kept / name), CodingRecord("do it", "completion", status), report, None)
    words = re.sub("<[^>]*>", " ", one_file(viewed_at(kept)))
    found = re.findall(r"Judge verdict\s+NOT APPLICABLE\s+(not asked|the run is failed)", words)
    assert sorted(set(found)) == ["not asked", "the run is failed"]


def words_of(source: FolderPages) -> str:
    """The words of the output of a run."""
    return " ".join(re.sub("<[^>]*>", " ", text_of(source, f"runs/{CAPITAL}?tab=output")).split())


def test_what_the_agent_printed_is_shown_stream_by_stream(tmp_path: Path) -> None:
    shutil.copytree(GUESSES, tmp_path / "job")
    agent = tmp_path / "job" / CAPITAL / "agent"
    agent.mkdir(exist_ok=True)
    (agent / "output.txt").write_text("both of them")
    assert "stdout and stderr both of them" in words_of(viewed_at(tmp_path / "job"))
    (agent / "agent-stdout.txt").write_text("to the user")
    (agent / "agent-stderr.txt").write_text("to the log")
    source = viewed_at(tmp_path / "job")
    for shown in (words_of(source), " ".join(re.sub("<[^>]*>", " ", one_file(source)).split())):
        assert "stdout to the user stderr to the log" in shown
        assert "both of them" not in shown


@pytest.mark.parametrize("name", ["..", "%2e%2e%2fguesses", "nobody", "capital__a3lB16u%2Fverifier", "%2Fetc"])
def test_what_is_no_run_has_no_page(name: str) -> None:
    assert page_of(viewed_at(GUESSES), f"runs/{name}").status == 404


def test_a_run_without_a_trace_has_no_steps() -> None:
    source = viewed_at(SORTING)
    [name, *_] = [
        run.id for run in source.lists.every_line(RunQuery()) if source.trace(run.id, "", TraceQuery()) is None
    ]
    found = page_of(source, f"runs/{name}/steps")
    assert (found.status, "there is no trace of this run" in str(found.body)) == (404, True)


@pytest.mark.parametrize("place", ["jobs/nobody", "compare?job=a&job=b"])
def test_what_is_no_job_has_no_page(place: str) -> None:
    assert page_of(viewed_at(GUESSES), place).status == 404


def test_two_jobs_are_compared_by_task() -> None:
    source = viewed_at(COMPARISON / "monday", COMPARISON / "tuesday")
    page = text_of(source, "compare?job=monday&job=tuesday")
    assert (
        "tuesday is better than monday: the difference is 0.192 (95 %: 0.089 to 0.295) over 30 common tasks."
        in page
    )
    assert page.partition("By task")[2].index("middling-19") < page.partition("By task")[2].index("easy-00")
    beside = text_of(source, "compare?job=monday&job=tuesday&task=middling-19")
    assert beside.count('<div class="card">') == 8
    assert "compare?job=monday&amp;job=tuesday" in text_of(source, "compare?job=monday")
    turned = text_of(source, "compare?job=tuesday&job=monday")
    assert "tuesday is better than monday: the difference is 0.192 (95 %: 0.089 to 0.295)" in turned


def test_the_tasks_that_decide_between_three_jobs_come_first() -> None:
    source = viewed_at(*(COMPARISON / name for name in ("monday", "tuesday", "wednesday")))
    page = text_of(source, "compare?job=monday&job=tuesday&job=wednesday").partition("By task")[2]
    assert page.index("middling-19") < page.index("easy-12")
    assert "easy-15" not in page


def test_one_file_of_several_jobs_compares_those_with_common_tasks(tmp_path: Path) -> None:
    shutil.copytree(SORTING, tmp_path / "again")
    jobs = (SORTING, tmp_path / "again", COMPARISON / "monday", COMPARISON / "tuesday")
    page = one_file(viewed_at(*jobs))
    assert len(re.findall('<p class="answer">', page)) == 2
    assert "task in common" not in page


def test_a_task_is_named_without_a_scenario_too() -> None:
    assert [task_name("# Fix it.\nNow", known) for known in ("dee62138", "")] == ["Fix it. (dee6)", "Fix it."]


def test_jobs_of_one_name_are_told_apart(tmp_path: Path) -> None:
    source = viewed_at(SORTING, COMPARISON / "monday")
    assert {one["value"] for one in groups_by(source, "job")} == {"sorting", "monday"}
    assert source.run("sorting:merge__sort005").line.task == "merge"


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


@pytest.mark.statement("scorers.card-hidden")
def test_a_ledger_run_has_no_scorers_card(cli: Cli, tmp_path: Path) -> None:
    kept = tmp_path / "kept" / "ledger"
    assert cli("score", "--no-workspace", "--scenario", SLUG / "scenario.yaml", "--keep", kept).code == 0
    page = text_of(viewed_at(kept), "runs/kept%3Aledger")
    assert 'aria-label="Scorers"' not in page
    assert 'aria-label="Judge verdict"' in page


@pytest.fixture
def hostile(tmp_path: Path) -> FolderPages:
    return viewed_at(make_hostile(tmp_path))


def test_nothing_of_an_agent_is_markup(hostile: FolderPages) -> None:
    tabs = ("trace", "output", "gradings", "provenance", "reviews", "diff")
    [name] = [line.id for line in hostile.lists.every_line(RunQuery()) if line.task == "capital"]
    pages = [text_of(hostile, f"runs/{name}?tab={tab}") for tab in tabs]
    pages += [text_of(hostile, "jobs/job"), text_of(hostile, "runs"), one_file(hostile)]
    for page in pages:
        for word in (
            "<script>",
            "<img",
            "<iframe",
            "<svg onload",
            "<base",
            '<a href="javascript',
            "\u202e",
            "\x1b",
            "\x00",
        ):
            assert word not in page.replace('<svg xmlns="http://www.w3.org/2000/svg"', "")
        assert "49" not in re.findall(r"\{\{ 7\*7 \}\}|>49<", page)
    assert "&lt;script&gt;" in pages[0]
    assert "&lt;iframe" in pages[1]


def test_one_file_needs_nothing_else(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    assert cli("view", SORTING, "-o", path).out == f"wrote {path}\n"
    page = path.read_text()
    assert style().strip() in page
    assert "<script" not in page
    addresses = re.findall(r'(?:href|src|action)="([^"]*)"', page)
    assert addresses
    assert all(address.startswith("#") for address in addresses)
    targets = set(re.findall(r'id="([^"]*)"', page))
    assert {address[1:] for address in addresses} <= targets


def test_one_file_of_two_jobs_says_which_is_better(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    assert cli("view", COMPARISON / "monday", COMPARISON / "tuesday", "-o", path).code == 0
    assert "tuesday is better than monday" in path.read_text()


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    with serving_folder(viewed_at(GUESSES)) as found:
        yield found


def get(server: LocalServer, path: str, host: str | None = None) -> tuple[int, str, http.client.HTTPMessage]:
    where = urlsplit(server.address)
    connection = http.client.HTTPConnection("127.0.0.1", where.port, timeout=30)
    connection.request("GET", path, headers={"Host": host or f"127.0.0.1:{where.port}"})
    answer = connection.getresponse()
    found = answer.status, answer.read().decode(), answer.headers
    connection.close()
    return found


def test_the_server_shows_pages_to_whoever_has_the_address(server: LocalServer) -> None:
    base = urlsplit(server.address).path
    status, page, headers = get(server, base)
    assert (status, "Worth a look" in page) == (200, True)
    status, page, headers = get(server, f"{base}runs")
    assert (status, CAPITAL in page) == (200, True)
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert "<style" not in page
    assert get(server, f"{base}assets/style.css")[2]["Content-Type"] == "text/css; charset=utf-8"
    assert get(server, f"{base}runs/{CAPITAL}")[0] == 200
    assert get(server, f"{base}runs/nobody")[0] == 404
    assert get(server, f"{base}runs.csv")[1].count("\n") == 6
    assert get(server, f"{base}assets/nothing.js")[0] == 404
    assert get(server, f"{base}nothing")[0] == 404


def test_files_of_pages_are_packed_for_those_who_take_it_and_pages_never(server: LocalServer) -> None:
    with httpx.Client(base_url=server.address) as client:
        packed = client.get("assets/style.css")
        plain = client.get("assets/style.css", headers={"Accept-Encoding": "identity"})
        page = client.get("")
    assert packed.headers["Content-Encoding"] == "gzip"
    assert int(packed.headers["Content-Length"]) < int(plain.headers["Content-Length"]) / 2
    assert packed.content == plain.content
    assert "Content-Encoding" not in plain.headers
    assert "Content-Encoding" not in page.headers


@pytest.mark.parametrize("path", ["/", "/assets/style.css", "/guessed/", "//", f"/runs/{CAPITAL}"])
def test_the_server_shows_nothing_without_the_token(server: LocalServer, path: str) -> None:
    assert get(server, path)[:2] == (404, "there is nothing here\n")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example:80", ""])
def test_a_name_that_was_made_to_lead_here_is_refused(server: LocalServer, host: str) -> None:
    assert get(server, urlsplit(server.address).path, host or ":1")[0] == 403


def test_a_path_that_can_not_be_read(cli: Cli, tmp_path: Path) -> None:
    found = cli("view", tmp_path)
    assert (found.code, len(found.err.splitlines())) == (2, 1)
    assert cli("view", SORTING, "-o", tmp_path / "no" / "page.html").code == 2
    (tmp_path / "report.json").write_text("{}")
    assert cli("view", tmp_path / "report.json", "-o", tmp_path / "page.html").code == 2


def test_what_can_not_be_seen_is_shown() -> None:
    assert visible("a\u202eb\x07\n") == "a\\u202eb\\x07\\n"


def test_colours_of_a_terminal_become_text() -> None:
    assert lines("\x1b[1;31mred\x1b[0m\tx\n\x1b[2Jgone") == "red\tx\n\\x1b[2Jgone"


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (number(None), "\N{EN DASH}"),
        (number(0.50004), "0.5"),
        (duration(0.04), "0.04 s"),
        (duration(200), "3 min 20 s"),
        (duration(7500), "2 h 5 min"),
        (money(0.0123), "$0.0123"),
        (money(1234.5), "$1,234.50"),
        (money(0), "$0.00"),
    ],
)  # fmt: skip
def test_numbers_as_people_read_them(made: str, text: str) -> None:
    assert made == text


def test_a_source_says_what_is_not_there() -> None:
    source = viewed_at(SORTING)
    calls: list[Any] = [
        lambda: source.run("x"),
        lambda: source.job("x"),
        lambda: source.trace("x", "", TraceQuery()),
    ]
    for call in calls:
        with pytest.raises(NotFoundError):
            call()
    with pytest.raises(InputError, match="needs two agents"):
        job_comparison(source, ["sorting"])


def test_the_step_of_a_scorers_finding_leads_to_the_trace(tmp_path: Path) -> None:
    used = [{"name": "bash", "arguments": f"cat /tests/{one}"} for one in "ab"]
    calls = [{"role": "assistant", "tool_calls": [one]} for one in used]
    data = "\n".join(map(json.dumps, [{"role": "user", "content": "do it"}, *calls])).encode()
    agent = AgentRecord(read_trajectory(data, "t.jsonl", lambda _: None))
    scenario = Scenario.model_validate({"scorers": [{"type": "trajectory", "must_not_read": ["/tests/b"]}]})
    workspace = FakeWorkspace({}, {"a": ""}, agent=agent)
    provenance = Provenance(engine="1", scenario_sha256="ab" * 32)
    report = score_run(placed_checks(scenario, "s.yaml"), workspace, provenance, agent=agent)
    run = CodingRecord("do it", "completion", RunStatus.COMPLETED, trajectory=agent.trajectory)
    keep_run(str(tmp_path / "kept"), run, report, None)
    source = viewed_at(tmp_path)
    (place,) = set(re.findall(r'href="[^"]*(runs/[^"?#]+)', text_of(source, "runs")))
    page = text_of(source, place)
    assert '<a href="#step-3">step 3</a>' in page
    assert "finding in step 3" in page
    assert 'id="step-3"' in page


def test_where_it_went_wrong_is_what_somebody_names_or_the_first_error(tmp_path: Path, kept: Path) -> None:
    job = tmp_path / "sorting"
    shutil.copytree(SORTING, job)
    write_long_trace(job / "merge__sort009" / "agent")
    source = viewed_at(job, kept)
    runs = ("slug%3Acheating", "slug%3Ashallow", "sorting%3Amerge__sort009", "sorting%3Amerge__sort001")
    found = [page_of(source, f"runs/{one}/wrong") for one in runs]
    assert [one.status for one in found] == [303] * 4
    assert [one.headers["Location"].removeprefix("/runs/") for one in found] == [
        "slug%3Acheating?tab=diff#first-finding",
        "slug%3Ashallow#judge",
        "sorting%3Amerge__sort009?place=76.0.#step-77",
        "sorting%3Amerge__sort001#trace",
    ]
    assert 'id="first-finding"' in text_of(source, "runs/slug%3Acheating?tab=diff")
    assert 'id="judge"' in text_of(source, "runs/slug%3Ashallow")


def test_a_trace_too_large_for_its_whole_outline_leads_to_the_errors_further_on(tmp_path: Path) -> None:
    job = tmp_path / "sorting"
    shutil.copytree(SORTING, job)
    write_long_trace(job / "merge__sort009" / "agent", 11_000, (10_500,))
    source = viewed_at(job)
    first = text_of(source, "runs/merge__sort009")
    assert "first error" not in first
    [onward] = re.findall(r'href="/([^"]*)#trace">errors further on', first)
    assert re.findall('id="(step-[0-9]+)"', text_of(source, onward.replace("&amp;", "&"))) == ["step-10500"]
    assert page_of(source, "runs/merge__sort009/wrong").headers["Location"].endswith("#step-10500")


def test_every_command_that_a_page_names_is_one() -> None:
    places = [*(REPO / "src/assay/web").rglob("*.html"), *(REPO / "src/assay/api/pages").glob("*.py")]
    named = re.compile(rf"\bassay ((?:{'|'.join(COMMANDS)})(?: [\w./=-]+)*)")
    known = [(place.name, written) for place in places for written in named.findall(place.read_text())]
    assert len(known) > 3
    for place, written in known:
        name, *words = written.split()
        assert parser_of(name).parse_args(words) is not None, place


@pytest.mark.parametrize("text", ["{", "[]"])
def test_a_file_that_is_no_report_is_refused_at_once(text: str, tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(InputError, match=r"report\.json isn't a valid scorers report: "):
        viewed_at(tmp_path / "report.json")


def test_a_kept_run_that_cannot_be_read_is_refused_at_once(kept: Path, tmp_path: Path) -> None:
    shutil.copytree(kept, tmp_path / "kept")
    (tmp_path / "kept" / "shallow" / "report.json").write_text("{")
    with pytest.raises(InputError, match=r"shallow/report\.json isn't a valid scorers report: "):
        viewed_at(tmp_path / "kept")


def test_a_port_that_is_taken_is_named(cli: Cli, server: LocalServer) -> None:
    port = urlsplit(server.address).port
    found = cli("view", SORTING, "--port", port)
    assert (found.code, found.err) == (2, f"assay: port {port} can't be served at: Address already in use\n")


def test_the_tasks_of_several_agents_are_not_counted_as_more_tasks() -> None:
    words = re.sub("<[^>]*>", "", text_of(viewed_at(COMPARISON), "jobs/comparison"))
    assert "Tasks by agent 90" in words
    assert "25 of 90 lines" in words


def test_the_mean_of_the_scores_is_called_so_beside_the_score_of_the_run(kept: Path) -> None:
    page = text_of(viewed_at(kept), "runs/slug%3Acheating?tab=gradings")
    assert "FAIL mean 0.8333" in re.sub("<[^>]*>", "", page)
