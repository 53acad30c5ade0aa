"""The pages of a job: what they show, and that nothing that an agent wrote acts in them."""

import http.client
import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from assay.cli.read_jobs import read_results
from assay.engine.job_view import view_job
from assay.engine.report import Question, report_job
from assay.web.job_pages import JobPages
from assay.web.local_server import LocalServer
from assay.web.rendering import style, visible
from assay.web.viewing import pages_of, serve
from tests.builders import REPO, edit_json
from tests.cli.running import Cli

SORTING = REPO / "examples" / "jobs" / "sorting"
GUESSES = REPO / "docs" / "examples" / "guesses"
EVIL = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\u202e\x1b[31m"
CHROMIUM = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run")
QUIET = ("--disable-background-networking", "--disable-component-update", "--disable-sync")


def pages(folder: Path, base: str = "/") -> JobPages:
    results = read_results(str(folder))
    report = report_job(results.job, Question(by="trial"), results.histories, results.regrades)
    return pages_of(report, results.histories, str(folder), base)


def test_every_denominator_is_on_the_page() -> None:
    page = pages(SORTING).job({})
    assert "16 trials: 14 scored, 1 scored though errored, 1 errored without a reward" in page
    assert "mean of 15 scored trials" in page
    assert "0.5 to 0.5625" in page
    assert "<svg" in page


def test_the_strip_of_each_task() -> None:
    strips = {
        strip.task: ("".join(one.state[0] for one in strip.attempts), strip.kind)
        for strip in pages(SORTING).view.strips
    }
    assert strips == {
        "bubble": ("pppp", "always"),
        "merge": ("pfpp", "flaky"),
        "radix": ("ffbp", "flaky"),
        "timsort": ("ffff", "never"),
    }


def test_unusable_output_is_neither_wrong_nor_broken() -> None:
    states = {run.row.task: run.attempt.state for run in pages(GUESSES).view.runs}
    assert states["broken-verifier"] == "broken"
    assert "unusable" in states.values()


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ({}, 16),
        ({"text": "RADIX"}, 4),
        ({"state": "broken"}, 1),
        ({"state": "passed", "text": "merge"}, 3),
        ({"text": "nothing"}, 0),
        ({"start": "8"}, 8),
        ({"start": "x"}, 16),
    ],
)
def test_filters_are_in_the_address(query: dict[str, str], number: int) -> None:
    page = pages(SORTING).job(query)
    assert page.partition('id="runs"')[2].count('href="/runs/') == number


def test_a_long_list_has_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.web.job_pages.PAGE_SIZE", 5)
    page = pages(SORTING).job({"state": "failed"})
    assert "5 of 7 runs" in page
    assert 'href="/?text=&amp;state=failed&amp;group=&amp;start=5#runs"' in page


def test_a_run_leads_to_its_neighbours_and_back() -> None:
    found = pages(GUESSES, "/token/").run("capital__a3lB16u")
    assert found is not None
    assert 'href="/token/"' in found
    assert 'rel="prev"' in found or 'rel="next"' in found
    assert "the right city, with its territory" in found
    assert "bubblewrap" in found


@pytest.mark.parametrize("name", ["", "..", "../guesses", "nobody", "capital__a3lB16u/verifier", "/etc"])
def test_what_is_no_run_has_no_page(name: str) -> None:
    assert pages(GUESSES).run(name) is None


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A job in which everything that an agent can write is hostile."""
    job = tmp_path / "job"
    shutil.copytree(GUESSES, job)
    [trial] = job.glob("capital__*")
    agent = trial / "agent"
    agent.mkdir(exist_ok=True)
    lines = [{"role": "user", "content": EVIL}, {"role": "assistant", "content": EVIL, "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": EVIL, "arguments": EVIL}}]}]  # fmt: skip
    (agent / "trajectory.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (agent / "final_response.md").write_text(EVIL)
    (trial / "verifier" / "test-stdout.txt").write_text(EVIL)

    def blame(result: dict[str, object]) -> None:
        result["exception_info"] = {
            "exception_type": EVIL,
            "exception_message": EVIL,
            "exception_traceback": "",
            "occurred_at": "2026-01-01T00:00:00Z",
        }

    edit_json(trial / "result.json", blame)
    return job


def test_nothing_of_an_agent_is_markup(hostile: Path) -> None:
    found = pages(hostile)
    run = found.run(next(run.row.trial for run in found.view.runs if run.row.task == "capital"))
    for page in (found.job({}), run or "", found.one_file()):
        assert "<script" not in page
        assert "<img" not in page
        assert "\u202e" not in page
        assert "\x1b" not in page
    assert "&lt;script&gt;" in (run or "")


def test_nothing_of_an_agent_runs_in_a_browser(hostile: Path, tmp_path: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed: pages are not tested in a browser")
    page = tmp_path / "page.html"
    page.write_text(pages(hostile).one_file())
    shown = subprocess.run(
        [chromium, *CHROMIUM, *QUIET, f"--user-data-dir={tmp_path}/profile", "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    assert "<title>job</title>" in shown
    assert "owned" in shown
    assert "Final response" in shown


def test_one_file_needs_nothing_else(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    assert cli("view", SORTING, "-o", path).out == f"wrote {path}\n"
    page = path.read_text()
    assert style().strip() in page
    addresses = re.findall(r'(?:href|src|action)="([^"]*)"', page)
    assert addresses
    assert all(address.startswith("#") for address in addresses)
    targets = set(re.findall(r'id="(run-[^"]*)"', page))
    assert {address[1:] for address in addresses if address.startswith("#run-")} <= targets


@pytest.fixture
def server() -> Iterator[LocalServer]:
    results = read_results(str(GUESSES))
    report = report_job(results.job, Question(by="trial"), results.histories)
    found = serve(report, results.histories, str(GUESSES), 0)
    thread = threading.Thread(target=found.serve)
    thread.start()
    yield found
    found.stop()
    thread.join()


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
    assert (status, "capital__a3lB16u" in page) == (200, True)
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "<style" not in page
    assert get(server, f"{base}style.css")[2]["Content-Type"] == "text/css; charset=utf-8"
    assert get(server, f"{base}runs/capital__a3lB16u")[0] == 200
    assert get(server, f"{base}runs/nobody")[0] == 404


@pytest.mark.parametrize("path", ["/", "/style.css", "/guessed/", "//", "/runs/capital__a3lB16u"])
def test_the_server_shows_nothing_without_the_token(server: LocalServer, path: str) -> None:
    assert get(server, path)[:2] == (404, "there is nothing here\n")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example:80", ""])
def test_a_name_that_was_made_to_lead_here_is_refused(server: LocalServer, host: str) -> None:
    assert get(server, urlsplit(server.address).path, host or ":1")[0] == 403


def test_a_job_that_can_not_be_read(cli: Cli, tmp_path: Path) -> None:
    found = cli("view", tmp_path)
    assert (found.code, len(found.err.splitlines())) == (2, 1)
    assert cli("view", SORTING, "-o", tmp_path / "no" / "page.html").code == 2


def test_what_can_not_be_seen_is_shown() -> None:
    assert visible("a\u202eb\x07\n") == "a\\u202eb\\x07\\n"


def test_without_rows_there_are_no_runs() -> None:
    assert view_job(report_job(read_results(str(SORTING)).job)).runs == ()
