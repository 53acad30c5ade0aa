"""Every face of one job, each asked the way its user asks it, as one answer that can be compared."""

import contextlib
import csv
import io
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import quote

import httpx

from assay.adapters.service.page_source import StorePages
from assay.cli.main import main
from assay.cli.view import source_of
from assay.engine.explorer.job_view import task_strips
from assay.engine.explorer.page_source import PageSource, groups_by
from assay.engine.explorer.run_query import RunQuery
from assay.engine.service.keys import Scope
from assay.evidence.run import COUNTED, Run, State
from assay.web.pages.run import TABS
from assay.web.reading import READING
from assay.web.rendering import number
from assay.web.routing import Fields, PageCall, answer_page
from assay.web.site import Site, Viewer
from tests.api.clinic import Clinic, Served, clinic_of

Decided: TypeAlias = tuple[str, float | None, str | None, str | None]
_VOID: Final = {"meta", "link", "input", "br", "hr", "img", "path", "line", "rect", "circle", "polyline"}


@dataclass(frozen=True)
class Group:
    """The numbers of some runs."""

    states: Mapping[str, int]
    mean: float | None
    n: int


@dataclass
class Answer:
    """What one face says: of each run, of each agent, and of the job. A face doesn't have to say everything."""

    runs: dict[str, Decided] | None = None
    agents: dict[str, Group] | None = None
    job: Group | None = None
    judges: dict[str, str | None] = field(default_factory=dict)


def command(*argv: object) -> tuple[int, str, str]:
    """A command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(one) for one in argv])
    assert "Traceback" not in err.getvalue(), err.getvalue()
    return code, out.getvalue(), err.getvalue()


def decided(one: Mapping[str, Any]) -> Decided:
    return one["state"], one["score"], one["reason"], one["cause"]


def some(counts: Mapping[str, int]) -> dict[str, int]:
    """The states that there are."""
    return {state: count for state, count in counts.items() if count and state != "total"}


def report_json(job: Path) -> Answer:
    code, out, err = command("report", job, "--json", "--by", "trial")
    assert code == 0, err
    [found] = json.loads(out)["jobs"]
    agents = {
        key.partition("__")[0]: Group(some(one["counts"]), one["mean"], one["n"])
        for key, one in found["evals"].items()
    }
    assert sum(some(found["counts"]).values()) == found["counts"]["total"]
    only = next(iter(agents.values())) if len(agents) == 1 else None
    return Answer(
        {one["trial"]: decided(one) for one in found["trials"]},
        agents,
        None if only is None else Group(some(found["counts"]), only.mean, only.n),
        {one["trial"]: one["judge"] for one in found["trials"]},
    )


def report_text(job: Path, expected: Answer) -> None:
    """The text has the same numbers, to the digits that it shows."""
    code, out, err = command("report", job)
    assert code == 0, err
    for agent, group in (expected.agents or {}).items():
        block = out.partition(f"\n{agent}__ds\n")[2].partition("\n\n")[0]
        mean = re.search(r"^ +mean +([0-9.]+) of (\d+) run", block, re.MULTILINE)
        shown = None if mean is None else (mean[1], int(mean[2]))
        assert shown == (None if group.mean is None else (f"{group.mean:.4f}", group.n)), block
        titles, row = _table(out, f"{agent}__ds")
        assert some(dict(zip(titles, map(int, row), strict=True))) == group.states
    code, out, _ = command("report", job, "--by", "trial")
    lines = out.splitlines()
    for name, (state, *_) in (expected.runs or {}).items():
        [line] = [one for one in lines if one.split()[:1] == [name] and state.replace("_", " ") in one][:1]
        assert line


def _table(text: str, first: str) -> tuple[list[str], list[str]]:
    """The titles of the table of states and the row that begins with a word."""
    lines = text.splitlines()
    at = next(n for n, line in enumerate(lines) if re.match(r"\s*runs +total ", line))
    titles = lines[at].replace("not judged", "not_judged").split()[1:]
    row = next(line for line in lines[at:] if line.split()[:1] == [first])
    return titles, row.split()[1:]


def compared(job: Path, other: Path) -> dict[str, Answer]:
    """Both sides of a comparison, and who is left out."""
    code, out, err = command("compare", job, other, "--json", "--anyway")
    if code == 2:
        assert "a comparison needs two agents with scores" in err, err
        return {}
    assert code == 0, err
    answers: dict[str, Answer] = {}
    for one in json.loads(out)["agents"]:
        name = job.name if one["label"].startswith(job.name) else other.name
        name = name if one["label"].startswith(name) else ""
        agents = answers.setdefault(name, Answer(agents={})).agents
        assert agents is not None
        agents[one["group"].partition("__")[0]] = Group(some(one["states"]), one["mean"], one["n"])
        assert one["runs"] == sum(one["states"].values())
        assert one["n"] == sum(one["states"][state] for state in COUNTED)
    return answers


class Explorer:
    """The store of a service: each job in an organisation of its own."""

    def __init__(self, served: Served, where: str, client: httpx.Client) -> None:
        self._served, self._where, self._client, self._count = served, where, client, 0

    def imported(self, *jobs: Path) -> tuple[Clinic, StorePages]:
        self._count += 1
        clinic = clinic_of(self._served, self._client, f"organisation{self._count}")
        self.add(clinic, *jobs)
        one = clinic.service
        return clinic, StorePages(one.store, one.imports, one.blobs, one.jobs, clinic.organisation)

    def add(self, clinic: Clinic, *jobs: Path) -> None:
        for job in jobs:
            code, _, err = command("import", job, "--store", self._where, "--organisation", clinic.organisation)
            assert code == 0, err


def explored(clinic: Clinic, job: str) -> Iterator[tuple[str, Answer]]:
    """What the API says: lists, single runs, groups and exports."""
    listed = clinic.get("/v1/runs", params={"job": job, "limit": 100})["data"]
    runs = {one["name"]: decided(one) for one in listed}
    assert len(runs) == len(listed)
    yield "list", Answer(runs, judges={one["name"]: one["judge"] for one in listed})
    single = [clinic.get(f"/v1/runs/{one['id']}") for one in listed]
    yield "resource", Answer({one["name"]: decided(one) for one in single})
    by_agent = clinic.get("/v1/runs/groups", params={"by": "agent", "job": job})
    [whole] = clinic.get("/v1/runs/groups", params={"by": "job", "job": job})
    assert whole["passed"] == whole["states"].get("passed", 0)
    yield "groups", Answer(agents=_agents(by_agent), job=_group(whole))
    [kept] = [one for one in clinic.get("/v1/runs/groups", params={"by": "job"}) if one["value"] == job]
    yield "kept totals", Answer(job=_group(kept))
    by_state = clinic.get("/v1/runs/groups", params={"by": "state", "job": job})
    assert all(one["states"] == {one["value"]: one["runs"]} for one in by_state)
    assert some({one["value"]: one["runs"] for one in by_state}) == whole["states"]
    yield "csv", _of_csv(clinic.ask("GET", "/v1/runs/export.csv", params={"job": job}).text)
    yield "jsonl", _of_jsonl(clinic.ask("GET", "/v1/runs/export.jsonl", params={"job": job}).text)


def _group(one: Mapping[str, Any]) -> Group:
    assert one["runs"] == sum(one["states"].values())
    assert one["scored"] == sum(one["states"].get(state, 0) for state in COUNTED)
    return Group(some(one["states"]), one["mean"], one["scored"])


def _agents(groups: Any) -> dict[str, Group]:
    """Runs without a result have no agent."""
    return {one["value"]: _group(one) for one in groups if one["value"]}


def _of_csv(text: str) -> Answer:
    rows = list(csv.DictReader(io.StringIO(text)))
    return Answer(
        {
            one["name"]: (
                one["state"],
                float(one["score"]) if one["score"] else None,
                one["reason"] or None,
                one["cause"] or None,
            )
            for one in rows
        }
    )


def _of_jsonl(text: str) -> Answer:
    return Answer({one["name"]: decided(one) for one in map(json.loads, text.splitlines())})


def paged(source: PageSource, job: str, *, tabs: bool = True) -> Iterator[tuple[str, Answer]]:
    """What pages say, and what they read it from."""
    asked = RunQuery()
    lines = [line for line in source.lists.every_line(asked) if line.job == job]
    yield "lines", Answer({one.name: _of_run(one) for one in lines}, judges={one.name: one.judge for one in lines})
    [line] = [one for one in groups_by(source, "job") if one["value"] == job]
    assert line["runs"] == sum(line["states"].values())
    yield "jobs", Answer(job=Group(some(line["states"]), line["mean"], line["scored"]))
    report = source.job(job)
    groups = {
        one.key.partition("__")[0]: Group(some({str(k): v for k, v in one.states.items()}), one.mean, one.n)
        for one in report.groups
    }
    yield "job", Answer({one.name: _of_run(one) for one in report.runs}, groups)
    assert Counter(one.name for strip in task_strips(report.runs) for one in strip.runs) == Counter(
        one.name for one in lines
    )
    query = f"?job={quote(job)}"
    yield "csv", _of_csv(page(source, f"runs.csv{query}"))
    yield "jsonl", _of_jsonl(page(source, f"runs.jsonl{query}"))
    _see_job(page(source, f"jobs/{quote(job)}"), report.states, groups)
    shown = {one.name: _seen(page(source, f"runs/{quote(one.id, safe='')}"), one) for one in lines}
    yield "run pages", Answer(judges=shown)
    for one in lines:
        for tab in TABS if tabs else ():
            page(source, f"runs/{quote(one.id, safe='')}?tab={tab}")
    of_job = f"jobs/{quote(job)}"
    for place in (
        *("", "runs", f"runs{query}&by=state", "runs?by=job&order=-mean", "jobs", "compare", "parts"),
        "runs?where=state+in+(failed,broken)+or+not+score+%3C+1+and+cost+%3D+none",
        *(
            f"{of_job}/audit",
            f"{of_job}/headline",
            f"{of_job}?sort=-mean",
            f"{of_job}?sort=reward.reward&kind=never",
        ),
    ):
        page(source, place)


def _of_run(one: Run) -> Decided:
    return one.state.value, one.score, one.reason, None if one.cause is None else str(one.cause)


def page(source: PageSource, place: str) -> str:
    """A page, which must be there and be whole."""
    path, _, query = place.partition("?")
    for route in READING:
        values = route.values(f"/{path}")
        if values is not None:
            viewer = Viewer(Scope.READER)
            found = answer_page(
                route, PageCall(site=Site("/"), viewer=viewer, path=values, query=Fields.of(query), reads=source)
            )
            body = found.body if isinstance(found.body, str) else b"".join(found.body).decode()  # type: ignore[arg-type]
            assert found.status == 200, body
            if isinstance(found.body, str):
                well_formed(body)
            return body
    raise AssertionError(place)


class _Nesting(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            assert self.open[-1:] == [tag], f"</{tag}> in {self.open} at {self.getpos()}"
            self.open.pop()


def well_formed(text: str) -> None:
    """Every element is closed where it was opened."""
    nesting = _Nesting()
    nesting.feed(text)
    nesting.close()
    assert not nesting.open


def _seen(text: str, run: Run) -> str | None:
    """The page of a run has its state and its score. Returns the judge's gate."""
    state = re.search(r'<b class="word">([^<]*)</b>', text)
    assert state is not None
    assert state[1] == run.state.value.replace("_", " ")
    score = re.search(r'<b>([^<]*)</b><span class="label">(?:reward|score)<', text)
    assert (None if score is None else score[1]) == (None if run.score is None else number(run.score))
    judge = re.search(r'Judge verdict</span> <span class="badge [^"]*">([^<]*)<', text)
    return None if judge is None else judge[1]


def _see_job(text: str, states: Mapping[State, int], groups: Mapping[str, Group]) -> None:
    """The page of a job has its partition, and the mean of each group with its denominator."""
    for state, count in states.items():
        assert not count or _tile(text, count, state), state
    for group in groups.values():
        if group.mean is not None:
            runs = f"mean of {group.n} run{'' if group.n == 1 else 's'}"
            assert f"<b>{number(group.mean)}</b><span>{runs}</span>" in text


def _tile(text: str, count: int, state: str) -> bool:
    """Whether a number stands above its state; on a page, it leads to its runs."""
    word = state.replace("_", " ")
    return re.search(rf"<b>(?:<a [^>]*>)?{count}(?:</a>)?</b><span>{word}</span>", text) is not None


def one_file(job: Path, expected: Answer, groups: Mapping[str, Group]) -> None:
    """The one file has a section for each run."""
    target = job.parent / "page.html"
    code, _, err = command("view", job, "-o", target)
    assert code == 0, err
    text = target.read_text()
    well_formed(text)
    states = Counter(state for state, *_ in (expected.runs or {}).values())
    for state, count in states.items():
        assert _tile(text, count, state), state
    _see_job(text, {}, groups)
    for name, (state, score, *_) in (expected.runs or {}).items():
        section = text.partition(f'aria-label="{name}">')[2].partition("</section>")[0]
        assert f'<b class="word">{state.replace("_", " ")}</b>' in section
        assert score is None or f"<b>{number(score)}</b>" in section


def results(job: Path, expected: Mapping[str, Decided], graded: Mapping[str, bool]) -> None:
    """The first line of 'assay result' for runs that have a grading."""
    for name in graded:
        code, out, err = command("result", job / name)
        assert code == 0, err
        state, score, reason, cause = expected[name]
        words = [state.replace("_", " "), "no score" if score is None else f"score {score:g}"]
        words += [f"reason {reason}"] if reason else []
        words += [f"cause {cause}"] if cause else []
        assert out.splitlines()[0] == "  ".join(words)


def viewed(*paths: Path) -> PageSource:
    with contextlib.redirect_stderr(io.StringIO()):
        return source_of([str(path) for path in paths])


def twin(job: Path) -> Path:
    """The same job under another name."""
    return Path(shutil.copytree(job, job.parent / "twin"))
